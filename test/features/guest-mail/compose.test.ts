import ICAL from "ical.js";
import { convertIcsCalendar } from "ts-ics";
import { expect, test } from "vitest";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { editCatalog, withObjects } from "../../../src/app/catalog/changes/edit-catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { postponePublicEvent } from "../../../src/app/catalog/public-events.ts";
import { writeMail } from "../../../src/features/guest-mail/queue-mail.ts";
import { remind } from "../../../src/features/guest-mail/remind.ts";
import { composeMail } from "../../../src/features/guest-mail/compose.ts";
import { addressLines } from "../../../src/features/public-pages/content/address.ts";
import { toPlainText } from "../../../src/features/guest-mail/layout.ts";
import { describeVisit } from "../../../src/features/guest-mail/describe.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import { confirmTicketOrder } from "../../../src/features/tickets/orders/orders.ts";
import { ticketTypeId } from "../../../src/domain/public/public-event.ts";
import { edit } from "../../support/edit-database.ts";
import { parseCalendar } from "../../support/ical.ts";
import { parseMail, partOf } from "../../support/mail-server.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  firstService,
  listMade,
  timesOf,
} from "../page-bookings/open-page.ts";
import { openMails, orderTickets } from "./open-mails.ts";

const HOUR_MS = 3_600_000;

const HOSTILE = [
  "ana@example.com\r\nBcc: victim@example.com",
  "ana@example.com, victim@example.com",
  "<victim@example.com> ana@example.com",
  '"x" <victim@example.com>',
  "ana@example.com>\r\nRCPT TO:<victim@example.com",
  "ana@example.com SIZE=1",
  "a@b@example.com",
  "ana@exa\u202emple.com",
  "ana@[127.0.0.1]",
  `${"a".repeat(65)}@example.com`,
];

test("no address of a guest can add a header, a recipient or an SMTP command to a mail", async () => {
  const { api, server, send, book, list } = await openMails("CONFIRM");
  const business = businessOf(api);
  await book();
  const [visit] = listMade(api);
  // The API does not check addresses as strictly as mail does.
  const saveAddress = (email: string): void =>
    api.tx(() =>
      saveCustomer(api, business.id, visit!.id, { name: null, email, phone: null, notes: null }),
    );
  const move = (i: number): void => {
    const start = new Date(visit!.startsAt + (i % 2) * 15 * 60_000).toISOString();
    rescheduleBooking(api, business.slug, visit!.id, { start, ignoresNotice: true });
  };
  const reasons = (): (string | null)[] => list().map(({ reason }) => reason);
  for (const [i, email] of HOSTILE.entries()) {
    // The first mail is written before the hostile address is stored, and the second one after.
    saveAddress("ana@example.com");
    move(2 * i + 1);
    saveAddress(email);
    await send();
    expect([email, reasons().at(-1)]).toEqual([email, "the guest has no address"]);
    move(2 * i + 2);
    await send();
    expect([email, reasons().at(-1)]).toEqual([email, "the address is not usable"]);
  }
  expect(new Set(list().map(({ status }) => status))).toEqual(new Set(["DISCARDED"]));
  expect(server.asked).toEqual([]);
});

test("the name of a business cannot add a header to a mail, and is escaped in its HTML", async () => {
  const { api, server, send, book } = await openMails("CONFIRM");
  const { slug } = businessOf(api);
  const name = 'Salon <i>"Aurora"</i> & Söhne';
  editCatalog(api, slug, (catalog) => ({
    catalog: { ...catalog, business: { ...catalog.business, name } },
    target: { section: "publicPage" },
  }));
  await book();
  await send();
  const { raw } = server.mails[0]!;
  const { headers } = parseMail(raw);
  expect(headers.get("subject")).toContain(name);
  expect(headers.get("from")).toMatch(/<bookings@salon\.example>$/);
  expect(partOf(raw, "text/html")).toContain(
    "Salon &lt;i&gt;&quot;Aurora&quot;&lt;/i&gt; &amp; Söhne",
  );
  expect(partOf(raw, "text/html")).not.toContain("<i>");
  expect(partOf(raw, "text/plain")).toContain(name);
});

