import { readFileSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readBackupState } from "../../../../src/features/backups/state.ts";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import {
  isScrubDue,
  isScrubUnfinished,
  scrub,
} from "../../../../src/features/backups/upkeep/scrub.ts";
import { readStatus } from "../../../../src/app/operations/status.ts";
import { CHECKS } from "../../../support/checks.ts";
import { addBusiness, emitEvents } from "../../../support/delivery.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

function createServer(events: number): TestRuntime {
  const rt = createTestRuntime();
  emitEvents(rt, addBusiness(rt), ...Array<"service.updated">(events).fill("service.updated"));
  return rt;
}

/** Changes an event's body, which SQLite does not notice. */
function alter(rt: TestRuntime, id: string | undefined, from = '"type":', to = '"tYpe":'): void {
  const db = new Database(rt.config.databasePath);
  const sql = "UPDATE event SET body = CAST(replace(body, ?, ?) AS BLOB) WHERE id = ?";
  db.prepare(sql).run(from, to, id);
  db.close();
}

type Reader = TestRuntime["store"]["events"]["listById"];

const withReader = (rt: TestRuntime, listById: Reader) => ({
  ...rt,
  store: { ...rt.store, events: { ...rt.store.events, listById } },
});

/**
 * Returns the codes of the problems. The codes that every server without a running daemon has are
 * left out.
 */
const codes = (rt: TestRuntime) =>
  readStatus(rt, CHECKS)
    .problems.map(({ code }) => code)
    .filter((code) => code !== "daemon.stopped" && code !== "delivery.stalled");

test("an altered event and a damaged backup are found, logged and reported until they are fixed", async () => {
  const rt = createServer(450);
  const { path } = await createBackup(rt);
  await scrub(rt);
  expect(codes(rt)).toEqual([]);
  const id = rt.store.events.list({}, 300).at(-1)?.id;
  alter(rt, id);
  const bytes = readFileSync(path);
  const damaged = Buffer.from(bytes);
  damaged.write("tyPe", damaged.lastIndexOf('type":"service'));
  writeFileSync(path, damaged);
  await scrub(rt);
  expect(rt.logged).toEqual([
    {
      level: "error",
      message: "A stored event differs from its SHA-256.",
      fields: { event: id },
    },
    { level: "error", message: "A backup is damaged.", fields: expect.anything() },
  ]);
  expect(codes(rt)).toEqual(["backup.damaged", "events.altered"]);
  alter(rt, id, '"tYpe":', '"type":');
  rmSync(path);
  expect(codes(rt)).toEqual([]);
  await scrub(rt);
  expect(readBackupState(rt.config, "scrub")).toMatchObject({ altered: [], damaged: [] });
});

test("a scrub that is interrupted continues where it was", async () => {
  const rt = createServer(450);
  await createBackup(rt);
  const stopping = new AbortController();
  const { events } = rt.store;
  const read: string[] = [];
  const interrupted = withReader(rt, (after, limit) => {
    read.push(after);
    if (read.length === 2) stopping.abort();
    return events.listById(after, limit);
  });
  await scrub(interrupted, stopping.signal);
  expect(isScrubUnfinished(rt)).toBe(true);
  const { afterEvent } = readBackupState(rt.config, "scrub") ?? expect.fail();
  await scrub(interrupted);
  expect(read[2]).toBe(afterEvent);
  expect(events.listById(afterEvent, 1000)).toHaveLength(50);
  expect(readBackupState(rt.config, "scrub")).toMatchObject({ finishedAt: rt.now() });
});

test("a scrub reads events in groups with pauses, and notices between two groups that the daemon stops", async () => {
  const rt = createServer(450);
  await createBackup(rt);
  const stopping = new AbortController();
  const { events } = rt.store;
  let reads = 0;
  const paused = withReader(rt, (after, limit) => {
    reads += 1;
    setImmediate(() => stopping.abort());
    return events.listById(after, limit);
  });
  await scrub(paused, stopping.signal);
  expect([reads, isScrubUnfinished(rt)]).toEqual([1, true]);
});

test("a scrub reads everything again within seven days, with one backup a day", async () => {
  const rt = createServer(1);
  await createBackup(rt);
  const startedAt: number[] = [];
  for (let day = 0; day < 21; day++) {
    if (isScrubDue(rt)) {
      startedAt.push(day);
      await scrub(rt);
    }
    rt.advance(DAY_MS);
  }
  expect(startedAt).toEqual([0, 6, 12, 18]);
});

test("a database whose events cannot be read is reported as damaged", async () => {
  const rt = createServer(1);
  await createBackup(rt);
  const damaged = withReader(rt, () => {
    throw new Database.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
  });
  await scrub(damaged);
  expect(codes(rt)).toEqual(["database.damaged"]);
  expect(isScrubUnfinished(rt)).toBe(false);
});
