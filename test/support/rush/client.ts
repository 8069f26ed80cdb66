import type { SeededRandom } from "../../../src/domain/seeded-random.ts";
import type { Desk, Reply, Shown } from "./desk.ts";
import { NEVER, type Place, type Price, type Refused, type Span, type Taken } from "./occupancy.ts";
import {
  alternativesOf,
  FIRST_PRICE,
  placesOfSegment,
  type Service,
  serviceOf,
  SERVICES,
  STARTS,
  tickets,
  type Visit,
} from "./shop.ts";

/** What clients did and what they were told. */
export type History = {
  attempts: number;
  taken: Taken[];
  refused: Refused[];
  /** The state of each visit and order after its last acknowledged change, by its ID. */
  states: Map<string, { status: string; startsAt: number | null }>;
  /** Holds that were left to expire. */
  abandoned: Taken[];
  /** The prices of a cut, in order. */
  prices: Price[];
  /** What clients were charged for a cut, and when. */
  charged: Price[];
};

export const createHistory = (): History => ({
  attempts: 0,
  taken: [],
  refused: [],
  states: new Map(),
  abandoned: [],
  prices: [{ cents: FIRST_PRICE, span: { sentAt: -Infinity, doneAt: -Infinity } }],
  charged: [],
});

/** An object that the client has, and may cancel. */
type Kept = { id: string; visit: Visit | null; places: Taken[]; isPending: boolean };

/** The client cancels something when it has this many objects. */
const MOST_KEPT = 3;
const MOST_TICKETS = 4;
const SECOND_MS = 1000;
/** Refusals because of the limits of an API key, which say nothing about free places. */
const LIMITS = ["too_many_holds"];
/** Refusals because a place is taken. */
const TAKEN = ["slot_taken", "conflict"];

/** Returns the starts at which the visit can be booked unless other visits take its places. */
function startsOf(visit: Visit): string[] {
  if ("partySize" in visit) return STARTS;
  const isClass = visit.services.includes("pilates");
  const minutes = visit.services.reduce((sum, service) => sum + SERVICES[service].minutes, 0);
  // The last start is an hour before closing time, which is too late for longer visits. Classes
  // begin at full hours.
  return STARTS.filter(
    (start) => (minutes <= 60 || !start.endsWith("13:00")) && (!isClass || start.endsWith(":00")),
  );
}

