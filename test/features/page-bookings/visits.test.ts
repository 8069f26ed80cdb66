import { expect, test, vi } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { editCatalog, withObjects } from "../../../src/app/catalog/changes/edit-catalog.ts";
import { eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { updateVisit } from "../../../src/app/bookings/change-visit.ts";
import { BOOKING } from "../../../src/app/bookings/visit-kinds.ts";
import type { Reservation } from "../../../src/domain/bookings/reservation.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { redactSecrets } from "../../../src/domain/redact-secrets.ts";
import { createPageBookingStore } from "../../../src/features/page-bookings/store.ts";
import { retention } from "../../../src/features/page-bookings/retention.ts";
import { describeContent } from "../../../src/features/page-bookings/show/visit-view.ts";
import { parseCalendar } from "../../support/ical.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  firstService,
  listMade,
  openPage,
  timesOf,
} from "./open-page.ts";
import { spyOnNotices } from "../../support/added-feature.ts";

const DAY_MS = 86_400_000;

/** Books the last free time of the first month for a guest. */
async function bookVisit(booking: "REQUEST" | "CONFIRM" = "CONFIRM") {
  const opened = openPage("salon", booking);
  const { api, base, visitor } = opened;
  const { key } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  const response = await visitor.book(await visitor.hold(action, times.at(-1) ?? ""));
  const link = response.headers.get("location") ?? "";
  const first = listMade(api)[0]!;
  return { ...opened, link, first, current: () => listMade(api)[0]! };
}

/**
 * Books the last free time of the month that is 21 days ahead, so that the guest may still change
 * the visit.
 */
async function bookLaterVisit(booking: "REQUEST" | "CONFIRM" = "CONFIRM") {
  const opened = openPage("salon", booking);
  const { api, base, visitor } = opened;
  const { key } = firstService(api);
  const later = new Date(api.now() + 21 * DAY_MS).toISOString().slice(0, 7);
  const { action, times } = await visitor.openTimes(`${timesOf(api, base, key)}&month=${later}`);
  const response = await visitor.book(await visitor.hold(action, times.at(-1) ?? ""));
  return {
    ...opened,
    link: response.headers.get("location") ?? "",
    current: () => listMade(api)[0]!,
  };
}

test("a guest cancels a visit by its link, and a GET of the link changes nothing", async () => {
  const { api, visitor, link, current } = await bookLaterVisit();
  const before = api.revision();
  for (const url of [link, `${link}?move=1`, `${link}/visit.ics`, `${link}/cancel`])
    await visitor.send(url);
  expect(api.revision()).toBe(before);
  const response = await visitor.post(`${link}/cancel`);
  expect([response.status, response.headers.get("location")]).toEqual([303, link]);
  expect(current()).toMatchObject({ status: "CANCELLED", cancelledBy: "GUEST" });
  expect(await visitor.get(link)).toContain("Cancelled");
  const version = current().version;
  await visitor.post(`${link}/cancel`);
  expect(current().version).toBe(version);
});

test("a guest moves an approved visit, and the new time waits for approval if the business approves each visit", async () => {
  const { api, visitor, link, current } = await bookLaterVisit("REQUEST");
  changeBooking(api, businessOf(api).slug, current().id, "approve");
  expect(await visitor.get(link)).toContain("You are booked");
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  const at = times.find((time) => Date.parse(time) !== current().startsAt) ?? "";
  const response = await visitor.post(action, { at });
  expect(await visitor.get(response.headers.get("location") ?? "")).toContain("has been moved");
  expect(current()).toMatchObject({ status: "PENDING", startsAt: Date.parse(at) });
});

