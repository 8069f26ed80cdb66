import { expect, test } from "vitest";
import {
  hashVisitor,
  MAX_ACTIONS_OF_VISITOR,
} from "../../../../src/app/bookings/booking-limits.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { eraseForGood } from "../../../../src/app/guests/erase-visits.ts";
import { revokeKey } from "../../../../src/app/key-end.ts";
import { prepareBookableCatalog } from "../../../../src/app/catalog/bookable-catalog.ts";
import { findPageKey } from "../../../../src/features/page-bookings/access.ts";
import { holdForMail } from "../../../../src/features/page-bookings/post/mail-holds.ts";
import { listPageCounts } from "../../../../src/features/public-pages/counters.ts";
import { bookOnPage, holdTime } from "../../../../src/features/page-bookings/post/book.ts";
import { readProgress } from "../../../../src/features/page-bookings/rules.ts";
import { findCustomer } from "../../../../src/app/bookings/guests.ts";
import { retention } from "../../../../src/features/page-bookings/retention.ts";
import { addDays } from "../../../../src/domain/local-time.ts";
import type { TestApi } from "../../../http/support/api.ts";
import { partOf } from "../../../support/mail-server.ts";
import { openMails } from "../open-mails.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  firstService,
  listMade,
  publish,
  timesOf,
} from "../../page-bookings/open-page.ts";

// The booking page takes visits without a confirmation only for a share of the free time, so that
// nobody can close it by booking everything. Beyond the share, the guest confirms by mail.

const MINUTE_MS = 60_000;

type Mails = Awaited<ReturnType<typeof openMails>>;

/** Returns the part of a query that names the date `day` days after today. */
const onDay = (api: TestApi, day: number): string =>
  `&date=${addDays(new Date(api.now()).toISOString().slice(0, 10), day)}`;

/** Returns the part of a query that names a day on which nothing is taken. */
const anotherDay = (api: TestApi): string => onDay(api, 5);

/**
 * Books free times of some days until the page takes no more of them without a confirmation.
 * @param isFull whether to book until the page no longer holds a time even for guests who must
 * confirm by mail
 */
async function useUpShare({ api, base }: Mails, { isFull = false } = {}): Promise<void> {
  const business = businessOf(api);
  const url = timesOf(api, base, firstService(api).key);
  const times: string[] = [];
  for (const day of [0, 4])
    times.push(...(await createVisitor(api).openTimes(url + onDay(api, day))).times);
  const wholeHours = times.filter((at) => at.includes(":00:00."));
  const progress = readProgress(new URLSearchParams(url.split("?")[1]));
  if (progress.step !== "time") throw new Error("The choice is not complete.");
  const { choice } = progress;
  await prepareBookableCatalog(api, business);
  const { guestMail } = api.config;
  // A page without mail accepts visits up to twice the share.
  if (isFull) api.config.guestMail = null;
  const bookAt = (at: string, form: number): boolean => {
    const phone = `+1718555${String(form).padStart(4, "0")}`;
    const visitorOf = (keyId: string) => hashVisitor(api, keyId, `address ${form}`);
    const startsAt = Date.parse(at);
    try {
      const hold = holdTime(api, business, visitorOf, { choice, startsAt, previousId: null });
      bookOnPage(api, business, visitorOf, {
        choice,
        startsAt,
        holdId: hold?.id ?? null,
        formKey: form.toString(16).padStart(32, "0"),
        nonce: "",
        expectedTotalCents: null,
        customer: { name: "x", email: null, phone, notes: null },
        language: "en",
      });
      return true;
    } catch (error) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(?:too_many_holds|slot_taken)$/),
      });
      return false;
    }
  };
  let forms = 0;
  let made = 0;
  for (let last = -1; made !== last;) {
    last = made;
    for (const at of wholeHours) if (bookAt(at, forms++)) made += 1;
  }
  expect(made).toBeGreaterThan(2);
  api.config.guestMail = guestMail;
}

