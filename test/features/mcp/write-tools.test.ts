import { expect, test } from "vitest";
import type { Scope } from "../../../src/domain/api-key.ts";
import { readPreset } from "../../../src/platform/assets.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addKey, connect, load, openAgents } from "./support/agents.ts";

async function openSalon() {
  const agents = openAgents("salon");
  const secret = addKey(agents.rt, "salon-aurora");
  const { call } = await connect(agents, "/mcp", { secret });
  const [service] = (await call("search_catalog", { query: "signature cut" })).body.data;
  const times = await call("find_times", { serviceIds: [service.id], date: "2026-11-27" });
  const [first] = times.body.data;
  return { ...agents, call, book: first.book, other: times.body.data.at(-1).book };
}

test("a call that is repeated has its effect once, and says that it is a repetition", async () => {
  const { rt, call, book } = await openSalon();
  const first = await call("book", { ...book, idempotencyKey: "one" });
  const before = rt.revision();
  const again = await call("book", { ...book, idempotencyKey: "one" });
  expect(again.body.data).toEqual(first.body.data);
  expect(again.body).toMatchObject({ repeated: true, note: expect.stringContaining("earlier") });
  expect(rt.revision()).toBe(before);
});

test("the error for a booking without an idempotencyKey names the tool's argument, not an HTTP header", async () => {
  const { call, book } = await openSalon();
  const { isError, body } = await call("book", book);
  expect(isError).toBe(true);
  expect(body.error).toMatchObject({
    code: "missing_idempotency_key",
    errors: [{ argument: "idempotencyKey" }],
  });
  expect(JSON.stringify(body)).not.toMatch(/header|Idempotency-Key/);
});

test("a preview of each tool changes nothing", async () => {
  const { rt, call, book, other } = await openSalon();
  const { id } = (await call("book", { ...book, idempotencyKey: "one" })).body.data;
  const held = await call("hold", { ...other, idempotencyKey: "two" });
  const before = rt.revision();
  for (const [name, args] of [
    ["hold", { visit: { ...book.visit, startsAt: "2026-11-24T14:00:00-05:00" } }],
    ["book", { visit: { holdId: held.body.data.id } }],
    ["change_booking", { id, visit: { startsAt: "2026-11-24T10:00:00-05:00" } }],
    ["change_booking", { id, guest: { customer: { name: "Bea" } } }],
    ["cancel_booking", { id }],
    ["cancel_booking", { id: held.body.data.id }],
  ] as const) {
    const { body } = await call(name, { ...args, dryRun: true });
    expect([name, body.dryRun, body.error]).toEqual([name, true, undefined]);
  }
  expect(rt.revision()).toBe(before);
  const released = await call("cancel_booking", { id: held.body.data.id });
  expect(released.body.data).toEqual({ id: held.body.data.id, status: "RELEASED" });
});

test("a change_booking call without fields shows the visit, even if the visit can no longer be cancelled", async () => {
  const { rt, call, book } = await openSalon();
  const args = { ...book, customer: { name: "Ana" }, idempotencyKey: "one" };
  const { data } = (await call("book", args)).body;
  rt.advance(Date.parse(data.cancelUntil) - rt.now() + 1);
  const { id } = data;
  const shown = await call("change_booking", { id, guest: {}, dryRun: true });
  expect(shown.body).toMatchObject({ data, dryRun: true });
  expect(shown.body.customerStored).toBeUndefined();
  expect((await call("cancel_booking", { id })).body.error.code).toBe("cancellation_closed");
});

test("an MCP tool refuses arguments that do not fit, and says what to send instead", async () => {
  const { call, book } = await openSalon();
  const { id } = (await call("book", { ...book, idempotencyKey: "one" })).body.data;
  for (const [name, args, pointer] of [
    ["book", { idempotencyKey: "a" }, "#"],
    ["book", { visit: {}, table: {}, idempotencyKey: "a" }, "#"],
    ["book", { visit: "tomorrow", idempotencyKey: "a" }, "#/visit"],
    ["book", { visit: { startsAt: "tomorrow" }, idempotencyKey: "a" }, "#/visit/startsAt"],
    ["book", { visit: { ...book.visit, x: 1 }, idempotencyKey: "a" }, "#/visit/x"],
    ["book", { ...book, dryRun: "yes" }, "#/dryRun"],
    ["book", { ...book, idempotencyKey: "a b" }, "#/idempotencyKey"],
    ["book", { ...book, customer: { email: "ana" }, idempotencyKey: "a" }, "#/customer/email"],
    [
      "book",
      { visit: { ...book.visit, customer: { phone: "1" } }, customer: { name: "Ana" } },
      "#/visit/customer",
    ],
    ["hold", { ...book, when: "now", idempotencyKey: "a" }, "#/when"],
    ["hold", { ...book, ttlSeconds: 5, idempotencyKey: "a" }, "#/ttlSeconds"],
    ["change_booking", { id, table: { startsAt: "2026-11-24T10:00:00-05:00" } }, "#/table"],
    ["change_booking", { id: "svc_1", visit: {} }, "#/id"],
    ["cancel_booking", {}, "#/id"],
    ["cancel_booking", { id, reason: "x".repeat(300) }, "#/reason"],
  ] as const) {
    const { isError, body } = await call(name, args);
    expect([name, isError, body.error?.fix]).toEqual([name, true, expect.any(String)]);
    const [issue] = body.error?.errors ?? [];
    expect([name, issue?.pointer, issue?.code]).toEqual([
      name,
      pointer,
      expect.stringMatching(/^\w+$/),
    ]);
  }
});

