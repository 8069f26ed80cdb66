import { expect, test } from "vitest";
import { saveCustomer } from "../../../../src/app/bookings/guests.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { readStoredCatalog, writeCatalogText } from "../../../../src/app/catalog/export-catalog.ts";
import {
  cancelPublicEvent,
  editPublicEvent,
  movedTo,
  postponePublicEvent,
} from "../../../../src/app/catalog/public-events.ts";
import type { PublicEventDoc } from "../../../../src/domain/catalog/catalog.ts";
import { remind } from "../../../../src/features/guest-mail/remind.ts";
import { cancelTicketOrder } from "../../../../src/features/tickets/orders/change-order.ts";
import { confirmTicketOrder } from "../../../../src/features/tickets/orders/orders.ts";
import { edit } from "../../../support/edit-database.ts";
import { parseCalendar } from "../../../support/ical.ts";
import { parseMail, partOf } from "../../../support/mail-server.ts";
import { openMails, orderTickets } from "../open-mails.ts";
import { businessOf } from "../../page-bookings/open-page.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Opens a business with an order of a guest, about which no mail waits. */
async function openOrder(status: "PENDING" | "CONFIRMED" = "CONFIRMED") {
  const opened = await openMails("CONFIRM", "venue");
  const { api, server, send } = opened;
  const { slug, doc } = businessOf(api);
  remind(api);
  const { event, order } = await orderTickets(opened);
  if (status === "CONFIRMED") confirmTicketOrder(api, slug, order.code);
  await send();
  const sent = server.mails.length;
  const change = (fields: Partial<PublicEventDoc>) =>
    editPublicEvent(api, slug, event.key, (current) => ({ ...current, ...fields }));
  const move = (byMs: number) =>
    editPublicEvent(api, slug, event.key, (current) => movedTo(current, event.startsAt + byMs));
  /** Returns the subjects of the mails that were sent about changes of the event. */
  const subjects = () =>
    server.mails.slice(sent).map(({ raw }) => {
      const subject = parseMail(raw).headers.get("subject") as string;
      return subject.slice(0, subject.indexOf(":"));
    });
  const last = () => server.mails.at(-1)!.raw;
  /** Returns how mails write a time of the event. */
  const timeOf = (at: number): string =>
    new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: doc.timezone }).format(at);
  return { ...opened, slug, event, order, change, move, subjects, last, timeOf };
}

const CANCELLED = "The event is cancelled";
const POSTPONED = "The event is postponed";
const NEW_PLAN = "Please note the time and place";

test("the guest of an open order is mailed once when its event is cancelled, and the calendar entry is removed", async () => {
  for (const status of ["PENDING", "CONFIRMED"] as const) {
    const { api, slug, event, order, send, subjects, list, last } = await openOrder(status);
    cancelPublicEvent(api, slug, event.key);
    cancelPublicEvent(api, slug, event.key);
    await send();
    expect(subjects()).toEqual([CANCELLED]);
    expect(list().at(-1)).toMatchObject({ visitId: order.id, kind: "calledOff", status: "SENT" });
    const text = partOf(last(), "text/plain");
    expect(text).toMatch(/^This event is cancelled\.\r\n/);
    expect(text.match(/This event is cancelled/g)).toHaveLength(1);
    expect(text).not.toMatch(/Show the code|Pay |puts it into your calendar/);
    const calendar = partOf(last(), "text/calendar");
    expect(calendar.includes("METHOD:CANCEL")).toBe(status === "CONFIRMED");
  }
});

