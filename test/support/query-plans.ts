import Database from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { TestRuntime } from "./test-runtime.ts";

// The plan of a query shows whether its cost follows the size of a table.

/** Tables that grow with every visit, ticket or event. */
const GROWING = [
  "event",
  "delivery",
  "booking",
  "booking_segment",
  "reservation",
  "ticket_order",
  "ticket_order_item",
  "ticket",
];

/** Returns the plan of each query that reads one of the tables while `run` runs. */
export async function plansOf(
  rt: TestRuntime,
  run: () => unknown,
  tables = GROWING,
): Promise<Map<string, string[]>> {
  const db = new Database(rt.config.databasePath, { readonly: true });
  onTestFinished(() => void db.close());
  const queries = new Set<string>();
  const prototype = Object.getPrototypeOf(db.prepare("SELECT 1")) as Record<string, unknown>;
  const restore = (["get", "all", "run", "iterate"] as const).map((name) => {
    const original = prototype[name] as (...args: unknown[]) => unknown;
    prototype[name] = function (this: Database.Statement, ...args: unknown[]) {
      queries.add(this.source);
      return original.apply(this, args);
    };
    return () => void (prototype[name] = original);
  });
  try {
    await run();
  } finally {
    for (const end of restore) end();
  }
  const plans = new Map<string, string[]>();
  for (const query of queries) {
    if (/^\s*(?:INSERT|BEGIN|COMMIT|PRAGMA)/.test(query)) continue;
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${query.replaceAll(/:\w+|\?/g, "1")}`).all();
    const steps = (rows as { detail: string }[]).map(({ detail }) => detail);
    if (steps.some((step) => readsTable(step, tables))) plans.set(query, steps);
  }
  return plans;
}

const readsTable = (step: string, tables: readonly string[]): boolean =>
  tables.includes(/^(?:SCAN|SEARCH) (\w+)/.exec(step)?.[1] ?? "");

export const readsGrowingTable = (step: string): boolean => readsTable(step, GROWING);

export const SCAN = /^SCAN/;
export const SCAN_OR_SORT = /^(?:SCAN|USE TEMP B-TREE)/;

/** Returns the steps that match `refused` in the plans of the queries that read a growing table. */
export async function findSteps(
  rt: TestRuntime,
  run: () => unknown,
  refused: RegExp,
): Promise<string[]> {
  const plans = await plansOf(rt, run);
  expect(plans.size).toBeGreaterThan(1);
  return [...plans].flatMap(([query, steps]) =>
    steps.filter((step) => refused.test(step)).map((step) => `${step} in ${query}`),
  );
}
