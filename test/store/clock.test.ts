import Database from "better-sqlite3";
import { expect, inject, test } from "vitest";
import { CLOCK_COLUMNS } from "../../src/store/clock.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { confirmedVisit } from "../support/visit-rows.ts";

const HOUR_MS = 3_600_000;

/** Matches the names of columns with a time. */
const INSTANT = /^at$|_(?:at|by|until|since)$/;
/** A column that contains a sequence number, although its name ends like that of a time. */
const OTHERS = ["destination_cursor.redeliver_until"];

test("CLOCK_COLUMNS says for each column with a time what happens when the clock jumps", () => {
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

test("a shift of the clock moves the deadline of a decision, but never past the start of the visit", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt, "salon");
  const now = rt.now();
  const insert = (id: string, startsAt: number, decideBy: number) =>
    rt.tx(() =>
      rt.store.reservations.insert(businessId, {
        ...confirmedVisit(startsAt, now),
        id,
        status: "PENDING",
        endsAt: startsAt + HOUR_MS,
        decideBy,
        partySize: 2,
        areaId: null,
        tableId: "tbl_1",
      }),
    );
  insert("rsv_soon", now + 2 * HOUR_MS, now + HOUR_MS);
  insert("rsv_late", now + 9 * HOUR_MS, now + HOUR_MS);
  rt.tx(() => rt.store.clock.shiftPeriods(3 * HOUR_MS, now));
  const decideBy = (id: string) => rt.store.reservations.findById(businessId, id)?.decideBy;
  expect(decideBy("rsv_soon")).toBe(now + 2 * HOUR_MS);
  expect(decideBy("rsv_late")).toBe(now + 4 * HOUR_MS);
});
