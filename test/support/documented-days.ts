/** Computes the documented starts of a day, and has the types of what `/availability` answers. */
import { Availability, type Option } from "./documented-availability.ts";
import { laterReason, type Wish } from "./documented-types.ts";

export type Visit = { from: string; to: string; wishes: Wish[]; guests: number };
export type Question = Visit | { from: string; to: string; party: number; area: string | null };

export type Segment = {
  serviceId?: string;
  variantId?: string | null;
  addons?: { addonId: string; quantity: number }[];
  staffId?: string | null;
  staffIds?: string[];
  tableId?: string;
  areaId?: string | null;
  startsAt: string;
  endsAt: string;
  priceCents?: number;
};
export type Slot = {
  startsAt: string;
  endsAt: string;
  spotsLeft: number;
  spotsTotal: number;
  segments: Segment[];
};
type Refused = { startsAt: string; reason: string; segment: number };
export type Answer = {
  durationMin: number;
  priceCents: number;
  days: { date: string; state: string; slots: Slot[]; refused: Refused[] }[];
  nextAvailable: string | null;
};

/** The server's clock before and after it answered, in ms. */
export type Moment = { before: number; after: number };

export type Verdict = { reason: string | null; segment: number };

export const minuteOf = (time: string): number => Date.parse(time) / 60_000;

/**
 * Tells for each time of a day whether a visit can start then by the documentation, and if not, why.
 * The minimum notice is left out.
 */
export class Day {
  /** The verdicts by start, in minutes since 1970. */
  readonly verdicts = new Map<number, Verdict>();
  readonly availability: Availability;
  readonly question: Question;
  readonly date: string;

  /** @param isEmpty leaves `verdicts` empty, for callers that need the verdict on one start only */
  constructor(availability: Availability, question: Question, date: string, isEmpty = false) {
    this.availability = availability;
    this.question = question;
    this.date = date;
    if (isEmpty) return;
    const { policy } = availability.business;
    if ("party" in question) {
      for (const start of availability.starts(date, policy.slotIntervalMin, [null]))
        this.verdicts.set(start, this.#tableVerdict(start));
      return;
    }
    const [first] = question.wishes as [Wish];
    const able = availability.optionsOf(first).map(({ person }) => person);
    const people = able.length === 0 ? [null] : able;
    const { slotIntervalMin } = availability.serviceOf(first.service).rules;
    const starts = [
      ...availability.starts(date, slotIntervalMin, people),
      ...availability.sessionStarts(first, date),
    ];
    for (const start of starts.sort((a, b) => a - b))
      this.verdicts.set(start, this.visitVerdict(start));
  }

  /** Returns the starts that would be free without any booking. */
  startsWithoutVisits(): number[] {
    const { business } = this.availability;
    const empty = new Availability({ ...business, occupied: [], seated: [] });
    const { verdicts } = new Day(empty, this.question, this.date);
    return [...verdicts].flatMap(([start, { reason }]) => (reason === null ? [start] : []));
  }

  #tableVerdict(start: number): Verdict {
    const { party, area } = this.question as { party: number; area: string | null };
    if (this.availability.tablesFor(party, area).length === 0)
      return { reason: "NOBODY_ABLE", segment: 0 };
    const span = { from: start, to: start + this.availability.turnMin(party) };
    const hours = this.availability.hoursReason(span, null);
    if (hours !== null) return { reason: hours, segment: 0 };
    const isFree = this.availability.freeTables(party, area, span).length > 0;
    return { reason: isFree ? null : "TAKEN", segment: 0 };
  }

  /**
   * Returns whether a visit is possible at a start, with any person and any wait of whole minutes
   * between two services. The reason is that of the earliest time at which the service that fails
   * could start.
   */
  visitVerdict(start: number): Verdict {
    const { wishes, guests } = this.question as { wishes: Wish[]; guests: number };
    const { maxGapMin } = this.availability.business.policy;
    const earliestOf: number[] = [];
    const known = new Set<string>();
    const check = (wish: Wish, option: Option, index: number, from: number) =>
      this.availability.check(wish, option, from, guests, index === 0);
    const search = (index: number, earliest: number): boolean => {
      const wish = wishes[index];
      if (!wish) return true;
      const id = `${index} ${earliest}`;
      if (known.has(id)) return false;
      known.add(id);
      earliestOf[index] = Math.min(earliest, earliestOf[index] ?? earliest);
      for (let wait = 0; wait <= (index === 0 ? 0 : maxGapMin); wait++) {
        for (const option of this.availability.optionsOf(wish)) {
          const { reason, to } = check(wish, option, index, earliest + wait);
          if (reason === null && search(index + 1, to)) return true;
        }
      }
      return false;
    };
    if (search(0, start)) return { reason: null, segment: 0 };
    const segment = earliestOf.length - 1;
    const last = wishes[segment] as Wish;
    const reasons = this.availability
      .optionsOf(last)
      .flatMap((option) => check(last, option, segment, earliestOf[segment] ?? start).reason ?? []);
    return { reason: reasons.reduce(laterReason, "NOBODY_ABLE"), segment };
  }
}
