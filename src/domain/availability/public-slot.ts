import type { Catalog, Kind } from "../catalog/catalog.ts";
import { objectId } from "../catalog/catalog.ts";
import { isVisible } from "../public/lens.ts";
import { variantId } from "../public/service.ts";
import { formatMinute } from "./format.ts";
import type { Refusal } from "./refusal.ts";
import { REFUSAL_TEXT } from "./refusal-text.ts";
import type { Slot } from "./slot.ts";
import type { Audience } from "./wish.ts";

/** A slot as it is answered: by ids, at the times of a clock. Nothing of customers, of hours or of why somebody is away. */
export type PublicSlot = {
  startsAt: string;
  endsAt: string;
  spotsLeft: number;
  spotsTotal: number;
  segments: (VisitSegment | TableSegment)[];
};

type VisitSegment = {
  serviceId: string;
  variantId: string | null;
  /** null: nobody is needed, or whoever would do it shows no profile. */
  staffId: string | null;
  staffIds: string[];
  startsAt: string;
  endsAt: string;
  /** For each guest. */
  priceCents: number;
};

type TableSegment = { tableId: string; areaId: string | null; startsAt: string; endsAt: string };

/** A start that is not offered, with the first rule that it fails. */
export type PublicRefusal = {
  startsAt: string;
  reason: Refusal["reason"];
  detail: string;
  /** Which of the visit's services, counted from 0. */
  segment: number;
};

export type Representing = {
  slot: (slot: Slot) => PublicSlot;
  refusal: (refused: Refusal & { startMin: number }) => PublicRefusal;
  minute: (minute: number) => string;
};

/** @param timezone whose clock the times are of */
export function representing(
  { business: { slug }, objects }: Catalog,
  audience: Audience,
  timezone: string,
): Representing {
  const idsOf = (kind: Kind): Map<string, string> =>
    new Map(
      objects[kind]
        .filter((doc) => audience === "HOUSE" || isVisible(kind, doc))
        .map((doc) => [doc.key, objectId(kind, slug, doc)]),
    );
  const [staff, tables, areas] = [idsOf("staff"), idsOf("table"), idsOf("area")];
  const areaOf = new Map(objects.table.map(({ key, area }) => [key, area]));
  const services = new Map(objects.service.map((doc) => [doc.key, doc]));
  const minute = (at: number): string => formatMinute(at, timezone);

  const segment = ({ serviceKey, variantKey, staffKey, staffKeys, tableKey, ...part }: Slot["segments"][number]) => {
    const times = { startsAt: minute(part.startMin), endsAt: minute(part.endMin) };
    if (tableKey !== null) {
      const area = areaOf.get(tableKey) ?? null;
      return {
        tableId: tables.get(tableKey) ?? "",
        areaId: area === null ? null : (areas.get(area) ?? null),
        ...times,
      };
    }
    const service = services.get(serviceKey ?? "");
    if (service === undefined) throw new Error(`The slot's service ${serviceKey} is not in the catalog.`);
    const variant = service.variants.find(({ key }) => key === variantKey);
    return {
      serviceId: objectId("service", slug, service),
      variantId: variant === undefined ? null : variantId(slug, service, variant),
      staffId: staffKey === null ? null : (staff.get(staffKey) ?? null),
      staffIds: staffKeys.flatMap((key) => staff.get(key) ?? []),
      ...times,
      priceCents: part.priceCents,
    };
  };

  return {
    slot: ({ startMin, endMin, spotsLeft, spotsTotal, segments }) => ({
      startsAt: minute(startMin),
      endsAt: minute(endMin),
      spotsLeft,
      spotsTotal,
      segments: segments.map(segment),
    }),
    refusal: ({ startMin, reason, segment }) => ({
      startsAt: minute(startMin),
      reason,
      detail: REFUSAL_TEXT[reason],
      segment,
    }),
    minute,
  };
}
