import { createCalendarStore } from "../../../src/features/calendars/store.ts";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking } from "../../../src/app/bookings/operator-changes.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { createCalendar, revokeCalendar } from "../../../src/features/calendars/calendars.ts";
import { findFeed } from "../../../src/features/calendars/feed.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { eraseVisits } from "../../../src/app/guests/erase-visits.ts";
import { createCalendarFeeds } from "../../../src/features/calendars/feeds.ts";
import { redactSecrets } from "../../../src/domain/redact-secrets.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { CHECKS } from "../../support/checks.ts";
import { parseCalendar } from "../../support/ical.ts";
import { applyToSalon, createTestApi, SALON, type TestApi } from "../../http/support/api.ts";

const CATALOG = `
hours: [{ days: mon-sun, start: "00:00", end: "24:00" }]
services:
  - { key: shave, name: Hot towel shave, durationMin: 30, price: 40.00, staff: [zoe, ben], resources: [{ resource: chair, units: 1 }] }
staff: [{ key: zoe, name: Zoe }, { key: ben, name: Ben, public: false }]
resources: [{ key: chair, name: Chair, capacity: 2 }]
tables: [{ key: t1, name: Window, minSeats: 1, maxSeats: 4 }]
`;

function openShop(flags = {}): TestApi {
  const api = createTestApi("salon", undefined, flags);
  applyToSalon(api, CATALOG);
  return api;
}

const book = (api: TestApi, staff: string, time: string) =>
  createBooking(api, SALON, { service: "shave", staff, start: `2026-12-01T${time}` }).id;

function subscribe(api: TestApi, staff: string | null, withGuests = false) {
  const staffId = staff && objectId("staff", SALON, { key: staff, previousKeys: [] });
  const { calendar, token } = createCalendar(api, getBusiness(api, SALON), { staffId, withGuests });
  const url = `/v1/businesses/${SALON}/calendars/${token}.ics`;
  const read = (headers = {}) => api.request(url, { key: null, headers });
  const readEvents = async () => parseCalendar(await (await read()).text());
  return { calendar, token, read, readEvents };
}

test("a calendar feed has the visits of its staff member in UTC, with UIDs that stay when visits change", async () => {
  const api = openShop();
  const { readEvents } = subscribe(api, "ben");
  const id = book(api, "ben", "10:00");
  book(api, "zoe", "10:00");
  const uid = `${id}-0@deskbell`;
  const expected = {
    uid,
    sequence: 0,
    status: "CONFIRMED",
    summary: "Hot towel shave",
    location: "Chair",
  };
  expect(await readEvents()).toMatchObject([{ ...expected, start: new Date("2026-12-01T15:00Z") }]);

  rescheduleBooking(api, SALON, id, { start: "2026-12-01T12:00" });
  expect(await readEvents()).toMatchObject([
    { ...expected, sequence: 1, start: new Date("2026-12-01T17:00Z") },
  ]);
  cancelBooking(api, SALON, id);
  expect(await readEvents()).toMatchObject([{ uid, sequence: 2, status: "CANCELLED" }]);
});

test("the feed of a business has all bookings and reservations, and guests only on request", async () => {
  const api = openShop();
  const id = book(api, "zoe", "10:00");
  const customer = {
    name: "Ana; Lima",
    email: "ana@example.com",
    phone: "555",
    notes: "no\nscent",
  };
  api.tx(() => saveCustomer(api, getBusiness(api, SALON).id, id, customer));
  const start = "2026-12-01T19:00";
  createReservation(api, SALON, { party: 3, start, customerRef: "web-7" });

  const plain = subscribe(api, null);
  expect((await plain.readEvents()).map(({ summary, location }) => [summary, location])).toEqual([
    ["Hot towel shave · Zoe", "Chair"],
    ["Table · 3 guests", "Window"],
  ]);
  expect(await (await plain.read()).text()).not.toMatch(/Ana|ana@|555|scent|web-7/);

  expect(await subscribe(api, null, true).readEvents()).toMatchObject([
    {
      summary: "Hot towel shave · Zoe · Ana; Lima",
      description: "555\nana@example.com\nno\nscent",
    },
    { summary: "Table · 3 guests · web-7" },
  ]);
});

test("a calendar feed has an ETag, and its URL works until it is revoked", async () => {
  const api = openShop();
  const { calendar, token, read } = subscribe(api, null);
  const response = await read();
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/calendar; charset=utf-8",
  ]);
  const etag = response.headers.get("etag") ?? "";
  expect((await read({ "if-none-match": etag })).status).toBe(304);
  book(api, "zoe", "10:00");
  expect((await read({ "if-none-match": etag })).status).toBe(200);

  // Earlier versions printed a URL without the business.
  expect((await api.request(`/calendars/${token}.ics`, { key: null })).status).toBe(200);
  const elsewhere = `/v1/businesses/other-salon/calendars/${token}.ics`;
  expect((await api.request(elsewhere, { key: null })).status).toBe(404);

  const other = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  for (const file of [`${other}.ics`, token, "x.ics", `${calendar.id}.ics`])
    expect(await api.requestProblem(`/calendars/${file}`, { key: null })).toMatchObject({
      status: 404,
      code: "resource_not_found",
    });
  revokeCalendar(api, calendar.businessId, calendar.id);
  expect((await read()).status).toBe(404);
});

