import type { Availability, Outcome } from "./documented-availability.ts";
import {
  type Answer,
  Day,
  minuteOf,
  type Moment,
  type Question,
  type Slot,
  type Visit,
} from "./documented-days.ts";
import { addDays } from "./documented-hours.ts";
import type { Wish } from "./documented-types.ts";

/**
 * Returns the reason that a key without bookings.read gets: TOO_FAR, TOO_SOON, OUTSIDE_HOURS,
 * OFF_GRID or TAKEN.
 */
const generalReason = (reason: string | null): string | null => {
  if (reason === null) return null;
  if (reason === "CLOSURE") return "OUTSIDE_HOURS";
  // A website does not learn when a person has a break or time off.
  return ["TOO_FAR", "TOO_SOON", "OUTSIDE_HOURS", "OFF_GRID"].includes(reason) ? reason : "TAKEN";
};

/** Compares answers with the documentation and counts what it has compared. */
export class Comparison {
  readonly differences: string[] = [];
  compared = 0;
  /** The number of starts for each reason. */
  readonly reasons = new Map<string, number>();
  readonly #availability: Availability;
  readonly #format: (minute: number) => string;

  constructor(availability: Availability) {
    this.#availability = availability;
    this.#format = availability.business.zone.format;
  }

  #expect(what: string, expected: unknown, actual: unknown): void {
    this.compared++;
    const [left, right] = [JSON.stringify(expected), JSON.stringify(actual)];
    if (left !== right) this.differences.push(`${what}: documented ${left}, answered ${right}`);
  }

  /** Returns the rules of the whole visit: the strictest of its services. */
  #rules(question: Question): { minNoticeMin: number; maxAdvanceDays: number } {
    if ("party" in question) return this.#availability.business.policy;
    const rules = question.wishes.map(({ service }) => this.#availability.serviceOf(service).rules);
    return {
      minNoticeMin: Math.max(...rules.map(({ minNoticeMin }) => minNoticeMin)),
      maxAdvanceDays: Math.min(...rules.map(({ maxAdvanceDays }) => maxAdvanceDays)),
    };
  }

  /**
   * Returns the last bookable day, and a function that tells whether a start is too soon. Null
   * means that this changed between `moment.before` and `moment.after`.
   */
  #limits(question: Question, moment: Moment) {
    const { zone } = this.#availability.business;
    const { minNoticeMin, maxAdvanceDays } = this.#rules(question);
    const today = zone.dateOf(Math.floor(moment.before / 60_000));
    if (today !== zone.dateOf(Math.floor(moment.after / 60_000))) return null;
    const isTooSoon = (start: number): boolean | null => {
      const limit = (now: number) => start * 60_000 < now + minNoticeMin * 60_000;
      return limit(moment.before) === limit(moment.after) ? limit(moment.after) : null;
    };
    return { horizon: addDays(today, maxAdvanceDays), isTooSoon };
  }

  /** Compares the summaries of days, and the next slots, with the slots of an answer. */
  compareSummaries(
    { days }: Answer,
    counts: { date: string; state: string; slotCount: number }[],
    next: Slot[],
  ): void {
    const expected = days.map(({ date, state, slots }) => [date, state, slots.length]);
    this.#expect(
      "days",
      expected,
      counts.map((day) => [day.date, day.state, day.slotCount]),
    );
    const first = days.flatMap(({ slots }) => slots).slice(0, next.length);
    if (first.length === next.length) this.#expect("next slots", first, next);
  }

  /** Compares why a visit cannot be booked at a start. */
  compareBooking(question: Question, start: number, actual: string | null, moment: Moment): void {
    const limits = this.#limits(question, moment);
    const isTooSoon = limits?.isTooSoon(start);
    const { zone } = this.#availability.business;
    const date = zone.dateOf(start);
    const options =
      "party" in question ? [] : question.wishes.map((wish) => this.#availability.optionsOf(wish));
    if (!limits || typeof isTooSoon !== "boolean" || options.some((list) => list.length === 0))
      return;
    const { reason } = new Day(this.#availability, question, date, true).visitVerdict(start);
    const expected = date > limits.horizon ? "TOO_FAR" : isTooSoon ? "TOO_SOON" : reason;
    this.#expect(`booking at ${this.#format(start)}`, expected, actual);
    this.#count(expected);
  }

  #count(reason: string | null): void {
    this.reasons.set(`${reason}`, (this.reasons.get(`${reason}`) ?? 0) + 1);
  }

  /**
   * Compares the days and starts of an answer.
   * @param isGeneral whether the key that asked may not read bookings, and so gets general reasons
   */
  compare(question: Question, answer: Answer, moment: Moment, isGeneral = false): void {
    const { zone } = this.#availability.business;
    const limits = this.#limits(question, moment);
    if (!limits) return;
    const { horizon, isTooSoon } = limits;
    this.#compareTotals(question, answer);
    let first: number | undefined;
    for (let date = question.from, i = 0; date <= question.to; date = addDays(date, 1), i++) {
      const actual = answer.days[i];
      this.#expect("date", date, actual?.date);
      if (!actual) continue;
      const day = new Day(this.#availability, question, date);
      const end = zone.instantOf(addDays(date, 1), 0);
      const isWhollyTooSoon = isTooSoon(end - 1) === true;
      const slots = new Map(actual.slots.map((slot) => [minuteOf(slot.startsAt), slot]));
      const refused = new Map(actual.refused.map((one) => [minuteOf(one.startsAt), one]));
      for (const [start, { reason, segment }] of day.verdicts) {
        const soon = isTooSoon(start);
        const [slot, refusal] = [slots.get(start), refused.get(start)];
        slots.delete(start);
        refused.delete(start);
        if (soon === null) continue;
        const isFree = reason === null && !soon && date <= horizon;
        const at = this.#format(start);
        this.#expect(`${at} is free`, isFree, slot !== undefined);
        if (slot) this.#compareSlot(question, slot, start);
        if (isFree) first ??= start;
        // A day wholly inside the minimum notice or beyond the horizon may list no refused starts.
        if (isFree || ((date > horizon || isWhollyTooSoon) && actual.refused.length === 0))
          continue;
        const expected = soon ? { reason: "TOO_SOON", segment: 0 } : { reason, segment };
        this.#count(expected.reason);
        if (isGeneral) expected.reason = generalReason(expected.reason);
        this.#expect(
          `${at} refused`,
          expected,
          refusal && {
            reason: refusal.reason,
            segment: refusal.segment,
          },
        );
      }
      this.#expect(
        `${date} other starts`,
        [],
        [...slots.keys(), ...refused.keys()].map(this.#format),
      );
      if (actual.slots.length > 0) {
        this.#expect(`${date} state`, "OPEN", actual.state);
        continue;
      }
      const possible = day.startsWithoutVisits();
      const isFull = possible.some((start) => isTooSoon(start) === false);
      const isSoon = isWhollyTooSoon || possible.length > 0;
      const state = isFull ? "FULL" : isSoon ? "TOO_SOON" : "CLOSED";
      this.#expect(`${date} state`, date > horizon ? "TOO_FAR" : state, actual.state);
    }
    if (first !== undefined)
      this.#expect("nextAvailable", this.#format(first), answer.nextAvailable);
    else if (answer.nextAvailable !== null) {
      const next = minuteOf(answer.nextAvailable);
      const day = new Day(this.#availability, question, zone.dateOf(next));
      this.#expect("nextAvailable is free", null, day.verdicts.get(next)?.reason);
      this.#expect("nextAvailable is later", true, zone.dateOf(next) > question.to);
    }
  }

  #compareTotals(question: Question, answer: Answer): void {
    const lengths =
      "party" in question
        ? [{ durationMin: this.#availability.turnMin(question.party), priceCents: 0 }]
        : question.wishes.map((wish) => {
            const person = this.#availability.business.people.get(wish.staff ?? "") ?? null;
            return this.#availability.lengthOf(wish, person);
          });
    const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
    this.#expect("durationMin", sum(lengths.map((one) => one.durationMin)), answer.durationMin);
    this.#expect("priceCents", sum(lengths.map((one) => one.priceCents)), answer.priceCents);
  }

  #compareSlot(question: Question, slot: Slot, start: number): void {
    const at = this.#format(start);
    this.#expect(`${at} startsAt`, at, slot.startsAt);
    this.#expect(`${at} endsAt`, slot.segments.at(-1)?.endsAt, slot.endsAt);
    this.#expect(`${at} first segment`, slot.startsAt, slot.segments[0]?.startsAt);
    if ("party" in question) return this.#compareTable(question, slot, start);
    const spots: number[] = [];
    question.wishes.forEach((wish, index) => {
      const segment = slot.segments[index];
      if (!segment) return this.#expect(`${at} segment ${index}`, wish, segment);
      const name = `${at} segment ${index}`;
      const from = minuteOf(segment.startsAt);
      this.#expect(`${name} format`, this.#format(from), segment.startsAt);
      const before = slot.segments[index - 1];
      const wait = before ? from - minuteOf(before.endsAt) : 0;
      const { maxGapMin } = this.#availability.business.policy;
      this.#expect(`${name} wait`, true, wait >= 0 && wait <= maxGapMin);
      this.#expect(
        `${name} service`,
        [wish.service, this.#availability.variantOf(wish)?.id ?? null],
        [segment.serviceId, segment.variantId],
      );
      const byId = (a: { addonId: string }, b: { addonId: string }) =>
        a.addonId < b.addonId ? -1 : 1;
      this.#expect(
        `${name} addons`,
        this.#availability.addonsOf(wish).sort(byId),
        [...(segment.addons ?? [])].sort(byId),
      );
      const outcomes = this.#availability
        .optionsOf(wish)
        .map((option) =>
          this.#availability.check(wish, option, from, question.guests, index === 0),
        );
      const free = outcomes.filter(({ reason }) => reason === null);
      // A free person who is too slow for the services that follow is not listed.
      const visible = free.flatMap(({ option: { person } }) =>
        person?.isPublic && this.#canPerform(question, index, person.id, start) ? [person.id] : [],
      );
      this.#expect(`${name} staffIds`, visible.sort(), [...(segment.staffIds ?? [])].sort());
      // A person without a public profile is served as null.
      const proposed = free.filter(({ option: { person } }) =>
        segment.staffId === null ? !person?.isPublic : person?.id === segment.staffId,
      );
      const shown = [this.#format(minuteOf(segment.endsAt)), segment.priceCents];
      const shownOf = ({ to, option }: Outcome) => [this.#format(to), option.priceCents];
      const match = proposed.find((one) => `${shownOf(one)}` === `${shown}`) ?? proposed[0];
      this.#expect(`${name} end and price`, match && shownOf(match), shown);
      spots.push(match?.spots ?? 0);
    });
    this.#expect(`${at} spotsLeft`, Math.min(...spots), slot.spotsLeft);
    const scarcest = question.wishes[spots.indexOf(Math.min(...spots))] as Wish;
    this.#expect(`${at} spotsTotal`, this.#availability.spotsTotal(scarcest), slot.spotsTotal);
  }

  /** Returns whether a visit is possible if this person performs one of its services. */
  #canPerform(question: Visit, index: number, staff: string, start: number): boolean {
    if (question.wishes.length === 1) return true;
    const wishes = question.wishes.map((wish, at) => (at === index ? { ...wish, staff } : wish));
    const day = new Day(this.#availability, { ...question, wishes }, question.from, true);
    return day.visitVerdict(start).reason === null;
  }

  #compareTable(
    { party, area }: { party: number; area: string | null },
    slot: Slot,
    start: number,
  ): void {
    const at = this.#format(start);
    const span = { from: start, to: start + this.#availability.turnMin(party) };
    const free = this.#availability.freeTables(party, area, span);
    const smallest = Math.min(...free.map(({ max }) => max));
    const table = free.find(({ id }) => id === slot.segments[0]?.tableId);
    this.#expect(`${at} table is the smallest`, smallest, table?.max);
    this.#expect(`${at} area`, table?.area, slot.segments[0]?.areaId);
    this.#expect(`${at} end`, this.#format(span.to), slot.endsAt);
    this.#expect(`${at} spotsLeft`, free.length, slot.spotsLeft);
    this.#expect(
      `${at} spotsTotal`,
      this.#availability.tablesFor(party, area).length,
      slot.spotsTotal,
    );
  }
}
