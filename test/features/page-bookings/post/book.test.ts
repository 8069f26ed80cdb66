import { editCatalog } from "../../../../src/app/catalog/changes/edit-catalog.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { findCustomer } from "../../../../src/app/bookings/guests.ts";
import { createClosure } from "../../../../src/app/catalog/schedule.ts";
import { findPageKey } from "../../../../src/features/page-bookings/access.ts";
import { listPageCounts } from "../../../../src/features/public-pages/counters.ts";
import { publishPage } from "../../../../src/features/public-pages/publish.ts";
import { applyToSalon, createTestApi, type TestApi } from "../../../http/support/api.ts";
import {
  businessOf,
  createVisitor,
  GUEST,
  findAll,
  firstService,
  listMade,
  openPage,
  publish,
  timesOf,
} from "../open-page.ts";
import { spyOnNotices } from "../../../support/added-feature.ts";

/** Returns what the fields of a form with the details of a guest contain. */
const fieldsIn = (html: string) => ({
  ...Object.fromEntries(
    ["name", "email", "phone"].map((name) => {
      const [input] = html.match(new RegExp(`<input[^>]* name="${name}"[^>]*>`)) ?? [];
      return [name, input && (/ value="([^"]*)"/.exec(input)?.[1] ?? "")];
    }),
  ),
  notes: /<textarea[^>]* name="notes"[^>]*>([^<]*)</.exec(html)?.[1],
});

const findService = (api: TestApi, key: string) =>
  api.store.catalog.findByKeyOrId(businessOf(api).id, "service", key)!;

const CUT = /href="([^"]*\?service=[^"]+)"[^>]*><strong><bdi>Cut/g;

test("a guest books a service with a variant, an add-on and a person", async () => {
  const { api, base, visitor } = openPage();
  const [cut = ""] = findAll(await visitor.get(base), CUT);
  const options = await visitor.get(cut);
  const [variant = ""] = findAll(options, /name="variant" value="([^"]+)"/g).slice(1);
  const [addon = ""] = findAll(options, /name="(addon\.[^"]+)"/g);
  const [, person = ""] = findAll(options, /name="staff" value="([^"]+)"/g);
  const { action, times } = await visitor.openTimes(
    `${cut}&variant=${variant}&${addon}=1&staff=${person}`,
  );
  const details = await visitor.hold(action, times[0] ?? "");
  const form = await visitor.get(details);
  expect(form).toContain("We keep this time for you until");
  expect(fieldsIn(form)).toEqual({ name: "", email: "", phone: "", notes: "" });
  const response = await visitor.book(details);
  expect(response.status).toBe(303);
  const link = response.headers.get("location") ?? "";
  expect(link).toMatch(/^\/b\/salon-aurora\/v\/deskbell_gv_[0-9a-f]{48}$/);
  expect(await visitor.get(link)).toContain("You are booked");
  const [visit] = listMade(api);
  expect(visit).toMatchObject({ status: "CONFIRMED", startsAt: Date.parse(times[0] ?? "") });
  expect(visit).toMatchObject({
    segments: [{ variantId: variant, staffId: person, addons: [{ addonId: addon.slice(6) }] }],
  });
  expect(findCustomer(api, visit?.id ?? "")).toMatchObject({ name: "Ana García" });
});

test("a guest asks for a table for a party, and the operator is told to approve the request", async () => {
  const { api, base, visitor } = openPage("restaurant", "REQUEST");
  expect(await visitor.get(`${base}?table=1`)).toContain('name="party"');
  const { action, times } = await visitor.openTimes(`${base}?table=1&party=4`);
  const details = await visitor.hold(action, times.at(-1) ?? "");
  const put = spyOnNotices(api);
  const response = await visitor.book(details);
  expect(put).toHaveBeenCalledWith(
    expect.stringContaining("booking.received"),
    expect.objectContaining({
      text: expect.stringMatching(/^a table for 4 at .* was made on the booking page: approve/),
    }),
  );
  expect(await visitor.get(response.headers.get("location") ?? "")).toContain("Request received");
  expect(listMade(api)).toMatchObject([{ status: "PENDING", partySize: 4 }]);
});

