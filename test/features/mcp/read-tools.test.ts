import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createTestApp } from "../../support/app.ts";
import { publishFile } from "../../support/published-pages.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addKey, connect, load } from "./support/agents.ts";

const buildShop = (slug: string) => ({
  catalog: 1 as const,
  business: { slug, name: "Shop", timezone: "Europe/Lisbon", currency: "EUR" },
});

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

test("an agent reads the opening hours of a day as times with hours and minutes", async () => {
  const { call } = await connectToShop();
  const { body } = await call("get_business", { date: "2026-11-23" });
  expect(body.data.days).toMatchObject([{ open: ["09:30-12:05", "22:00-24:00"] }]);
});

test("an agent reads opening hours cut at midnight by a closure, and no reason for a day closed by an exception", async () => {
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

test("an agent can ask for the opening hours of at most 31 days", async () => {
  const { call } = await connectToShop();
  const from = "2026-12-01";
  const { body } = await call("get_business", { from, to: "2026-12-31" });
  expect(body.data.days).toHaveLength(31);
  const refused = await call("get_business", { from, to: "2027-01-01" });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.body)).toContain("'to' must be at most 30 days after 'from'.");
});

const SLUGS = Array.from({ length: 70 }, (_, i) => `shop-${i + 10}`);

/** Opens 70 published businesses, and two others, to an agent with a key of one of these. */
async function connectToShops() {
  const rt = createTestRuntime();
  for (const slug of SLUGS) publishFile(rt, buildShop(slug));
  for (const slug of ["shop-30-own", "shop-31-hidden"]) load(rt, JSON.stringify(buildShop(slug)));
  const app = createTestApp(rt);
  return { rt, ...(await connect({ rt, app }, "/mcp", { secret: addKey(rt, "shop-30-own") })) };
}

test("an agent finds the published businesses and that of its key page by page, in the order of their slugs", async () => {
  const { call } = await connectToShops();
  const first = (await call("find_business")).body;
  const second = (await call("find_business", { cursor: first.page.nextCursor })).body;
  expect(first.data).toHaveLength(50);
  expect(second.page).toEqual({ hasMore: false, nextCursor: null });
  expect([...first.data, ...second.data].map(({ slug }: { slug: string }) => slug)).toEqual(
    [...SLUGS, "shop-30-own"].toSorted(),
  );
});

test("a page of businesses for an agent is read without the businesses of later pages", async () => {
  const { rt, call } = await connectToShops();
  const db = new Database(rt.config.databasePath);
  // A query that reads the last business fails at the damaged document. An update of this index
  // would refuse the damage.
  db.pragma("ignore_check_constraints = ON");
  db.exec("DROP INDEX business_published");
  db.prepare("UPDATE business SET doc = '{' || doc WHERE slug = ?").run(SLUGS.at(-1));
  db.close();
  const first = (await call("find_business")).body;
  expect(first.data).toHaveLength(50);
  const cursor = first.page.nextCursor;
  await expect(call("find_business", { cursor })).rejects.toThrow("storage_failed");
});