test("a move that the storage prevents is an error, and does not say that the service is no longer offered", async () => {
  const { api, visitor, link, current } = await bookLaterVisit();
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  const at = times.find((time) => Date.parse(time) !== current().startsAt) ?? "";
  const before = current().startsAt;
  const broken = vi.spyOn(api, "tx").mockImplementation(() => {
    throw new AppError("storage_failed", "The disk failed.");
  });
  const response = await visitor.post(action, { at });
  broken.mockRestore();
  expect([response.status, response.headers.get("location")]).toEqual([503, null]);
  expect(current().startsAt).toBe(before);
});

test("a move without a valid time leads back to the times and changes nothing", async () => {
  const { visitor, link, current } = await bookLaterVisit();
  const before = current();
  const { action } = await visitor.openTimes(`${link}?move=1`);
  const response = await visitor.post(action, { at: "soon" });
  expect(response.headers.get("location")).toMatch(/\?move=1$/);
  expect(current()).toEqual(before);
});

test("a guest can move a visit by less than its own length", async () => {
  const { visitor, link, current } = await bookLaterVisit();
  const { startsAt, endsAt } = current();
  const { html, action, times } = await visitor.openTimes(`${link}?move=1`);
  const overlapping = times
    .map((time) => Date.parse(time))
    .filter((time) => time < endsAt && time + (endsAt - startsAt) > startsAt);
  expect(html).toContain(`aria-current="date"`);
  expect(overlapping).toContain(startsAt);
  expect(overlapping.length).toBeGreaterThan(1);
  const at = new Date(overlapping.find((time) => time !== startsAt)!).toISOString();
  await visitor.post(action, { at });
  expect(current()).toMatchObject({ status: "CONFIRMED", startsAt: Date.parse(at) });
});

test("a move to a time that is taken leads back to the free times, and the visit stays as it is", async () => {
  const { api, base, visitor, link, current } = await bookLaterVisit();
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  const other = createVisitor(api);
  const { key } = firstService(api);
  const { staffId } = (current() as unknown as { segments: { staffId: string }[] }).segments[0]!;
  const url = timesOf(api, base, key).replace("staff=any", `staff=${staffId}`);
  const found = await other.openTimes(`${url}&date=${times[0]!.slice(0, 10)}`);
  expect((await other.book(await other.hold(found.action, times[0]!))).status).toBe(303);
  const response = await visitor.post(action, { at: times[0]! });
  const back = response.headers.get("location") ?? "";
  expect(back).toContain("move=1&taken=1");
  expect(await visitor.get(back)).toContain("no longer free");
  expect(listMade(api).map(({ startsAt }) => startsAt)).toContain(current().startsAt);
});

test("a guest can no longer change a visit once the time to cancel it is over", async () => {
  const { api, visitor, link, current } = await bookLaterVisit();
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  expect(await visitor.get(link)).toContain(" Whoever has it can change the visit.");
  api.advance(current().cancelUntil + 1 - api.now());
  const page = await visitor.get(link);
  expect(page).toContain("It can no longer be changed here.");
  expect(page).toContain("Keep the address of this page");
  expect(page).not.toContain("Whoever has it");
  expect(page).not.toContain("/cancel");
  const { version } = current();
  const cancelled = await visitor.post(`${link}/cancel`);
  expect(cancelled.headers.get("location")).toBe(`${link}?done=changeClosed`);
  await visitor.post(action, { at: times[0]! });
  expect(current().version).toBe(version);
});

test("a visit whose service is hidden cannot be moved, and the visit's page remains and says so", async () => {
  const { api, visitor, link, current } = await bookLaterVisit();
  const { slug } = businessOf(api);
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  const { serviceId } = (current() as unknown as { segments: { serviceId: string }[] })
    .segments[0]!;
  editCatalog(api, slug, (catalog) => ({
    catalog: withObjects(catalog, "service", (docs) =>
      docs.map((doc) =>
        objectId("service", slug, doc) === serviceId ? { ...doc, status: "INACTIVE" } : doc,
      ),
    ),
    target: { section: "publicPage" },
  }));
  const { version } = current();
  const responses = [
    await visitor.send(`${link}?move=1`),
    await visitor.post(action, { at: times[0]! }),
  ];
  for (const response of responses) {
    const back = response.headers.get("location") ?? "";
    expect(back).toBe(`${link}?done=cannotMove`);
    const page = await visitor.get(back);
    expect(page).toContain("No other time can be chosen here");
    expect(page).toContain('href="tel:');
    expect(page).toContain("/cancel");
  }
  expect(current().version).toBe(version);
});