test("a form that is sent twice with the same details books once, and leads to the same visit", async () => {
  const { api, base, visitor } = openPage();
  const { key } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  const details = await visitor.hold(action, times[0] ?? "");
  const responses = await Promise.all([visitor.book(details), visitor.book(details)]);
  const links = responses.map(({ headers }) => headers.get("location"));
  expect(new Set(links).size).toBe(1);
  expect(listMade(api)).toHaveLength(1);
  const third = await visitor.book(details);
  expect([third.status, third.headers.get("location")]).toEqual([303, links[0]]);
});

test("the URL of a booking form leads nobody to the visit that was booked with the form", async () => {
  const { api, base, visitor } = openPage();
  const { key } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  const details = await visitor.hold(action, times[0] ?? "");
  const [nonce = ""] = findAll(await visitor.get(details), /name="nonce" value="([0-9a-f]+)"/g);
  const link = (await visitor.book(details, { nonce })).headers.get("location") ?? "";
  const [{ id } = { id: "" }] = listMade(api);
  // The guest has shown the URL to somebody before booking, or goes back and corrects the details.
  const other = createVisitor(api);
  const responses = [
    await other.send(details),
    await other.book(details, { name: "Ben", email: "ben@example.com" }),
    await other.book(details, { name: "" }),
    // Somebody who knows the URL can send a cookie, but not the token of the link.
    await other.send(details, {
      headers: {
        cookie: `deskbell_booked=${new URLSearchParams(details.split("?")[1]).get("key")}`,
      },
    }),
    await other.send(details, {
      headers: { cookie: `deskbell_booked=deskbell_gv_${"0".repeat(48)}` },
    }),
    // Somebody may know the guest's details, but never the nonce of the guest's form.
    await other.book(details),
    await visitor.book(details, { email: "ana@corrected.example" }),
  ];
  for (const response of responses) {
    const html = await response.text();
    expect([response.status, response.headers.get("location")]).toEqual([409, null]);
    expect(html).toContain("This form has already been used for a booking.");
    expect(html).not.toContain(link.split("/").at(-1));
    expect(html).not.toContain(GUEST.email);
  }
  expect(listMade(api).map((made) => made.id)).toEqual([id]);
});

test("a browser that sends the form again is led to its visit, and told that the changed details were not stored", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const details = await visitor.hold(action, times[0] ?? "");
  const booked = await visitor.book(details);
  const link = booked.headers.get("location") ?? "";
  const [, cookie = ""] = booked.headers.getSetCookie();
  expect(cookie).toMatch(
    /^deskbell_booked=deskbell_gv_[0-9a-f]+; Path=\S+\/book; Max-Age=600; HttpOnly/,
  );
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  const back = await visitor.send(details, { headers });
  expect([back.status, back.headers.get("location")]).toEqual([303, link]);
  const at = new URLSearchParams(details.split("?")[1]).get("at") ?? "";
  const corrected = await visitor.send(details, {
    method: "POST",
    headers: {
      ...headers,
      origin: "http://localhost",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ at, ...GUEST, email: "ana@corrected.example" }).toString(),
  });
  expect(corrected.status).toBe(409);
  expect(await corrected.text()).toContain(`<a href="${link}">Go to your booking</a>`);
});

