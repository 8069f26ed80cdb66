import { expect, onTestFinished, test } from "vitest";
import { addKey, connect, openAgents, type Agent } from "./support/agents.ts";

// Each test does a task as an agent would. The agent knows only what `tools/list` and the results
// say.

const MAX_CALLS = 6;

/** Counts the calls of a task, which must be at most `MAX_CALLS`. */
function count({ call }: Agent): Agent["call"] {
  let calls = 0;
  onTestFinished(() => expect(calls).toBeLessThanOrEqual(MAX_CALLS));
  return (name, args) => {
    calls += 1;
    return call(name, args);
  };
}

test("an agent learns the opening hours on a holiday", async () => {
  const call = count(await connect(openAgents("salon", "restaurant"), "/mcp"));
  const [{ slug: business }] = (await call("find_business", { query: "salon" })).body.data;
  const hours = async (date: string) =>
    (await call("get_business", { business, date })).body.data.days;
  expect(await hours("2026-12-25")).toEqual([
    { date: "2026-12-25", weekday: "Friday", isOpen: false, closedFor: "Christmas Day" },
  ]);
  expect(await hours("2026-12-24")).toEqual([
    { date: "2026-12-24", weekday: "Thursday", open: ["09:00-14:00"], isOpen: true },
  ]);
});

test("an agent finds a vegan dish for less than 15.00", async () => {
  const call = count(await connect(openAgents("restaurant"), "/b/cafe-lumen/mcp"));
  const { data, business } = (
    await call("search_catalog", { kind: "dish", dietary: "vegan", maxPriceCents: 1499 })
  ).body;
  expect(business).toMatchObject({ currency: "CHF", currencyDigits: 2 });
  expect(data.length).toBeGreaterThan(3);
  for (const dish of data) {
    expect(dish.dietary).toContain("vegan");
    expect(dish.categories).toEqual(expect.arrayContaining([expect.any(String)]));
    const prices = [
      dish.priceCents,
      ...(dish.sizes ?? []).map((one: { priceCents: number }) => one.priceCents),
    ];
    expect(Math.min(...prices)).toBeLessThan(1500);
  }
});

test("an agent previews two tickets for Saturday, and nothing is ordered", async () => {
  const agents = openAgents("venue");
  const secret = addKey(agents.rt, "kita-live");
  const call = count(await connect(agents, "/mcp", { secret }));
  const [event] = (await call("list_events", { from: "2026-11-28", to: "2026-11-29" })).body.data;
  expect(event).toMatchObject({
    weekday: "Saturday",
    startsAt: expect.stringContaining("2026-11-28T"),
  });
  const ticket = event.ticketTypes.find(
    ({ availability }: { availability: { state: string } }) => availability.state === "ON_SALE",
  );
  const before = agents.rt.revision();
  const preview = await call("book", {
    tickets: { eventId: event.id, items: [{ ticketTypeId: ticket.id, quantity: 2 }] },
    dryRun: true,
  });
  expect(preview.body).toMatchObject({
    dryRun: true,
    business: { currency: "JPY", currencyDigits: 0 },
    data: {
      status: "PENDING",
      totalCents: 2 * ticket.priceCents,
      event: { name: event.name, weekday: "Saturday", startsAt: event.startsAt },
      items: [{ name: ticket.name, quantity: 2 }],
    },
    next: expect.stringContaining("idempotencyKey"),
  });
  for (const name of ["id", "code", "expiresAt"])
    expect(preview.body.data).not.toHaveProperty(name);
  expect(agents.rt.revision()).toBe(before);
});

test("an agent sees the number of tickets left only for events and ticket types that are on sale", async () => {
  const { call } = await connect(openAgents("venue"), "/b/kita-live/mcp");
  type Sale = { availability: { state: string; remaining?: number } };
  const { data } = (await call("list_events", {})).body as {
    data: (Sale & { status: string; ticketTypes?: Sale[] })[];
  };
  const statuses = data.map(({ status }) => status);
  expect(statuses).toEqual(expect.arrayContaining(["PUBLISHED", "CANCELLED"]));
  const states = data
    .flatMap((event) => [event, ...(event.ticketTypes ?? [])])
    .map(({ availability }) => availability);
  expect(states.some(({ remaining }) => remaining !== undefined)).toBe(true);
  for (const { state, remaining } of states)
    if (remaining !== undefined) expect(["ON_SALE", "FEW_LEFT"]).toContain(state);
});

