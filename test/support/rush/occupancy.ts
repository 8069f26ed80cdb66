// Checks what clients of a shop saw, without the shop's own rules: no place was taken twice, and
// no place was refused while it was free.

/** When a change took effect: after it was sent, and before its reply arrived. Epoch ms. */
export type Span = { sentAt: number; doneAt: number };

/** A part of a resource: a staff member or table for a time, or a number of tickets. */
export type Place = { resource: string; from: number; to: number; quantity: number };

/** A place that a visit, hold or ticket order has. */
export type Taken = Place & { id: string; taken: Span; freed: Span };

/** A request that each of the places would have satisfied. `id`: the visit that it would move. */
export type Refused = { id: string | null; places: Place[]; span: Span };

export const NEVER: Span = { sentAt: Infinity, doneAt: Infinity };

export type CapacityOf = (resource: string) => number;

const isSamePart = (a: Place, b: Place): boolean => a.from < b.to && b.from < a.to;

const loadOf = (rows: readonly Taken[]): number =>
  rows.reduce((sum, { quantity }) => sum + quantity, 0);

/** Returns the places that were certainly taken while others certainly filled the resource. */
export function findOverbooked(history: readonly Taken[], capacityOf: CapacityOf): Taken[] {
  const byResource = Map.groupBy(history, ({ resource }) => resource);
  return history.filter((row) => {
    const at = row.taken.doneAt;
    const certain = (byResource.get(row.resource) ?? []).filter(
      (other) => isSamePart(row, other) && other.taken.doneAt <= at && at < other.freed.sentAt,
    );
    return at < row.freed.sentAt && loadOf(certain) > capacityOf(row.resource);
  });
}

/** Returns the refusals of a place that nobody can have had when the request was handled. */
export function findUnexplained(
  refusals: readonly Refused[],
  history: readonly Taken[],
  capacityOf: CapacityOf,
): Refused[] {
  const byResource = Map.groupBy(history, ({ resource }) => resource);
  const isCertainlyFree = (place: Place, { id, span }: Refused): boolean => {
    const possible = (byResource.get(place.resource) ?? []).filter(
      (other) =>
        other.id !== id &&
        isSamePart(place, other) &&
        other.taken.sentAt <= span.doneAt &&
        span.sentAt <= other.freed.doneAt,
    );
    return loadOf(possible) + place.quantity <= capacityOf(place.resource);
  };
  return refusals.filter((refused) => refused.places.some((it) => isCertainlyFree(it, refused)));
}
