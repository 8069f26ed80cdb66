import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import type { Scope } from "../../../src/domain/api-key.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { readPreset } from "../../../src/platform/assets.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addKey, connect, load, openAgents, post, VERSIONS } from "./support/agents.ts";

const READING = ["find_business", "get_business", "search_catalog", "find_times", "list_events"];
const WRITING = ["hold", "book", "change_booking", "cancel_booking"];

test.each(VERSIONS)(
  "the official client of revision %s lists and calls every tool",
  async (version) => {
    const agents = openAgents("salon", "venue");
    const anyone = await connect(agents, "/mcp", { version });
    expect((await anyone.listTools()).map(({ name }) => name)).toEqual(READING);
    const secret = addKey(agents.rt, "salon-aurora");
    const { listTools, call } = await connect(agents, "/b/salon-aurora/mcp", { secret, version });
    expect((await listTools()).map(({ name }) => name)).toEqual([...READING.slice(1), ...WRITING]);

    const found = await anyone.call("find_business", { query: "salon" });
    expect(found.body.data).toMatchObject([{ slug: "salon-aurora", name: "Salon Aurora" }]);
    expect((await call("get_business")).body.data).toMatchObject({ slug: "salon-aurora" });
    const searched = await call("search_catalog", { query: "signature cut", kind: "service" });
    const [service] = searched.body.data;
    expect(service).toMatchObject({ kind: "service", name: "Signature cut", priceCents: 8500 });
    const times = await call("find_times", { serviceIds: [service.id], date: "2026-11-24" });
    const [first, second] = times.body.data;
    expect(first.startsAt).toMatch(/^2026-11-24T/);
    expect(
      (await anyone.call("list_events", { business: "kita-live" })).body.data.length,
    ).toBeGreaterThan(1);

    const preview = await call("book", { ...first.book, dryRun: true });
    expect(preview.body).toMatchObject({ dryRun: true, data: { totalCents: 8500 } });
    const held = await call("hold", { ...first.book, idempotencyKey: "a" });
    const booked = await call("book", {
      visit: { holdId: held.body.data.id, customer: { name: "Ana" } },
      idempotencyKey: "b",
    });
    expect(booked.body.data).toMatchObject({ startsAt: first.startsAt, totalCents: 8500 });
    const { id } = booked.body.data;
    const moved = await call("change_booking", { id, visit: { startsAt: second.startsAt } });
    expect(moved.body.data).toMatchObject({ id, startsAt: second.startsAt });
    const renamed = await call("change_booking", { id, guest: { customer: { name: "Bea" } } });
    expect(renamed.isError).toBe(false);
    const cancelled = await call("cancel_booking", { id, reason: "Another day" });
    expect(cancelled.body.data).toMatchObject({ id, status: "CANCELLED" });
  },
);

test("the schemas of the MCP tools use no terms of the HTTP API and no features that clients refuse", async () => {
  const agents = openAgents("salon");
  const secret = addKey(agents.rt, "salon-aurora");
  const { listTools } = await connect(agents, "/mcp", { secret });
  const tools = await listTools();
  const text = JSON.stringify(tools);
  expect(text).not.toMatch(/includeCustomer|`GET`|part of events|ID: one line|\/availability/);
  expect(text).not.toContain("$ref");
  expect(Buffer.byteLength(text)).toBeLessThan(22_000);
  for (const { inputSchema } of tools)
    for (const name of ["oneOf", "anyOf", "allOf"]) expect(inputSchema).not.toHaveProperty(name);
  const { properties } = tools.find(({ name }) => name === "book")?.inputSchema ?? {};
  expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(["visit", "customer"]));
  expect(JSON.stringify(properties?.["visit"])).not.toContain("customer");
});

const listRequest = { jsonrpc: "2.0", id: 7, method: "tools/list" };

test("methods other than POST are refused", async () => {
  const { app } = openAgents("salon");
  for (const method of ["GET", "DELETE", "PUT"])
    expect((await app.request("/b/salon-aurora/mcp", { method })).status).toBe(405);
});

