/** What the documentation says about the starts of a day, and what `/availability` answers. */
import { Availability } from "./documented-availability.ts";
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

/** The times of the server's clock between which it has answered, in ms. */
export type Moment = { before: number; after: number };

/** `others` are the reasons of the same service for other people, or after another wait. */
export type Verdict = { reason: string | null; segment: number; others?: string[] };

export const minuteOf = (time: string): number => Date.parse(time) / 60_000;

/** What the documentation says about each start of a day, without the minimum notice. */
export class Day {
  readonly verdicts = new Map<number, Verdict>();
  /** The starts that would be free without any booking. */
  startsWithoutVisits(): number[] {
    const { business } = this.availability;
    const empty = new Availability({ ...business, occupied: [], seated: [] });
    const { verdicts } = new Day(empty, this.question, this.date);
    return [...verdicts].flatMap(([start, { reason }]) => (reason === null ? [start] : []));
  }

  readonly availability: Availability;
  readonly question: Question;
  readonly date: string;

  constructor(availability: Availability, question: Question, date: string, isEmpty = false) {
    this.availability = availability;
    this.question = question;
    this.date = date;
    if (isEmpty) return;
    const { policy } = availability.business;
    if ("party" in question) {
      if (availability.tablesFor(question.party, question.area).length === 0) return;
      for (const start of availability.starts(date, policy.slotIntervalMin, [null]))
        this.verdicts.set(start, this.#tableVerdict(start));
      return;
    }
    const [first] = question.wishes as [Wish];
    const options = question.wishes.map((wish) => availability.optionsOf(wish));
    if (options[0]?.length === 0) return;
    const people = availability.optionsOf(first).map(({ person }) => person);
    const { slotIntervalMin } = availability.serviceOf(first.service).rules;
    const starts = [
      ...availability.starts(date, slotIntervalMin, people),
      ...availability.sessionStarts(first, date),
    ];
    for (const start of starts.sort((a, b) => a - b))
      this.verdicts.set(start, this.visitVerdict(start));
  }

  #tableVerdict(start: number): Verdict {
    const { party, area } = this.question as { party: number; area: string | null };
    const span = { from: start, to: start + this.availability.turnMin(party) };
    const hours = this.availability.hoursReason(span, null);
    if (hours !== null) return { reason: hours, segment: 0 };
    const isFree = this.availability.freeTables(party, area, span).length > 0;
    return { reason: isFree ? null : "TAKEN", segment: 0 };
  }

  /** Searches every person and every wait of whole minutes between two services. */
  visitVerdict(start: number): Verdict {
    const { wishes, guests } = this.question as { wishes: Wish[]; guests: number };
    const { maxGapMin } = this.availability.business.policy;
    let best: Verdict = { reason: "TOO_FAR", segment: 0 };
    const known = new Set<string>();
    const search = (index: number, earliest: number): boolean => {
      const wish = wishes[index];
      if (!wish) return true;
      const id = `${index} ${earliest}`;
      if (known.has(id)) return false;
      known.add(id);
      for (let wait = 0; wait <= (index === 0 ? 0 : maxGapMin); wait++) {
        for (const option of this.availability.optionsOf(wish)) {
          const isFirst = index === 0;
          const { reason, to } = this.availability.check(
            wish,
            option,
            earliest + wait,
            guests,
            isFirst,
          );
          if (reason === null) {
            if (search(index + 1, to)) return true;
          } else if (index > best.segment) best = { reason, segment: index, others: [reason] };
          else if (index === best.segment && best.reason !== null)
            best = {
              reason: laterReason(best.reason, reason),
              segment: index,
              others: [...(best.others ?? []), reason],
            };
        }
      }
      if (this.availability.optionsOf(wish).length === 0)
        best = { reason: "NOBODY_ABLE", segment: index };
      return false;
    };
    return search(0, start) ? { reason: null, segment: 0 } : best;
  }
}