const linkIn = (raw: string): string =>
  /(\/b\/[^/]+\/v\/deskbell_gv_\w+)/.exec(partOf(raw, "text/plain"))?.[1] ?? "";

const openHolds = (api: TestApi) => {
  const business = businessOf(api);
  const key = api.store.keys.list(business.id).find(({ name }) => name === "booking page");
  return api.store.holds.listOpenOfKey(business.id, key?.id ?? "", api.now());
};

test.each(["CONFIRM", "REQUEST"] as const)(
  "a mailed link confirms a held visit once the booking page has used up its share of free time (mode %s)",
  async (mode) => {
    const mails = await openMails(mode);
    const { api, server, send, book } = mails;
    await useUpShare(mails);
    await send();
    const before = { visits: listMade(api).length, mails: server.mails.length };
    const bob = { email: "bob@gmail.com", name: "Bob" };
    const response = await book(bob, "203.0.113.1", 0, anotherDay(api));
    expect(response.status).toBe(202);
    const page = await response.text();
    expect(page).toContain("Please look into your mailbox");
    expect(page).toContain("We keep this time for you until");
    expect(listMade(api)).toHaveLength(before.visits);
    await send();
    expect(server.mails).toHaveLength(before.mails + 1);
    const { raw, to } = server.mails.at(-1)!;
    expect(to).toEqual(["bob@gmail.com"]);
    expect(raw).not.toContain("Bob");
    expect(partOf(raw, "text/plain")).toContain("If it was not you, do nothing");
    expect(partOf(raw, "text/plain")).toContain("We keep this time for you until");
    expect(partOf(raw, "text/plain")).not.toContain("was booked");
    const link = linkIn(raw);
    const guest = createVisitor(api);
    const counted = new Map(listPageCounts(api, "action"));
    // Opening the link changes nothing, because programs open the links of mails.
    const isRequest = mode === "REQUEST";
    const [title, button] = isRequest
      ? ["Confirm your request", "Send the request"]
      : ["Confirm your visit", "Confirm the visit"];
    expect(partOf(raw, "text/plain")).toContain(isRequest ? title : "Confirm the visit");
    for (let i = 0; i < 2; i++) {
      const html = await guest.get(link);
      expect(findAll(html, /<h1[^>]*>([^<]+)/g)).toEqual([title]);
      expect(html).toContain(`>${button}</button>`);
      expect(html.includes("Nothing is booked before you confirm it.")).toBe(!isRequest);
    }
    expect(listMade(api)).toHaveLength(before.visits);
    const confirmed = await guest.post(`${link}/confirm`);
    expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, link]);
    expect(await guest.get(link)).toContain(
      mode === "CONFIRM" ? "You are booked" : "Request received",
    );
    await guest.post(`${link}/confirm`);
    expect(new Map(listPageCounts(api, "action"))).toEqual(
      new Map([...counted, ["booking", counted.get("booking")! + 1]]),
    );
    const made = listMade(api);
    expect(made).toHaveLength(before.visits + 1);
    const visit = made.find(({ id }) => findCustomer(api, id)?.email === "bob@gmail.com");
    expect(visit?.status).toBe(mode === "CONFIRM" ? "CONFIRMED" : "PENDING");
    await send();
    expect(server.mails).toHaveLength(before.mails + 2);
  },
);