test("an agent that asks for times without a day gets times on each day and the number of times per day", async () => {
  const { call } = await connect(openAgents("restaurant"), "/b/cafe-lumen/mcp");
  const { data, days, found } = (await call("find_times", { partySize: 2 })).body as {
    data: { weekday: string; startsAt: string }[];
    days: Record<string, number>;
    found: number;
  };
  expect(data.map(({ startsAt }) => startsAt)).toEqual(
    data.map(({ startsAt }) => startsAt).toSorted(),
  );
  const shown = data.map(({ weekday, startsAt }) => `${weekday} ${startsAt.slice(0, 10)}`);
  expect(Object.keys(days)).toHaveLength(7);
  expect(new Set(shown)).toEqual(new Set(Object.keys(days)));
  expect(data).toHaveLength(10);
  expect(Object.values(days).reduce((sum, count) => sum + count)).toBe(found);
});

test("an agent that asks for a day without an event is told the date and the next events", async () => {
  const { call } = await connect(openAgents("venue"), "/b/kita-live/mcp");
  const { data, business, suggestions } = (
    await call("list_events", { from: "2026-11-26", to: "2026-11-27" })
  ).body;
  expect(data).toEqual([]);
  expect(business.today).toBe("Friday 2026-11-20");
  expect(suggestions.length).toBeGreaterThan(2);
  for (const { startsAt } of suggestions) expect(Date.parse(startsAt)).toBeGreaterThan(0);
});

test("an agent books a haircut with any stylist after 17:00, moves and cancels it", async () => {
  const agents = openAgents("salon");
  const secret = addKey(agents.rt, "salon-aurora");
  const call = count(await connect(agents, "/b/salon-aurora/mcp", { secret }));
  // No service is called a haircut, so the result says what there is.
  const { data, suggestions } = (await call("search_catalog", { query: "haircut" })).body;
  expect(data).toEqual([]);
  const service = suggestions.find(({ name }: { name: string }) => name === "Signature cut");
  const times = (
    await call("find_times", { serviceIds: [service.id], date: "2026-11-27", earliest: "17:00" })
  ).body;
  const [first, second] = times.data;
  expect(first.startsAt).toBe("2026-11-27T17:00:00-05:00");
  expect(times.nextAvailable).toBeUndefined();
  expect(Object.keys(times.staff)).toEqual(expect.arrayContaining(first.staffIds));
  const preview = await call("book", { ...first.book, dryRun: true });
  const [idempotencyKey] = /req_\w+/.exec(preview.body.next) ?? [];
  const booked = await call("book", {
    ...first.book,
    customer: { name: "Ana", phone: "+1 718 555 0100", email: "" },
    idempotencyKey,
  });
  const { id } = booked.body.data;
  expect(booked.body.data).toMatchObject({ status: "CONFIRMED", startsAt: first.startsAt });
  expect(booked.body.customerStored).toEqual(["name", "phone"]);
  expect(JSON.stringify(booked.body)).not.toContain("555 0100");
  const moved = await call("change_booking", { id, visit: { startsAt: second.startsAt } });
  expect(moved.body.data).toMatchObject({ id, startsAt: second.startsAt });
  const cancelled = await call("cancel_booking", { id });
  expect(cancelled.body.data).toMatchObject({ id, status: "CANCELLED" });
});

test("an agent holds a table for four on Friday evening, reserves it and changes the party", async () => {
  const agents = openAgents("restaurant");
  const secret = addKey(agents.rt, "cafe-lumen");
  const call = count(await connect(agents, "/mcp", { secret }));
  const times = await call("find_times", { partySize: 4, date: "2026-11-27", earliest: "19:00" });
  const [{ startsAt, book }] = times.body.data;
  const held = await call("hold", { ...book, ttlSeconds: 600, idempotencyKey: "hold-1" });
  const reserved = await call("book", {
    table: { holdId: held.body.data.id },
    idempotencyKey: "book-1",
  });
  expect(reserved.body.data).toMatchObject({ startsAt, partySize: 4, status: "CONFIRMED" });
  const { id } = reserved.body.data;
  const changed = await call("change_booking", { id, table: { startsAt, partySize: 3 } });
  expect(changed.body.data).toMatchObject({ id, partySize: 3 });
});
