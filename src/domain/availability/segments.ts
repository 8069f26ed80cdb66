import type {
  AreaDoc,
  ServiceDoc,
  StaffDoc,
  TableDoc,
  VariantDoc,
  AddonDoc,
  AddonLinkDoc,
  Catalog,
} from "../catalog/catalog.ts";
import { findByKey } from "../catalog/doc-index.ts";
import { countOf } from "../text.ts";
import {
  type ResolvedAppointmentRequest,
  type AddIssue,
  type ServiceRequest,
  type ResolvedTableRequest,
  pointingTo,
} from "./request.ts";

/** A service or table of the visit. The candidates are in order of preference. */
export type Segment = {
  service: ServiceDoc | null;
  variant: VariantDoc | null;
  addons: { addon: string; quantity: number }[];
  /** The number of guests of this request. */
  seats: number;
  /**
   * The maximum number of guests in a session or, without staff and resources, at the same time.
   */
  capacity: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  resources: ServiceDoc["resources"];
  /**
   * Duration and price with the requested staff member. If the request names no staff member, these
   * are the values of the variant or service. Add-ons are included. A table has the turn time as its
   * duration.
   */
  durationMin: number;
  priceCents: number;
  candidates: Candidate[];
};

/** A staff member or a table; neither for a service that needs no staff. */
export type Candidate = {
  staff: StaffDoc | null;
  table: TableDoc | null;
  durationMin: number;
  priceCents: number;
};

/** The longest horizon that a catalog file accepts. */
const MAX_ADVANCE_DAYS = 1095;

type Rules = { slotIntervalMin: number; minNoticeMin: number; maxAdvanceDays: number };

/**
 * Returns the segments, with the strictest minimum notice and horizon of their services. The first
 * service alone decides the interval of the grid, because the visit starts with it.
 */
export function planSegments(
  catalog: Catalog,
  { services, guests }: ResolvedAppointmentRequest,
  addIssue: AddIssue,
): { segments: Segment[]; rules: Rules } {
  const segments = services.flatMap(
    (request) => planSegment(catalog, request, guests, pointingTo(addIssue, request.segment)) ?? [],
  );
  const policy = catalog.business.bookingPolicy;
  const ownRules = segments.flatMap(({ service }) => service?.bookingRules ?? []);
  const rules = {
    slotIntervalMin: ownRules[0]?.slotIntervalMin ?? policy.slotIntervalMin,
    minNoticeMin: Math.max(
      0,
      ...ownRules.map(({ minNoticeMin }) => minNoticeMin ?? policy.minNoticeMin),
    ),
    maxAdvanceDays: Math.min(
      MAX_ADVANCE_DAYS,
      ...ownRules.map(({ maxAdvanceDays }) => maxAdvanceDays ?? policy.maxAdvanceDays),
    ),
  };
  return { segments, rules };
}

/**
 * Returns the segment of a service, and adds the issues of its request. Returns undefined if the
 * service or variant cannot be booked.
 */
function planSegment(
  catalog: Catalog,
  request: ServiceRequest,
  guests: number,
  addIssue: AddIssue,
): Segment | undefined {
  const service = findByKey<"service">(catalog.objects.service, request.service);
  if (service === undefined)
    return void addIssue(
      "resource_not_found",
      `There is no service '${request.service}'.`,
      "serviceIds",
    );
  if (service.status !== "ACTIVE" || !service.bookable)
    return void addIssue(
      "service_not_bookable",
      `'${service.name}' cannot be booked.`,
      "serviceIds",
    );
  if (guests > service.capacity)
    addIssue(
      "party_too_large",
      `'${service.name}' takes at most ${countOf(service.capacity, "guest")}, not ${guests}.`,
      "guests",
    );

  const variant = chosenVariant(service, request.variant);
  if (variant === undefined)
    return void addIssue(
      "variant_service_mismatch",
      `'${service.name}' has no variant '${request.variant}'.`,
      "variantIds",
    );

  const addons = chosenAddons(catalog, service, request.addons, addIssue);
  const candidateFor = createCandidate(service, variant, addons);
  const candidates = performersOf(catalog, service, variant)
    .filter((person) => request.staff === null || person?.key === request.staff)
    .map(candidateFor);
  if (request.staff !== null && candidates.length === 0)
    addIssue(
      "staff_cannot_perform",
      `'${nameOf(findByKey<"staff">(catalog.objects.staff, request.staff), request.staff)}' does not perform '${service.name}'.`,
      "staffIds",
    );

  const requestedPerson = request.staff === null ? undefined : candidates[0];
  const { durationMin, priceCents } = requestedPerson ?? candidateFor(null);
  return {
    service,
    variant,
    addons: addons.map(({ addon, quantity }) => ({ addon: addon.key, quantity })),
    seats: guests,
    capacity: service.capacity,
    bufferBeforeMin: service.bufferBeforeMin,
    bufferAfterMin: service.bufferAfterMin,
    resources: service.resources,
    durationMin,
    priceCents,
    candidates,
  };
}

/** Returns the name of an object for a message, because partners do not know keys. */
const nameOf = (doc: { name: string } | undefined, key: string): string => doc?.name ?? key;

/**
 * Returns the variant with the key, or undefined if no active variant has it. If `key` is null,
 * returns the default variant, or null if there is none.
 */
function chosenVariant(service: ServiceDoc, key: string | null): VariantDoc | null | undefined {
  const variants = service.variants.filter(({ status }) => status === "ACTIVE");
  return key === null
    ? (variants.find(({ isDefault }) => isDefault) ?? null)
    : variants.find((v) => v.key === key);
}