/** Returns a function that does one random thing at a desk. */
export function createRushClient(desk: Desk, random: SeededRandom, history: History) {
  const kept: Kept[] = [];

  const placesIn = (shown: Shown): Place[] => {
    if (shown.items !== undefined) return shown.items.map(({ quantity }) => tickets(quantity));
    if (shown.tableId) {
      const [from, to] = [shown.startsAt, shown.endsAt].map((time) => Date.parse(time));
      return [{ resource: shown.tableId, from: from!, to: to!, quantity: 1 }];
    }
    return shown.segments.flatMap(({ serviceId, staffId, startsAt }) =>
      placesOfSegment(serviceOf(serviceId), staffId, Date.parse(startsAt), shown.guests),
    );
  };

  const chargedFor = (shown: Shown): number | undefined =>
    shown.segments?.find(({ serviceId }) => serviceOf(serviceId) === "cut")?.priceCents;

  function charge(shown: Shown, span: Span): void {
    const cents = chargedFor(shown);
    if (cents !== undefined) history.charged.push({ cents, span });
  }

  function take(shown: Shown, span: Span): Taken[] {
    const rows = placesIn(shown).map((place) => ({
      ...place,
      id: shown.id,
      taken: span,
      freed: NEVER,
    }));
    history.taken.push(...rows);
    return rows;
  }

  const free = (rows: readonly Taken[], span: Span): void => {
    for (const row of rows) row.freed = span;
  };

  function settle({ id, status, startsAt }: Shown): void {
    history.states.set(id, { status, startsAt: startsAt ? Date.parse(startsAt) : null });
  }

  /**
   * Returns the object of a reply. If it is a refusal, records it for the check and returns null.
   */
  function accept(
    what: string,
    reply: Reply,
    alternatives: Place[][],
    id: string | null = null,
  ): Shown | null {
    const { code, span } = reply;
    if (code === null) return reply.shown;
    if (TAKEN.includes(code) && alternatives.length > 0)
      history.refused.push({ id, alternatives, span });
    else if (!LIMITS.includes(code)) throw new Error(`${what} was refused: ${code}`);
    return null;
  }

  const pickVisit = (): [Visit, string] => {
    if (random.chance(0.3)) return [{ partySize: random.pick([2, 4]) }, random.pick(STARTS)];
    const services = random.chance(0.15)
      ? (["wax", "cut"] as const)
      : [random.pick(Object.keys(SERVICES) as Service[])];
    const { staff } = SERVICES[services[0]!];
    const visit = {
      services,
      staff: staff.length > 0 && random.chance(0.5) ? random.pick([...staff]) : null,
      guests: "seats" in SERVICES[services[0]!] ? random.integer(1, 2) : 1,
    };
    return [visit, random.pick(startsOf(visit))];
  };

  async function book(): Promise<void> {
    const [visit, startsAt] = pickVisit();
    const reply = await desk.create(visit, startsAt);
    const shown = accept("book", reply, alternativesOf(visit, startsAt));
    if (shown === null) return;
    settle(shown);
    charge(shown, reply.span);
    kept.push({ id: shown.id, visit, places: take(shown, reply.span), isPending: false });
  }

  async function hold({ create, use, release }: NonNullable<Desk["holds"]>): Promise<void> {
    const [visit, startsAt] = pickVisit();
    const reply = await create(visit, startsAt);
    const shown = accept("hold", reply, alternativesOf(visit, startsAt));
    if (shown === null) return;
    charge(shown, reply.span);
    const held = take(shown, reply.span);
    const expiresAt = Date.parse(shown.expiresAt);
    // `expiresAt` has no fraction of a second, so the hold may end up to a second later.
    const expiry = { sentAt: expiresAt, doneAt: expiresAt + SECOND_MS };
    free(held, expiry);
    if (random.chance(0.2)) return void history.abandoned.push(...held);
    if (random.chance(0.2)) {
      const released = await release(shown.id);
      accept("release", released, []);
      if (released.span.sentAt < expiresAt) free(held, released.span);
      return;
    }
    history.attempts += 1;
    const used = await use(shown.id, "partySize" in visit);
    if (used.code === "hold_expired" && used.span.doneAt >= expiresAt) return;
    const booked = accept("use hold", used, []);
    if (booked === null) return;
    if (used.span.sentAt > expiry.doneAt) throw new Error(`${shown.id} was used after its expiry.`);
    if (chargedFor(booked) !== chargedFor(shown))
      throw new Error(`${booked.id} does not have the price of its hold.`);
    free(held, used.span);
    settle(booked);
    kept.push({ id: booked.id, visit, places: take(booked, used.span), isPending: false });
  }

  async function order(): Promise<void> {
    const quantity = random.integer(1, MOST_TICKETS);
    const reply = await desk.order(quantity);
    const shown = accept("order", reply, [[tickets(quantity)]]);
    if (shown === null) return;
    settle(shown);
    kept.push({ id: shown.id, visit: null, places: take(shown, reply.span), isPending: true });
  }

  async function confirm(pending: Kept): Promise<void> {
    const shown = accept("confirm", await desk.confirm(pending.id), []);
    if (shown !== null) settle(shown);
    pending.isPending = false;
  }

  async function reschedule(moved: Kept & { visit: Visit }): Promise<void> {
    const startsAt = random.pick(startsOf(moved.visit));
    const reply = await desk.reschedule(moved.id, startsAt);
    // A rescheduled booking keeps its staff; the table of a reservation is chosen again.
    const keeps = new Set(moved.places.map(({ resource }) => resource));
    const wanted = alternativesOf(moved.visit, startsAt).filter(
      (places) => "partySize" in moved.visit || places.every(({ resource }) => keeps.has(resource)),
    );
    const shown = accept("reschedule", reply, wanted, moved.id);
    if (shown === null) return;
    free(moved.places, reply.span);
    settle(shown);
    moved.places = take(shown, reply.span);
  }

  async function cancel(index: number): Promise<void> {
    const [cancelled] = kept.splice(index, 1);
    if (cancelled === undefined) return;
    const reply = await desk.cancel(cancelled.id);
    const shown = accept("cancel", reply, []);
    if (shown === null) return;
    free(cancelled.places, reply.span);
    settle(shown);
  }

  async function changePrice(setPrice: NonNullable<Desk["setPrice"]>): Promise<void> {
    const cents = history.prices.at(-1)!.cents + 1;
    const { code, span } = await setPrice(cents);
    if (code !== null) throw new Error(`The change of the price was refused: ${code}`);
    history.prices.push({ cents, span });
  }

  return async function step(): Promise<void> {
    const { holds, repeat, repeatable, setPrice } = desk;
    if (repeat && repeatable && random.chance(0.05))
      return repeat(random.integer(0, Math.max(0, repeatable() - 1)));
    if (setPrice && random.chance(0.1)) return changePrice(setPrice);
    if (kept.length >= MOST_KEPT) return cancel(random.integer(0, kept.length - 1));
    const pending = kept.find(({ isPending }) => isPending);
    if (pending && random.chance(0.5)) return confirm(pending);
    history.attempts += 1;
    const movable = kept.filter(
      (object): object is Kept & { visit: Visit } => object.visit !== null,
    );
    if (movable.length > 0 && random.chance(0.25)) return reschedule(random.pick(movable));
    if (random.chance(0.25)) return order();
    if (holds && random.chance(0.4)) return hold(holds);
    return book();
  };
}