test("a guest is not asked to confirm a visit whose price differs from the price in the form", async () => {
  const { api, base, send, server } = await openMails();
  const business = businessOf(api);
  const url = timesOf(api, base, firstService(api).key);
  const [at = ""] = (await createVisitor(api).openTimes(url)).times;
  const progress = readProgress(new URLSearchParams(url.split("?")[1]));
  if (progress.step !== "time") throw new Error("The choice is not complete.");
  const form = {
    choice: progress.choice,
    startsAt: Date.parse(at),
    holdId: null,
    formKey: "0".repeat(32),
    nonce: "",
    customer: { name: "Bob", email: "bob@gmail.com", phone: null, notes: null },
    language: "en",
  } as const;
  const visitorOf = (keyId: string) => hashVisitor(api, keyId, "203.0.113.1");
  await prepareBookableCatalog(api, business);
  // The price can change after the form was refused because of the share.
  const ask = (expectedTotalCents: number) =>
    holdForMail(api, business, visitorOf, { ...form, expectedTotalCents });
  expect(() => ask(1)).toThrow(expect.objectContaining({ code: "price_changed" }));
  await send();
  expect([openHolds(api), server.mails]).toEqual([[], []]);
  const { priceCents = 0 } =
    api.store.catalog.findByKeyOrId(business.id, "service", firstService(api).key) ?? {};
  expect(ask(priceCents).totalCents).toBe(priceCents);
});

test("a guest who may not confirm a visit sees the telephone number, and the refusal is counted", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails);
  expect((await book({ email: "bob@gmail.com" }, "203.0.113.1")).status).toBe(202);
  await send();
  const keyId = findPageKey(api, businessOf(api)) ?? "";
  const mailbox = hashVisitor(api, keyId, "email bob@gmail.com");
  for (let i = 0; i < MAX_ACTIONS_OF_VISITOR; i++)
    api.tx(() => api.store.visitors.insertAction(mailbox, "visit", api.now()));
  const visits = listMade(api).length;
  const countRefused = () => new Map(listPageCounts(api, "action")).get("refused") ?? 0;
  const refused = countRefused();
  const response = await createVisitor(api).post(`${linkIn(server.mails.at(-1)!.raw)}/confirm`);
  expect([response.status, await response.text()]).toEqual([
    429,
    expect.stringContaining("tel:+17185550164"),
  ]);
  expect(listMade(api)).toHaveLength(visits);
  expect(countRefused()).toBe(refused + 1);
});

const pruneAll = (api: TestApi): void => {
  for (const prune of retention) api.tx(() => prune(api, 0, 100, { now: api.now(), keptSince: 0 }));
};

test("a mailed link holds a time for 15 minutes, works for an hour, and is then deleted with the guest's data", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails);
  const ask = () => book({ email: "bob@gmail.com" }, "203.0.113.1", 0, anotherDay(api));
  expect((await ask()).status).toBe(202);
  await send();
  const hold = openHolds(api).find(({ id }) => findCustomer(api, id) !== null);
  expect(hold?.expiresAt).toBe(api.now() + 15 * MINUTE_MS);
  const link = linkIn(server.mails.at(-1)!.raw);
  api.advance(16 * MINUTE_MS);
  pruneAll(api);
  const guest = createVisitor(api);
  expect(await guest.get(link)).toContain("Others can take this time until you confirm it.");
  api.advance(45 * MINUTE_MS);
  const late = await guest.send(link);
  expect([late.status, await late.text()]).toEqual([
    410,
    expect.stringContaining("is free for others again"),
  ]);
  const visits = listMade(api).length;
  await guest.post(`${link}/confirm`);
  expect(listMade(api)).toHaveLength(visits);
  pruneAll(api);
  expect(findCustomer(api, hold!.id)).toBeNull();
  expect((await guest.send(link)).status).toBe(404);
});

test("a link whose time is not held any more books the time if it is free, and otherwise offers other times", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails, { isFull: true });
  const links: string[] = [];
  for (const [i, name] of ["ann", "bob"].entries()) {
    const response = await book({ email: `${name}@gmail.com` }, `203.0.113.${i}`);
    expect([response.status, await response.text()]).toEqual([
      202,
      expect.stringContaining("Others can take this time until you confirm it."),
    ]);
    await send();
    links.push(linkIn(server.mails.at(-1)!.raw));
  }
  expect(openHolds(api)).toEqual([]);
  const [first = "", second = ""] = links;
  const guest = createVisitor(api);
  expect((await guest.post(`${first}/confirm`)).status).toBe(303);
  expect(await guest.get(first)).toContain("You are booked");
  const visits = listMade(api).length;
  await guest.post(`${second}/confirm`);
  expect(listMade(api)).toHaveLength(visits);
  const lost = await guest.send(second);
  const page = await lost.text();
  expect([lost.status, page]).toEqual([
    409,
    expect.stringContaining("That time is no longer free"),
  ]);
  const [times = ""] = findAll(page, /href="([^"]*\/book\?service=[^"]*)"/g);
  expect((await guest.openTimes(times)).times.length).toBeGreaterThan(0);
});

