import type { Catalog } from "../catalog/catalog.ts";
import type { AddIssue, ResolvedTableRequest } from "./request.ts";
import type { Segment } from "./segment.ts";

/** For businesses without turn times. */
const DEFAULT_TURN_MIN = 120;

export function planTable(
  catalog: Catalog,
  { partySize, area }: ResolvedTableRequest,
  addIssue: AddIssue,
): Segment {
  const areas = new Map(catalog.objects.area.map((doc) => [doc.key, doc]));
  if (area !== null && areas.get(area)?.status !== "ACTIVE")
    addIssue("resource_not_found", `There is no area '${area}'.`, "areaId");

  const tables = catalog.objects.table.filter(
    (table) =>
      table.status === "ACTIVE" &&
      (table.area === null || areas.get(table.area)?.status === "ACTIVE") &&
      (area === null || table.area === area),
  );
  const largest = Math.max(0, ...tables.map(({ maxSeats }) => maxSeats));
  if (partySize > largest)
    addIssue(
      "party_too_large",
      `No table seats ${partySize}; the largest seats ${largest}.`,
      "partySize",
    );

  const durationMin = turnTime(catalog, partySize);
  const candidates = tables
    .filter(({ minSeats, maxSeats }) => minSeats <= partySize && partySize <= maxSeats)
    .sort((a, b) => a.maxSeats - b.maxSeats || a.minSeats - b.minSeats || (a.key < b.key ? -1 : 1))
    .map((table) => ({ staff: null, table, durationMin, priceCents: 0 }));

  return {
    service: null,
    variant: null,
    addons: [],
    seats: partySize,
    capacity: 1,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    resources: [],
    durationMin,
    priceCents: 0,
    candidates,
  };
}

/** Parties above the last rule get its time; of two rules for one size, the longer applies. */
function turnTime({ schedule }: Catalog, partySize: number): number {
  const bySize = schedule.turnTimes.toSorted((a, b) => a.upTo - b.upTo || b.min - a.min);
  const size = Math.min(partySize, bySize.at(-1)?.upTo ?? 0);
  return bySize.find(({ upTo }) => size <= upTo)?.min ?? DEFAULT_TURN_MIN;
}
