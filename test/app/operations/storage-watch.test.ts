import { renameSync } from "node:fs";
import { expect, test } from "vitest";
import { createStorageWatch } from "../../../src/app/operations/storage-watch.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import type { Alert } from "../../../src/app/webhooks/alerts.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** A runtime on a disk whose free space the test sets. */
function createWatch() {
  const rt = createTestRuntime();
  let free = 10_000 * MB;
  rt.freeBytes = () => free;
  const alerts: Alert[] = [];
  const watch = createStorageWatch(rt, (alert) => alerts.push(alert));
  const codes = () =>
    readStatus(rt).problems.flatMap(({ code }) => (code === "daemon.stopped" ? [] : code));
  const at = (megabytes: number): void => {
    free = megabytes * MB;
    watch();
  };
  return { rt, at, watch, codes, alerts: () => alerts.map(({ type }) => type) };
}

test("a disk that fills up raises storage.low and then storage.full, each once an hour", () => {
  const { rt, at, codes, alerts } = createWatch();
  at(10_000);
  expect([codes(), alerts()]).toEqual([[], []]);
  at(476);
  at(400);
  expect([codes(), alerts()]).toEqual([["storage.low"], ["storage.low"]]);
  at(63);
  expect([codes(), alerts()]).toEqual([["storage.full"], ["storage.low", "storage.full"]]);
  at(10_000);
  at(63);
  expect(alerts()).toHaveLength(2);
  expect(rt.logged.map(({ level }) => level)).toEqual(["info", "warn"]);
  at(10_000);
  rt.advance(HOUR_MS);
  at(63);
  expect(alerts()).toEqual(["storage.low", "storage.full", "storage.full"]);
});

test("a deleted database raises storage.gone and refuses writes until it is back", () => {
  const { rt, watch, codes, alerts } = createWatch();
  const { databasePath } = rt.config;
  renameSync(databasePath, `${databasePath}.away`);
  watch();
  expect([codes(), alerts()]).toEqual([["storage.gone"], ["storage.gone"]]);
  expect(() => rt.tx(() => {})).toThrow(
    expect.objectContaining({ code: "storage_failed", fix: expect.stringContaining("restore") }),
  );
  renameSync(`${databasePath}.away`, databasePath);
  watch();
  expect(codes()).toEqual([]);
  expect(rt.tx(() => "written")).toBe("written");
});
