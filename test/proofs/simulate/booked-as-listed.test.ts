import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  PROPERTY_SEED,
  record,
} from "../../support/property.ts";
import { expect, test } from "vitest";
import { createTimeOff, deleteTimeOff } from "../../../src/app/bookings/time-off.ts";
import type { BookingTerms } from "../../../src/app/bookings/plan-booking.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { createTestApp } from "../../support/app.ts";
import {
  CUT,
  openBookingShop,
  orderOf,
  type Send,
  SHOP_PATH,
} from "../../http/support/bookings.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale } from "../../support/scale.ts";
import { SHOP_SLUG, shopId } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { overlookOneVisit } from "../../support/visit-rows.ts";
import { patient } from "../../support/patience.ts";

// After any sequence of changes, exactly the starts that /availability lists can be booked.
// Concurrent clients never book a time, a table or a ticket twice.

const RUNS = chooseScale(3, 300, 20);
/** The maximum number of control runs. They end with the first difference. */
const CONTROL_RUNS = 300;
const MINUTE = 60_000;
const DAYS = ["2026-11-23", "2026-11-25"];
const HOURS = ["08", "09", "10", "11", "12"];
const STAFF = [shopId("stf", "ann"), null];

const step = record({
  action: constantFrom(
    "hold",
    "book",
    "book held",
    "release",
    "reschedule",
    "cancel",
    "time off",
    "wait",
  ),
  day: constantFrom(...DAYS),
  hour: constantFrom(...HOURS),
  staffId: constantFrom(...STAFF),
  pick: integer({ min: 0, max: 99 }),
});
type Step = typeof step extends Arbitrary<infer T> ? T : never;

const startOf = ({ day, hour }: Pick<Step, "day" | "hour">) => `${day}T${hour}:00:00Z`;

/** Returns a function that applies a step. Steps are random, so that many are refused. */
function createPlayer(shop: ReturnType<typeof openBookingShop>) {
  const { rt, site } = shop;
  const [holds, bookings, timeOff]: [string[], string[], string[]] = [[], [], []];
  const pickFrom = (ids: string[], pick: number) => ids[pick % Math.max(1, ids.length)] ?? "none";
  return async (change: Step): Promise<void> => {
    const { action, pick, staffId } = change;
    const visit = { startsAt: startOf(change), segments: [{ ...CUT, staffId }] };
    const id = pickFrom(action === "cancel" || action === "reschedule" ? bookings : holds, pick);
    if (action === "wait") return rt.advance(pick * MINUTE);
    if (action === "time off") {
      const last = timeOff.pop();
      if (last !== undefined) return void deleteTimeOff(rt, SHOP_SLUG, last);
      const to = `${change.day}T12:00`;
      const off = { staff: "ann", from: startOf(change).slice(0, 16), to, reason: null };
      if (change.hour < "12") timeOff.push(createTimeOff(rt, SHOP_SLUG, off).id);
      return;
    }
    const [path, body] = {
      hold: ["/holds", { ...visit, ttlSeconds: 30 + pick * 5 }],
      book: ["/bookings", visit],
      "book held": ["/bookings", { holdId: id }],
      release: [`/holds/${id}`, undefined],
      reschedule: [`/bookings/${id}/reschedule`, { startsAt: visit.startsAt }],
      cancel: [`/bookings/${id}/cancel`, {}],
    }[action] as [string, object | undefined];
    const sent = await site.send(action === "release" ? "DELETE" : "POST", path, body);
    expect(sent.status).toBeLessThan(500);
    if (sent.status !== 201) return;
    (action === "hold" ? holds : bookings).push(sent.body.data.id);
  };
}

type Counts = { booked: number; listed: number; refused: number };

/**
 * Compares, after random changes of a shop, the listed starts with those that can be booked.
 * @param searchOf returns the runtime that lists the starts
 * @throws at the first difference
 */