test("the other times that a mailed link offers are in the language in which the guest booked", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails, { isFull: true });
  await book({ email: "bob@gmail.com" }, "203.0.113.1", 0, "&lang=de");
  await send();
  const link = linkIn(server.mails.at(-1)!.raw);
  api.advance(61 * MINUTE_MS);
  const page = await createVisitor(api).get(link);
  const [times = ""] = findAll(page, /href="([^"]*\/book\?service=[^"]*)"/g);
  expect(new URLSearchParams(times.split("?")[1]).getAll("lang")).toEqual(["de"]);
});

test("an unconfirmed visit moves to another day only if a new visit could take that time", async () => {
  const mails = await openMails("CONFIRM");
  const { api, book } = mails;
  const far = `&date=${addDays(new Date(api.now()).toISOString().slice(0, 10), 20)}`;
  const booked = await book({ email: "bob@evil.example" }, "203.0.113.9", 0, far);
  const link = booked.headers.get("location") ?? "";
  await useUpShare(mails);
  const guest = createVisitor(api, "203.0.113.9");
  const move = async (query: string): Promise<string | null> => {
    const { action, times } = await guest.openTimes(`${link}?move=1${query}`);
    expect(times.length).toBeGreaterThan(0);
    return (await guest.post(action, { at: times.at(-1) ?? "" })).headers.get("location");
  };
  expect(await move(anotherDay(api))).toBe(`${link}?done=moveByPhone`);
  expect(await move(far)).toBe(`${link}?done=moved`);
});

test("a guest with an unknown mail provider cannot confirm a visit once the page has used up its share of free time", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails, { isFull: true });
  expect((await book({ email: "a@evil.example" }, "203.0.113.1")).status).toBe(202);
  await send();
  const visits = listMade(api).length;
  const guest = createVisitor(api);
  const response = await guest.post(`${linkIn(server.mails.at(-1)!.raw)}/confirm`);
  expect([response.status, await response.text()]).toEqual([
    429,
    expect.stringContaining("tel:+17185550164"),
  ]);
  expect(listMade(api)).toHaveLength(visits);
});

test.each([
  ["is held", false],
  ["is not held any more", true],
])("a link whose time %s books nothing on a page that is closed", async (_state, isFull) => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails, { isFull });
  const day = isFull ? "" : anotherDay(api);
  const asked = await book({ email: "bob@gmail.com" }, "203.0.113.1", 0, day);
  expect(asked.status).toBe(202);
  expect(openHolds(api)).toHaveLength(isFull ? 0 : 1);
  await send();
  publish(api, "OFF");
  const visits = listMade(api).length;
  const link = linkIn(server.mails.at(-1)!.raw);
  const guest = createVisitor(api);
  const shown = await guest.get(link);
  expect(shown).toContain("Online booking is closed at the moment.");
  expect(shown).not.toContain('method="post"');
  const refused = await guest.post(`${link}/confirm`);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain("Online booking is closed at the moment.");
  expect(listMade(api)).toHaveLength(visits);
});

