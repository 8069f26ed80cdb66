import Database from "better-sqlite3";
import { expect, inject, test } from "vitest";
import { CLOCK_COLUMNS } from "../../src/store/clock.ts";

/** The names that columns with an instant have. */
const INSTANT = /^at$|_(?:at|by|until|since)$/;
/** A sequence number, whose name ends like that of an instant. */
const OTHERS = ["destination_cursor.redeliver_until"];

test("each column with an instant says what happens to it when the clock is set", () => {
  const db = new Database(inject("emptyDatabase"), { readonly: true });
  const columns = db
    .prepare(`
      SELECT tables.name || '.' || columns.name AS name, columns.name AS "column", columns.type
      FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`)
    .all() as { name: string; column: string; type: string }[];
  db.close();
  const instants = columns
    .filter(({ column, type }) => INSTANT.test(column) && type === "INTEGER")
    .map(({ name }) => name)
    .filter((name) => !OTHERS.includes(name));
  expect(Object.keys(CLOCK_COLUMNS)).toEqual(instants.toSorted());
});
