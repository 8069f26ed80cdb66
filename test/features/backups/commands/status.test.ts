import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunningShop } from "../../../support/running-shop.ts";

test("status prints the newest backup, or that there is none", async () => {
  const { deskbell, lock } = await createRunningShop();
  expect((await deskbell("status")).stdout).toContain(
    "\nlast backup\tnone\t\nlast copy\tnone\t\nlast drill\tnone\t\n",
  );
  const made = await deskbell("backup");
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("encrypted with") });
  const [, path = "", bytes] = /^path\t(.*)\nbytes\t(\d+)\ncreated\t/.exec(made.stdout) ?? [];
  expect(statSync(path).size).toBe(Number(bytes));
  const { stdout } = await deskbell("status --json");
  expect(JSON.parse(stdout)).toMatchObject({ data: { lastBackup: { path }, problems: [] } });
  lock.release();
});

test("status prints the reason of a failed backup without control characters, until the next backup", async () => {
  const { deskbell, dataDir, rt, lock } = await createRunningShop();
  await deskbell("backup");
  writeFileSync(
    join(dataDir, "backups/last-failure.json"),
    JSON.stringify({ at: rt.now(), reason: "the moon\u001b[2J" }),
  );
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringContaining(
      "\nproblem\tthe backup of 2026-11-20T12:00:00Z failed: the moon␛[2J\tdeskbell backup\n",
    ),
  });
  const { data } = JSON.parse((await deskbell("status --json")).stdout);
  expect(data.problems).toMatchObject([
    { code: "backup.failed", severity: "warning", about: "backup" },
  ]);
  await deskbell("backup");
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  lock.release();
});

test("status reports that a daemon has run for two days without a backup", async () => {
  const { rt, deskbell, lock } = await createRunningShop();
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  rt.tx(() => rt.store.daemon.save({ url: "http://127.0.0.1:4100", startedAt: daysAgo(1.9) }));
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  rt.tx(() => rt.store.daemon.save({ url: "http://127.0.0.1:4100", startedAt: daysAgo(2.1) }));
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("there is no backup yet (running since "),
  });
  await deskbell("backup");
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  lock.release();
});