test("a guest whose time was taken meanwhile gets the nearest free times, and the form keeps what was written", async () => {
  const { api, base, visitor } = openPage();
  const { key, staff } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key, staff));
  const at = times[3] ?? "";
  const details = await visitor.hold(action, at);
  // The hold ends while the guest types, and somebody else takes the time.
  api.advance(11 * 60_000);
  createBooking(api, businessOf(api).slug, { service: key, staff, start: at });
  const lost = await visitor.book(details, { notes: "By the window <b>please</b>" });
  const html = await lost.text();
  expect(lost.status).toBe(409);
  expect(html).toContain("no longer free");
  expect(html).toContain('value="Ana García"');
  expect(html).toContain("By the window &lt;b>please&lt;/b>");
  const nearest = findAll(html, /type="radio" name="at" value="([^"]+)"/g);
  expect(nearest.length).toBeGreaterThan(1);
  expect(nearest).not.toContain(at);
  const booked = await visitor.book(details, { at: nearest[0]! });
  expect(booked.status).toBe(303);
  expect(listMade(api)).toMatchObject([{ startsAt: Date.parse(nearest[0]!) }]);
});

test("a held time is still shown to its guest, and is released when the guest chooses another time", async () => {
  const { api, base, visitor } = openPage();
  const { key, staff } = firstService(api);
  const url = timesOf(api, base, key, staff);
  const { action, times } = await visitor.openTimes(url);
  await visitor.hold(action, times[0]!);
  expect((await visitor.openTimes(url)).times).toContain(times[0]);
  const other = createVisitor(api);
  expect((await other.openTimes(url)).times).not.toContain(times[0]);
  await visitor.hold(action, times.at(-1)!);
  expect((await other.openTimes(url)).times).toContain(times[0]);
  expect((await other.openTimes(url)).times).not.toContain(times.at(-1));
});

test("a time held for one variant and add-on is not shown as free for another variant or without the add-on", async () => {
  const { base, visitor } = openPage();
  const [cut = ""] = findAll(await visitor.get(base), CUT);
  const options = await visitor.get(cut);
  const [short = "", long = ""] = findAll(options, /name="variant" value="([^"]+)"/g);
  const [addon = ""] = findAll(options, /name="(addon\.[^"]+)"/g);
  const [, person = ""] = findAll(options, /name="staff" value="([^"]+)"/g);
  const urlOf = (variant: string, more = "") => `${cut}&variant=${variant}&staff=${person}${more}`;
  const { action, times } = await visitor.openTimes(urlOf(short, `&${addon}=1`));
  const [held = ""] = times;
  await visitor.hold(action, held);
  const listTimes = async (url: string) => (await visitor.openTimes(url)).times;
  expect(await listTimes(urlOf(short, `&${addon}=1`))).toContain(held);
  expect(await listTimes(urlOf(short))).not.toContain(held);
  expect(await listTimes(urlOf(long, `&${addon}=1`))).not.toContain(held);
});

test("a guest who holds a time without naming the required add-on of its service can book it", async () => {
  const { api, base, visitor } = openPage();
  const [link] = findService(api, "cut").addons;
  const required = { ...link!, required: true, minQuantity: 1, defaultQuantity: 1 };
  const { key } = firstService(api);
  editObject(api, businessOf(api).slug, "service", key, (doc) => ({ ...doc, addons: [required] }));
  const url = timesOf(api, base, key);
  const { action, times } = await visitor.openTimes(url);
  const [held = ""] = times;
  const details = await visitor.hold(action, held);
  const form = await visitor.send(details);
  expect([form.status, await form.text()]).toEqual([
    200,
    expect.stringContaining("We keep this time for you until"),
  ]);
  expect((await visitor.openTimes(url)).times).toContain(held);
  expect((await visitor.book(details)).status).toBe(303);
  expect(listMade(api)).toMatchObject([{ segments: [{ addons: [{ quantity: 1 }] }] }]);
});

