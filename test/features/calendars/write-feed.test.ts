import { createCalendarStore } from "../../../src/features/calendars/store.ts";
import { expect, test } from "vitest";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createCalendar, revokeCalendar } from "../../../src/features/calendars/calendars.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { checks } from "../../../src/features/calendars/conditions.ts";
import { writeFeed } from "../../../src/features/calendars/write-feed.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import type { VisitStatus } from "../../../src/domain/bookings/visit.ts";
import { parseCalendar } from "../../support/ical.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import { confirmedVisit } from "../../support/visit-rows.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: mon-sun, start: "00:00", end: "24:00" }]
staff: [{ key: zoe, name: Zoe }]
services:
  - { key: cut, name: Cut, durationMin: 5, price: 40.00, staff: [zoe] }
  - { key: yoga, name: Yoga, durationMin: 60, price: 10.00, capacity: 20, staff: [zoe] }
`;
const DAY_MS = 86_400_000;
const SERVICE_MS = 5 * 60_000;

const idOf = (kind: "service" | "staff", key: string) =>
  objectId(kind, SLUG, { key, previousKeys: [] });

const listFull = (rt: TestRuntime) =>
  listDaemonConditions(rt, checks).filter(({ code }) => code === "calendar.full");

function openSalon() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const business = getBusiness(rt, SLUG);
  const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: true });
  const today = Math.floor(rt.now() / DAY_MS) * DAY_MS;
  const feed = (max?: number) =>
    parseCalendar(
      Buffer.concat(
        writeFeed(rt, rt.openStore(createCalendarStore).findById(calendar.id)!, today, max),
      ).toString(),
    );
  return { rt, business, calendar, today, feed };
}

/** Stores a visit at any time, free or not. */
function addVisit(
  rt: TestRuntime,
  startsAt: number,
  { services = ["cut"], status = "CONFIRMED" as VisitStatus, name = "" } = {},
): string {
  const { id: businessId } = getBusiness(rt, SLUG);
  const id = rt.newId("bkg");
  const segments = services.map((service, i) => ({
    serviceId: idOf("service", service),
    serviceName: service,
    variantId: null,
    variantName: null,
    addons: [],
    staffId: idOf("staff", "zoe"),
    staffName: "Zoe",
    resources: [],
    seats: 1,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    startsAt: startsAt + i * SERVICE_MS,
    endsAt: startsAt + (i + 1) * SERVICE_MS,
    priceCents: 4000,
  }));
  rt.store.bookings.insert(businessId, {
    ...confirmedVisit(startsAt),
    id,
    status,
    endsAt: startsAt + services.length * SERVICE_MS,
    guests: 1,
    totalCents: 4000,
    currency: "EUR",
    currencyDigits: 2,
    segments,
  });
  if (name !== "")
    saveCustomer(rt, businessId, id, { name, email: null, phone: "555 0100", notes: null });
  return id;
}

test("a calendar feed has all visits of 90 days for a business with 200 visits a day", () => {
  const { rt, calendar, today } = openSalon();
  rt.tx(() => {
    for (let day = -30; day < 90; day += 1)
      for (let i = 0; i < 200; i += 1) addVisit(rt, today + day * DAY_MS + i * SERVICE_MS);
  });
  const text = Buffer.concat(writeFeed(rt, calendar, today)).toString();
  const dates = [...text.matchAll(/^DTSTART:(\d{8})T/gm)].map(([, date]) => date ?? "");
  const countOn = (day: number) => {
    const date = new Date(today + day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
    return dates.filter((one) => one === date).length;
  };
  expect(Array.from({ length: 90 }, (_, day) => countOn(day))).toEqual(Array(90).fill(200));
  // The newest of the visits before today fill the rest of the 20,000 entries.
  expect([countOn(-1), countOn(-10), countOn(-11), dates.length]).toEqual([200, 200, 0, 20_000]);
}, 60_000);

test("earlier visits fill the rest of a calendar feed, latest first, without cancelled ones", () => {
  const { rt, today, feed } = openSalon();
  rt.tx(() => {
    for (const day of [-3, -2, -1, 1]) addVisit(rt, today + day * DAY_MS);
    addVisit(rt, today - 1, { status: "CANCELLED" });
    addVisit(rt, today + 2 * DAY_MS, { status: "CANCELLED" });
  });
  const days = (max?: number) =>
    feed(max)
      .map(({ start, status }) => [(start.getTime() - today) / DAY_MS, status] as const)
      .sort(([a], [b]) => a - b);
  expect(days(4)).toEqual([
    [-2, "CONFIRMED"],
    [-1, "CONFIRMED"],
    [1, "CONFIRMED"],
    [2, "CANCELLED"],
  ]);
});

test("a booking and a reservation that start at midnight UTC each have one entry in the feed of that day", () => {
  const { rt, business, calendar, today } = openSalon();
  rt.tx(() => {
    addVisit(rt, today);
    rt.store.reservations.insert(business.id, {
      ...confirmedVisit(today),
      id: rt.newId("rsv"),
      endsAt: today + SERVICE_MS,
      partySize: 2,
      areaId: null,
      tableId: "tbl_1",
    });
  });
  const text = Buffer.concat(writeFeed(rt, calendar, today)).toString();
  expect(text.match(/^SUMMARY:.*/gm)).toEqual(["SUMMARY:cut · Zoe", "SUMMARY:Table · 2 guests"]);
});

test("a full calendar feed ends with an entry about missing visits, and opens a condition", () => {
  const { rt, calendar, today, feed } = openSalon();
  rt.tx(() => {
    for (const day of [1, 2, 3]) addVisit(rt, today + day * DAY_MS);
  });
  expect(feed(2).map(({ summary }) => summary)).toEqual([
    "cut · Zoe",
    "cut · Zoe",
    expect.stringMatching(
      /^Visits from 20\S+ on are not in this calendar: it has at most 2 entries\.$/,
    ),
  ]);
  expect(writeFeed(rt, calendar, today, 2).join("")).toContain(
    `\r\nUID:${calendar.id}-end@deskbell\r\n`,
  );
  expect(listFull(rt)).toMatchObject([{ code: "calendar.full", business: SLUG }]);
  expect(feed()).toHaveLength(3);
  expect(listFull(rt)).toEqual([]);
  feed(2);
  revokeCalendar(rt, calendar.businessId, calendar.id);
  expect(listFull(rt)).toEqual([]);
});

test("a session of a class is one calendar entry with all guests that have not cancelled", () => {
  const { rt, today, feed } = openSalon();
  const at = today + DAY_MS;
  rt.tx(() => {
    addVisit(rt, at, { services: ["yoga"], name: "Ana" });
    addVisit(rt, at, { services: ["yoga"], name: "Ben" });
    addVisit(rt, at, { services: ["yoga"], name: "Cleo", status: "CANCELLED" });
  });
  expect(feed()).toMatchObject([
    {
      summary: "yoga · 2 guests · Zoe",
      status: "CONFIRMED",
      description: "Ana\n555 0100\nBen\n555 0100",
    },
  ]);
});

test("the maximum number of entries in a calendar feed counts a session once, and a visit with two services twice", () => {
  const { rt, today, feed } = openSalon();
  const at = today + DAY_MS;
  rt.tx(() => {
    for (const name of ["Ana", "Ben", "Cleo"]) addVisit(rt, at, { services: ["yoga"], name });
    addVisit(rt, at + DAY_MS, { services: ["cut", "cut"] });
    addVisit(rt, at + 2 * DAY_MS);
  });
  expect(
    feed(4)
      .map(({ summary }) => summary)
      .sort(),
  ).toEqual(["cut · Zoe", "cut · Zoe", "cut · Zoe", "yoga · 3 guests · Zoe"]);
});

test("the entry of a session names all its guests, although a full calendar feed has no entry for some of their visits", () => {
  const { rt, today, feed } = openSalon();
  const at = today + DAY_MS;
  rt.tx(() => {
    addVisit(rt, at, { services: ["cut", "yoga"], name: "Ana" });
    addVisit(rt, at + 1);
    addVisit(rt, at + SERVICE_MS, { services: ["yoga"], name: "Ben" });
  });
  expect(
    feed(2)
      .map(({ summary }) => summary)
      .sort(),
  ).toEqual([expect.stringMatching(/^Visits from /), "cut · Zoe · Ana", "yoga · 2 guests · Zoe"]);
});

test("a calendar feed leaves out a guest that no key decrypts, and shows the other guests", () => {
  const { rt, business, today, feed } = openSalon();
  const at = today + DAY_MS;
  const lost = rt.tx(() => {
    addVisit(rt, at, { name: "Ana" });
    addVisit(rt, at + DAY_MS);
    return addVisit(rt, at + 2 * DAY_MS, { name: "Ben" });
  });
  const sealed = Buffer.from(rt.store.guests.findByVisit(lost)!.sealed);
  sealed[sealed.length - 1]! ^= 1;
  rt.store.guests.replace({ visitId: lost, businessId: business.id, sealed });
  rt.tx(() => addVisit(rt, at + 3 * DAY_MS, { name: "Cleo" }));
  expect(feed().map(({ summary }) => summary)).toEqual([
    "cut · Zoe · Ana",
    "cut · Zoe",
    "cut · Zoe",
    "cut · Zoe · Cleo",
  ]);
});

test("a calendar feed decrypts the guests from before and after a rotation that added a key", () => {
  const { rt, today, feed } = openSalon();
  rt.tx(() => addVisit(rt, today + DAY_MS, { name: "Ana" }));
  rt.secrets.addKey();
  rt.tx(() => addVisit(rt, today + 2 * DAY_MS, { name: "Ben" }));
  expect(feed().map(({ summary }) => summary)).toEqual(["cut · Zoe · Ana", "cut · Zoe · Ben"]);
});

test("a calendar feed decrypts guests in groups, and shows each at its own visit", () => {
  const { rt, today, feed } = openSalon();
  const names = Array.from({ length: 1100 }, (_, i) => (i % 3 === 0 ? "" : `Guest ${i}`));
  rt.tx(() => {
    for (const [i, name] of names.entries()) addVisit(rt, today + i * SERVICE_MS, { name });
  });
  expect(feed().map(({ summary }) => summary)).toEqual(
    names.map((name) => `cut · Zoe${name && ` · ${name}`}`),
  );
});

test("a calendar feed is written although the encrypted data of a guest are truncated", () => {
  const { rt, business, today, feed } = openSalon();
  const lost = rt.tx(() => {
    addVisit(rt, today + DAY_MS, { name: "Ana" });
    return addVisit(rt, today + 2 * DAY_MS, { name: "Ben" });
  });
  rt.store.guests.replace({ visitId: lost, businessId: business.id, sealed: Buffer.alloc(5) });
  expect(feed().map(({ summary }) => summary)).toEqual(["cut · Zoe · Ana", "cut · Zoe"]);
});
