import { assert, asyncProperty, pre } from "fast-check";
import { expect, test } from "vitest";
import { createAvailability } from "../../src/app/availability.ts";
import { createBooking } from "../../src/app/bookings.ts";
import { changeCatalog, requireBusiness } from "../../src/app/catalog.ts";
import { createReservation } from "../../src/app/reservations.ts";
import { createTurns } from "../../src/app/turns.ts";
import type { BusyRow, Question, Wish } from "../../src/domain/availability/question.ts";
import { businessId, type Catalog, type Kind, objectId } from "../../src/domain/catalog/catalog.ts";
import type { Runtime } from "../../src/runtime.ts";
import type { World as Asked } from "../domain/availability/oracle.ts";
import { isAnswerable, worldsWithOneMore } from "../domain/availability/worlds.ts";
import { refusalOf } from "../support/day-work.ts";
import { world } from "../support/world.ts";

// Whoever is shown a start can book it, and whoever is not is refused for the reason that was told. Businesses, bookings and
// questions are those on which the engine agrees with its oracle. DESKBELL_BOOK_WORLDS=1000 for the long proof.

const WORLDS = Number(process.env["DESKBELL_BOOK_WORLDS"] ?? 25);
const MINUTE_MS = 60_000;

test(
  `in ${WORLDS} random businesses every start that is listed can be booked, and every other is refused for what explain says`,
  async () => {
    const seen = { booked: 0, refused: new Set<string>() };
    const check = asyncProperty(worldsWithOneMore, async ({ world: asked }) => {
      pre(isAnswerable(asked) && ("partySize" in asked.question || asked.question.services.length === 1));
      const rt = world({}, asked.nowMs);
      store(rt, asked);
      const { listed, refused } = await answerOf(rt, asked);
      for (const start of listed) expect(`${start} ${book(rt, asked, start)}`).toBe(`${start} booked`);
      for (const { start, why } of refused)
        expect(`${start} ${book(rt, asked, start)}`).toMatch(new RegExp(`: ${why}\\.$`));
      seen.booked += listed.length;
      for (const { why } of refused) seen.refused.add(why);
      rt.close();
    });
    await assert(check, { numRuns: WORLDS });
    expect(seen.booked).toBeGreaterThan(WORLDS);
    expect(seen.refused.size).toBeGreaterThan(5);
  },
  60_000 + 4000 * WORLDS,
);

/** Through the use cases, and undone: each start is tried on the same state. */
function book(rt: Runtime, { catalog, question }: Asked, start: string): string {
  const undone = new Error("undone");
  return refusalOf(() => {
    try {
      rt.tx(() => {
        create(rt, catalog.business.slug, question, start);
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
  }).replace("not refused: undefined", "booked");
}

function create(rt: Runtime, slug: string, question: Question, start: string): void {
  if ("partySize" in question)
    return void createReservation(rt, slug, { party: question.partySize, area: question.area, start });
  const [{ service, variant, addons, staff } = { service: "", variant: null, addons: [], staff: null }] =
    question.services;
  const counted = addons.map(({ addon, quantity }) => `${addon}*${quantity}`);
  createBooking(rt, slug, { service, variant, addons: counted, staff, guests: question.guests, start });
}

async function answerOf(rt: Runtime, { catalog, question }: Asked) {
  const { from, to } = question;
  const ask = createAvailability(rt, createTurns());
  const business = requireBusiness(rt, catalog.business.slug);
  const enquiry = {
    audience: "HOUSE" as const,
    wish: wishOf(question),
    span: { from, to },
    timezone: null,
    explain: true,
  };
  const listed: string[] = [];
  const refused: { start: string; why: string }[] = [];
  for await (const days of ask(business, enquiry).days())
    for (const day of days) {
      listed.push(...day.slots.map(({ startsAt }) => startsAt));
      refused.push(...(day.refused ?? []).map(({ startsAt, detail }) => ({ start: startsAt, why: detail })));
    }
  return { listed, refused };
}

function wishOf(question: Question): Wish {
  if ("partySize" in question) return { partySize: question.partySize, areaId: question.area };
  const { services, guests } = question;
  return {
    serviceIds: services.map(({ service }) => service),
    variantIds: services.flatMap(({ variant }) => variant ?? []),
    addonIds: services.flatMap(({ addons }) => addons.map(({ addon, quantity }) => `${addon}*${quantity}`)),
    staffIds: services.flatMap(({ staff }) => staff ?? []),
    guests,
  };
}

function store(rt: Runtime, { catalog, rows }: Asked): void {
  changeCatalog(rt, catalog, "box", null);
  rt.tx(() => {
    for (const row of rows) storeRow(rt, catalog, row);
  });
}

function storeRow(rt: Runtime, catalog: Catalog, row: BusyRow): void {
  const { slug } = catalog.business;
  const idOf = (kind: Kind, key: string): string =>
    objectId(
      kind,
      slug,
      catalog.objects[kind].find((doc) => doc.key === key)!,
    );
  const span = { startsAt: row.startMin * MINUTE_MS, endsAt: row.endMin * MINUTE_MS };
  const made = { status: "CONFIRMED" as const, ...span, customerRef: null, createdAt: 0, updatedAt: 0 };
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
    resources: row.resources.map(({ resource, units }) => ({ resourceId: idOf("resource", resource), units })),
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