test("a language chosen on the public page is kept on the way to the booking page, to its steps, and back", async () => {
  const { base, visitor } = openPage("restaurant", "CONFIRM");
  const shop = base.replace(/\/book$/, "");
  const linksIn = async (url: string) =>
    findAll(await visitor.get(url), /<a (?![^>]*hreflang)[^>]*?href="(\/b\/[^"#]*)/g);
  const fromShop = await linksIn(`${shop}?lang=fr`);
  const toBooking = fromShop.filter((url) => url.startsWith(base));
  expect(toBooking).toContain(`${base}?lang=fr`);
  expect(toBooking.some((url) => url.includes("table=1"))).toBe(true);
  const fromBooking = await linksIn(`${base}?lang=fr`);
  expect(fromBooking).toContain(`${shop}/menu?lang=fr`);
  for (const url of [...fromShop, ...fromBooking]) expect(url.match(/lang=fr/g)).toHaveLength(1);
});

test("links to other languages keep the path of the public URL, and lead from a refused form to its page", async () => {
  const { api, base, visitor } = openPage("salon", "CONFIRM", {
    publicUrl: "https://shop.example/desk",
  });
  const languagesIn = (html: string) => findAll(html, /href="([^"]*lang=es[^"]*)"/g);
  const { key, staff } = firstService(api);
  const url = timesOf(api, base, key, staff);
  const { html, action, times } = await visitor.openTimes(url);
  expect(languagesIn(html)).toEqual([`/desk${url}&lang=es`]);
  // The proxy removes the path of the public URL.
  const form = action.replace("/desk", "").replace(/staff=\w+/, "staff=stf_00000000000000000000");
  const refused = await visitor.send(form, {
    method: "POST",
    headers: {
      "sec-fetch-site": "same-origin",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ at: times[0]! }).toString(),
  });
  const [link = ""] = languagesIn(await refused.text());
  expect([refused.status, link]).toEqual([409, expect.stringMatching(/^\/desk\/b\/[^/]+\/book\?/)]);
  const inSpanish = await visitor.send(link.replace("/desk", ""));
  expect(inSpanish.headers.get("content-language")).toBe("es");
});

test("a form without a name, or without an email address and phone number, is shown again with what is missing", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const details = await visitor.hold(action, times[0]!);
  const response = await visitor.book(details, { name: " ", email: "", phone: "" });
  expect(response.status).toBe(422);
  const html = await response.text();
  expect(html).toContain("Please write your name.");
  expect(html).toContain("Please write an email address or a phone number.");
  expect((await visitor.book(details, { email: "nobody" })).status).toBe(422);
  expect(listMade(api)).toEqual([]);
  expect((await visitor.book(details, { email: "", phone: "+1 718 555 0100" })).status).toBe(303);
});

test.for(["call me", "-", "ana@example.com", "12"])(
  "the phone number '%s' is refused, because nobody could call it",
  async (phone) => {
    const { api, base, visitor } = openPage();
    const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
    const details = await visitor.hold(action, times[0]!);
    for (const email of ["", "ana@example.com"]) {
      const response = await visitor.book(details, { email, phone });
      expect(response.status).toBe(422);
      expect(await response.text()).toContain("This is not a phone number.");
    }
    expect(listMade(api)).toEqual([]);
    expect((await visitor.book(details, { email: "", phone: "110" })).status).toBe(303);
  },
);

test("a price that changed while the guest typed is shown before anything is booked", async () => {
  const { api, base, visitor } = openPage();
  const { key } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  const details = await visitor.hold(action, times[0]!);
  const response = await visitor.book(details, { total: "1" });
  expect(response.status).toBe(409);
  const html = await response.text();
  const { priceCents } = findService(api, key);
  expect(html).toContain(`The price has changed to $${(priceCents / 100).toFixed(2)}.`);
  expect(listMade(api)).toEqual([]);
  const [total = ""] = findAll(html, /name="total" value="(\d+)"/g);
  expect(total).toBe(String(priceCents));
  expect((await visitor.book(details, { total })).status).toBe(303);
});