test("a mail keeps the lines of the business's address, and replaces characters that hide or reorder text", async () => {
  const { api, server, send, book } = await openMails("CONFIRM");
  const business = businessOf(api);
  editCatalog(api, business.slug, (catalog) => ({
    catalog: {
      ...catalog,
      business: { ...catalog.business, address: "1 First Street\nTown", postalAddress: null },
    },
    target: { section: "publicPage" },
  }));
  await book();
  await send();
  const { raw } = server.mails[0]!;
  expect(partOf(raw, "text/plain")).toContain("\r\n    1 First Street\r\n    Town\r\n");
  expect(partOf(raw, "text/html")).toContain("<br>1 First Street<br>Town<br>");
  expect(parseCalendar(partOf(raw, "text/calendar"))).toMatchObject([
    { location: "1 First Street, Town" },
  ]);
  const text = toPlainText({
    language: "en",
    heading: "a\u202eb",
    paragraphs: ["c\u202ed"],
    facts: [{ about: "When", lines: ["e\u202ef"] }],
    link: { text: "Open", url: "https://shop.example/" },
    footer: ["g\u202eh"],
  });
  expect(text).not.toContain("\u202e");
  expect(text.match(/\ufffd/g)).toHaveLength(4);
});

test("a mail is in the language in which the guest booked, with times in the business's time zone", async () => {
  const { api, server, send, base } = await openMails("CONFIRM");
  const expected = {
    en: "You are booked",
    de: "Ihr Termin steht",
    fr: "C’est réservé",
    es: "Su reserva está hecha",
    it: "La tua prenotazione è fatta",
  };
  const [link = ""] = findAll(
    await createVisitor(api).get(base),
    /href="([^"]*\?service=[^"]+)"[^>]*><strong>/g,
  );
  for (const [i, [language, subject]] of Object.entries(expected).entries()) {
    const visitor = createVisitor(api, `203.0.113.${i}`);
    const url = `${link}&staff=any&lang=${language}`;
    const { action, times } = await visitor.openTimes(url);
    await visitor.book(await visitor.hold(action, times[0] ?? ""), { email: `a${i}@example.com` });
    await send();
    const { raw } = server.mails.at(-1)!;
    expect(parseMail(raw).headers.get("subject")).toMatch(new RegExp(`^${subject}`));
    const { timezone } = businessOf(api).doc;
    const time = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: timezone });
    expect(partOf(raw, "text/plain")).toContain(time.format(Date.parse(times[0]!)));
    expect(partOf(raw, "text/html")).toContain(`<html lang="${language}">`);
  }
});

test("a mail has the names of the service or the event in the language in which its guest booked", async () => {
  const { api, base, server, send } = await openMails("CONFIRM");
  const visitor = createVisitor(api);
  const url = `${timesOf(api, base, "cut-and-blow-dry")}&lang=es`;
  const { action, times } = await visitor.openTimes(url);
  await visitor.book(await visitor.hold(action, times[0]!));
  await send();
  expect(partOf(server.mails[0]!.raw, "text/plain")).toContain("Corte y secado");
  expect(parseCalendar(partOf(server.mails[0]!.raw, "text/calendar"))).toMatchObject([
    { description: expect.stringContaining("Corte y secado") },
  ]);
  const venue = await openMails("CONFIRM", "venue");
  const { slug } = businessOf(venue.api);
  const { event } = await orderTickets(venue);
  editObject(venue.api, slug, "public_event", event.key, (doc) => ({
    ...doc,
    translations: { en: { name: "Quartet of the blue hour" } },
  }));
  await venue.send();
  expect(partOf(venue.server.mails[0]!.raw, "text/plain")).toContain("Quartet of the blue hour");
});

test("three iCal parsers accept the calendar entries of a visit's mails, with one ID and rising sequence numbers", async () => {
  const { api, server, send, book } = await openMails();
  const { slug } = businessOf(api);
  await book();
  const [visit] = listMade(api);
  changeBooking(api, slug, visit!.id, "approve");
  changeBooking(api, slug, visit!.id, "cancel");
  await send();
  const expected = [
    ["PUBLISH", 1, "TENTATIVE"],
    ["PUBLISH", 2, "CONFIRMED"],
    ["CANCEL", 3, "CANCELLED"],
  ] as const;
  expect(server.mails).toHaveLength(expected.length);
  for (const [i, [method, sequence, status]] of expected.entries()) {
    const { raw } = server.mails[i]!;
    const text = partOf(raw, "text/calendar");
    const { parts } = parseMail(raw);
    expect(parts.map(({ headers }) => headers.get("content-type")).join()).toContain(
      `method=${method}`,
    );
    const start = new Date(visit!.startsAt);
    const uid = `${visit!.id}@deskbell`;
    const calendar = new ICAL.Component(ICAL.parse(text));
    const event = new ICAL.Event(calendar.getFirstSubcomponent("vevent")!);
    expect(calendar.getFirstPropertyValue("method")).toBe(method);
    expect([event.uid, event.sequence, event.startDate.toJSDate()]).toEqual([uid, sequence, start]);
    expect(event.organizer).toBe("mailto:bookings@salon.example");
    expect(parseCalendar(text)).toMatchObject([{ uid, sequence, status, start }]);
    expect(convertIcsCalendar(undefined, text)).toMatchObject({
      method,
      events: [{ uid, sequence, status, start: { date: start } }],
    });
  }
});

