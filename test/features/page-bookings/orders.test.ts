import { expect, test } from "vitest";
import { confirmTicketOrder } from "../../../src/features/tickets/orders.ts";
import { createOrderStore } from "../../../src/features/tickets/store.ts";
import { expireTicketOrders } from "../../../src/features/tickets/take-tickets.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import type { TestApi } from "../../http/support/api.ts";
import { businessOf, createVisitor, findAll, openPage } from "./open-page.ts";

const HOUR_MS = 3_600_000;
const PROXY = { trustedProxies: ["127.0.0.0/8", "::1/128"] };

const listOrders = (api: TestApi) =>
  api.openStore(createOrderStore).list({ businessId: businessOf(api).id }, 1000);

/** Opens the page of the first event on sale, and returns the URL of the details of its tickets. */
async function openTickets(quantity = 2) {
  const { api, base } = openPage("venue", "CONFIRM", PROXY);
  const visitor = createVisitor(api, "203.0.113.5");
  const { id, slug } = businessOf(api);
  const events = api.store.catalog.listByKind(id, "public_event");
  for (const event of events) {
    const url = `${base}?event=${objectId("public_event", slug, event)}`;
    const [field] = findAll(await visitor.get(url), /<select name="(ticket\.[^"]+)"/g);
    if (field === undefined) continue;
    const chosen = `${url}&${field}=${quantity}`;
    const response = await visitor.send(chosen);
    return {
      api,
      base,
      visitor,
      event,
      url,
      field,
      details: response.headers.get("location") ?? "",
    };
  }
  throw new Error("The sample has no event on sale.");
}

test("a guest orders tickets, which the business confirms", async () => {
  const { api, visitor, event, details } = await openTickets();
  expect(details).toMatch(/&key=[0-9a-f]{32}$/);
  expect(await visitor.get(details)).toContain("Order the tickets");
  const responses = await Promise.all([visitor.book(details), visitor.book(details)]);
  const links = responses.map(({ headers }) => headers.get("location") ?? "");
  const [link = ""] = links;
  expect(new Set(links).size).toBe(1);
  const [order, ...others] = listOrders(api);
  expect(others).toEqual([]);
  expect(order).toMatchObject({ status: "PENDING" });
  expect(order?.expiresAt).toBe(Math.min(api.now() + 48 * HOUR_MS, event.startsAt));
  const page = await visitor.get(link);
  expect(page).toContain("Tickets reserved");
  expect(page).toContain(order?.code ?? "no code");
  confirmTicketOrder(api, businessOf(api).slug, order?.code ?? "");
  expect(await visitor.get(link)).toContain("Your tickets are confirmed");
  await visitor.post(`${link}/cancel`);
  expect(listOrders(api)).toMatchObject([{ status: "CONFIRMED" }]);
});

test("a guest cancels an order that is not paid, and one that nobody pays expires", async () => {
  const { api, visitor, details } = await openTickets();
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  await visitor.post(`${link}/cancel`);
  expect(listOrders(api)).toMatchObject([{ status: "CANCELLED" }]);
  const again = await visitor.send(details.replace(/&key=.*/, ""));
  const second = await visitor.book(again.headers.get("location") ?? "");
  const newest = listOrders(api).find(({ status }) => status === "PENDING");
  api.advance((newest?.expiresAt ?? 0) - api.now());
  expect(await visitor.get(second.headers.get("location") ?? "")).toContain("The order has ended");
  expireTicketOrders(api);
  expect(listOrders(api).map(({ status }) => status)).not.toContain("PENDING");
});

test("orders of the page that are not paid keep at most a fifth of the places", async () => {
  const { api, event, url, field } = await openTickets();
  const statuses: number[] = [];
  for (let i = 0; i < 60 && statuses.at(-1) !== 429; i++) {
    const visitor = createVisitor(api, `198.51.100.${i}`);
    const details = (await visitor.send(`${url}&${field}=2`)).headers.get("location") ?? "";
    statuses.push((await visitor.book(details, { email: `g${i}@example.com` })).status);
  }
  expect(statuses.at(-1)).toBe(429);
  const size = Math.max(...event.quotas.map((quota) => quota.size));
  expect(2 * listOrders(api).length).toBeLessThanOrEqual(Math.ceil(size * 0.2));
});

test("more tickets than are left lead back to the choice", async () => {
  const { visitor, url, field } = await openTickets();
  const details = (await visitor.send(`${url}&${field}=999`)).headers.get("location") ?? "";
  const response = await visitor.book(details);
  expect(response.status).toBe(409);
  expect(await response.text()).toContain("Please choose again.");
});
