import { expect, test } from "vitest";
import { edit } from "../../../../support/edit-database.ts";
import { changeBooking } from "../../../../../src/app/bookings/operator-changes.ts";
import type { Booking } from "../../../../../src/domain/bookings/booking.ts";
import { checks } from "../../../../../src/features/page-bookings/conditions.ts";
import { metrics } from "../../../../../src/features/page-bookings/metrics.ts";
import { findPageKey } from "../../../../../src/features/page-bookings/access.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  firstService,
  listMade,
  openPage,
  timesOf,
} from "../../open-page.ts";

const PROXY = { trustedProxies: ["127.0.0.0/8", "::1/128"] };

const addressOf = (i: number): string => `203.0.113.${i}`;

/** Returns whether a URL leads to the times of other days than one that the page refuses. */
const leadsToOtherDays = (url: string): boolean => url.includes("&full=");

/** Books as many visits as the page takes, each with an address and a mailbox of its own. */
async function attack(mode: "REQUEST" | "CONFIRM", attempts: number, query = "") {
  const { api, base } = openPage("salon", mode, PROXY);
  const { key } = firstService(api);
  const statuses: number[] = [];
  const links: string[] = [];
  for (let i = 0; i < attempts; i++) {
    const visitor = createVisitor(api, addressOf(i));
    const { action, times } = await visitor.openTimes(timesOf(api, base, key) + query);
    const at = times.at(-1) ?? "";
    const url = await visitor.hold(action, at);
    const response =
      url === "" || leadsToOtherDays(url)
        ? undefined
        : await visitor.book(url, { email: `a${i}@evil.example` });
    statuses.push(response?.status ?? (leadsToOtherDays(url) ? 429 : 0));
    if (response?.status === 303) links.push(response.headers.get("location") ?? "");
  }
  return { api, base, key, statuses, links };
}

const minutesOf = (visits: readonly unknown[]): number =>
  (visits as Booking[]).reduce(
    (sum, { startsAt, endsAt }) => sum + (endsAt - startsAt) / 60_000,
    0,
  );

test.each(["REQUEST", "CONFIRM"] as const)(
  "strangers on a page with booking %s take less than a tenth of the free time, and then see the telephone number",
  async (mode) => {
    const { api, base, key, statuses } = await attack(mode, 25);
    expect(statuses.slice(0, 3)).toEqual([303, 303, 303]);
    expect(statuses.at(-1)).toBe(429);
    const made = listMade(api);
    // Six people work about 40 hours a week each, so a tenth of their time is at most 24 hours.
    expect(minutesOf(made)).toBeLessThan(24 * 60);
    const visitor = createVisitor(api, addressOf(200));
    const { action, times } = await visitor.openTimes(timesOf(api, base, key));
    const full = times.at(-1)!.slice(0, 10);
    const url = await visitor.hold(action, times.at(-1)!);
    // The guest learns before the form that the page takes no more visits of this day.
    expect(url).toContain(`&full=${full}`);
    const other = await visitor.openTimes(url);
    expect(other.html).toContain("No more bookings for Fri, Nov 20 are taken online");
    expect(other.html).toContain('href="tel:+17185550164"');
    expect(other.times).not.toEqual([]);
    expect(other.times.filter((time) => time.startsWith(full))).toEqual([]);
    expect(findAll(other.html, /date=(2026-11-20)/g)).toEqual([]);
    // The operator sees this condition while the page refuses visits, until it has refused none for
    // an hour.
    const listOpen = () => checks.flatMap((check) => check(api, {} as never));
    expect(listOpen()).toMatchObject([{ code: "page.share_used", business: businessOf(api).slug }]);
    const [, actions = ""] = metrics.flatMap((format) => format(api));
    expect(actions).toContain(`deskbell_page_actions_total{action="booking"} ${made.length}`);
    expect(actions).toMatch(/\{action="refused"\} [1-9]/);
    api.advance(3_600_000);
    expect(listOpen()).toEqual([]);
  },
);

test("a request that the business has accepted no longer counts against the page's share of the free time", async () => {
  const { api, base, key } = await attack("REQUEST", 25);
  const before = listMade(api).length;
  for (const { id } of listMade(api)) changeBooking(api, businessOf(api).slug, id, "approve");
  const visitor = createVisitor(api, addressOf(201));
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  expect((await visitor.book(await visitor.hold(action, times[0]!))).status).toBe(303);
  expect(listMade(api)).toHaveLength(before + 1);
});

test("a guest can move a visit that a partner's key has made, however much the key has booked", async () => {
  const { api, links } = await attack("REQUEST", 12, "&month=2026-12");
  // Long visits take more than the share of the page, which does not limit the key of a partner.
  edit(
    api,
    `UPDATE booking_segment SET ends_at = starts_at + 8 * 3600000
      WHERE booking_id <> (SELECT min(id) FROM booking);
    DELETE FROM page_key`,
  );
  const visitor = createVisitor(api, addressOf(201));
  const [link = ""] = links;
  const { action, times } = await visitor.openTimes(`${link}?move=1&date=2026-12-05`);
  const response = await visitor.post(action, { at: times[0]! });
  expect(response.headers.get("location")).toBe(`${link}?done=moved`);
});