test.each([
  ["has risen", 100],
  ["has fallen", -100],
])(
  "a link whose time is not held any more books nothing if its price %s",
  async (_change, difference) => {
    const mails = await openMails("CONFIRM");
    const { api, server, send, book } = mails;
    await useUpShare(mails, { isFull: true });
    expect((await book({ email: "bob@gmail.com" }, "203.0.113.1")).status).toBe(202);
    await send();
    const { key } = firstService(api);
    const business = businessOf(api);
    editObject(api, business.slug, "service", key, (doc) => ({
      ...doc,
      priceCents: (doc.priceCents ?? 0) + difference,
    }));
    const visits = listMade(api).length;
    const link = linkIn(server.mails.at(-1)!.raw);
    const guest = createVisitor(api);
    expect((await guest.post(`${link}/confirm`)).status).toBe(303);
    const page = await guest.send(link);
    expect([page.status, await page.text()]).toEqual([
      409,
      expect.not.stringContaining("/confirm"),
    ]);
    expect(listMade(api)).toHaveLength(visits);
  },
);

test("a mailed link without a hold books nothing once the booking page's key is revoked or the guest is erased", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send, book } = mails;
  await useUpShare(mails, { isFull: true });
  expect((await book({ email: "bob@gmail.com" }, "203.0.113.1")).status).toBe(202);
  await send();
  const link = linkIn(server.mails.at(-1)!.raw);
  const visits = listMade(api).length;
  revokeKey(api, findPageKey(api, businessOf(api)) ?? "");
  const guest = createVisitor(api);
  expect((await guest.post(`${link}/confirm`)).status).toBe(429);
  const asked = api.store.guests
    .listAfter("", 100)
    .find(({ visitId }) => visitId.startsWith("hld_"));
  eraseForGood(api, [asked!.visitId]);
  await guest.post(`${link}/confirm`);
  expect((await guest.send(link)).status).toBe(404);
  expect(listMade(api)).toHaveLength(visits);
});

test("guests of one mailbox, mail domain or network address get three links a day, and then see the telephone number", async () => {
  const mails = await openMails("CONFIRM");
  const { book } = mails;
  await useUpShare(mails);
  const statusesOf = async (emails: string[], addressOf: (i: number) => string) => {
    const statuses: number[] = [];
    for (const [i, email] of emails.entries())
      statuses.push((await book({ email }, addressOf(i), 3 * i)).status);
    return statuses;
  };
  const distinct = (i: number) => `203.0.113.${i + 10}`;
  const own = ["a@evil.example", "b@evil.example", "c@evil.example", "d@evil.example"];
  expect(await statusesOf(own, distinct)).toEqual([202, 202, 202, 429]);
  const oneMailbox = ["a@gmail.com", "a+1@gmail.com", "a+2@gmail.com", "a+3@gmail.com"];
  expect((await statusesOf(oneMailbox, (i) => distinct(i + 20))).at(-1)).toBe(429);
  const others = ["e@gmail.com", "f@gmail.com", "g@gmail.com", "h@gmail.com"];
  expect((await statusesOf(others, () => "203.0.113.99")).at(-1)).toBe(429);
});

test("a form sent three times makes one hold and one mail once the page has used up its share of free time", async () => {
  const mails = await openMails("CONFIRM");
  const { api, base, server, send } = mails;
  await useUpShare(mails);
  const visitor = createVisitor(api, "203.0.113.5");
  const url = timesOf(api, base, firstService(api).key);
  const { action, times } = await visitor.openTimes(`${url}${anotherDay(api)}`);
  const details = await visitor.hold(action, times[0] ?? "");
  const bookAgain = async (): Promise<number> =>
    (await visitor.book(details, { email: "x@gmail.com" })).status;
  expect(await Promise.all([bookAgain(), bookAgain()])).toEqual([202, 202]);
  expect(await bookAgain()).toBe(202);
  // Somebody who was shown the URL is not told that a mail was sent.
  const other = createVisitor(api, "203.0.113.6");
  expect((await other.book(details, { email: "y@gmail.com" })).status).toBe(409);
  await send();
  expect(server.mails.map(({ to }) => to)).toEqual([["x@gmail.com"]]);
  expect(openHolds(api)).toHaveLength(1);
  // The key of the form is a secret: the same form can later lead to a visit.
  const formKey = new URLSearchParams(details.split("?")[1]).get("key") ?? "";
  expect(formKey).not.toBe("");
  expect(api.openStore((db) => db.serialize()).includes(formKey)).toBe(false);
});

