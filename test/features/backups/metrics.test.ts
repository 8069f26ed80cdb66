import { expect, test } from "vitest";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { copyTimes, metrics } from "../../../src/features/backups/metrics.ts";
import { saveBackupState } from "../../../src/features/backups/state.ts";
import { createTestApi } from "../../http/support/api.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { asOperator } from "../../support/operator.ts";

test("the metrics have the time of the last backup, the age of its copy, and the interval", async () => {
  const api = createTestApi();
  const daemon = { url: "http://127.0.0.1:1", startedAt: api.now(), backupEveryMs: 300_000 };
  api.tx(() => api.store.daemon.save(daemon));
  await createBackup(api);
  const copy = { at: api.now(), name: "", createdAt: api.now() - 90_000 };
  const where = { dir: null, isOtherDisk: false, hasCommand: true };
  saveBackupState(api.config, "copy", { ...copy, ...where });
  const metrics = await (await api.request("/metrics", asOperator(api))).text();
  const names = /^deskbell_(?:backup_(?:last_success|interval)|copy_age).*$/gm;
  expect(metrics.match(names)).toEqual([
    `deskbell_backup_last_success_timestamp_seconds ${api.now() / 1000}`,
    "deskbell_copy_age_seconds 90",
    "deskbell_backup_interval_seconds 300",
  ]);
});

test("the bytes that copies take a day are known once a backup was made and copied", async () => {
  const rt = createTestRuntime();
  const perDay = () => copyTimes.map((read) => read(rt).copyBytesPerDay);
  const saveCopy = () => {
    const copy = { at: rt.now(), name: "", createdAt: rt.now() };
    saveBackupState(rt.config, "copy", {
      ...copy,
      dir: null,
      isOtherDisk: false,
      hasCommand: true,
    });
  };
  expect(perDay()).toEqual([undefined]);
  const { bytes } = await createBackup(rt);
  expect(perDay()).toEqual([undefined]);
  saveCopy();
  const [known] = perDay();
  expect(known).toBeGreaterThanOrEqual(bytes);
  expect(known! % bytes).toBe(0);
});

test("the metrics of a server without backups have 0 as the time of the last backup, copy and drill", () => {
  const rt = createTestRuntime();
  const text = metrics.flatMap((format) => format(rt)).join("\n");
  expect(text.match(/^deskbell_(?:backup_last|copy_age)_\S+ .*$/gm)).toEqual([
    "deskbell_backup_last_success_timestamp_seconds 0",
    "deskbell_backup_last_copy_timestamp_seconds 0",
    "deskbell_backup_last_drill_timestamp_seconds 0",
  ]);
});
