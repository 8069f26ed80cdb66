/**
 * Computes free times as the documentation describes them: from the guides, the reference and the
 * schema of catalog files, without the program's code. Times are minutes since 1970.
 */
import type {
  Business,
  Length,
  Occupied,
  Person,
  Service,
  Table,
  Wish,
} from "./documented-types.ts";
import {
  absencesOf,
  addDays,
  breaksOf,
  isClosed,
  joinSpans,
  type Span,
  windowsOf,
} from "./documented-hours.ts";

const overlaps = (a: Span, b: Span): boolean => a.from < b.to && b.from < a.to;
const DEFAULT_TURN_MIN = 120;

/** A way to perform a service: by a person, or by nobody if `person` is null. */
export type Option = Length & { person: Person | null };
export type Outcome = Span & { option: Option; reason: string | null; spots: number };

export class Availability {
  readonly business: Business;
  readonly #windows = new Map<string, Span[]>();
  readonly #hours = new Map<string, Record<"closed" | "open" | "pauses" | "off", Span[]>>();
  readonly #starts = new Map<string, number[]>();

  constructor(business: Business) {
    this.business = business;
  }

  /** Returns the hours that begin on a day, of a person or else of the business. */
  windows(date: string, person: Person | null): Span[] {
    const id = `${date} ${person?.id}`;
    const { zone, opening } = this.business;
    const known = this.#windows.get(id) ?? windowsOf(date, zone, opening, person ?? undefined);
    this.#windows.set(id, known);
    return known;
  }

  serviceOf(id: string): Service {
    const service = this.business.services.get(id);
    if (!service) throw new Error(`unknown service ${id}`);
    return service;
  }

  addonsOf({ service, addons }: Wish): Wish["addons"] {
    const required = this.serviceOf(service).addons.filter(
      (link) => link.required && !addons.some(({ addonId }) => addonId === link.id),
    );
    return [...addons, ...required.map(({ id, usual }) => ({ addonId: id, quantity: usual }))];
  }

  variantOf(wish: Wish) {
    const { variants } = this.serviceOf(wish.service);
    return wish.variant === null
      ? variants.find(({ isDefault }) => isDefault)
      : variants.find(({ id }) => id === wish.variant);
  }

  /** Returns the length and price of a service, with the overrides of a person. */
  lengthOf(wish: Wish, person: Person | null): Length {
    const service = this.serviceOf(wish.service);
    const base: Length = this.variantOf(wish) ?? service;
    const own = person?.overrides[wish.service];
    const extras = this.addonsOf(wish).map(({ addonId, quantity }) => {
      const link = service.addons.find(({ id }) => id === addonId);
      if (!link) throw new Error(`unknown add-on ${addonId}`);
      return { min: link.durationMin * quantity, cents: link.priceCents * quantity };
    });
    return {
      durationMin: extras.reduce((sum, { min }) => sum + min, own?.durationMin ?? base.durationMin),
      priceCents: extras.reduce(
        (sum, { cents }) => sum + cents,
        own?.priceCents ?? base.priceCents,
      ),
    };
  }

  optionsOf(wish: Wish): Option[] {
    const { staff } = this.serviceOf(wish.service);
    if (staff.length === 0) return [{ person: null, ...this.lengthOf(wish, null) }];
    const allowed = this.variantOf(wish)?.staff ?? staff;
    return staff
      .filter((id) => allowed.includes(id) && (wish.staff === null || wish.staff === id))
      .flatMap((id) => this.business.people.get(id) ?? [])
      .filter(({ canBeBooked }) => canBeBooked)
      .map((person) => ({ person, ...this.lengthOf(wish, person) }));
  }