test("the guest learns by mail that an event is postponed, and its new time once it is published again", async () => {
  const { api, slug, event, send, subjects, last, change, timeOf } = await openOrder();
  const startsAt = event.startsAt + DAY_MS + HOUR_MS;
  postponePublicEvent(api, slug, event.key, startsAt);
  await send();
  expect(subjects()).toEqual([POSTPONED]);
  expect(partOf(last(), "text/plain")).not.toMatch(/^When: /m);
  expect(partOf(last(), "text/calendar")).toContain("METHOD:CANCEL");
  change({ startsAt: startsAt + 1 });
  await send();
  expect(subjects()).toEqual([POSTPONED]);
  change({ startsAt, status: "PUBLISHED" });
  await send();
  expect(subjects()).toEqual([POSTPONED, NEW_PLAN]);
  expect(partOf(last(), "text/plain")).toContain(timeOf(startsAt));
  expect(parseCalendar(partOf(last(), "text/calendar"))).toMatchObject([
    { start: new Date(startsAt), status: "CONFIRMED" },
  ]);
});

test("the guest of a postponed event learns that it is cancelled, even after its old date", async () => {
  const { api, slug, event, send, subjects } = await openOrder();
  postponePublicEvent(api, slug, event.key, null);
  await send();
  api.advance(event.endsAt + DAY_MS - api.now());
  cancelPublicEvent(api, slug, event.key);
  await send();
  expect(subjects()).toEqual([POSTPONED, CANCELLED]);
});

test("the guest of a moved event gets its new time and place, with a later version of the calendar entry", async () => {
  const { server, event, send, subjects, last, change, move, timeOf } = await openOrder();
  const entryOf = (raw: string) => parseCalendar(partOf(raw, "text/calendar"))[0]!;
  const entries = [entryOf(last())];
  move(HOUR_MS);
  await send();
  entries.push(entryOf(last()));
  expect(partOf(last(), "text/plain")).toMatch(/^This event has changed: /);
  expect(partOf(last(), "text/plain")).toContain(timeOf(event.startsAt + HOUR_MS));
  change({ venue: { name: "Stadthalle", address: "Festplatz 1" } });
  await send();
  entries.push(entryOf(last()));
  expect(partOf(last(), "text/plain")).toContain("Stadthalle");
  change({ attendanceMode: "ONLINE", venue: null });
  await send();
  expect(partOf(last(), "text/plain")).toContain("Where: Online");
  expect(subjects()).toEqual([NEW_PLAN, NEW_PLAN, NEW_PLAN]);
  expect(new Set(entries.map(({ uid }) => uid)).size).toBe(1);
  const [first, second, third] = entries.map(({ sequence }) => Number(sequence));
  expect(second).toBeGreaterThan(first!);
  expect(third).toBeGreaterThan(second!);
  expect(entries.map(({ start }) => Number(start) - event.startsAt)).toEqual([0, HOUR_MS, HOUR_MS]);
  expect(server.mails).toHaveLength(5);
});

test("no guest is mailed about a corrected text, a dry run, an event that is over or an order that has ended", async () => {
  const { api, slug, event, order, list, change, move } = await openOrder();
  const before = list().length;
  change({ name: "Other name", description: "Corrected.", doorsAt: event.startsAt - HOUR_MS });
  expect(list()).toHaveLength(before);
  const end = api.startDryRun();
  cancelPublicEvent(api, slug, event.key);
  end();
  expect(list()).toHaveLength(before);
  api.advance(event.endsAt - api.now());
  cancelPublicEvent(api, slug, event.key);
  change({ status: "POSTPONED" });
  change({ status: "PUBLISHED" });
  move(-HOUR_MS);
  expect(list()).toHaveLength(before);
  cancelTicketOrder(api, slug, order.code);
  move(DAY_MS);
  expect(list().map(({ kind }) => kind)).toEqual(["received", "confirmed", "cancelled"]);
});

test("a change that is undone before its mail was sent is not mailed", async () => {
  const { api, slug, event, send, subjects, change, move } = await openOrder();
  cancelPublicEvent(api, slug, event.key);
  change({ status: "PUBLISHED" });
  move(HOUR_MS);
  move(0);
  await send();
  expect(subjects()).toEqual([]);
});