test("a guest whose chosen person no longer performs the service is asked to choose again", async () => {
  const { api, base, visitor } = openPage();
  const { key, staff } = firstService(api);
  const { action, times } = await visitor.openTimes(timesOf(api, base, key, staff));
  const details = await visitor.hold(action, times[0]!);
  // The hold ends while the guest types, and somebody else takes over the service.
  api.advance(11 * 60_000);
  const { id, slug } = businessOf(api);
  const other = api.store.catalog.listByKind(id, "staff").find((one) => one.key !== staff)!;
  editObject(api, slug, "service", key, (doc) => ({ ...doc, staff: [other.key] }));
  const responses = [await visitor.book(details), await visitor.post(action, { at: times[0]! })];
  for (const response of responses) {
    expect(response.status).toBe(409);
    expect(await response.text()).toContain("This is no longer offered as you chose it.");
  }
  expect(listMade(api)).toEqual([]);
});

test("the price of a time is shown before the time is held, and after the hold has ended", async () => {
  const { api, base, visitor } = openPage();
  const priceIn = (html: string) => findAll(html, /<strong class="price">([^<]+)</g);
  const { html, action, times } = await visitor.openTimes(
    timesOf(api, base, firstService(api).key),
  );
  const details = await visitor.hold(action, times[0]!);
  const held = await visitor.get(details);
  expect(priceIn(held)).toEqual([expect.stringMatching(/^\$\d+\.\d\d$/)]);
  expect(priceIn(html)).toEqual(priceIn(held));
  api.advance(11 * 60_000);
  const ended = await visitor.get(details);
  expect(priceIn(ended)).toEqual(priceIn(held));
  // The form has the total, so that the guest is asked again if the price changes.
  const totalIn = (page: string) => findAll(page, /name="total" value="(\d+)"/g);
  expect(totalIn(ended)).toEqual(totalIn(held));
});

test("a booking gets 503 while the master key cannot be read, and succeeds once the key is back", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const details = await visitor.hold(action, times[0]!);
  const { masterKeyPath } = api.config;
  renameSync(masterKeyPath, `${masterKeyPath}.away`);
  writeFileSync(masterKeyPath, "no key");
  const refused = await visitor.book(details);
  expect(refused.status).toBe(503);
  const html = await refused.text();
  expect(html).not.toContain("master key");
  expect(html).toContain('href="tel:+17185550164"');
  expect(html).toContain("<bdi>+1\u00a0718\u00a0555\u00a00164</bdi>");
  expect(listMade(api)).toEqual([]);
  renameSync(`${masterKeyPath}.away`, masterKeyPath);
  expect((await visitor.book(details)).status).toBe(303);
});

test("the booking page lists the free times of a service that 400 people perform", async () => {
  const api = createTestApi();
  const people = Array.from({ length: 400 }, (_, i) => `p${i}`);
  applyToSalon(
    api,
    `hours: [{ days: [mon], start: "09:00", end: "10:00" }]
staff: [${people.map((key) => `{ key: ${key}, name: ${key} }`).join(", ")}]
services: [{ key: wash, name: Wash, durationMin: 60, priceCents: 5000, bookingRules: { slotIntervalMin: 5, maxAdvanceDays: 60 }, staff: [${people.join(", ")}] }]
`,
  );
  publish(api);
  const visitor = createVisitor(api);
  const url = timesOf(api, `/b/${businessOf(api).slug}/book`, "wash");
  const { times } = await visitor.openTimes(`${url}&month=2026-12`);
  expect(times).toEqual(["2026-12-07T14:00:00.000Z"]);
});

test("the list of services shows the range of durations and the lowest price of a service's variants", async () => {
  const { base, visitor } = openPage();
  expect(await visitor.get(base)).toContain(
    '<span>1 h – 1 h 15 min</span><span class="price">from $58.00</span>',
  );
});

test("a page whose booking is switched off books nothing, and shows the telephone number", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const details = await visitor.hold(action, times[0]!);
  const { slug } = businessOf(api);
  publishPage(api, slug, { booking: "OFF", privacyUrl: undefined, imprintUrl: undefined });
  for (const html of [
    await visitor.get(base),
    await visitor.get(details),
    await (await visitor.book(details)).text(),
    await (await visitor.post(action, { at: times[1]! })).text(),
  ])
    expect(html).toContain('href="tel:+17185550164"');
  expect(listMade(api)).toEqual([]);
  // The operator has closed the page, so its refusals are not counted.
  expect(new Map(listPageCounts(api, "action")).get("refused") ?? 0).toBe(0);
});

