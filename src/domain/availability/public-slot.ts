import type { z } from "zod";
import type { Catalog, Kind, ServiceDoc } from "../catalog/catalog.ts";
import { findByKey } from "../catalog/doc-index.ts";
import { objectId } from "../catalog/object-id.ts";
import { memoized } from "../lazy.ts";
import { isVisible } from "../public/public-context.ts";
import type * as schemas from "../public/schemas/availability.ts";
import { variantId } from "../public/service.ts";
import { formatMinute } from "./wall-clock.ts";
import { publicReason, REFUSAL_TEXT } from "./refusal.ts";
import type { RefusedStart, Slot } from "./slot.ts";
import type { Audience } from "./catalog-lookup.ts";
import type { NamedRequest } from "./request.ts";

/** A slot as partners see it. Guests, working hours and reasons for absence are left out. */
export type PublicSlot = z.infer<typeof schemas.slot>;

export type PublicRefusedStart = z.infer<typeof schemas.refusedStart>;

export type PublicDay = z.infer<typeof schemas.day>;

/**
 * Returns functions that turn slots and refused starts into their public form.
 * @param timezone the time zone of the times in the response
 * @param hidesReasons whether a refused start gets only its `publicReason`, so that the response
 * does not tell why a time is taken
 */
export function createSlotPresenter(
  { business: { slug }, objects }: Catalog,
  audience: Audience,
  timezone: string,
  hidesReasons = false,
) {
  const createIdFinder = <K extends Kind>(kind: K) =>
    memoized((key: string): string | undefined => {
      const doc = findByKey<K>(objects[kind], key);
      const isListed = doc !== undefined && (audience === "INTERNAL" || isVisible(kind, doc));
      return isListed ? objectId(kind, slug, doc) : undefined;
    });
  const staffId = createIdFinder("staff");
  const tableId = createIdFinder("table");
  const areaId = createIdFinder("area");
  const addonId = createIdFinder("addon");
  const variantIds = memoized(
    (service: ServiceDoc) =>
      new Map(service.variants.map((doc) => [doc.key, variantId(slug, service, doc)])),
  );
  // The texts are cached, because thousands of slots share the same minutes.
  const localTime = memoized((minute: number) => formatMinute(minute, timezone));

  const toPublicSegment = (segment: Slot["segments"][number]): PublicSlot["segments"][number] => {
    const [startsAt, endsAt] = [localTime(segment.startMin), localTime(segment.endMin)];
    if (segment.tableKey !== null) {
      const area = findByKey<"table">(objects.table, segment.tableKey)?.area ?? null;
      return {
        // Slots have active tables only, which always have an ID.
        tableId: tableId(segment.tableKey) ?? "",
        areaId: area === null ? null : (areaId(area) ?? null),
        startsAt,
        endsAt,
      };
    }
    const service = findByKey<"service">(objects.service, segment.serviceKey ?? "");
    if (service === undefined)
      throw new Error(`The slot's service ${segment.serviceKey} is not in the catalog.`);
    return {
      serviceId: objectId("service", slug, service),
      variantId:
        segment.variantKey === null ? null : (variantIds(service).get(segment.variantKey) ?? null),
      addons: segment.addons.flatMap(({ addon, quantity }) => {
        const id = addonId(addon);
        return id === undefined ? [] : { addonId: id, quantity };
      }),
      staffId: segment.staffKey === null ? null : (staffId(segment.staffKey) ?? null),
      staffIds: segment.staffKeys.flatMap((key) => staffId(key) ?? []),
      startsAt,
      endsAt,
      priceCents: segment.priceCents,
    };
  };

  return {
    localTime,
    toPublicSlot: ({ startMin, endMin, spotsLeft, spotsTotal, segments }: Slot): PublicSlot => ({
      startsAt: localTime(startMin),
      endsAt: localTime(endMin),
      spotsLeft,
      spotsTotal,
      segments: segments.map(toPublicSegment),
    }),
    toPublicRefusedStart: (refused: RefusedStart): PublicRefusedStart => {
      const reason = hidesReasons ? publicReason(refused.reason) : refused.reason;
      return {
        startsAt: localTime(refused.startMin),
        reason,
        detail: REFUSAL_TEXT[reason],
        segment: refused.segment,
      };
    },
  };
}

/** Returns the slot with the body of a request that books it. */
export const withBookingRequest = (slot: PublicSlot, request: NamedRequest): PublicSlot => ({
  ...slot,
  bookingRequest: toBookingRequest(slot, request),
});

function toBookingRequest({ startsAt, segments }: PublicSlot, request: NamedRequest) {
  if ("partySize" in request)
    return {
      startsAt,
      partySize: request.partySize,
      ...(request.areaId !== null && { areaId: request.areaId }),
    };
  return {
    startsAt,
    segments: segments.flatMap((segment) =>
      "serviceId" in segment
        ? {
            serviceId: segment.serviceId,
            variantId: segment.variantId,
            addons: segment.addons,
            staffId: segment.staffId,
          }
        : [],
    ),
    ...(request.guests > 1 && { guests: request.guests }),
  };
}