type ChosenAddon = { addon: AddonDoc; link: AddonLinkDoc; quantity: number };

/** Returns the requested add-ons and those that the service requires. */
function chosenAddons(
  catalog: Catalog,
  service: ServiceDoc,
  requested: ServiceRequest["addons"],
  addIssue: AddIssue,
): ChosenAddon[] {
  const quantities = new Map<string, number>();
  for (const { addon, quantity } of requested)
    quantities.set(addon, (quantities.get(addon) ?? 0) + quantity);

  const linked = service.addons.flatMap((link) => {
    const addon = findByKey<"addon">(catalog.objects.addon, link.addon);
    return addon?.status === "ACTIVE" ? [{ addon, link }] : [];
  });
  for (const key of quantities.keys())
    if (!linked.some(({ addon }) => addon.key === key))
      addIssue(
        "addon_not_linked",
        `'${service.name}' is not offered with the add-on '${nameOf(findByKey<"addon">(catalog.objects.addon, key), key)}'.`,
        "addonIds",
      );

  return linked.flatMap(({ addon, link }) => {
    const minQuantity = Math.max(1, link.minQuantity);
    const quantity =
      quantities.get(addon.key) ??
      (link.required ? Math.max(minQuantity, link.defaultQuantity) : undefined);
    if (quantity === undefined) return [];
    if (quantity < minQuantity || quantity > link.maxQuantity) {
      const max = countOf(link.maxQuantity, "time");
      const range = minQuantity === link.maxQuantity ? max : `${minQuantity} to ${max}`;
      addIssue(
        "validation_failed",
        `'${addon.name}' can be added ${range}, not ${quantity}.`,
        "addonIds",
      );
    }
    return [{ addon, link, quantity }];
  });
}

/**
 * Returns the staff who perform the service, sorted by key so that the order in the file does not
 * matter. Returns null as the only element if no staff is needed.
 */
function performersOf(
  catalog: Catalog,
  service: ServiceDoc,
  variant: VariantDoc | null,
): (StaffDoc | null)[] {
  const performers = variant?.staff ?? service.staff;
  if (performers.length === 0) return [null];
  return [...new Set(performers)]
    .flatMap((key) => findByKey<"staff">(catalog.objects.staff, key) ?? [])
    .filter(({ status, bookable }) => status === "ACTIVE" && bookable)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Returns a function that creates the candidate of a person. Duration and price are the person's,
 * else the variant's, else the service's; those of the add-ons are added.
 */
function createCandidate(
  service: ServiceDoc,
  variant: VariantDoc | null,
  addons: ChosenAddon[],
): (staff: StaffDoc | null) => Candidate {
  const sumOfAddons = (amountOf: (chosen: ChosenAddon) => number) =>
    addons.reduce((sum, chosen) => sum + amountOf(chosen) * chosen.quantity, 0);
  const addedMin = sumOfAddons(({ addon, link }) => link.durationMin ?? addon.durationMin);
  const addedCents = sumOfAddons(({ addon, link }) => link.priceCents ?? addon.priceCents);
  return (staff) => {
    const terms = staff?.serviceOverrides.find((override) => override.service === service.key);
    return {
      staff,
      table: null,
      durationMin: (terms?.durationMin ?? variant?.durationMin ?? service.durationMin) + addedMin,
      priceCents: (terms?.priceCents ?? variant?.priceCents ?? service.priceCents) + addedCents,
    };
  };
}

/** The turn time of a business that sets none. */
const DEFAULT_TURN_MIN = 120;

/**
 * Returns a function that tells whether guests can reserve a table: it is active, and its area, if
 * it has one, is active.
 */
export function createTableCheck(areas: readonly AreaDoc[]): (table: TableDoc) => boolean {
  const active = new Set(areas.flatMap(({ key, status }) => (status === "ACTIVE" ? key : [])));
  return ({ status, area }) => status === "ACTIVE" && (area === null || active.has(area));
}

/**
 * Returns the segment of a reservation, and adds the issues of its request. The candidates are the
 * tables that fit the party, the smallest first.
 */
export function planTable(
  catalog: Catalog,
  { partySize, area }: ResolvedTableRequest,
  addIssue: AddIssue,
): Segment {
  const areas = catalog.objects.area;
  if (area !== null && !areas.some(({ key, status }) => key === area && status === "ACTIVE"))
    addIssue("resource_not_found", `There is no area '${area}'.`, "areaId");

  const isBookable = createTableCheck(areas);
  const tables = catalog.objects.table.filter(
    (table) => isBookable(table) && (area === null || table.area === area),
  );
  const largest = Math.max(0, ...tables.map(({ maxSeats }) => maxSeats));
  const where = area === null ? "" : " in this area";
  if (partySize > largest)
    addIssue(
      "party_too_large",
      largest === 0
        ? `There are no tables to reserve${where}.`
        : `No table${where} seats ${partySize}; the largest seats ${largest}.`,
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
    // No other party joins the visit: a table has no sessions.
    capacity: 1,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    resources: [],
    durationMin,
    priceCents: 0,
    candidates,
  };
}

/**
 * Returns how many minutes a party keeps its table. A party that is too large for every rule gets
 * the time of the last rule. If two rules have the same size, the longer time applies.
 */
function turnTime({ schedule }: Catalog, partySize: number): number {
  const bySize = schedule.turnTimes.toSorted((a, b) => a.upTo - b.upTo || b.min - a.min);
  const size = Math.min(partySize, bySize.at(-1)?.upTo ?? 0);
  return bySize.find(({ upTo }) => size <= upTo)?.min ?? DEFAULT_TURN_MIN;
}
