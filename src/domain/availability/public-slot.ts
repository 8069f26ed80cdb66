import type { z } from "zod";
import type { Catalog, Kind, ServiceDoc } from "../catalog/catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import { isVisible } from "../public/public-context.ts";
import type * as schemas from "../public/schemas/availability.ts";
import { variantId } from "../public/service.ts";
import { formatMinute } from "./format-minute.ts";
import type { Refusal } from "./refusal.ts";
import { REFUSAL_TEXT } from "./refusal-text.ts";
import type { Slot } from "./slot.ts";
import type { Audience } from "./resolve-request.ts";

/** A slot as it is answered: by ids, at the times of a clock. Nothing of customers, of hours or of why somebody is away. */
export type PublicSlot = z.infer<typeof schemas.slot>;

/** A start that is not offered, with the first rule that it fails. */
export type PublicRefusedStart = z.infer<typeof schemas.refusedStart>;

/** A day with the visits that can begin on it. */
export type PublicDay = z.infer<typeof schemas.day>;

export type SlotPresenter = {
  toPublicSlot: (slot: Slot) => PublicSlot;
  toPublicRefusedStart: (refused: Refusal & { startMin: number }) => PublicRefusedStart;
  minute: (minute: number) => string;
};

/** @param timezone whose clock the times are of */
export function createSlotPresenter(
  { business: { slug }, objects }: Catalog,
  audience: Audience,
  timezone: string,
): SlotPresenter {
  const idsOf = (kind: Kind): Map<string, string> =>
    new Map(
      objects[kind]
        .filter((doc) => audience === "HOUSE" || isVisible(kind, doc))
        .map((doc) => [doc.key, objectId(kind, slug, doc)]),
    );
  const [staff, tables, areas] = [idsOf("staff"), idsOf("table"), idsOf("area")];
  const areaOf = new Map(objects.table.map(({ key, area }) => [key, area]));
  const services = new Map(objects.service.map((doc) => [doc.key, doc]));
  const variantIds = remembering(
    (service: ServiceDoc) =>
      new Map(service.variants.map((doc) => [doc.key, variantId(slug, service, doc)])),
  );
  const minute = remembering((at: number) => formatMinute(at, timezone));

  const segment = (part: Slot["segments"][number]): PublicSlot["segments"][number] => {
    const [startsAt, endsAt] = [minute(part.startMin), minute(part.endMin)];
    if (part.tableKey !== null) {
      const area = areaOf.get(part.tableKey) ?? null;
      return {
        tableId: tables.get(part.tableKey) ?? "",
        areaId: area === null ? null : (areas.get(area) ?? null),
        startsAt,
        endsAt,
      };
    }
    const service = services.get(part.serviceKey ?? "");
    if (service === undefined)
      throw new Error(`The slot's service ${part.serviceKey} is not in the catalog.`);
    return {
      serviceId: objectId("service", slug, service),
      variantId:
        part.variantKey === null ? null : (variantIds(service).get(part.variantKey) ?? null),
      staffId: part.staffKey === null ? null : (staff.get(part.staffKey) ?? null),
      staffIds: part.staffKeys.flatMap((key) => staff.get(key) ?? []),
      startsAt,
      endsAt,
      priceCents: part.priceCents,
    };
  };

  return {
    toPublicSlot: ({ startMin, endMin, spotsLeft, spotsTotal, segments }) => ({
      startsAt: minute(startMin),
      endsAt: minute(endMin),
      spotsLeft,
      spotsTotal,
      segments: segments.map(segment),
    }),
    toPublicRefusedStart: ({ startMin, reason, segment }) => ({
      startsAt: minute(startMin),
      reason,
      detail: REFUSAL_TEXT[reason],
      segment,
    }),
    minute,
  };
}

/** Thousands of slots begin and end at the same minutes. */
function remembering<Of, Value>(work: (of: Of) => Value): (of: Of) => Value {
  const known = new Map<Of, Value>();
  return (of) => {
    let value = known.get(of);
    if (value === undefined) known.set(of, (value = work(of)));
    return value;
  };
}