test("a guest whose area is closed moves the reservation to a table of another area", async () => {
  const { api, base, visitor } = openPage("restaurant");
  const { slug } = businessOf(api);
  const { action, times } = await visitor.openTimes(`${base}?party=2`);
  const booked = await visitor.book(await visitor.hold(action, times.at(-1) ?? ""));
  const link = booked.headers.get("location") ?? "";
  const { areaId } = listMade(api)[0] as Reservation;
  editCatalog(api, slug, (catalog) => ({
    catalog: withObjects(catalog, "area", (docs) =>
      docs.map((doc) =>
        objectId("area", slug, doc) === areaId ? { ...doc, status: "INACTIVE" } : doc,
      ),
    ),
    target: { section: "publicPage" },
  }));
  const move = await visitor.openTimes(`${link}?move=1`);
  await visitor.post(move.action, { at: move.times[0]! });
  const moved = listMade(api)[0] as Reservation;
  expect(moved.startsAt).toBe(Date.parse(move.times[0]!));
  expect(moved.areaId).not.toBe(areaId);
});

test("the operator is alerted of a visit that a guest has moved, if it must be approved again", async () => {
  const { api, visitor, link, current } = await bookLaterVisit("REQUEST");
  changeBooking(api, businessOf(api).slug, current().id, "approve");
  const { action, times } = await visitor.openTimes(`${link}?move=1`);
  const at = times.find((time) => Date.parse(time) !== current().startsAt) ?? "";
  const put = spyOnNotices(api);
  await visitor.post(action, { at });
  expect(put.mock.calls).toEqual([
    [
      expect.stringContaining("booking.received"),
      expect.objectContaining({
        text: expect.stringMatching(
          /^a booking of .* was moved on the booking page to .*: approve/,
        ),
        command: expect.stringContaining(`bookings approve ${current().id}`),
      }),
    ],
  ]);
});

test("a visit shows its price in the currency in which it was booked", async () => {
  const { api, visitor, link, current } = await bookLaterVisit();
  const { totalCents } = current() as unknown as { totalCents: number };
  const page = await visitor.get(link);
  expect(page).toContain(`$${(totalCents / 100).toFixed(2)}`);
  editCatalog(api, businessOf(api).slug, (catalog) => ({
    catalog: { ...catalog, business: { ...catalog.business, currency: "JPY", currencyDigits: 0 } },
    target: { section: "publicPage" },
  }));
  expect(await visitor.get(link)).toContain(`$${(totalCents / 100).toFixed(2)}`);
});

test("a visit names neither an add-on nor an area that has left the catalog", () => {
  const { api } = openPage();
  const business = businessOf(api);
  const { id } = createBooking(api, business.slug, {
    service: "cut",
    staff: "maya",
    start: "2026-12-01T10:00",
  });
  const booking = api.store.bookings.findById(business.id, id)!;
  const gone = { addonId: "adn_gone", quantity: 1, priceCents: 100 };
  const segments = booking.segments.map((segment) => ({ ...segment, addons: [gone] }));
  const { services } = describeContent(api, business, { ...booking, segments }, "en");
  expect(services).toEqual([expect.not.stringContaining("adn_")]);
  const table = { partySize: 2, areaId: "are_gone" } as Reservation;
  expect(describeContent(api, business, table, "en").area).toBeNull();
});