test("the guest of a ticket order gets a mail about the order and a mail about its confirmation", async () => {
  const opened = await openMails("CONFIRM", "venue");
  const { api, server, send, list } = opened;
  const { slug } = businessOf(api);
  const { visitor, event, field, order } = await orderTickets(opened);
  await send();
  confirmTicketOrder(api, slug, order.code);
  await send();
  const [received, confirmed] = server.mails.map(({ raw }) => raw) as [string, string];
  expect(parseMail(received).headers.get("subject")).toMatch(/^Tickets reserved: /);
  expect(partOf(received, "text/plain")).toContain(order.code);
  const ticketType = event.ticketTypes.find((type) =>
    field.endsWith(ticketTypeId(slug, event, type)),
  );
  expect(partOf(received, "text/plain")).toContain(`Tickets: 2 × ${ticketType?.name}\r\n`);
  expect(partOf(received, "text/plain")).toMatch(/because tickets of .* were ordered/);
  expect(partOf(received, "text/plain")).toMatch(/^Tickets reserved\r\n/);
  expect(partOf(received, "text/plain")).not.toMatch(/\bvisit\b/);
  expect(partOf(received, "text/calendar")).toBe("");
  expect(parseMail(confirmed).headers.get("subject")).toMatch(/^Your tickets are confirmed: /);
  expect(partOf(confirmed, "text/plain")).toContain(
    "Show the code of each ticket at the entrance.",
  );
  expect(parseCalendar(partOf(confirmed, "text/calendar"))).toMatchObject([
    { summary: event.name, start: new Date(event.startsAt) },
  ]);
  const [, token = ""] = /\/v\/(deskbell_gv_\w+)/.exec(partOf(confirmed, "text/plain")) ?? [];
  expect(await visitor.get(`/b/${slug}/v/${token}`)).toContain("Your tickets are confirmed");
  expect(list().map(({ kind }) => kind)).toEqual(["received", "confirmed"]);
});

test("a waiting mail about an order asks nobody to pay for an event that was postponed meanwhile", async () => {
  const opened = await openMails("CONFIRM", "venue");
  const { api, server, send } = opened;
  const { slug } = businessOf(api);
  const { event, order } = await orderTickets(opened);
  postponePublicEvent(api, slug, event.key, null);
  await send();
  confirmTicketOrder(api, slug, order.code);
  await send();
  const texts = server.mails.map(({ raw }) => partOf(raw, "text/plain"));
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).toContain("This event is postponed.");
  expect(texts[0]).not.toContain("Otherwise the order ends.");
  expect(texts[1]).toContain("Show the code of each ticket at the entrance.");
});

