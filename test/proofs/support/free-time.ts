// The proofs of holds measure which part of a week's free time visits and holds take. The free time
// is what availability listed before the first of them.

const DAY_MS = 86_400_000;
/**
 * Midnight in New York, where the sample salon is, as a UTC time of day. An hour more or less does
 * not matter, because the salon opens hours later.
 */
const MIDNIGHT_MS = 5 * 3_600_000;

export type Interval = { startsAt: number; endsAt: number };
type TakenSegment = Interval & { serviceId: string; seats: number };
type Read = <T>(path: string) => Promise<T>;

/** Returns the midnight with which a day of the salon began. */
const midnightBefore = (now: number): number =>
  Math.floor((now - MIDNIGHT_MS) / DAY_MS) * DAY_MS + MIDNIGHT_MS;

/**
 * Returns the result of a run that begins and ends on one day of the salon. The weeks in which
 * holds are limited begin with the current day, so a run over midnight could not be compared with
 * the free time that was listed before it.
 */
export async function runWithinOneDay<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    const midnight = midnightBefore(Date.now());
    const result = await run();
    if (midnightBefore(Date.now()) === midnight) return result;
  }
}

/** Returns the intervals of the next 14 days that slots cover, for each staff member. */
export async function listFreeTime(read: Read, now: number): Promise<Interval[]> {
  const services = await read<{ id: string; bookable: boolean }[]>("/services");
  const staff = await read<{ id: string }[]>("/staff");
  const from = new Date(now).toISOString().slice(0, 10);
  const to = new Date(now + 14 * DAY_MS).toISOString().slice(0, 10);
  const free: Interval[] = [];
  for (const { id: staffId } of staff) {
    const covered: Interval[] = [];
    for (const { id } of services.filter(({ bookable }) => bookable)) {
      const found = await read<
        { days: { slots: { startsAt: string; endsAt: string }[] }[] } | undefined
      >(`/availability?serviceIds=${id}&staffIds=${staffId}&from=${from}&to=${to}`);
      for (const { startsAt, endsAt } of found?.days.flatMap(({ slots }) => slots) ?? [])
        covered.push({ startsAt: Date.parse(startsAt), endsAt: Date.parse(endsAt) });
    }
    free.push(...joinIntervals(covered));
  }
  return free;
}

function joinIntervals(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { startsAt, endsAt } of intervals.toSorted((a, b) => a.startsAt - b.startsAt)) {
    const last = joined.at(-1);
    if (last === undefined || startsAt > last.endsAt) joined.push({ startsAt, endsAt });
    else last.endsAt = Math.max(last.endsAt, endsAt);
  }
  return joined;
}

export async function listCapacities(read: Read): Promise<Map<string, number>> {
  const services = await read<{ id: string; capacity: number }[]>("/services");
  return new Map(services.map(({ id, capacity }) => [id, capacity]));
}

/**
 * Returns the largest share of the free time of a week that the segments take, for the weeks that
 * begin today or on one of the next seven days. A seat in a class takes its part of the session.
 */
export function largestShare(
  taken: readonly TakenSegment[],
  free: readonly Interval[],
  capacities: ReadonlyMap<string, number>,
  now: number,
): number {
  const today = midnightBefore(now);
  const shares = Array.from({ length: 8 }, (_, day) => {
    const from = today + day * DAY_MS;
    const within = ({ startsAt }: Interval) => startsAt >= from && startsAt < from + 7 * DAY_MS;
    const partOf = ({ serviceId, seats }: TakenSegment) => seats / (capacities.get(serviceId) ?? 1);
    const sum = <T extends Interval>(all: readonly T[], part: (one: T) => number) =>
      all.filter(within).reduce((total, one) => total + (one.endsAt - one.startsAt) * part(one), 0);
    return sum(taken, partOf) / sum(free, () => 1);
  });
  return Math.max(...shares);
}