test("a time that was taken in the meantime is refused with the nearest free times", async () => {
  const { call, book } = await openSalon();
  expect((await call("book", { ...book, idempotencyKey: "one" })).isError).toBe(false);
  const { body } = await call("book", { ...book, idempotencyKey: "two" });
  expect(body.error).toMatchObject({
    code: "slot_taken",
    fix: expect.stringContaining("find_times"),
    alternatives: expect.arrayContaining([
      expect.objectContaining({ startsAt: expect.any(String) }),
    ]),
  });
});

test("each alternative to a taken time has the arguments to book it, hold it or move a visit to it", async () => {
  const { call, book, other } = await openSalon();
  const guest = { customer: { name: "Ana" }, customerRef: "t-1" };
  const booked = await call("book", { ...book, ...guest, idempotencyKey: "one" });
  const refused = await call("book", { ...book, ...guest, idempotencyKey: "two" });
  expect(refused.body.error.fix).toContain("`book` of one of 'alternatives'");
  const [first, second] = refused.body.error.alternatives;
  expect(first.book).toEqual({ visit: { ...book.visit, startsAt: first.startsAt } });
  const again = await call("book", { ...first.book, ...guest, idempotencyKey: "three" });
  expect(again.body.data.startsAt).toBe(first.startsAt);
  const held = await call("hold", { ...book, ttlSeconds: 60, idempotencyKey: "four" });
  expect(held.body.error.alternatives[0].book).not.toHaveProperty("visit.ttlSeconds");
  const hold = { ...held.body.error.alternatives[0].book, ttlSeconds: 60 };
  expect((await call("hold", { ...hold, idempotencyKey: "five" })).isError).toBe(false);
  const { id } = (await call("book", { ...other, idempotencyKey: "six" })).body.data;
  const moved = await call("change_booking", { id, ...book });
  expect(moved.body.error.code).toBe("slot_taken");
  const [free] = moved.body.error.alternatives;
  const done = await call("change_booking", { id, ...free.book });
  expect(done.body.data.startsAt).toBe(free.startsAt);
  expect(second.startsAt).not.toBe(booked.body.data.startsAt);
});

test("each alternative to a taken table has the arguments to book a table for the same party", async () => {
  const agents = openAgents("restaurant");
  const secret = addKey(agents.rt, "cafe-lumen");
  const { call } = await connect(agents, "/mcp", { secret });
  const [time] = (await call("find_times", { partySize: 2, date: "2026-11-27" })).body.data;
  let refused = { isError: false, body: { error: { alternatives: [{ book: {} }] } } };
  for (let i = 0; !refused.isError; i++)
    refused = await call("book", { ...time.book, idempotencyKey: `${i}` });
  const [free] = refused.body.error.alternatives;
  expect(free!.book).toHaveProperty("table.partySize", 2);
  expect((await call("book", { ...free!.book, idempotencyKey: "free" })).isError).toBe(false);
});

test("an order names its event only to a key that may read the catalog", async () => {
  const rt = createTestRuntime();
  load(rt, readPreset("venue"));
  const agents = { rt, app: createTestApp(rt) };
  const open = async (...scopes: Scope[]) =>
    connect(agents, "/mcp", { secret: addKey(rt, "kita-live", scopes) });
  const reader = await open("services.read", "tickets.write");
  const [event] = (await reader.call("list_events")).body.data;
  const items = [{ ticketTypeId: event.ticketTypes[0].id, quantity: 1 }];
  const args = { tickets: { eventId: event.id, items }, dryRun: true };
  expect((await reader.call("book", args)).body.data.event.name).toBe(event.name);
  const { data } = (await (await open("tickets.write")).call("book", args)).body;
  expect(data).toMatchObject({ eventId: event.id, status: "PENDING" });
  expect(JSON.stringify(data)).not.toContain(event.name);
});

test("a key books only for its own business, and only what its scopes allow", async () => {
  const agents = openAgents("salon", "restaurant");
  const secret = addKey(agents.rt, "salon-aurora", ["tickets.write"]);
  const { call } = await connect(agents, "/mcp", { secret });
  const codeOf = async (args: object) =>
    (await call("book", { visit: {}, idempotencyKey: "a", ...args })).body.error.code;
  expect(await codeOf({})).toBe("insufficient_scope");
  expect(await codeOf({ business: "cafe-lumen" })).toBe("business_mismatch");
  expect(await codeOf({ business: "nowhere" })).toBe("business_mismatch");
  const anyone = await connect(agents, "/mcp");
  const { body } = await anyone.call("cancel_booking", { business: "salon-aurora", id: "bkg_1" });
  expect(body.error).toMatchObject({
    code: "missing_key",
    fix: expect.stringContaining("API key"),
  });
});
