import { isoCurrency } from "../../../src/domain/money.ts";
import { assert, asyncProperty, pre, PROPERTY_SEED } from "../../support/property.ts";
import { expect, test } from "vitest";
import {
  type Availability,
  createAvailabilityFinder,
} from "../../../src/app/availability/availability.ts";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { changeCatalog } from "../../../src/app/catalog/changes/change-catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createEventLoopYield } from "../../../src/app/availability/yield-to-event-loop.ts";
import type { PublicSlot } from "../../../src/domain/availability/public-slot.ts";
import type {
  BusyInterval,
  ResolvedRequest,
  NamedAppointmentRequest,
  NamedTableRequest,
} from "../../../src/domain/availability/request.ts";
import { refusalSentence } from "../../../src/domain/availability/refusal.ts";
import type { Catalog, Kind as ObjectKind } from "../../../src/domain/catalog/catalog.ts";
import { businessId, objectId } from "../../../src/domain/catalog/object-id.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import type { Scenario } from "../../domain/availability/oracle.ts";
import { isValidRequest, scenariosWithExtraBooking } from "../../domain/availability/scenarios.ts";
import { captureError } from "../../support/use-case.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { confirmedVisit, NO_NAMES, overlookOneVisit } from "../../support/visit-rows.ts";
import { patient } from "../../support/patience.ts";

// Compares availability with booking on random businesses: a listed start can be booked as listed,
// and any other start is refused for the reason that `explain` gives.

const RUNS = chooseScale(10, 500);
/**
 * The control needs many businesses, because the visit that its bug overlooks takes a requested
 * start in few of them.
 */
const CONTROL_RUNS = 500;
const MINUTE_MS = 60_000;

type Kind = "one service" | "chain" | "class" | "table";

const CLAIMS: Record<Kind, string> = {
  "one service": "Every time that is listed for a service can be booked, and no other",
  chain: "Every time that is listed for several services in a row can be booked, and no other",
  class: "Every time that is listed for a class can be booked, and no other",
  table: "Every time that is listed for a table can be booked, and no other",
};

function kindOf({ catalog, request: question }: Scenario): Kind {
  if ("partySize" in question) return "table";
  if (question.services.length > 1) return "chain";
  const service = catalog.objects.service.find(({ key }) => key === question.services[0]?.service);
  return (service?.capacity ?? 1) > 1 ? "class" : "one service";
}

type Counts = { businesses: number; listed: number; refused: number; reasons: Set<string> };

/**
 * Books every start of random businesses.
 * @param searchOf returns the runtime that lists the starts
 * @throws at the first start that cannot be booked as listed, or is refused for another reason than
 * the explained one
 */
async function bookEveryStart(
  kind: Kind,
  runs: number,
  searchOf: (rt: Runtime) => Runtime = (rt) => rt,
): Promise<Counts> {
  const counts: Counts = { businesses: 0, listed: 0, refused: 0, reasons: new Set() };
  const check = asyncProperty(scenariosWithExtraBooking, async ({ scenario }) => {
    pre(kindOf(scenario) === kind && isValidRequest(scenario));
    counts.businesses += 1;
    const rt = createTestRuntime({}, scenario.nowMs);
    store(rt, scenario);
    const reason = captureError(() => void queryAvailability(rt, scenario));
    if (reason !== "no error: undefined") {
      expect(book(rt, scenario, { startsAt: `${scenario.request.from}T12:00Z` })).toBe(reason);
      return;
    }
    const { listed, refused } = await collectStarts(queryAvailability(searchOf(rt), scenario));
    for (const slot of listed)
      expect(`${slot.startsAt} ${book(rt, scenario, slot)}`).toBe(`${slot.startsAt} booked`);
    for (const { startsAt, reason } of refused)
      expect(book(rt, scenario, { startsAt }).endsWith(`: ${reason}.`)).toBe(true);
    counts.listed += listed.length;
    counts.refused += refused.length;
    for (const { reason } of refused) counts.reasons.add(reason);
    rt.close();
  });
  await assert(check, { numRuns: runs, endOnFailure: true });
  return counts;
}

async function runControl(kind: Kind): Promise<Claim["control"]> {
  let searches = 0;
  const searchOf = (rt: Runtime) => ((searches += 1), overlookOneVisit(rt));
  const error = await bookEveryStart(kind, CONTROL_RUNS, searchOf).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return {
    done: "The starts were listed by a search that overlooks one visit.",
    figure:
      error === undefined
        ? "No difference was found."
        : `A difference was found in business ${searches}.`,
    hasFailed: error !== undefined,
  };
}

test.each<Kind>(["one service", "chain", "class", "table"])(
  "every listed start can be booked as listed, and others are refused for the reason that `explain` gives: %s",
  { timeout: patient(60_000 + 4000 * RUNS) },
  async (kind) => {
    const { businesses, listed, refused, reasons } = await bookEveryStart(kind, RUNS);
    expect(listed).toBeGreaterThan(RUNS);
    // The starts of a table on a few random days may be refused for only two reasons, such as
    // CLOSURE and TAKEN.
    expect(reasons.size).toBeGreaterThan(1);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: CLAIMS[kind],
      done: `The starts of ${businesses} random businesses with visits were listed, and then every start was tried.`,
      figure: `All ${listed} listed starts were booked as listed, and all ${refused} others were refused, for ${reasons.size} reasons.`,
      control: await runControl(kind),
      seed: PROPERTY_SEED,
    });
  },
);

