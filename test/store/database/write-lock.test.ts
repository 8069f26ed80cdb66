import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createWriteLock, isBusy, LOCK_BREAK_MS } from "../../../src/store/database/write-lock.ts";
import { createTempFolder } from "../../support/cli.ts";

afterEach(() => void vi.restoreAllMocks());

/**
 * Opens two connections to one file. `waits` records how long the write lock waits each time (ms).
 * A wait takes no real time: it advances the clock of the lock, calls `onWait` and ends.
 */
function openTwice(timeoutMs: number, onWait: () => void = () => {}) {
  const path = join(createTempFolder(), "file.db");
  const [db, other] = [new Database(path, { timeout: timeoutMs }), new Database(path)];
  db.pragma("journal_mode = WAL");
  onTestFinished(() => [db, other].forEach((connection) => void connection.close()));
  let now = 0;
  const waits: number[] = [];
  vi.spyOn(Atomics, "wait").mockImplementation((_array, _index, _value, ms) => {
    waits.push(Number(ms));
    now += Number(ms);
    onWait();
    return "timed-out";
  });
  const lock = createWriteLock(db, timeoutMs, () => now);
  /** Runs a transaction that takes `ms`. */
  const write = (ms: number): void => {
    lock.begin();
    now += ms;
    db.exec("COMMIT");
    lock.released();
  };
  return { db, other, waits, write, pass: (ms: number) => void (now += ms) };
}

test("a waiting writer tries every millisecond, however long it has waited", () => {
  const { other, waits, write } = openTwice(5000, () => {
    if (waits.length === 300) other.exec("COMMIT");
  });
  other.exec("BEGIN IMMEDIATE");
  write(1);
  expect(waits).toEqual(Array(300).fill(1));
});

test("a writer fails as busy after its timeout, and immediately if it has none", () => {
  for (const timeoutMs of [100, 0]) {
    const { db, other, waits, write } = openTwice(timeoutMs);
    other.exec("BEGIN IMMEDIATE");
    expect(() => write(1)).toThrow(expect.toSatisfy(isBusy));
    expect(waits).toHaveLength(timeoutMs);
    expect(db.pragma("busy_timeout", { simple: true })).toBe(timeoutMs);
  }
});

test("a connection that writes without a pause lets other writers in after every 8 ms", () => {
  const { waits, write } = openTwice(5000);
  for (let i = 0; i < 16; i++) write(3);
  expect(waits).toEqual(Array(5).fill(LOCK_BREAK_MS));
});

test("a connection that pauses by itself does not wait between its writes", () => {
  const { waits, write, pass } = openTwice(5000);
  for (let i = 0; i < 16; i++) {
    write(20);
    pass(LOCK_BREAK_MS);
  }
  expect(waits).toEqual([]);
});

test("a connection without a busy timeout does not pause between its writes for other writers", () => {
  const { waits, write } = openTwice(0);
  for (let i = 0; i < 16; i++) write(20);
  expect(waits).toEqual([]);
});