test("a page whose key the operator revoked books nothing", async () => {
  const { api, base, visitor } = openPage();
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  await visitor.hold(action, times[0]!);
  api.store.keys.revoke(findPageKey(api, businessOf(api))!, api.now());
  const closed = await visitor.post(action, { at: times[1]! });
  expect(closed.status).toBe(429);
});

test("both times of the hour that daylight saving repeats can be told apart and booked", async () => {
  const api = createTestApi();
  // Clocks in New York are set back from 2:00 to 1:00 on 2027-11-07.
  api.advance(Date.parse("2027-11-05T12:00:00Z") - api.now());
  applyToSalon(
    api,
    `hours: [{ days: [sun], start: "00:00", end: "05:00" }]
staff: [{ key: nia, name: Nia }]
services: [{ key: night, name: Night cut, durationMin: 30, priceCents: 5000, staff: [nia] }]
`,
  );
  publish(api);
  const visitor = createVisitor(api);
  const url = timesOf(api, `/b/${businessOf(api).slug}/book`, "night");
  const { html, action, times } = await visitor.openTimes(`${url}&date=2027-11-07`);
  expect(html).toMatch(/1:00.AM \(GMT-4\)/);
  expect(html).toMatch(/1:00.AM \(GMT-5\)/);
  expect(html).not.toMatch(/2:00.AM \(/);
  const [first, second] = ["2027-11-07T05:00:00.000Z", "2027-11-07T06:00:00.000Z"];
  for (const at of [first, second]) {
    expect(times).toContain(at);
    const response = await visitor.book(await visitor.hold(action, at));
    const page = await visitor.get(response.headers.get("location") ?? "");
    expect(page).toContain(at === first ? "(GMT-4)" : "(GMT-5)");
  }
  expect(listMade(api).map(({ startsAt }) => startsAt)).toEqual([first, second].map(Date.parse));
});

test("public pages link to the booking page only while the business takes bookings", async () => {
  const { api, base, visitor } = openPage();
  const { slug } = businessOf(api);
  for (const [booking, isLinked] of [
    ["OFF", false],
    ["CONFIRM", true],
  ] as const) {
    publishPage(api, slug, { booking, privacyUrl: undefined, imprintUrl: undefined });
    for (const path of ["", "/services"])
      expect((await visitor.get(`/b/${slug}${path}`)).includes(`"${base}`)).toBe(isLinked);
  }
});

test("the calendar has links to all free days of a month, or to the next free time after it", async () => {
  const { api, base, visitor } = openPage();
  const url = timesOf(api, base, firstService(api).key);
  const html = await visitor.get(`${url}&month=2026-12`);
  const dates = findAll(html, /href="[^"]*[?&](?:amp;)?date=(\d{4}-\d{2}-\d{2})/g);
  expect([...new Set(dates.map((date) => date.slice(0, 7)))]).toEqual(["2026-12"]);
  expect(dates).toContain("2026-12-31");
  createClosure(api, businessOf(api).slug, { from: "2026-12-01", to: "2026-12-31" });
  const closed = await visitor.openTimes(`${url}&month=2026-12`);
  expect(closed.times).toEqual([]);
  expect(closed.html).toMatch(/href="[^"]*date=2027-01-0\d"/);
});