/** Books a start and rolls it back, so that each start is tried on the same state. */
function book(
  rt: Runtime,
  { catalog, request: question }: Scenario,
  slot: Partial<PublicSlot> & { startsAt: string },
): string {
  const undone = new Error("undone");
  return captureError(() => {
    try {
      rt.tx(() => {
        const created = create(rt, catalog.business.slug, question, slot.startsAt);
        if (slot.segments !== undefined)
          expect(created).toMatchObject(expectedBooking(slot.segments));
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
  }).replace("no error: undefined", "booked");
}

/** Returns the part of a booking or reservation that the slot determines. */
function expectedBooking(segments: PublicSlot["segments"]): object {
  const [first] = segments;
  if (first !== undefined && "tableId" in first) return first;
  // A booking does not contain the alternative staff.
  const isKept = ([name]: [string, unknown]) => name !== "staffIds";
  return {
    segments: segments.map((segment) => Object.fromEntries(Object.entries(segment).filter(isKept))),
  };
}

function create(rt: Runtime, slug: string, question: ResolvedRequest, start: string): object {
  const request = toNamedRequest(question);
  if ("partySize" in request)
    return createReservation(rt, slug, { party: request.partySize, area: request.areaId, start });
  const { serviceIds, variantIds, addonIds, staffIds, guests } = request;
  return createBooking(rt, slug, {
    service: serviceIds,
    variant: variantIds.length > 0 ? variantIds : null,
    addons: addonIds,
    staff: staffIds.length > 0 ? staffIds : null,
    guests,
    start,
  });
}

function queryAvailability(rt: Runtime, { catalog, request: question }: Scenario): Availability {
  const { from, to } = question;
  return createAvailabilityFinder(rt)(getBusiness(rt, catalog.business.slug), {
    audience: "INTERNAL",
    request: toNamedRequest(question),
    dates: { from, to },
    timezone: null,
    explain: true,
    yieldToEventLoop: createEventLoopYield(),
  });
}

async function collectStarts({ days }: Availability) {
  const listed: PublicSlot[] = [];
  const refused: { startsAt: string; reason: string }[] = [];
  for await (const some of days())
    for (const day of some) {
      listed.push(...day.slots);
      for (const { startsAt, detail, segment } of day.refused ?? [])
        refused.push({ startsAt, reason: refusalSentence(detail, segment) });
    }
  return { listed, refused };
}

function toNamedRequest(question: ResolvedRequest): NamedAppointmentRequest | NamedTableRequest {
  if ("partySize" in question) return { partySize: question.partySize, areaId: question.area };
  const { services, guests } = question;
  return {
    serviceIds: services.map(({ service }) => service),
    variantIds: services.flatMap(({ variant }) => variant ?? []),
    addonIds: services.flatMap(({ service, addons }) =>
      addons.map(({ addon, quantity }) => `${service}:${addon}*${quantity}`),
    ),
    staffIds: services.flatMap(({ service, staff }) =>
      staff === null ? [] : `${service}:${staff}`,
    ),
    guests,
  };
}

function store(rt: Runtime, { catalog, busyIntervals: rows }: Scenario): void {
  changeCatalog(rt, { catalog, origin: "local", loaded: null });
  rt.tx(() => {
    for (const row of rows) storeRow(rt, catalog, row);
  });
}

function storeRow(rt: Runtime, catalog: Catalog, row: BusyInterval): void {
  const { slug } = catalog.business;
  const idOf = (kind: ObjectKind, key: string): string =>
    objectId(
      kind,
      slug,
      catalog.objects[kind].find((doc) => doc.key === key)!,
    );
  const span = { startsAt: row.startMin * MINUTE_MS, endsAt: row.endMin * MINUTE_MS };
  const created = {
    ...confirmedVisit(span.startsAt),
    ...span,
  };
  if (row.tableKey !== null) {
    const tableId = idOf("table", row.tableKey);
    rt.store.reservations.insert(businessId(slug), {
      id: rt.newId("rsv"),
      ...created,
      partySize: row.seats,
      areaId: null,
      tableId,
    });
    return;
  }
  const { seats, bufferBeforeMin, bufferAfterMin } = row;
  const segment = {
    ...NO_NAMES,
    serviceId: row.serviceKey === null ? "svc_gone" : idOf("service", row.serviceKey),
    variantId: null,
    addons: [],
    staffId: row.staffKey === null ? null : idOf("staff", row.staffKey),
    resources: row.resources.map(({ resource, units }) => ({
      resourceId: idOf("resource", resource),
      units,
    })),
    seats,
    bufferBeforeMin,
    bufferAfterMin,
    priceCents: 0,
    ...span,
  };
  const price = { totalCents: 0, ...isoCurrency("USD") };
  rt.store.bookings.insert(businessId(slug), {
    id: rt.newId("bkg"),
    ...created,
    ...price,
    guests: seats,
    segments: [segment],
  });
}
