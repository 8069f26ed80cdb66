import { expect, test } from "vitest";
import { addKey, connect, openAgents, VERSIONS } from "./support/agents.ts";

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