const SIGNATURE_CUT = /href="([^"]*\?service=[^"]+)"[^>]*><strong><bdi>Signature cut/g;

test("a guest whose chosen person does not perform the variant can choose another person, and keeps the other choices", async () => {
  const { base, visitor } = openPage();
  const [cut = ""] = findAll(await visitor.get(base), SIGNATURE_CUT);
  const options = await visitor.get(cut);
  const idsOf = (field: string) =>
    findAll(options, new RegExp(`name="${field}" value="(\\w+)"`, "g"));
  const [, junior = ""] = idsOf("variant");
  const [addon = ""] = findAll(options, /name="(addon\.[^"]+)"/g);
  const [, , daniel = ""] = idsOf("staff");
  // Each variant names those who perform it.
  expect(options).toMatch(/Junior stylist.*Hana.*With Maya/);
  const response = await visitor.send(`${cut}&variant=${junior}&${addon}=1&staff=${daniel}`);
  const html = await response.text();
  expect(response.status).toBe(409);
  expect(html).toContain("The person you chose does not perform this one.");
  const isChecked = (name: string, value: string) =>
    expect(html).toMatch(new RegExp(`name="${name}" value="${value}" checked`));
  isChecked("variant", junior);
  isChecked(addon.replace(".", String.raw`\.`), "1");
  isChecked("staff", "any");
});

test("a person who performs only one variant of a service can be chosen", async () => {
  const { api, base, visitor } = openPage();
  editObject(api, businessOf(api).slug, "service", "cut", (doc) => ({
    ...doc,
    staff: ["maya", "daniel", "sofia"],
  }));
  const [cut = ""] = findAll(await visitor.get(base), SIGNATURE_CUT);
  const options = await visitor.get(cut);
  const [, junior = ""] = findAll(options, /name="variant" value="([^"]+)"/g);
  const [, hana] = /name="staff" value="([^"]+)"[^>]*>\s*<span><bdi>Hana/.exec(options) ?? [];
  expect(hana).toBeDefined();
  const { times } = await visitor.openTimes(`${cut}&variant=${junior}&staff=${hana}`);
  expect(times).not.toEqual([]);
});

test("the form for a visit that the business must approve sends a request", async () => {
  const { api, base, visitor } = openPage();
  const openForm = async (key: string) => {
    const { action, times } = await visitor.openTimes(timesOf(api, base, key));
    const details = await visitor.hold(action, times[0]!);
    return { details, html: await visitor.get(details) };
  };
  const { details, html } = await openForm("keratin");
  expect(html).toContain("Send the request");
  expect(html).not.toContain("Book now");
  const response = await visitor.book(details);
  expect(await visitor.get(response.headers.get("location") ?? "")).toContain("Request received");
  expect((await openForm("kids-cut")).html).toContain("Book now");
});

test("the form for a table sends a request if the business approves its visits", async () => {
  const { api, base, visitor } = openPage("restaurant");
  editCatalog(api, businessOf(api).slug, ({ business, ...rest }) => {
    const bookingPolicy = { ...business.bookingPolicy, requiresApproval: true };
    return {
      catalog: { ...rest, business: { ...business, bookingPolicy } },
      target: { section: "publicPage" },
    };
  });
  const { action, times } = await visitor.openTimes(`${base}?table=1&party=2`);
  expect(await visitor.get(await visitor.hold(action, times[0]!))).toContain("Send the request");
});

test("a starting price is shown with 'from' both before and after the visit is booked", async () => {
  const { api, base, visitor } = openPage();
  const url = timesOf(api, base, "balayage");
  expect(await visitor.get(url.replace("&staff=any", ""))).toContain(
    '<span class="price">from $260.00</span>',
  );
  const { html, action, times } = await visitor.openTimes(url);
  const details = await visitor.hold(action, times[0]!);
  for (const page of [html, await visitor.get(details)])
    expect(page).toContain('<strong class="price">from $260.00</strong>');
  const response = await visitor.book(details);
  const link = response.headers.get("location") ?? "";
  expect(await visitor.get(link)).toContain("from $260.00");
});

