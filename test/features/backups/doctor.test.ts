import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStatus } from "../../../src/app/operations/status.ts";
import { doctor } from "../../../src/features/backups/doctor.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer, type RunningServer } from "../../support/conditions.ts";
import { edit } from "../../support/edit-database.ts";
import { followAdvice } from "./injections.ts";

const DAY_MS = 86_400_000;

async function createHealthyServer(): Promise<RunningServer> {
  const rt = await createRunningServer();
  followAdvice(rt);
  return rt;
}

/** Returns the findings about backups, the open conditions included. */
function listFindings(rt: RunningServer) {
  const status = readStatus(rt, CHECKS);
  const conditions = status.problems.map(({ text, command }) => ({ text, fix: command }));
  return doctor
    .flatMap(({ inspect }) => inspect(rt, status, conditions).findings)
    .map(({ text, fix, isAdvice = false }) => ({ text, fix, isAdvice }));
}

const deleteBackups = ({ config }: RunningServer) =>
  rmSync(config.backupFolder, { recursive: true });

test("doctor has no findings about backups that are copied to another place", async () => {
  expect(listFindings(await createHealthyServer())).toEqual([]);
});

test.each([
  {
    what: "backups that are only on this machine",
    provoke: (rt: RunningServer) => edit(rt, "UPDATE daemon SET copies_backups = 0"),
    text: /^all backups are on this machine: /,
    fix: /--backup-dir FOLDER .*, or --backup-command COMMAND/,
    isAdvice: true,
  },
  {
    what: "a master key without a known copy",
    provoke: (rt: RunningServer) => rmSync(join(rt.config.backupFolder, "last-key-copy.json")),
    text: /^no copy of the master key is known: /,
    fix: /^deskbell backup --master-key-out FILE .* --backup-with-key$/,
    isAdvice: true,
  },
  {
    what: "a server without a backup",
    provoke: deleteBackups,
    text: /^there is no backup yet$/,
    fix: /^deskbell backup$/,
    isAdvice: true,
  },
  {
    what: "data that a restore replaced, and the day on which they are deleted",
    provoke: ({ config }: RunningServer) =>
      writeFileSync(`${config.databasePath}.before-restore-20261110T080000000Z`, ""),
    text: /\.before-restore-\w+, which a restore replaced, .*; it is deleted on 2026-12-10$/,
    fix: /^rm \S+\.before-restore-\w+, if nobody needs the data from before the restore$/,
    isAdvice: true,
  },
  {
    what: "free space that may have guests that version 0.2 has erased",
    provoke: (rt: RunningServer) => edit(rt, "UPDATE server SET has_old_space = 1"),
    text: /^the free space of \S+ may still have guests that version 0\.2 has erased, until /,
    fix: /^keep the daemon running, with free disk space of twice the size of the file$/,
    isAdvice: true,
  },
  {
    what: "no backup in the three days since the daemon started",
    provoke: (rt: RunningServer) => {
      deleteBackups(rt);
      edit(rt, `UPDATE daemon SET started_at = started_at - ${3 * DAY_MS}`);
    },
    text: /^there is no backup yet \(running since 2026-11-17T12:00:00Z\)$/,
    fix: /^deskbell backup$/,
    isAdvice: false,
  },
  {
    what: "no backup for three days",
    provoke: (rt: RunningServer) => rt.advance(3 * DAY_MS),
    text: /^there has been no backup since 2026-11-20T12:00:00Z$/,
    fix: /^deskbell backup$/,
    isAdvice: false,
  },
])("doctor reports $what, with the command that fixes it", async (scenario) => {
  const { provoke, text, fix, isAdvice } = scenario;
  const rt = await createHealthyServer();
  provoke(rt);
  expect(listFindings(rt)).toEqual([
    { text: expect.stringMatching(text), fix: expect.stringMatching(fix), isAdvice },
  ]);
});