async function compareStarts(
  runs: number,
  searchOf: (rt: Runtime) => Runtime = (rt) => rt,
): Promise<Counts> {
  const counts: Counts = { booked: 0, listed: 0, refused: 0 };
  const check = asyncProperty(array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    const rt = createTestRuntime();
    const shop = openBookingShop(rt);
    const play = createPlayer(shop);
    for (const change of steps) await play(change);
    const search = createTestApp(searchOf(rt));
    for (const staffId of STAFF) {
      const staff = staffId === null ? "" : `&staffId=${staffId}`;
      const response = await search.request(
        `${SHOP_PATH}/availability?serviceId=${CUT.serviceId}${staff}&from=2026-11-23&to=2026-11-25`,
        { headers: { authorization: `Bearer ${shop.site.secret}` } },
      );
      const { data } = (await response.json()) as { data: { days: ListedDay[] } };
      const slots = data.days.flatMap(({ slots }) => slots);
      const listed = new Set(slots.map(({ startsAt }) => startsAt.slice(0, 13)));
      for (const day of DAYS)
        for (const hour of HOURS) {
          const sent = await shop.site.send("POST", "/bookings?dryRun=true", {
            startsAt: startOf({ day, hour }),
            segments: [{ ...CUT, staffId }],
          });
          const isListed = listed.has(`${day}T${hour}`);
          expect([day, hour, staffId, sent.status]).toEqual([
            day,
            hour,
            staffId,
            isListed ? 200 : 409,
          ]);
          counts[isListed ? "listed" : "refused"] += 1;
        }
    }
    const { id } = shop.business();
    const booked = rt.store.bookings.listPage({ businessId: id }, 100);
    expectNoOverlap(booked.filter(({ status }) => status !== "CANCELLED"));
    counts.booked += booked.length;
    rt.close();
  });
  await assert(check, { numRuns: runs, endOnFailure: true });
  return counts;
}

type ListedDay = { slots: { startsAt: string }[] };

async function runControl(): Promise<Claim["control"]> {
  let searches = 0;
  const searchOf = (rt: Runtime) => ((searches += 1), overlookOneVisit(rt));
  const error = await compareStarts(CONTROL_RUNS, searchOf).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return {
    done: "The list overlooked one visit.",
    figure:
      error === undefined
        ? "No difference was found."
        : `A difference was found in sequence ${searches}.`,
    hasFailed: error !== undefined,
  };
}

test(
  "the listed starts are exactly those that can be booked, after any sequence of changes",
  { timeout: patient(30_000 + RUNS * 3000) },
  async () => {
    const counts = await compareStarts(RUNS);
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim:
        "Whatever was booked, moved or cancelled before, the listed times are those that can be booked",
      done: `${RUNS} random sequences of up to 16 holds, bookings, cancellations and absences were made over HTTP; then every hour of two days was listed and tried.`,
      figure: `All ${counts.listed} listed times were accepted and all ${counts.refused} others refused; none of ${counts.booked} bookings overlap.`,
      control: await runControl(),
      seed: PROPERTY_SEED,
    });
  },
);

function expectNoOverlap(visits: readonly Pick<BookingTerms, "segments">[]): void {
  const segments = visits.flatMap(({ segments }) => segments);
  for (const [i, a] of segments.entries())
    for (const b of segments.slice(i + 1))
      if (a.staffId === b.staffId)
        expect(a.endsAt <= b.startsAt || b.endsAt <= a.startsAt).toBe(true);
}

test("concurrent clients never book a time, a table or a ticket twice", async () => {
  const { rt, createClient, business } = openBookingShop();
  const clients = Array.from({ length: 20 }, () =>
    createClient(["bookings.write", "tickets.write"]),
  );
  const attempts: [send: Send, path: string, body: object][] = clients.flatMap(({ send }, n) => [
    [
      send,
      n % 2 === 0 ? "/bookings" : "/holds",
      { startsAt: "2026-11-23T09:00:00Z", segments: [CUT] },
    ],
    [
      send,
      n % 2 === 0 ? "/holds" : "/reservations",
      { startsAt: "2026-11-23T10:00:00Z", partySize: 2 },
    ],
    [send, "/ticket-orders", orderOf(rt, 4)],
  ]);
  const sent = await Promise.all(
    attempts.map(async ([send, path, body]) => ({ path, ...(await send("POST", path, body)) })),
  );
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201, 409]));
  const created = sent.filter(({ status }) => status === 201).map(({ body }) => body.data);
  const countOf = (isWanted: (object: Record<string, unknown>) => boolean) =>
    created.filter(isWanted).length;
  // There are two staff members, two tables that seat two, and 20 tickets.
  expect(countOf(({ startsAt }) => startsAt === "2026-11-23T09:00:00+00:00")).toBe(2);
  expect(countOf(({ startsAt }) => startsAt === "2026-11-23T10:00:00+00:00")).toBe(2);
  expect(countOf(({ items }) => items !== undefined)).toBe(5);
  const { id: businessId } = business();
  expectNoOverlap([
    ...rt.store.bookings.listPage({ businessId }, 100),
    ...rt.store.holds.listOverlapping(businessId, rt.now(), 0, Number.MAX_SAFE_INTEGER),
  ]);
});
