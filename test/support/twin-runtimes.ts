import Database from "better-sqlite3";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { readPartOfSample } from "./sample-catalog.ts";
import { createTestRuntime, type TestRuntime } from "./test-runtime.ts";

export const SLUG = "salon-aurora";

/**
 * Returns a runtime whose IDs count from 1 for each prefix, so that two runtimes write the same
 * bytes.
 */
export function createCountingRuntime(size: number, seed: number): TestRuntime {
  const counts = new Map<string, number>();
  const rt = {
    ...createTestRuntime(),
    newId(prefix: string): string {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
  const { business, ...sections } = readPartOfSample(size, seed);
  const text = JSON.stringify({ business: { ...business, slug: SLUG }, ...sections });
  applyCatalog(rt, [{ name: "catalog", text }], { seedingAt: rt.now() });
  return rt;
}

/**
 * Queries that select what catalog changes write. Tables that only grow are read from the first new
 * row on.
 */
const QUERIES = {
  catalog_object: "SELECT * FROM catalog_object",
  representation: "SELECT * FROM representation",
  business: "SELECT * FROM business",
  sold_out: "SELECT * FROM sold_out",
  audit_entry: "SELECT * FROM audit_entry",
  event: "SELECT sequence AS number, * FROM event WHERE sequence > ?",
  catalog_change: "SELECT * FROM catalog_change WHERE number > ?",
};

/** Returns a function that reads tables as texts, which are fast to compare. */
export function createRowReader(
  { config }: TestRuntime,
  tables = Object.keys(QUERIES) as (keyof typeof QUERIES)[],
) {
  const db = new Database(config.databasePath, { readonly: true });
  const last = new Map<string, number>();
  return () =>
    tables.map((table) => {
      const query = QUERIES[table];
      const from = query.includes("?") ? [last.get(table) ?? 0] : [];
      const rows = db.prepare(query).all(...from) as { number?: number }[];
      last.set(table, rows.at(-1)?.number ?? last.get(table) ?? 0);
      return `${table}: ${rows.map((row) => JSON.stringify(row, toText)).join("\n")}`;
    });
}

/** Returns a BLOB as text: the JSON of an event, or a hexadecimal number. */
const toText = (name: string, value: unknown): unknown => {
  // `Buffer.toJSON` has already turned a BLOB into an object with a list of its bytes.
  const { type, data = [] } = (value ?? {}) as { type?: string; data?: number[] };
  if (type !== "Buffer") return value;
  return Buffer.from(data).toString(name === "body" ? "utf8" : "hex");
};