test.each([
  {
    what: "postponed",
    change: { status: "POSTPONED" as const },
    subject: "The event is postponed: ",
    movedBy: null,
    isOn: false,
  },
  {
    what: "cancelled",
    change: { status: "CANCELLED" as const },
    subject: "The event is cancelled: ",
    movedBy: 0,
    isOn: false,
  },
  { what: "moved", change: {}, subject: "See you soon: ", movedBy: HOUR_MS, isOn: true },
])(
  "a waiting reminder of an event that was $what meanwhile says so, and its calendar entry, too",
  async ({ change, subject, movedBy, isOn }) => {
    const opened = await openMails("CONFIRM", "venue");
    const { api, server, send } = opened;
    const { slug, doc } = businessOf(api);
    remind(api);
    const { event, order } = await orderTickets(opened);
    const { startsAt, endsAt } = event;
    confirmTicketOrder(api, slug, order.code);
    await send();
    api.advance(startsAt - api.now() - 23 * HOUR_MS);
    remind(api);
    editObject(api, slug, "public_event", event.key, (doc) => ({
      ...doc,
      startsAt: startsAt + (movedBy ?? 0),
      endsAt: endsAt + (movedBy ?? 0),
      ...change,
    }));
    await send();
    const { raw } = server.mails.at(-1)!;
    expect(parseMail(raw).headers.get("subject")).toMatch(new RegExp(`^${subject}`));
    const text = partOf(raw, "text/plain");
    const [, when] = /^When: .*, (\d\d:\d\d)\r$/m.exec(text) ?? [];
    const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: doc.timezone });
    expect(when).toBe(movedBy === null ? undefined : format.format(startsAt + movedBy));
    expect(text.includes("The attached file puts it into your calendar.")).toBe(isOn);
    const calendar = partOf(raw, "text/calendar");
    expect(calendar).toContain(`METHOD:${isOn ? "PUBLISH" : "CANCEL"}`);
    expect(parseCalendar(calendar)).toMatchObject([
      {
        start: new Date(startsAt + (movedBy ?? 0)),
        status: isOn ? "CONFIRMED" : "CANCELLED",
      },
    ]);
    // The entry of the mail before is removed once the order is cancelled.
    cancelTicketOrder(api, slug, order.code);
    await send();
    expect(partOf(server.mails.at(-1)!.raw, "text/calendar")).toContain("METHOD:CANCEL");
  },
);

test.each([
  {
    where: "elsewhere",
    change: { venue: { name: "Stadthalle", address: "Festplatz 1" } },
    lines: ["Stadthalle", "Festplatz 1"],
    location: "Stadthalle, Festplatz 1",
    isAtBusiness: false,
  },
  {
    where: "online",
    change: { venue: null, attendanceMode: "ONLINE" as const },
    lines: ["Where: Online"],
    location: undefined,
    isAtBusiness: false,
  },
  {
    where: "at the business",
    change: { venue: null },
    lines: [],
    location: expect.any(String),
    isAtBusiness: true,
  },
])(
  "the mail and calendar entry of tickets for an event $where say where it is",
  async ({ change, lines, location, isAtBusiness }) => {
    const opened = await openMails("CONFIRM", "venue");
    const { api, server, send } = opened;
    const { slug, doc: business } = businessOf(api);
    editCatalog(api, slug, (catalog) => ({
      catalog: withObjects(catalog, "public_event", (docs) =>
        docs.map((doc) => ({ ...doc, ...change })),
      ),
      target: { section: "publicPage" },
    }));
    const { order } = await orderTickets(opened);
    confirmTicketOrder(api, slug, order.code);
    await send();
    const mail = server.mails.at(-1)!.raw;
    const text = partOf(mail, "text/plain");
    for (const line of lines) expect(text).toContain(line);
    const [street = "no address"] = addressLines(business);
    expect(text.includes(street)).toBe(isAtBusiness);
    const entries = parseCalendar(partOf(mail, "text/calendar"));
    expect(entries.map((entry) => entry.location)).toEqual([location]);
  },
);

test.each([
  ["AT_CUSTOMER", "at your place"],
  ["ONLINE", "Online"],
] as const)(
  "the mail, the page and the calendar entries of a service %s have no address of the business",
  async (locationType, place) => {
    const { api, server, send, book } = await openMails("CONFIRM");
    const { slug, doc } = businessOf(api);
    editObject(api, slug, "service", firstService(api).key, (service) => ({
      ...service,
      locationType,
    }));
    const link = (await book()).headers.get("location") ?? "";
    await send();
    const [street = "no address"] = addressLines(doc);
    const { raw } = server.mails[0]!;
    expect(partOf(raw, "text/plain")).toContain(`Where: ${place}\r\n`);
    expect(partOf(raw, "text/plain")).not.toContain(street);
    const visitor = createVisitor(api);
    const [, facts = ""] = (await visitor.get(link)).split("<dl>");
    const [shown = ""] = facts.split("</dl>");
    expect(shown).toContain(place);
    expect(shown).toContain("tel:");
    expect(shown).not.toContain(street);
    expect(shown).not.toContain("Show on a map");
    const file = await visitor.get(`${link}/visit.ics`);
    for (const text of [partOf(raw, "text/calendar"), file])
      expect(parseCalendar(text).map(({ location }) => location)).toEqual([undefined]);
  },
);