test("a price on request is shown as such, without a total", async () => {
  const { api, base, visitor } = openPage();
  const { slug } = businessOf(api);
  const [variant] = findService(api, "balayage").variants;
  editObject(api, slug, "service", "color-correction", (doc) => ({
    ...doc,
    bookable: true,
    variants: [{ ...variant!, key: "half", name: "Half", priceCents: 0, staff: null }],
    addons: findService(api, "gloss").addons,
  }));
  const url = timesOf(api, base, "color-correction");
  const options = await visitor.get(url.replace("&staff=any", ""));
  expect(options).toContain('<span class="price">Price on request</span>');
  const [addon = ""] = findAll(options, /name="(addon\.[^"]+)"/g);
  const { html, action, times } = await visitor.openTimes(`${url}&${addon}=1`);
  const details = await visitor.hold(action, times[0]!);
  const pages = [html, await visitor.get(details)];
  const response = await visitor.book(details);
  expect(response.status).toBe(303);
  pages.push(await visitor.get(response.headers.get("location") ?? ""));
  for (const page of pages) expect(page).not.toContain("Total");
});

const setInactive = (api: TestApi, kind: "area" | "table", key: string) =>
  editObject(api, businessOf(api).slug, kind, key, (doc) => ({ ...doc, status: "INACTIVE" }));

test("the page offers only tables that can be booked, in areas that are open", async () => {
  const { api, base, visitor } = openPage("restaurant");
  const readSizes = async () =>
    findAll(await visitor.get(`${base}?table=1`), /<option value="(\d+)"/g).map(Number);
  expect(Math.max(...(await readSizes()))).toBe(10);
  setInactive(api, "area", "dining-room");
  expect(Math.max(...(await readSizes()))).toBe(6);
  expect(await visitor.get(`${base}?table=1`)).not.toContain("Dining room");
  expect((await visitor.send(`${base}?party=6`)).status).toBe(200);
});

test("no page offers to book a table once no table can be booked", async () => {
  const { api, base, visitor } = openPage("restaurant");
  const { id, slug } = businessOf(api);
  const countLinks = async () => {
    const pages = [await visitor.get(`/b/${slug}`), await visitor.get(base)];
    return pages.filter((page) => page.includes("Book a table")).length;
  };
  const tables = api.store.catalog.listByKind(id, "table");
  for (const { key, area } of tables) if (area !== "terrace") setInactive(api, "table", key);
  expect(await countLinks()).toBe(2);
  setInactive(api, "area", "terrace");
  expect(await countLinks()).toBe(0);
});

/** Returns the month to which the button for later months leads; undefined without such a button. */
const laterMonthIn = (html: string): string | undefined =>
  findAll(html, /href="[^"]*month=([\d-]+)" aria-label="Later month"/g)[0];

test("the calendar of a service ends at the service's booking horizon, even more than a year ahead", async () => {
  const { api, base, visitor } = openPage();
  const url = timesOf(api, base, "bridal-day");
  const before = await visitor.openTimes(`${url}&month=2028-04`);
  expect([before.times.length > 0, laterMonthIn(before.html)]).toEqual([true, "2028-05"]);
  const last = await visitor.openTimes(`${url}&month=2028-05`);
  expect([last.times.length > 0, laterMonthIn(last.html)]).toEqual([true, undefined]);
  // The other services of the salon can be booked 90 days ahead.
  const cut = timesOf(api, base, "kids-cut");
  expect(laterMonthIn(await visitor.get(`${cut}&month=2027-01`))).toBe("2027-02");
  expect(laterMonthIn(await visitor.get(`${cut}&month=2027-02`))).toBeUndefined();
});

test("the link to the next free time leads to its day even after a year without free times", async () => {
  const { api, base, visitor } = openPage();
  createClosure(api, businessOf(api).slug, { from: "2026-12-01", to: "2028-01-31" });
  const url = timesOf(api, base, "bridal-day");
  const html = await visitor.get(`${url}&month=2027-12`);
  const [next = ""] = findAll(html, /href="([^"]*date=2028-02[^"]*)"/g);
  expect((await visitor.openTimes(next)).times).not.toEqual([]);
});