test("a request of another website is refused before anything is read", async () => {
  const agents = openAgents("salon");
  const send = (origin: string, host = "127.0.0.1:4100") =>
    post(agents, "/mcp", listRequest, { origin, host });
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1:9999", "file://"]) {
    const { status, body } = await send(origin);
    expect([status, body.error.code, body.error.data.fix]).toEqual([
      403,
      -32600,
      expect.stringContaining("program"),
    ]);
  }
  // An attacker's name can lead to this machine (DNS rebinding), so equal names prove nothing.
  expect((await send("http://evil.example:4100", "evil.example:4100")).status).toBe(403);
  expect((await send("http://127.0.0.1:4100")).status).toBe(200);
  expect((await send("http://localhost:4100", "localhost:4100")).status).toBe(200);
});

test("a server with a public URL refuses requests from all pages but its own", async () => {
  const agents = openAgents("salon");
  agents.rt.config.http.publicUrl = "https://book.example";
  const send = (origin: string) => post(agents, "/mcp", listRequest, { origin });
  expect((await send("https://book.example")).status).toBe(200);
  expect((await send("http://127.0.0.1:4100")).status).toBe(403);
});

test("a business without a public page looks like one that does not exist", async () => {
  const { rt, app } = openAgents("restaurant");
  load(rt, readPreset("salon"));
  const [hidden, none] = [
    await post({ app }, "/b/salon-aurora/mcp", listRequest),
    await post({ app }, "/b/salon-nowhere/mcp", listRequest),
  ].map(({ status, body }) => ({ ...body, status, requestId: "" }));
  expect(hidden).toEqual(none);
  expect(hidden).toMatchObject({ status: 404, code: "business_not_found" });
  const { call } = await connect({ rt, app }, "/mcp");
  const [unpublished, unknown] = [
    await call("get_business", { business: "salon-aurora" }),
    await call("get_business", { business: "salon-nowhere" }),
  ];
  expect(unpublished).toEqual(unknown);
  expect((await call("find_business")).body.data).toHaveLength(1);
  for (const name of ["search_catalog", "find_times", "list_events"])
    expect((await call(name, { business: "salon-aurora" })).body.error.code).toBe(
      "business_not_found",
    );
});

test("a server without a published business answers only requests with a key", async () => {
  const rt = createTestRuntime();
  load(rt, readPreset("salon"));
  const app = createTestApp(rt);
  expect((await post({ app }, "/mcp", listRequest)).status).toBe(404);
  const secret = addKey(rt, "salon-aurora");
  const { call } = await connect({ rt, app }, "/mcp", { secret });
  expect((await call("get_business")).body.data).toMatchObject({ slug: "salon-aurora" });
});

test("MCP refuses a wrong key, or one of another business, with the status that the API uses", async () => {
  const agents = openAgents("salon", "restaurant");
  const send = (secret: string) =>
    post(agents, "/b/salon-aurora/mcp", listRequest, { authorization: `Bearer ${secret}` });
  const wrong = await send("deskbell_rk_wrong");
  expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_key"]);
  expect(wrong.headers.get("www-authenticate")).toContain("Bearer");
  const foreign = await send(addKey(agents.rt, "cafe-lumen"));
  expect([foreign.status, foreign.body.code]).toEqual([403, "business_mismatch"]);
});

test("a key is offered only the tools of its scopes", async () => {
  const agents = openAgents("salon");
  const listFor = async (scopes: Scope[]) => {
    const secret = addKey(agents.rt, "salon-aurora", scopes);
    const { listTools } = await connect(agents, "/b/salon-aurora/mcp", { secret });
    return (await listTools()).map(({ name }) => name).filter((name) => WRITING.includes(name));
  };
  expect(await listFor(["services.read"])).toEqual([]);
  expect(await listFor(["bookings.write"])).toEqual(WRITING);
  expect(await listFor(["tickets.write"])).toEqual(["book", "cancel_booking"]);
});

test("calls count against the limits of the key, and a refusal says when to call again", async () => {
  const agents = openAgents("salon");
  const { secret } = createKey(agents.rt, {
    businessId: businessId("salon-aurora"),
    kind: "RESTRICTED",
    name: "Slow",
    scopes: ["services.read"],
    limitMinute: 2,
  });
  const { call } = await connect(agents, "/b/salon-aurora/mcp", { secret });
  expect((await call("get_business")).isError).toBe(false);
  expect((await call("search_catalog")).isError).toBe(false);
  for (const name of ["get_business", "search_catalog", "list_events"])
    expect((await call(name)).body.error).toMatchObject({
      code: "rate_limited",
      detail: expect.stringContaining("try again in"),
      fix: expect.stringContaining("wait"),
    });
});
