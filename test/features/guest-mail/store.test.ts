import { expect, test } from "vitest";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import {
  createGuestMailStore,
  createUpcomingStore,
} from "../../../src/features/guest-mail/store.ts";
import { confirmTicketOrder } from "../../../src/features/tickets/orders/orders.ts";
import { createOrderStore } from "../../../src/features/tickets/store.ts";
import { businessOf, createVisitor, findAll, openPage } from "../page-bookings/open-page.ts";
import { openMails } from "./open-mails.ts";

test("a reminder of a confirmed order is due if its event begins in the given time", async () => {
  const { api, base } = openPage("venue");
  const visitor = createVisitor(api);
  const { id, slug } = businessOf(api);
  const event = api.store.catalog
    .listByKind(id, "public_event")
    .find(({ ticketTypes, status }) => status === "PUBLISHED" && ticketTypes.length > 0)!;
  const url = `${base}?event=${objectId("public_event", slug, event)}`;
  const [field = ""] = findAll(await visitor.get(url), /<select name="(ticket\.[^"]+)"/g);
  const details = (await visitor.send(`${url}&${field}=2`)).headers.get("location") ?? "";
  expect((await visitor.book(details)).status).toBe(303);
  const [order] = api.openStore(createOrderStore).list({ businessId: id }, 10);
  const at = event.startsAt;
  const isDue = (from: number, to: number): boolean =>
    api
      .openStore(createUpcomingStore)
      .list(from, to)
      .some(({ id }) => id === order!.id);
  expect(isDue(at - 1, at)).toBe(false);
  confirmTicketOrder(api, slug, order!.code);
  expect(isDue(at - 1, at)).toBe(true);
  expect(isDue(at - 2, at - 1)).toBe(false);
  expect(isDue(at, at + 1)).toBe(false);
});

test("postponing a mail changes no other mail, and a mail that has ended cannot be postponed", async () => {
  const { api, book, list } = await openMails("CONFIRM");
  const store = api.openStore(createGuestMailStore);
  await book();
  await book({ email: "bob@example.com" }, "203.0.113.2", 3);
  const [first, second] = list();
  const later = api.now() + 60_000;
  api.tx(() => store.postpone(first!.id, later, "450 4.2.0"));
  const postponed = { ...first, nextAttemptAt: later, reason: "450 4.2.0" };
  expect(list()).toEqual([postponed, second]);
  api.tx(() => store.end(second!.id, "SENT", null, api.now()));
  const ended = list();
  api.tx(() => store.postpone(second!.id, later, "450 4.2.0"));
  expect(list()).toEqual(ended);
});
