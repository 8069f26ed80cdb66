import type { Catalog } from "../catalog/catalog.ts";
import type { Interval } from "./intervals.ts";
import type { BusyInterval } from "./request.ts";
import type { Segment } from "./segment.ts";

/** Appointments by what they take. Everybody in a class is one row: its teacher and its room are there once for all. */
export type BusyIndex = {
  ofStaff: (key: string) => readonly BusyInterval[];
  ofTable: (key: string) => readonly BusyInterval[];
  ofService: (key: string) => readonly BusyInterval[];
  ofResource: (key: string) => readonly BusyInterval[];
};

export function indexBusyIntervals(catalog: Catalog, rows: readonly BusyInterval[]): BusyIndex {
  const classes = new Set(
    catalog.objects.service.filter(({ capacity }) => capacity > 1).map(({ key }) => key),
  );
  const isClass = (row: BusyInterval): boolean =>
    row.serviceKey !== null && classes.has(row.serviceKey);
  const all = [...rows.filter((row) => !isClass(row)), ...seatedTogether(rows.filter(isClass))];

  const ofStaff = Map.groupBy(all, ({ staffKey }) => staffKey);
  const ofTable = Map.groupBy(all, ({ tableKey }) => tableKey);
  const ofService = Map.groupBy(all, ({ serviceKey }) => serviceKey);
  const ofResource = new Map<string, BusyInterval[]>();
  for (const row of all)
    for (const { resource } of row.resources) {
      const known = ofResource.get(resource);
      if (known === undefined) ofResource.set(resource, [row]);
      else known.push(row);
    }
  return {
    ofStaff: (key) => ofStaff.get(key) ?? [],
    ofTable: (key) => ofTable.get(key) ?? [],
    ofService: (key) => ofService.get(key) ?? [],
    ofResource: (key) => ofResource.get(key) ?? [],
  };
}

function seatedTogether(rows: readonly BusyInterval[]): BusyInterval[] {
  const sessions = new Map<string, BusyInterval>();
  for (const row of rows) {
    const key = JSON.stringify([row.serviceKey, row.staffKey, row.startMin, row.endMin]);
    const session = sessions.get(key);
    sessions.set(key, session === undefined ? row : together(session, row));
  }
  return [...sessions.values()];
}

const together = (a: BusyInterval, b: BusyInterval): BusyInterval => ({
  ...a,
  seats: a.seats + b.seats,
  bufferBeforeMin: Math.max(a.bufferBeforeMin, b.bufferBeforeMin),
  bufferAfterMin: Math.max(a.bufferAfterMin, b.bufferAfterMin),
  resources: [...new Set([...a.resources, ...b.resources].map(({ resource }) => resource))].map(
    (resource) => ({
      resource,
      units: Math.max(unitsUsed(a, resource), unitsUsed(b, resource)),
    }),
  ),
});

/** How many units of the resource the row holds. */
export const unitsUsed = (
  { resources }: Pick<BusyInterval, "resources">,
  resource: string,
): number =>
  resources.reduce((sum, used) => (used.resource === resource ? sum + used.units : sum), 0);

/** The time that a row keeps from a segment: its own, with the gap that both their buffers ask for on either side. */
export function blockedInterval(
  row: BusyInterval,
  segment: Segment,
  policy: "MAX" | "SUM",
): Interval {
  const gap = (after: number, before: number) =>
    policy === "MAX" ? Math.max(after, before) : after + before;
  return {
    start: row.startMin - gap(segment.bufferAfterMin, row.bufferBeforeMin),
    end: row.endMin + gap(row.bufferAfterMin, segment.bufferBeforeMin),
  };
}
