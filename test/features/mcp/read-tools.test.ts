import { expect, test } from "vitest";
import { createTestApp } from "../../support/app.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addKey, connect, load } from "./support/agents.ts";

async function connectToShop() {
  const rt = createTestRuntime();
  load(
    rt,
    `
catalog: 1
business: { slug: shop, name: Shop, timezone: Europe/Lisbon, currency: EUR }
hours:
  - { days: mon-sun, start: "09:30", end: "12:05" }
  - { days: mon-sun, start: "22:00", end: "24:00" }
`,
  );
  return connect({ rt, app: createTestApp(rt) }, "/mcp", { secret: addKey(rt, "shop") });
}

test("the opening hours of a day for an agent have hours and minutes", async () => {
  const { call } = await connectToShop();
  const { body } = await call("get_business", { date: "2026-11-23" });
  expect(body.data.days).toMatchObject([{ open: ["09:30-12:05", "22:00-24:00"] }]);
});

test("an agent reads that a closure ends the hours of the evening before at midnight, and no reason for a day closed by an exception", async () => {
  const rt = createTestRuntime();
  load(
    rt,
    `
catalog: 1
business: { slug: shop, name: Shop, timezone: Europe/Lisbon, currency: EUR }
hours:
  - { days: wed-thu, start: "18:00", end: "26:00" }
  - { days: fri, start: "10:00", end: "14:00" }
closures: [{ name: Christmas Day, yearly: "12-25" }]
exceptions: [{ date: "2026-12-23", mode: REPLACE, intervals: [] }]
`,
  );
  const app = createTestApp(rt);
  const { call } = await connect({ rt, app }, "/mcp", { secret: addKey(rt, "shop") });
  const { body } = await call("get_business", { from: "2026-12-23", to: "2026-12-26" });
  const weekday = (date: string, name: string) => ({ date, weekday: name });
  expect(body.data.days).toEqual([
    { ...weekday("2026-12-23", "Wednesday"), isOpen: false },
    { ...weekday("2026-12-24", "Thursday"), open: ["18:00-24:00"], isOpen: true },
    { ...weekday("2026-12-25", "Friday"), isOpen: false, closedFor: "Christmas Day" },
    { ...weekday("2026-12-26", "Saturday"), isOpen: false },
  ]);
});

test("the opening hours for an agent are of at most 31 days", async () => {
  const { call } = await connectToShop();
  const from = "2026-12-01";
  const { body } = await call("get_business", { from, to: "2026-12-31" });
  expect(body.data.days).toHaveLength(31);
  const refused = await call("get_business", { from, to: "2027-01-01" });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.body)).toContain("'to' must be at most 30 days after 'from'.");
});