/** Sends the details of a visit that has to be confirmed by mail. */
async function askToConfirm(mails: Mails, email: string) {
  const { api, base } = mails;
  await useUpShare(mails);
  const visitor = createVisitor(api, "203.0.113.5");
  const url = timesOf(api, base, firstService(api).key);
  const { action, times } = await visitor.openTimes(`${url}${anotherDay(api)}`);
  const details = await visitor.hold(action, times[0] ?? "");
  const asked = await visitor.book(details, { email });
  expect(asked.status).toBe(202);
  return { visitor, details, html: await asked.text() };
}

/** Returns the URL and the fields of the only form of a page. */
function formIn(html: string) {
  const [action = ""] = findAll(html, /<form method="post" action="([^"]+)"/g);
  const inputs = [...html.matchAll(/<input[^>]* name="([^"]+)"[^>]*? value="([^"]*)"/g)];
  return {
    action,
    fields: Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, value])),
  };
}

test("a guest who mistyped the address goes back, corrects it, and confirms by a new link", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send } = mails;
  const { visitor, details, html } = await askToConfirm(mails, "typo@gmail.com");
  await send();
  const wrongLink = linkIn(server.mails.at(-1)!.raw);
  const back = await visitor.get(details);
  for (const page of [html, back]) {
    expect(page).toContain("Please look into your mailbox");
    expect(page).toContain("If the address was wrong, correct it here.");
  }
  // Somebody else who was shown the URL is not told that a mail was sent.
  const other = createVisitor(api, "203.0.113.6");
  expect(await other.get(details)).not.toContain("mailbox");
  const { action, fields } = formIn(html);
  const corrected = await visitor.post(action, fields);
  const page = await corrected.text();
  expect([corrected.status, page]).toEqual([200, expect.stringContaining("We keep this time")]);
  expect(formIn(page).fields).toMatchObject({ name: "Ana García", email: "typo@gmail.com" });
  const form = { ...formIn(page).fields, email: "ana@gmail.com" };
  expect((await visitor.post(formIn(page).action, form)).status).toBe(202);
  await send();
  expect(server.mails.map(({ to }) => to)).toEqual([["typo@gmail.com"], ["ana@gmail.com"]]);
  expect(openHolds(api)).toHaveLength(1);
  const visits = listMade(api).length;
  const guest = createVisitor(api);
  await guest.post(`${wrongLink}/confirm`);
  expect((await guest.send(wrongLink)).status).toBe(404);
  expect(listMade(api)).toHaveLength(visits);
  const link = linkIn(server.mails.at(-1)!.raw);
  expect((await guest.post(`${link}/confirm`)).status).toBe(303);
  expect(await guest.get(link)).toContain("You are booked");
  const emails = listMade(api).map(({ id }) => findCustomer(api, id)?.email);
  expect(emails).toContain("ana@gmail.com");
  // The form cannot be sent again once its visit is made.
  const used = await visitor.send(details);
  expect([used.status, await used.text()]).toEqual([
    409,
    expect.stringContaining("has already been used"),
  ]);
  const again = await visitor.post(formIn(page).action, { ...form, email: "x@gmail.com" });
  expect(again.status).toBe(409);
});

test("a guest who corrects the address again and again gets three links a day, and the last one still works", async () => {
  const mails = await openMails("CONFIRM");
  const { api, server, send } = mails;
  const { visitor, details } = await askToConfirm(mails, "a0@gmail.com");
  const statuses: number[] = [];
  for (const i of [1, 2, 3, 4])
    statuses.push((await visitor.book(details, { email: `a${i}@gmail.com` })).status);
  expect(statuses).toEqual([202, 202, 429, 429]);
  await send();
  // The mails to the other addresses had not been sent yet, so they were dropped.
  expect(server.mails.map(({ to }) => to)).toEqual([["a2@gmail.com"]]);
  expect(openHolds(api)).toHaveLength(1);
  const link = linkIn(server.mails[0]!.raw);
  const guest = createVisitor(api);
  await guest.post(`${link}/confirm`);
  expect(await guest.get(link)).toContain("You are booked");
});