test("a link ends 30 days after the visit, and its row is deleted", async () => {
  const { api, visitor, link, current } = await bookVisit();
  api.advance(current().endsAt + 30 * DAY_MS - 1 - api.now());
  expect((await visitor.send(link)).status).toBe(200);
  api.advance(1);
  expect((await visitor.send(link)).status).toBe(404);
  api.advance(1);
  api.tx(() => retention.forEach((work) => work(api, 0, 100, { now: api.now(), keptSince: 0 })));
  expect(api.openStore(createPageBookingStore).count()).toBe(0);
});

test("a link no longer works after the guest's data are erased, even if the visit gets new data", async () => {
  const { api, visitor, link, first } = await bookVisit();
  eraseForGood(api, [first.id]);
  expect((await visitor.send(link)).status).toBe(404);
  const customer = { name: "Somebody else", email: null, phone: null, notes: null };
  api.tx(() => updateVisit(api, BOOKING, businessOf(api), first as never, { customer }));
  expect((await visitor.send(link)).status).toBe(404);
  expect((await visitor.post(`${link}/cancel`)).status).toBe(404);
});

test("a link outlives a change of the guest's data", async () => {
  const { api, visitor, link, first } = await bookVisit();
  const customer = { name: "Ana", email: "ana@example.org", phone: null, notes: null };
  api.tx(() => updateVisit(api, BOOKING, businessOf(api), first as never, { customer }));
  expect((await visitor.send(link)).status).toBe(200);
});

test("a link with an altered token or the slug of another business shows nothing", async () => {
  const { visitor, link } = await bookVisit();
  const last = link.at(-1) === "0" ? "1" : "0";
  for (const url of [
    link.slice(0, -1) + last,
    link.replace("salon-aurora", "no-such-shop"),
    "/b/salon-aurora/v/nonsense",
    `${link}/nonsense`,
  ])
    expect((await visitor.send(url)).status).toBe(404);
});

test("the pages of one guest stay out of caches, search engines, frames, referrers and logs", async () => {
  const { visitor, link } = await bookVisit();
  for (const url of [link, `${link}/visit.ics`, "/b/salon-aurora/v/nonsense"]) {
    const { headers } = await visitor.send(url);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("referrer-policy")).toBe("strict-origin");
  }
  const { headers } = await visitor.send(link);
  expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
  expect(redactSecrets(link)).not.toContain(link.slice(-40));
});

test("a visit can be downloaded as a file for calendars", async () => {
  const { visitor, link, first } = await bookVisit();
  const response = await visitor.send(`${link}/visit.ics`);
  expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  const text = await response.text();
  const entries = parseCalendar(text).map(({ summary, start, end }) => [summary, +start, +end]);
  expect(entries).toEqual([["Salon Aurora", first.startsAt, first.endsAt]]);
});

test("the page of a visit has the language in which the guest booked", async () => {
  const { api, base, visitor } = openPage();
  const { key } = firstService(api);
  const { action, times } = await visitor.openTimes(`${timesOf(api, base, key)}&lang=es`);
  const response = await visitor.book(await visitor.hold(action, times[0]!));
  const html = await visitor.get(response.headers.get("location") ?? "");
  expect(html).toContain('<html lang="es">');
  expect(findAll(html, /<h1[^>]*>([^<]+)/g)).toEqual(["Su reserva está confirmada"]);
});

test("the page of a visit that is over leads to the booking page in the language in which the guest booked", async () => {
  const { api, base, visitor } = openPage();
  const { key } = firstService(api);
  const later = new Date(api.now() + 21 * DAY_MS).toISOString().slice(0, 7);
  const url = `${timesOf(api, base, key)}&month=${later}&lang=de`;
  const { action, times } = await visitor.openTimes(url);
  const response = await visitor.book(await visitor.hold(action, times.at(-1) ?? ""));
  const link = response.headers.get("location") ?? "";
  await visitor.post(`${link}/cancel`);
  expect(await visitor.get(link)).toContain(`href="${base}?lang=de"`);
  expect(await visitor.get(`${link}?lang=fr`)).toContain(`href="${base}?lang=fr"`);
});
