import { expect, test } from "vitest";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addKey, connect, load } from "./support/agents.ts";

const CATALOG = `${CATALOG_HEADER}
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: yoga, name: Yoga, durationMin: 60, price: 15.00, capacity: 4, staff: [mia] }]
staff: [{ key: mia, name: Mia }]
`;

test.each([
  [{}, 1500],
  [{ guests: 1 }, 1500],
  [{ guests: 3 }, 4500],
])("find_times with %j shows the total that the booking costs", async (guests, totalCents) => {
  const rt = createTestRuntime();
  load(rt, CATALOG);
  const app = createTestApp(rt);
  const secret = addKey(rt, "salon-aurora");
  const { call } = await connect({ rt, app }, "/b/salon-aurora/mcp", { secret });
  const [service] = (await call("search_catalog", { query: "yoga" })).body.data;
  const times = await call("find_times", { serviceIds: [service.id], ...guests });
  const [first] = times.body.data;
  expect(first).toMatchObject({ totalCents });
  expect(first).not.toHaveProperty("priceCents");
  const preview = await call("book", { ...first.book, dryRun: true });
  expect(preview.body.data).toMatchObject({ totalCents });
});

test.each([
  ["ON_REQUEST", "", { priceType: "ON_REQUEST" }, 0],
  ["FROM", "price: 15.00, ", { priceType: "FROM" }, 1500],
  ["FREE", "", {}, 0],
])(
  "the results about a visit with a price of the type %s say how exact its total is",
  async (type, price, priceType, totalCents) => {
    const rt = createTestRuntime();
    load(rt, CATALOG.replace("price: 15.00, ", `priceType: ${type}, ${price}`));
    const secret = addKey(rt, "salon-aurora");
    const { call } = await connect({ rt, app: createTestApp(rt) }, "/b/salon-aurora/mcp", {
      secret,
    });
    const [service] = (await call("search_catalog", { query: "yoga" })).body.data;
    const times = await call("find_times", { serviceIds: [service.id] });
    const [first] = times.body.data;
    expect(first).toMatchObject({ totalCents });
    const preview = await call("book", { ...first.book, dryRun: true });
    const hold = { ...first.book, idempotencyKey: "first" };
    const held = await call("hold", { ...hold, visit: { ...hold.visit, guests: 4 } });
    const refused = await call("hold", { ...hold, idempotencyKey: "second" });
    expect(refused.body.error).toMatchObject({
      code: "slot_taken",
      alternatives: expect.any(Array),
    });
    for (const body of [times.body, preview.body, held.body, refused.body.error])
      expect("priceType" in body ? { priceType: body.priceType } : {}).toEqual(priceType);
  },
);

test("find_times without a time in the wanted part of the day names the next one there", async () => {
  const rt = createTestRuntime();
  const hours = `hours:
  - { days: [mon-fri], start: "09:00", end: "18:00" }
  - { days: [sat], start: "09:00", end: "22:00" }
`;
  load(rt, CATALOG.replace(/hours:.*\n/, hours));
  const secret = addKey(rt, "salon-aurora");
  const { call } = await connect({ rt, app: createTestApp(rt) }, "/b/salon-aurora/mcp", { secret });
  const [service] = (await call("search_catalog", { query: "yoga" })).body.data;
  const find = async (times: object) => {
    const { body } = await call("find_times", { serviceIds: [service.id], ...times });
    return [body.found, body.nextAvailable?.slice(0, 16)];
  };
  // This day is a Wednesday.
  const date = "2026-12-02";
  expect(await find({ date, earliest: "20:00" })).toEqual([0, "2026-12-05T20:00"]);
  expect(await find({ from: date, to: "2026-12-04", earliest: "20:00" })).toEqual([
    0,
    "2026-12-05T20:00",
  ]);
  expect(await find({ date, latest: "08:00" })).toEqual([0, undefined]);
  expect(await find({ date: "2026-12-06" })).toEqual([0, "2026-12-07T09:00"]);
  expect(await find({ date: "2026-12-06", latest: "10:00" })).toEqual([0, "2026-12-07T09:00"]);
});