test("a calendar feed read at the URL of an earlier version is reported as a condition for a week", async () => {
  const api = openShop();
  const { calendar, token, read } = subscribe(api, "zoe", true);
  const list = () =>
    listDaemonConditions(api, CHECKS).filter(({ code }) => code === "calendar.former_url");
  const readFormer = () => api.request(`/calendars/${token}.ics`, { key: null });
  await read();
  expect(list()).toEqual([]);

  const save = vi.spyOn(api.openStore(createCalendarStore), "setFormerUrlReadAt");
  await readFormer();
  await readFormer();
  expect(save).toHaveBeenCalledTimes(1);
  const staff = objectId("staff", SALON, { key: "zoe", previousKeys: [] });
  expect(list()).toMatchObject([
    {
      severity: "info",
      business: SALON,
      subject: { id: calendar.id, name: "Zoe" },
      command: `deskbell calendars create --business ${SALON} --staff ${staff} --with-guests`,
    },
  ]);
  api.advance(8 * 86_400_000);
  expect(list()).toEqual([]);
  await readFormer();
  expect(list()).toHaveLength(1);
  revokeCalendar(api, calendar.businessId, calendar.id);
  expect(list()).toEqual([]);
});

test("a calendar feed at the URL of an earlier version is served even while the disk is full", async () => {
  const api = openShop();
  const { token } = subscribe(api, null);
  vi.spyOn(api.openStore(createCalendarStore), "setFormerUrlReadAt").mockImplementation(() => {
    throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
  });
  expect((await api.request(`/calendars/${token}.ics`, { key: null })).status).toBe(200);
});

test("the ETag of a calendar feed changes with a visit or the day, and a 304 reads no visits", async () => {
  const api = openShop();
  const [id, other] = [book(api, "zoe", "10:00"), book(api, "zoe", "12:00")];
  const business = getBusiness(api, SALON);
  const customer = { name: "Ana", email: null, phone: null, notes: null };
  for (const visit of [id, other]) api.tx(() => saveCustomer(api, business.id, visit, customer));
  const { read } = subscribe(api, null, true);
  let etag = (await read()).headers.get("etag") ?? "";
  const listPage = vi.spyOn(api.store.bookings, "listPage");
  expect([(await read({ "if-none-match": etag })).status, listPage.mock.calls]).toEqual([304, []]);
  const changes = [
    () => editObject(api, SALON, "resource", "chair", (doc) => ({ ...doc, name: "Seat" })),
    () => cancelBooking(api, SALON, id),
    () => createReservation(api, SALON, { party: 3, start: "2026-12-01T19:00" }),
    // The feed changes even if the clock was set back, and even if two erasures have the same time.
    () => (api.shiftClock(-3_600_000), api.tx(() => eraseVisits(api, [id]))),
    () => api.tx(() => eraseVisits(api, [other])),
    () => api.advance(86_400_000),
  ];
  for (const change of changes) {
    change();
    const changed = await read({ "if-none-match": etag });
    expect(changed.status).toBe(200);
    etag = changed.headers.get("etag") ?? "";
  }
});

test("a calendar feed is written and compressed once for each change, and kept for 30 s", async () => {
  const api = openShop();
  const { calendar } = subscribe(api, "ben");
  book(api, "ben", "10:00");
  const feeds = createCalendarFeeds(api.config);
  onTestFinished(feeds.stop);
  const read = async () => {
    const { identity, gzip } = feeds.encode(calendar.id, findFeed(api, calendar)!);
    return [await identity(), await gzip?.()];
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const [body, compressed] = await read();
  expect(gunzipSync(compressed!)).toEqual(body);
  const again = await read();
  expect(again[0]).toBe(body);
  expect(again[1]).toBe(compressed);

  book(api, "ben", "11:00");
  const [changed] = await read();
  expect(parseCalendar(changed!.toString())).toHaveLength(2);
  expect((await read())[0]).toBe(changed);
  vi.advanceTimersByTime(30_000);
  const [later] = await read();
  expect(later).toEqual(changed);
  expect(later).not.toBe(changed);
});

test("the token of a calendar is not stored, and is redacted in the log", async () => {
  const api = openShop({ accessLog: true });
  const { token, read } = subscribe(api, "zoe");
  await read();
  const lines = api.logged.filter(({ message }) => message === "request");
  expect(lines).toHaveLength(1);
  expect(redactSecrets(JSON.stringify(lines))).toContain("/calendars/deskbell_cal_….ics");
  expect(JSON.stringify(api.store.audit.list({}, 5))).toMatch(/calendar\.created/);
  expect(JSON.stringify(api.store.audit.list({}, 5))).not.toContain(token.slice(-48));
  expect(
    JSON.stringify(api.openStore(createCalendarStore).list(getBusiness(api, SALON).id)),
  ).not.toContain(token.slice(-48));
});