test("a second change before the mail was sent replaces the mail without counting towards the limit", async () => {
  const { api, slug, event, send, subjects, last, move, timeOf } = await openOrder();
  for (let minutes = 1; minutes <= 30; minutes++) move(minutes * 60_000);
  await send();
  expect(subjects()).toEqual([NEW_PLAN]);
  expect(partOf(last(), "text/plain")).toContain(timeOf(event.startsAt + 30 * 60_000));
  postponePublicEvent(api, slug, event.key, null);
  cancelPublicEvent(api, slug, event.key);
  await send();
  expect(subjects()).toEqual([NEW_PLAN, CANCELLED]);
});

test("if a change of an event is undone after an attempt to mail it, the guest is mailed the state after the undo", async () => {
  const { api, server, event, send, subjects, list, change, move, last, timeOf } =
    await openOrder();
  const { length } = list();
  await server.down();
  move(HOUR_MS);
  await send();
  change({ description: "Corrected." });
  expect(list().at(-1)).toMatchObject({ attempts: 1, status: "WAITING" });
  move(0);
  expect(list()).toHaveLength(length + 1);
  await server.up();
  api.advance(HOUR_MS);
  await send();
  expect(subjects()).toEqual([NEW_PLAN]);
  expect(partOf(last(), "text/plain")).toContain(timeOf(event.startsAt));
});

test("a mail about the order that is yet to be sent tells the change of the event, too", async () => {
  const opened = await openMails("CONFIRM", "venue");
  const { api, send, list } = opened;
  const { slug } = businessOf(api);
  remind(api);
  const { event } = await orderTickets(opened);
  cancelPublicEvent(api, slug, event.key);
  expect(list().map(({ kind }) => kind)).toEqual(["received"]);
  await send();
  expect(parseMail(opened.server.mails[0]!.raw).headers.get("subject")).toMatch(
    /^The event is cancelled: /,
  );
});

test("a catalog file mails the guests of the events that it changes", async () => {
  const { api, event, send, subjects } = await openOrder();
  const { content } = writeCatalogText(readStoredCatalog(api, businessOf(api)), "json");
  const file = JSON.parse(content) as { events: { key: string; status?: string }[] };
  for (const one of file.events) if (one.key === event.key) one.status = "CANCELLED";
  applyCatalog(api, [{ name: "catalog.json", text: JSON.stringify(file) }]);
  await send();
  applyCatalog(api, [{ name: "catalog.json", text: content }]);
  await send();
  expect(subjects()).toEqual([CANCELLED, NEW_PLAN]);
});

test("a change that is undone is mailed if an earlier change may not have reached the guest", async () => {
  const { api, server, event, send, subjects, move, last, timeOf } = await openOrder();
  await server.down();
  move(HOUR_MS);
  await send();
  move(2 * HOUR_MS);
  move(HOUR_MS);
  await server.up();
  api.advance(HOUR_MS);
  await send();
  expect(subjects()).toEqual([NEW_PLAN]);
  expect(partOf(last(), "text/plain")).toContain(timeOf(event.startsAt + HOUR_MS));
});

test("guests with an address get mail about an event, those of a key if it mails guests", async () => {
  const { api, order, list, change } = await openOrder();
  const { length } = list();
  const { id: businessId } = businessOf(api);
  const byKey = (guestMail: boolean) => {
    const { id } = api.createKey({ name: `key ${guestMail}`, guestMail });
    edit(api, `UPDATE ticket_order SET created_by_key = '${id}'`);
  };
  const saveAddress = (email: string | null) =>
    api.tx(() =>
      saveCustomer(api, businessId, order.id, { name: "Ana", email, phone: "1", notes: null }),
    );
  edit(api, "UPDATE ticket_order SET created_by_key = NULL");
  change({ status: "CANCELLED" });
  byKey(false);
  change({ status: "PUBLISHED" });
  byKey(true);
  saveAddress(null);
  change({ status: "CANCELLED" });
  expect(list()).toHaveLength(length);
  saveAddress("ana@example.com");
  change({ status: "PUBLISHED" });
  expect(list().slice(length)).toMatchObject([{ kind: "moved", status: "WAITING" }]);
});
