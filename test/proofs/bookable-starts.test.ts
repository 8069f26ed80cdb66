import { assert, asyncProperty, pre } from "fast-check";
import { expect, test } from "vitest";
import {
  type Availability,
  createAvailabilityFinder,
} from "../../src/app/availability/availability.ts";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { changeCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createReservation } from "../../src/app/bookings/reservations.ts";
import { createEventLoopYield } from "../../src/app/availability/yield-to-event-loop.ts";
import type { PublicSlot } from "../../src/domain/availability/public-slot.ts";
import type {
  BusyInterval,
  ResolvedRequest,
  NamedRequest,
} from "../../src/domain/availability/request.ts";
import { refusalSentence } from "../../src/domain/availability/refusal-text.ts";
import type { Catalog, Kind as ObjectKind } from "../../src/domain/catalog/catalog.ts";
import { businessId, objectId } from "../../src/domain/catalog/object-id.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import type { Scenario as Asked } from "../domain/availability/oracle.ts";
import { isValidRequest, scenariosWithExtraBooking } from "../domain/availability/scenarios.ts";
import { captureError } from "../support/use-case.ts";
import { chooseScale } from "../support/scale.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

// Whoever is shown a start can book it as it was shown, and whoever is not is refused for the reason that was told.
// Businesses, bookings and questions are those on which the engine agrees with its oracle.

const WORLDS = chooseScale(10, 500);
const MINUTE_MS = 60_000;

type Kind = "one service" | "chain" | "class" | "table";

function kindOf({ catalog, request: question }: Asked): Kind {
  if ("partySize" in question) return "table";
  if (question.services.length > 1) return "chain";
  const service = catalog.objects.service.find(({ key }) => key === question.services[0]?.service);
  return (service?.capacity ?? 1) > 1 ? "class" : "one service";
}

test.each<Kind>(["one service", "chain", "class", "table"])(
  "every start that is listed for a %s is booked as it was shown, every other is refused for what explain says",
  { timeout: 60_000 + 4000 * WORLDS },
  async (kind) => {
    const seen = { booked: 0, refused: new Set<string>() };
    const check = asyncProperty(scenariosWithExtraBooking, async ({ scenario: asked }) => {
      pre(kindOf(asked) === kind && isValidRequest(asked));
      const rt = createTestRuntime({}, asked.nowMs);
      store(rt, asked);
      const why = captureError(() => void ask(rt, asked));
      if (why !== "not refused: undefined")
        return expect(book(rt, asked, { startsAt: `${asked.request.from}T12:00Z` })).toBe(why);
      const { listed, refused } = await answerOf(ask(rt, asked));
      for (const slot of listed)
        expect(`${slot.startsAt} ${book(rt, asked, slot)}`).toBe(`${slot.startsAt} booked`);
      for (const { startsAt, why } of refused)
        expect(book(rt, asked, { startsAt }).endsWith(`: ${why}.`)).toBe(true);
      seen.booked += listed.length;
      for (const { why } of refused) seen.refused.add(why);
      rt.close();
    });
    await assert(check, { numRuns: WORLDS, endOnFailure: true });
    expect(seen.booked).toBeGreaterThan(WORLDS);
    expect(seen.refused.size).toBeGreaterThan(2);
  },
);

/** Through the use cases, and undone: each start is tried on the same state. */
function book(
  rt: Runtime,
  { catalog, request: question }: Asked,
  slot: Partial<PublicSlot> & { startsAt: string },
): string {
  const undone = new Error("undone");
  return captureError(() => {
    try {
      rt.tx(() => {
        const made = create(rt, catalog.business.slug, question, slot.startsAt);
        if (slot.segments !== undefined) expect(made).toMatchObject(shownOf(slot.segments));
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
  }).replace("not refused: undefined", "booked");
}

/** What of a booking or a reservation a slot has promised. */
function shownOf(segments: PublicSlot["segments"]): object {
  const [first] = segments;
  if (first !== undefined && "tableId" in first) return first;
  // Who else could have done it is no part of what is booked.
  const isKept = ([name]: [string, unknown]) => name !== "staffIds";
  return {
    segments: segments.map((segment) => Object.fromEntries(Object.entries(segment).filter(isKept))),
  };
}

function create(rt: Runtime, slug: string, question: ResolvedRequest, start: string): object {
  const wish = wishOf(question);
  if ("partySize" in wish)
    return createReservation(rt, slug, { party: wish.partySize, area: wish.areaId, start });
  const { serviceIds, variantIds, addonIds, staffIds, guests } = wish;
  return createBooking(rt, slug, {
    service: serviceIds,
    variant: variantIds.length > 0 ? variantIds : null,
    addons: addonIds,
    staff: staffIds.length > 0 ? staffIds : null,
    guests,
    start,
  });
}

function ask(rt: Runtime, { catalog, request: question }: Asked): Availability {
  const { from, to } = question;
  return createAvailabilityFinder(rt, createEventLoopYield())(
    getBusiness(rt, catalog.business.slug),
    {
      audience: "INTERNAL",
      request: wishOf(question),
      dates: { from, to },
      timezone: null,
      explain: true,
    },
  );
}

async function answerOf({ days }: Availability) {
  const listed: PublicSlot[] = [];
  const refused: { startsAt: string; why: string }[] = [];
  for await (const some of days())
    for (const day of some) {
      listed.push(...day.slots);
      for (const { startsAt, detail, segment } of day.refused ?? [])
        refused.push({ startsAt, why: refusalSentence(detail, segment) });
    }
  return { listed, refused };
}

/** In the words of whoever asks. */
function wishOf(question: ResolvedRequest): NamedRequest {
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

function store(rt: Runtime, { catalog, busyIntervals: rows }: Asked): void {
  changeCatalog(rt, catalog, "local", null);
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
  const made = {
    status: "CONFIRMED" as const,
    ...span,
    customerRef: null,
    createdAt: 0,
    updatedAt: 0,
  };
  if (row.tableKey !== null) {
    const tableId = idOf("table", row.tableKey);
    rt.store.reservations.insert(businessId(slug), {
      id: rt.newId("rsv"),
      ...made,
      partySize: row.seats,
      areaId: null,
      tableId,
    });
    return;
  }
  const { seats, bufferBeforeMin, bufferAfterMin } = row;
  const segment = {
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
  const price = { totalCents: 0, currency: "USD" };
  rt.store.bookings.insert(businessId(slug), {
    id: rt.newId("bkg"),
    ...made,
    ...price,
    guests: seats,
    segments: [segment],
  });
}