  /** Returns closures, open hours, breaks and absences within two days of a date. */
  #hoursAround(
    date: string,
    person: Person | null,
  ): Record<"closed" | "open" | "pauses" | "off", Span[]> {
    const { zone, opening } = this.business;
    const id = `${date} ${person?.id}`;
    const known = this.#hours.get(id);
    if (known) return known;
    const days = [-2, -1, 0, 1, 2].map((day) => addDays(date, day));
    const hours = {
      closed: days
        .filter((day) => isClosed(day, opening.closures))
        .map((day) => ({ from: zone.instantOf(day, 0), to: zone.instantOf(addDays(day, 1), 0) })),
      open: joinSpans(days.flatMap((day) => this.windows(day, person))),
      pauses: person ? days.flatMap((day) => breaksOf(day, zone, person)) : [],
      off: person ? absencesOf(zone, person) : [],
    };
    this.#hours.set(id, hours);
    return hours;
  }

  /**
   * Returns why a time is outside the hours of a person or the business; null if it is within them.
   */
  hoursReason(span: Span, person: Person | null): string | null {
    const hours = this.#hoursAround(this.business.zone.dateOf(span.from), person);
    const touches = (list: Span[]): boolean => list.some((one) => overlaps(one, span));
    if (touches(hours.closed)) return "CLOSURE";
    if (!hours.open.some(({ from, to }) => from <= span.from && span.to <= to))
      return "OUTSIDE_HOURS";
    if (touches(hours.pauses)) return "BREAK";
    return touches(hours.off) ? "TIME_OFF" : null;
  }

  /** Returns the minutes that must stay free between two services: the longer buffer, or both. */
  #gap(after: number, before: number): number {
    return this.business.policy.bufferPolicy === "max" ? Math.max(after, before) : after + before;
  }

  /** Returns an occupied time with the gaps that must stay free around it for another service. */
  #around(other: Occupied, service: Service): Span {
    const { before, after } = this.serviceOf(other.service);
    return {
      from: other.from - this.#gap(service.after, before),
      to: other.to + this.#gap(after, service.before),
    };
  }

  /**
   * Checks a service at one start with one person. `spots` is the number of free places.
   * @param isFirst whether the service is the first one of its visit, which must begin at a regular
   * start or join a session
   */
  check(wish: Wish, option: Option, from: number, guests: number, isFirst: boolean): Outcome {
    const service = this.serviceOf(wish.service);
    const span = { from, to: from + option.durationMin };
    const rest = { ...span, option };
    const outcome = (reason: string | null, spots = 0): Outcome => ({ ...rest, reason, spots });
    const hours = this.hoursReason(span, option.person);
    if (hours !== null) return outcome(hours);
    const session = this.sessionOf(wish, option, from);
    if (isFirst && session.length === 0 && !this.#isRegular(from, service, option.person))
      return outcome("OFF_GRID");
    const staff = option.person?.id ?? null;
    const { occupied } = this.business;
    if (session.length > 0) {
      const left = service.capacity - session.reduce((sum, one) => sum + one.guests, 0);
      return left < guests ? outcome("SEATS_TAKEN") : outcome(null, left);
    }
    const needsResources = service.resources.length > 0;
    if (staff === null && !needsResources) {
      const same = occupied.filter(({ service: id }) => id === service.id);
      const left = service.capacity - this.#peak(same, service, span, ({ guests: n }) => n);
      return left < guests ? outcome("SEATS_TAKEN") : outcome(null, left);
    }
    const own = staff === null ? [] : occupied.filter((one) => one.staff === staff);
    if (own.some((other) => overlaps(other, span))) return outcome("TAKEN");
    if (own.some((other) => overlaps(this.#around(other, service), span))) return outcome("BUFFER");
    const sessions = this.#sessions();
    let units = Number.POSITIVE_INFINITY;
    for (const { key, units: needed } of service.resources) {
      const capacity = this.business.resources.get(key) ?? 0;
      const used = this.#peak(sessions, service, span, (other) =>
        this.serviceOf(other.service)
          .resources.filter((one) => one.key === key)
          .reduce((sum, one) => sum + one.units, 0),
      );
      units = Math.min(units, Math.floor((capacity - used) / needed));
    }
    if (units < 1) return outcome("RESOURCE_TAKEN");
    return outcome(null, service.capacity > 1 ? service.capacity : staff === null ? units : 1);
  }

  /** Returns all occupied times, but each class session once: its guests share its resources. */
  #sessions(): Occupied[] {
    const known = new Set<string>();
    return this.business.occupied.filter((one) => {
      if (this.serviceOf(one.service).capacity === 1) return true;
      const id = `${one.service} ${one.staff} ${one.from} ${one.to}`;
      return !known.has(id) && known.add(id);
    });
  }

  /** Returns the largest sum of `amount` at any minute of a span. */
  #peak(
    others: readonly Occupied[],
    service: Service,
    span: Span,
    amount: (other: Occupied) => number,
  ): number {
    const near = others
      .map((other) => ({ ...this.#around(other, service), amount: amount(other) }))
      .filter((other) => overlaps(other, span));
    const moments = [span.from, ...near.map(({ from }) => from)].filter(
      (moment) => moment >= span.from && moment < span.to,
    );
    const sums = moments.map((moment) =>
      near
        .filter(({ from, to }) => from <= moment && moment < to)
        .reduce((sum, one) => sum + one.amount, 0),
    );
    return Math.max(0, ...sums);
  }

  /** Returns the number of places of a service at a time, free or taken. */
  spotsTotal(wish: Wish): number {
    const service = this.serviceOf(wish.service);
    if (service.capacity > 1 || service.staff.length > 0 || service.resources.length === 0)
      return service.capacity;
    const units = service.resources.map(({ key, units: needed }) =>
      Math.floor((this.business.resources.get(key) ?? 0) / needed),
    );
    return Math.min(...units);
  }

  /** Returns the regular starts of a day, for the first service of a visit or for a table. */
  starts(date: string, interval: number, people: readonly (Person | null)[]): number[] {
    const id = `${date} ${interval} ${people.map((person) => person?.id)}`;
    const known = this.#starts.get(id) ?? this.#computeStarts(date, interval, people);
    this.#starts.set(id, known);
    return known;
  }

  #computeStarts(date: string, interval: number, people: readonly (Person | null)[]): number[] {
    const { zone, policy } = this.business;
    if (policy.grid === "clock") {
      const minutes = Array.from({ length: Math.ceil(1440 / interval) }, (_, i) => i * interval);
      return minutes.flatMap((minute) => zone.instantsOf(date, minute)).sort((a, b) => a - b);
    }
    const windows = people.flatMap((person) =>
      [-2, -1, 0].flatMap((day) => this.windows(addDays(date, day), person)),
    );
    const starts = windows.flatMap(({ from, to }) =>
      Array.from({ length: Math.ceil((to - from) / interval) }, (_, i) => from + i * interval),
    );
    return [...new Set(starts)]
      .filter((start) => zone.dateOf(start) === date)
      .sort((a, b) => a - b);
  }

  #isRegular(start: number, { rules }: Service, person: Person | null): boolean {
    const date = this.business.zone.dateOf(start);
    return this.starts(date, rules.slotIntervalMin, [person]).includes(start);
  }

  /**
   * Returns the starts of the sessions of a class. Guests can join them off the regular starts,
   * too.
   */
  sessionStarts(wish: Wish, date: string): number[] {
    const options = this.optionsOf(wish);
    return this.business.occupied
      .filter((one) => one.service === wish.service && this.business.zone.dateOf(one.from) === date)
      .filter((one) => options.some((option) => this.sessionOf(wish, option, one.from).length > 0))
      .map(({ from }) => from);
  }

  /** Returns the visits of a class session that guests can join. */
  sessionOf(wish: Wish, option: Option, from: number): Occupied[] {
    const { id, capacity, resources } = this.serviceOf(wish.service);
    const staff = option.person?.id ?? null;
    if (capacity === 1 || (staff === null && resources.length === 0)) return [];
    const to = from + option.durationMin;
    return this.business.occupied.filter(
      (one) => one.service === id && one.staff === staff && one.from === from && one.to === to,
    );
  }

  /** Returns how many minutes a party keeps its table. */
  turnMin(party: number): number {
    const sorted = [...this.business.turnTimes].sort((a, b) => a.upTo - b.upTo);
    return (sorted.find(({ upTo }) => party <= upTo) ?? sorted.at(-1))?.min ?? DEFAULT_TURN_MIN;
  }

  tablesFor(party: number, area: string | null): Table[] {
    return this.business.tables.filter(
      (one) => one.min <= party && party <= one.max && (area === null || one.area === area),
    );
  }

  freeTables(party: number, area: string | null, span: Span): Table[] {
    return this.tablesFor(party, area).filter(
      ({ id }) => !this.business.seated.some((one) => one.table === id && overlaps(one, span)),
    );
  }
}