test("a guest's hold ends when the guest books another time, which must be confirmed by mail", async () => {
  const mails = await openMails("CONFIRM");
  const { api, base, book } = mails;
  const visitor = createVisitor(api, "203.0.113.5");
  const url = timesOf(api, base, firstService(api).key);
  const { action, times } = await visitor.openTimes(`${url}${anotherDay(api)}`);
  const [first = "", , , , other = ""] = times;
  const details = await visitor.hold(action, first);
  await useUpShare(mails);
  // The hold of somebody else fills the room that the release of the first time makes.
  const somebody = { email: "y@gmail.com" };
  expect((await book(somebody, "203.0.113.6", 8, anotherDay(api))).status).toBe(202);
  const starts = () => openHolds(api).map(({ startsAt }) => startsAt);
  expect(starts()).toContain(Date.parse(first));
  const asked = await visitor.book(details, { at: other, email: "x@gmail.com" });
  expect(asked.status).toBe(202);
  expect(starts()).toContain(Date.parse(other));
  expect(starts()).not.toContain(Date.parse(first));
});

/** Opens the form of the first free time. */
async function openForm({ api, base }: Mails) {
  const visitor = createVisitor(api, "203.0.113.1");
  const { action, times } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  const [at = ""] = times;
  return { visitor, at, url: await visitor.hold(action, at) };
}

test("a booking page without guest mail says before the form that a day takes no more bookings", async () => {
  const mails = await openMails("CONFIRM");
  await useUpShare(mails, { isFull: true });
  mails.api.config.guestMail = null;
  const { visitor, at, url } = await openForm(mails);
  expect(url).toContain(`&full=${at.slice(0, 10)}`);
  const { html, times } = await visitor.openTimes(url);
  expect(html).toContain("No more bookings for Fri, Nov 20 are taken online at the moment.");
  expect(html).toContain("tel:+17185550164");
  expect(times).not.toEqual([]);
  expect(times.every((time) => time > at)).toBe(true);
});

test("a booking page without guest mail leads the guest of an open form to other days if the day is full by then", async () => {
  const mails = await openMails("CONFIRM");
  mails.api.config.guestMail = null;
  const { visitor, at, url } = await openForm(mails);
  mails.api.advance(15 * MINUTE_MS);
  await useUpShare(mails, { isFull: true });
  mails.api.config.guestMail = null;
  const last = (
    await visitor.openTimes(timesOf(mails.api, mails.base, firstService(mails.api).key))
  ).times.at(-1)!;
  const response = await visitor.book(
    url.replace(encodeURIComponent(at), encodeURIComponent(last)),
    {
      at: last,
    },
  );
  const html = await response.text();
  expect(response.status).toBe(429);
  expect(html).toContain("No more bookings for Fri, Nov 20 are taken online at the moment.");
  expect(html).toContain("tel:+17185550164");
  const [otherDays = ""] = findAll(html, /href="([^"]+)">Choose another time</g);
  const { times } = await visitor.openTimes(otherDays);
  expect(times).not.toEqual([]);
  expect(times.every((time) => time > last)).toBe(true);
});

test("a booking page with guest mail asks a guest without an email address for one once its share is used up", async () => {
  const mails = await openMails("CONFIRM");
  await useUpShare(mails);
  const { visitor, url } = await openForm(mails);
  const phone = "+1 718 555 0199";
  const refused = await visitor.book(url, { email: "", phone });
  const html = await refused.text();
  expect(refused.status).toBe(422);
  expect(html).toContain("For this time, please write an email address");
  expect(html).toContain(`value="${phone}"`);
  expect(html).not.toContain("One of the two is enough.");
  expect((await visitor.book(url, { email: "bob@gmail.com", phone })).status).toBe(202);
});