test("each mail about a visit says in its heading and first sentence what became of the visit", async () => {
  const { api, server, send, book } = await openMails();
  const { slug, doc } = businessOf(api);
  await book();
  const [visit] = listMade(api);
  changeBooking(api, slug, visit!.id, "approve");
  changeBooking(api, slug, visit!.id, "cancel");
  await send();
  const beginnings = server.mails.map(({ raw }) =>
    partOf(raw, "text/plain")
      .split(/(?:\r\n)+/)
      .slice(0, 2),
  );
  expect(beginnings).toEqual([
    ["Request received", expect.stringContaining(`${doc.name} has not answered yet.`)],
    ["You are booked", `${doc.name} expects you.`],
    ["Cancelled", "This visit is cancelled."],
  ]);
});

test("the mail of an order that is cancelled with its event still names the event and its tickets", async () => {
  const opened = await openMails("CONFIRM", "venue");
  const { api, server, send } = opened;
  const { slug } = businessOf(api);
  const { event, field, order } = await orderTickets(opened);
  await send();
  const removeEvent = (): unknown =>
    editCatalog(api, slug, (catalog) => ({
      catalog: withObjects(
        // The promotions are removed as well, because they refer to ticket types of the event.
        withObjects(catalog, "promotion", () => []),
        "public_event",
        (docs) => docs.filter(({ key }) => key !== event.key),
      ),
      target: { section: "publicPage" },
    }));
  cancelTicketOrder(api, slug, order.code, null);
  removeEvent();
  await send();
  const cancelled = server.mails.at(-1)!.raw;
  const { name } = event.ticketTypes.find((type) =>
    field.endsWith(ticketTypeId(slug, event, type)),
  )!;
  expect(parseMail(cancelled).headers.get("subject")).toContain(event.name);
  expect(partOf(cancelled, "text/plain")).toContain(`What: ${event.name}`);
  expect(partOf(cancelled, "text/plain")).toContain(`Tickets: 2 × ${name}`);
  expect(parseCalendar(partOf(cancelled, "text/calendar"))).toMatchObject([
    { summary: event.name, start: new Date(event.startsAt) },
  ]);
  expect(describeVisit(api, businessOf(api), order.id, "en")).toMatchObject({
    event: order.code,
    hasTime: false,
  });
});

test("the mail about a confirmed order without admission codes says that the code of the order admits nobody", async () => {
  const opened = await openMails("CONFIRM", "venue");
  const { api, send, list } = opened;
  const business = businessOf(api);
  const { order } = await orderTickets(opened, 1);
  confirmTicketOrder(api, business.slug, order.code);
  edit(api, "UPDATE ticket_order SET keeps_codes = 0");
  await send();
  const mail = composeMail(api, list().at(-1)!, business, { from: "a@salon.example", link: "" });
  expect(mail?.text).toContain("The code below is that of the order and admits nobody.");
});

test("a mail offers to move or cancel a visit only while its guest can do so", async () => {
  const { api, server, send, book } = await openMails("CONFIRM");
  await book({}, undefined, 0, "&month=2026-12");
  const [visit] = listMade(api);
  await send();
  api.advance(Math.min(visit!.cancelUntil, visit!.startsAt - 1) + 1 - api.now());
  const keyId = visit!.createdByKey ?? "";
  writeMail(api, businessOf(api), { ...visit!, kind: "reminder", keyId });
  await send();
  const [early, late] = server.mails.map(({ raw }) => partOf(raw, "text/plain")) as [
    string,
    string,
  ];
  expect(early).toContain("You can move or cancel it until");
  expect(early).toContain("See, move or cancel the visit");
  expect(late).not.toMatch(/move or cancel/);
  expect(late).toContain("See the visit");
});

test("answers to a mail go to the address of the business, if mail can be sent to it", async () => {
  const { api, book, list } = await openMails("CONFIRM");
  const business = businessOf(api);
  await book();
  const [mail] = list();
  const replyTo = (email: string | null) =>
    composeMail(
      api,
      mail!,
      { ...business, doc: { ...business.doc, email } },
      { from: "bookings@salon.example", link: "https://salon.example/" },
    )?.replyTo;
  expect(replyTo("desk@salon.example")).toBe("desk@salon.example");
  expect(replyTo("desk@salon.example, other@evil.example")).toBeUndefined();
  expect(replyTo(null)).toBeUndefined();
});
