// Checks what clients of a shop saw, without the shop's own rules: no place was taken twice, and
// no place was refused while it was free.

/** When a change took effect: after it was sent, and before its reply arrived. Epoch ms. */
export type Span = { sentAt: number; doneAt: number };

/** A part of a resource: a staff member or table for a time, or a number of tickets. */
export type Place = { resource: string; from: number; to: number; quantity: number };

/** A place that a visit, hold or ticket order has. */
export type Taken = Place & { id: string; taken: Span; freed: Span };

/**
 * A refused request. Each alternative is a set of places that would have been enough. `id` is the
 * ID of the visit that the request would have moved, or null.
 */
export type Refused = { id: string | null; alternatives: Place[][]; span: Span };

export const NEVER: Span = { sentAt: Infinity, doneAt: Infinity };

export type CapacityOf = (resource: string) => number;

const isSamePart = (a: Place, b: Place): boolean => a.from < b.to && b.from < a.to;

/** Returns the largest quantity that the rows take at any moment of the place. */
function peakLoad(place: Place, rows: readonly Taken[]): number {
  const inPlace = rows.filter((row) => isSamePart(place, row));
  // The load rises only where a row begins.
  const moments = [place.from, ...inPlace.map(({ from }) => Math.max(from, place.from))];
  const loads = moments.map((moment) =>
    inPlace
      .filter(({ from, to }) => from <= moment && moment < to)
      .reduce((sum, { quantity }) => sum + quantity, 0),
  );
  return Math.max(...loads);
}

/** Returns each taken place whose resource was certainly overbooked once the place was taken. */
export function findOverbooked(history: readonly Taken[], capacityOf: CapacityOf): Taken[] {
  const byResource = Map.groupBy(history, ({ resource }) => resource);
  return history.filter((row) => {
    const at = row.taken.doneAt;
    const certain = (byResource.get(row.resource) ?? []).filter(
      (other) => other.taken.doneAt <= at && at < other.freed.sentAt,
    );
    return at < row.freed.sentAt && peakLoad(row, certain) > capacityOf(row.resource);
  });
}

/**
 * Returns the requests that were refused although all places of an alternative were certainly free.
 */
export function findUnexplained(
  refusals: readonly Refused[],
  history: readonly Taken[],
  capacityOf: CapacityOf,
): Refused[] {
  const byResource = Map.groupBy(history, ({ resource }) => resource);
  const isCertainlyFree = (place: Place, { id, span }: Refused): boolean => {
    const possible = (byResource.get(place.resource) ?? []).filter(
      (other) =>
        other.id !== id && other.taken.sentAt <= span.doneAt && span.sentAt <= other.freed.doneAt,
    );
    return peakLoad(place, possible) + place.quantity <= capacityOf(place.resource);
  };
  return refusals.filter((refused) =>
    refused.alternatives.some((places) => places.every((it) => isCertainlyFree(it, refused))),
  );
}

/** A price that a request has set or was charged. `span` is the time of the request. */
export type Price = { cents: number; span: Span };

/**
 * Returns the charged prices that were certainly not valid when they were charged.
 * @param changes all prices in order, beginning with the first one
 */
export const findWrongPrices = (charged: readonly Price[], changes: readonly Price[]): Price[] =>
  charged.filter(
    ({ cents, span }) =>
      !changes.some(
        (change, n) =>
          change.cents === cents &&
          change.span.sentAt <= span.doneAt &&
          span.sentAt <= (changes[n + 1] ?? { span: NEVER }).span.doneAt,
      ),
  );