test("a guest whose move the share of the page refuses learns that the visit keeps its time, and whom to call", async () => {
  const { api, links } = await attack("REQUEST", 12, "&month=2026-12");
  edit(
    api,
    `UPDATE booking_segment SET ends_at = starts_at + 8 * 3600000
      WHERE booking_id <> (SELECT min(id) FROM booking)`,
  );
  const visitor = createVisitor(api, addressOf(201));
  const [link = ""] = links;
  const { action, times } = await visitor.openTimes(`${link}?move=1&date=2026-12-05`);
  const response = await visitor.post(action, { at: times[0]! });
  const location = response.headers.get("location") ?? "";
  expect(location).toBe(`${link}?done=moveByPhone`);
  const html = await visitor.get(location);
  expect(html).toContain("Your visit keeps its time. For the time you chose, please call.");
  expect(html).toContain('<a class="button primary" href="tel:+17185550164"');
  expect(html).not.toContain("5 December");
  expect(checks.flatMap((check) => check(api, {} as never))).toHaveLength(1);
});

/** Takes the telephone number of the business away. */
const forgetPhone = (api: Parameters<typeof edit>[0]): void =>
  edit(api, "UPDATE business SET doc = json_set(doc, '$.phone', NULL), revision = revision + 1");

test("a guest whose move is refused is asked to call only if the page shows a number", async () => {
  const { api, links } = await attack("REQUEST", 1);
  const visitor = createVisitor(api, addressOf(201));
  const read = () => visitor.get(`${links[0]}?done=moveByPhone`);
  expect(await read()).toContain("For the time you chose, please call.");
  forgetPhone(api);
  const html = await read();
  expect(html).toContain("Your visit keeps its time. The time you chose cannot be booked here.");
  expect(html).not.toMatch(/call|phone/);
});

test("a guest whose day strangers have taken finds the telephone number only if the page shows one", async () => {
  const { api, base, key } = await attack("CONFIRM", 25);
  const visitor = createVisitor(api, addressOf(200));
  const refuse = async () => {
    const { action, times } = await visitor.openTimes(timesOf(api, base, key));
    return visitor.get(await visitor.hold(action, times.at(-1)!));
  };
  expect(await refuse()).toContain('href="tel:+17185550164"');
  forgetPhone(api);
  const html = await refuse();
  expect(html).toContain("Please choose another day.");
  expect(html).not.toMatch(/call|phone/);
});

test("one email address makes at most ten visits a day, from any number of network addresses", async () => {
  const { api, base } = openPage("salon", "REQUEST", PROXY);
  const { key } = firstService(api);
  const bookAs = async (i: number) => {
    const visitor = createVisitor(api, addressOf(i));
    const { action, times } = await visitor.openTimes(timesOf(api, base, key));
    const email = i % 2 === 0 ? "ana@example.com" : "ANA@example.com";
    return visitor.book(await visitor.hold(action, times[0]!), { email });
  };
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) {
    statuses.push((await bookAs(i)).status);
    // The business accepts each visit, so that the share of the page is not used up.
    for (const { id, status } of listMade(api))
      if (status === "PENDING") changeBooking(api, businessOf(api).slug, id, "approve");
  }
  expect(statuses).toEqual([...Array<number>(10).fill(303), 429]);
  expect(await (await bookAs(11)).text()).toContain("More bookings are taken by phone only.");
  forgetPhone(api);
  expect(await (await bookAs(12)).text()).toContain("No more bookings are taken here at the");
});

test("the database has no network address, contact, name or link token of a guest in plain text", async () => {
  const { api, base } = openPage("salon", "CONFIRM", PROXY);
  const visitor = createVisitor(api, "203.0.113.77");
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const canary = "canary-5521@example.com";
  const response = await visitor.book(await visitor.hold(action, times[0]!), { email: canary });
  const token = (response.headers.get("location") ?? "").split("/").at(-1) ?? "";
  const bytes = api.openStore((db) => db.serialize());
  for (const secret of [canary, "203.0.113.77", token, "Ana García"])
    expect(bytes.includes(secret)).toBe(false);
});

test("no page shows the name, note or email address of a guest, not even the page of the guest's own visit", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const details = await visitor.hold(action, times[0]!);
  const response = await visitor.book(details, { name: "Canary Name", notes: "canary-note" });
  const own = await visitor.get(response.headers.get("location") ?? "");
  const stranger = createVisitor(api);
  const pages = [own, ...(await Promise.all(["", "?table=1"].map((q) => stranger.get(base + q))))];
  for (const html of pages) expect(html).not.toMatch(/Canary Name|canary-note|ana@example/);
});

test("a visit made on the booking page has the page's restricted key as its source", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  await visitor.book(await visitor.hold(action, times[0]!));
  const keyId = findPageKey(api, businessOf(api));
  expect(api.store.keys.findById(keyId ?? "")).toMatchObject({
    name: "booking page",
    kind: "RESTRICTED",
    scopes: ["bookings.write", "tickets.write"],
  });
  expect(listMade(api)).toMatchObject([{ createdByKey: keyId }]);
});
