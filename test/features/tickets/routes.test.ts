import { expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { expireTicketOrders } from "../../../src/features/tickets/orders/take-tickets.ts";
import { HEADER, openBookingShop, orderOf, problem, visit } from "../../http/support/bookings.ts";

test("a ticket order is confirmed, reissued, read and cancelled, and only the first two responses have admission codes", async () => {
  const { rt, site } = openBookingShop();
  const created = await site.send("POST", "/ticket-orders", {
    ...orderOf(rt),
    customerRef: "t-1",
  });
  expect(created.status).toBe(201);
  expect(created.body.data).toMatchObject({
    status: "PENDING",
    totalCents: 5000,
    expiresAt: "2026-11-20T12:15:00+00:00",
    customerRef: "t-1",
    version: 1,
  });
  const path = `/ticket-orders/${created.body.data.id}`;
  expect(problem(await site.send("POST", `${path}/reissue`, {}))).toBe("409 wrong_status");
  const codesOf = (sent: { body: { data: { tickets: { admissionCode: string }[] } } }) =>
    sent.body.data.tickets.map(({ admissionCode }) => admissionCode);
  const confirmed = await site.send("POST", `${path}/confirm`, { paymentRef: "pi_1" });
  expect(confirmed.body.data).toMatchObject({ status: "CONFIRMED", expiresAt: null, version: 2 });
  const reissued = await site.send("POST", `${path}/reissue`, {});
  const codes = [...codesOf(confirmed), ...codesOf(reissued)];
  expect(new Set(codes).size).toBe(4);
  expect(confirmed.headers.get("cache-control")).toBe("no-store");
  const read = await site.send("GET", path);
  for (const code of codes) expect(read.text).not.toContain(code);
  expect(problem(await site.send("POST", `${path}/confirm`, {}))).toBe("409 wrong_status");
  const cancelled = await site.send("POST", `${path}/cancel`, { reason: "ill" });
  expect(cancelled.body.data).toMatchObject({ status: "CANCELLED", version: 3 });
  await site.send("POST", "/ticket-orders", orderOf(rt));
  rt.advance(15 * 60_000);
  expireTicketOrders(rt);
  for (const status of ["CANCELLED", "EXPIRED"])
    expect((await site.send("GET", `/ticket-orders?status=${status}`)).body.data).toMatchObject([
      { status },
    ]);
});

test("a ticket order is refused with a pointer to what cannot be ordered", async () => {
  const { rt, site } = openBookingShop();
  const order = orderOf(rt);
  for (const [change, expected, pointer] of [
    [{ eventId: "gala" }, "404 resource_not_found", "#/eventId"],
    [
      { items: [{ ticketTypeId: "seat", quantity: 1 }] },
      "404 resource_not_found",
      "#/items/0/ticketTypeId",
    ],
    [{ items: [] }, "422 validation_failed", "#/items"],
    [{ expectedTotalCents: 1 }, "409 price_changed", undefined],
  ] as const) {
    const refused = await site.send("POST", "/ticket-orders", { ...order, ...change });
    expect([problem(refused), refused.body.errors?.[0]?.pointer]).toEqual([expected, pointer]);
  }
});

test("a key gets the same 404 for a ticket order of another key as for an unknown order, on every route", async () => {
  const { rt, site, createClient } = openBookingShop();
  const other = createClient(["services.read", "bookings.write", "tickets.write"]);
  const reader = createClient(["bookings.read"]);
  const order = { ...orderOf(rt, 1), customer: { name: "Ana" } };
  const { id } = (await site.send("POST", "/ticket-orders", order)).body.data as { id: string };
  const unknown = id.replace(/.{8}$/, "00000000");
  const shown = async (method: string, suffix: string, of: string) => {
    const sent = await other.send(
      method,
      `/ticket-orders/${of}${suffix}`,
      method === "GET" ? undefined : {},
      { "if-match": '"1"', "if-none-match": '"1"' },
    );
    const headers = [...sent.headers].filter(([name]) => !/request-id|ratelimit$/.test(name));
    return `${sent.status} ${JSON.stringify(headers)} ${sent.text.replace(/"req_\w+"/, "")}`.replaceAll(
      of,
      "ID",
    );
  };
  for (const [method, suffix] of [
    ["GET", ""],
    ["POST", "/cancel"],
    ["POST", "/confirm"],
    ["POST", "/reissue"],
  ] as const) {
    const response = await shown(method, suffix, id);
    expect(response).toMatch(/^404 .*resource_not_found/);
    expect(response).toBe(await shown(method, suffix, unknown));
  }
  const listed = await other.send("GET", "/ticket-orders?includeCustomer=true");
  expect([listed.status, listed.body.data]).toEqual([200, []]);
  const read = await reader.send("GET", `/ticket-orders/${id}`);
  expect([read.status, "customer" in read.body.data]).toEqual([200, false]);
  const all = await reader.send("GET", "/ticket-orders?includeCustomer=true");
  expect(all.text).not.toContain("Ana");
});

test("unpaid orders count as holds of their key, and take at most a fifth of a quota", async () => {
  const { rt, site, createClient } = openBookingShop();
  const order = (client: typeof site, quantity: number) =>
    client.send("POST", "/ticket-orders", orderOf(rt, quantity));
  const small = createClient(["bookings.write", "tickets.write"], { maxHolds: 2 });
  expect((await small.send("POST", "/holds", visit("09:00"))).status).toBe(201);
  expect((await order(small, 1)).status).toBe(201);
  expect(problem(await small.send("POST", "/holds", visit("11:00")))).toBe("429 too_many_holds");
  expect(problem(await order(small, 1))).toBe("429 too_many_holds");
  // The quota is 20 seats, of which the unpaid orders of a key can take 4.
  expect((await order(site, 3)).status).toBe(201);
  expect(problem(await order(site, 2))).toBe("429 too_many_holds");
  expect((await order(site, 1)).status).toBe(201);
});

/** Opens the shop with a concert of 5 seats. Each order must have 2 to 10 tickets. */
function openSmallConcert() {
  const shop = openBookingShop();
  const text = `${HEADER}events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: 2026-12-05T19:00
    durationMin: 120
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00, minPerOrder: 2 }]
    quotas: [{ key: room, size: 5, ticketTypes: [seat] }]
`;
  applyCatalog(shop.rt, [{ name: "concert.yaml", text }]);
  return shop;
}

test("a key can always have unpaid tickets up to the minimum of one order, even if a fifth of the quota is less", async () => {
  const { rt, site } = openSmallConcert();
  const order = (quantity: number) => site.send("POST", "/ticket-orders", orderOf(rt, quantity));
  const first = await order(2);
  expect(first.status).toBe(201);
  const second = await order(2);
  expect([problem(second), second.headers.get("retry-after")]).toEqual([
    "429 too_many_holds",
    "60",
  ]);
  await site.send("POST", `/ticket-orders/${first.body.data.id}/confirm`, {});
  expect((await order(2)).status).toBe(201);
});

test("an order with more tickets than all unpaid orders of a key may have is refused without Retry-After", async () => {
  const { rt, site } = openSmallConcert();
  const refused = await site.send("POST", "/ticket-orders", orderOf(rt, 3));
  const detail = "An unpaid order can hold at most 2 of the 5 tickets of 'Seat', not 3.";
  expect(refused.headers.get("retry-after")).toBeNull();
  expect([problem(refused), refused.body.detail, refused.body.fix]).toEqual([
    "422 validation_failed",
    detail,
    "order at most 2 tickets at once",
  ]);
  expect(refused.body.errors).toEqual([
    { pointer: "#/items/0/quantity", code: "invalid_value", detail },
  ]);
});

test("a quantity outside the limits of a ticket type is refused with a pointer to each item of the type", async () => {
  const { rt, site } = openSmallConcert();
  const { eventId, items } = orderOf(rt, 1);
  const order = async (...sent: object[]) => {
    const refused = await site.send("POST", "/ticket-orders", { eventId, items: sent });
    return [problem(refused), refused.body.detail, refused.body.errors];
  };
  const detailOf = (count: number) => `An order can have 2 to 10 tickets of 'Seat', not ${count}.`;
  const errorAt = (i: number, detail: string) => ({
    pointer: `#/items/${i}/quantity`,
    code: "invalid_value",
    detail,
  });
  const [item] = items;
  expect(await order(item!)).toEqual([
    "422 validation_failed",
    detailOf(1),
    [errorAt(0, detailOf(1))],
  ]);
  expect(await order({ ...item, quantity: 6 }, { ...item, quantity: 5 })).toEqual([
    "422 validation_failed",
    detailOf(11),
    [errorAt(0, detailOf(11)), errorAt(1, detailOf(11))],
  ]);
});

test("each POST about a ticket order takes effect once, and its repetition gets the same response", async () => {
  const { rt, owner } = openBookingShop();
  const create = async () =>
    (await owner.send("POST", "/ticket-orders", orderOf(rt, 1))).body.data.id as string;
  const confirmed = await create();
  await owner.send("POST", `/ticket-orders/${confirmed}/confirm`, {});
  for (const [path, body] of [
    ["/ticket-orders", orderOf(rt, 1)],
    [`/ticket-orders/${await create()}/confirm`, {}],
    [`/ticket-orders/${await create()}/cancel`, {}],
    [`/ticket-orders/${confirmed}/reissue`, {}],
  ] as const) {
    const once = { "idempotency-key": `once${path}` };
    const dry = await owner.send("POST", `${path}?dryRun=true`, body, once);
    expect([path, dry.status]).toEqual([path, 200]);
    const revision = rt.revision();
    const first = await owner.send("POST", path, body, once);
    expect(first.status, path).toBe(path === "/ticket-orders" ? 201 : 200);
    expect(rt.revision()).toBeGreaterThan(revision);
    const written = rt.revision();
    const again = await owner.send("POST", path, body, once);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(rt.revision()).toBe(written);
    const other = await owner.send("POST", path, { ...body, other: 1 }, once);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  }
});

test("creating and confirming a ticket order require an Idempotency-Key", async () => {
  const { rt, site } = openBookingShop();
  const none = { "idempotency-key": undefined };
  const { id } = (await site.send("POST", "/ticket-orders", orderOf(rt, 1))).body.data;
  for (const [path, body] of [
    ["/ticket-orders", orderOf(rt, 1)],
    [`/ticket-orders/${id}/confirm`, {}],
  ] as const) {
    expect(problem(await site.send("POST", path, body, none))).toBe("400 missing_idempotency_key");
    expect((await site.send("POST", `${path}?dryRun=1`, body, none)).status).toBe(200);
  }
});
