import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { deleteMovedBusiness } from "../../../../src/app/moved-businesses.ts";
import { copyBackup } from "../../../../src/features/backups/copies/copies.ts";
import { createBackup, listBackupsIn } from "../../../../src/features/backups/backups.ts";
import {
  checkBackupsOfMoved,
  deleteBackupsOfMoved,
} from "../../../../src/features/backups/upkeep/backups-of-moved.ts";
import { runMaintenance } from "../../../../src/features/backups/upkeep/maintenance.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Creates a server with two businesses, one of which moves. A backup and its copy are from before
 * the move.
 */
async function createServer() {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  addBusiness(rt, "stays");
  const moves = addBusiness(rt, "moves");
  const backup = await createBackup(rt);
  await copyBackup(rt, backup);
  const earlier = [backup.path, join(dir, basename(backup.path))] as const;
  rt.advance(MINUTE_MS);
  deleteMovedBusiness(rt, moves);
  const listLeft = () => earlier.filter((file) => existsSync(file));
  return { rt, dir, earlier, listLeft };
}

test("`doctor` names backups from before a business moved, and their copies, for 30 days; then they are deleted", async () => {
  const { rt, earlier, listLeft } = await createServer();
  rt.advance(29 * DAY_MS);
  await runMaintenance(rt, { backUp: true });
  expect(listLeft()).toEqual(earlier);
  const findings = checkBackupsOfMoved(rt);
  expect(findings).toMatchObject([
    {
      text: expect.stringMatching(
        /^2 backups from before moves moved to another server.*2026-12-20/,
      ),
      fix: `rm ${earlier.join(" ")}, if nobody needs the data from before the move`,
    },
  ]);
  rt.advance(DAY_MS);
  await runMaintenance(rt, { backUp: true });
  expect(listLeft()).toEqual([]);
  expect(checkBackupsOfMoved(rt)).toEqual([]);
  expect(listBackupsIn(rt.config.backupFolder)).toHaveLength(2);
  const deleted = rt.logged.filter(({ message }) => message.startsWith("deleted a backup"));
  expect(deleted.map(({ fields }) => fields["path"])).toEqual(earlier);
});

test("all backups from before a business moved are deleted even if another process deletes one meanwhile", async () => {
  const { rt, earlier, listLeft } = await createServer();
  rt.advance(31 * DAY_MS);
  await copyBackup(rt, await createBackup(rt));
  const deletion = deleteBackupsOfMoved(rt);
  // The deletion now verifies the newer backup, which takes long for a large one.
  rmSync(earlier[0]);
  await deletion;
  expect(listLeft()).toEqual([]);
});

test("backups from before a business moved stay until their folder has an intact backup from after the move", async () => {
  const { rt, dir, earlier, listLeft } = await createServer();
  rt.advance(31 * DAY_MS);
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual(earlier);
  const { path } = await createBackup(rt);
  appendFileSync(path, "damage");
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual(earlier);
  rt.advance(MINUTE_MS);
  await createBackup(rt);
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual([earlier[1]]);
  await runMaintenance(rt, { backUp: true });
  expect(listLeft()).toEqual([]);
  expect(readdirSync(dir).filter((name) => name.endsWith(".db"))).toHaveLength(1);
});

test("a backup with a future time counts as older than the move of a business, and is deleted", async () => {
  const { rt, earlier, listLeft } = await createServer();
  const { backupFolder } = rt.config;
  const ahead = join(backupFolder, "deskbell-20300101T000000Z.db");
  copyFileSync(earlier[0], ahead);
  rt.advance(31 * DAY_MS);
  expect(checkBackupsOfMoved(rt)[0]?.fix).toContain(ahead);
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual(earlier);
  const { path } = await createBackup(rt);
  await deleteBackupsOfMoved(rt);
  expect(listBackupsIn(backupFolder).map((backup) => backup.path)).toEqual([path]);
});

test("backups with a business that moved away and came back are kept", async () => {
  const { rt, earlier, listLeft } = await createServer();
  addBusiness(rt, "moves");
  rt.advance(31 * DAY_MS);
  await runMaintenance(rt, { backUp: true });
  expect(listLeft()).toEqual(earlier);
  expect(checkBackupsOfMoved(rt)).toEqual([]);
});

test("backups in the folder of another server are not deleted after a business has moved", async () => {
  const { rt, dir, earlier, listLeft } = await createServer();
  writeFileSync(join(dir, "server-id"), "0123456789abcdef\n");
  rt.advance(31 * DAY_MS);
  const { path } = await createBackup(rt);
  copyFileSync(path, join(dir, basename(path)));
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual([earlier[1]]);
  expect(checkBackupsOfMoved(rt)).toEqual([]);
});

test("backups from before a business moved are deleted in the backup folder even if --backup-dir cannot be read", async () => {
  const { rt, dir, earlier, listLeft } = await createServer();
  rt.advance(31 * DAY_MS);
  await createBackup(rt);
  rmSync(join(dir, "server-id"));
  mkdirSync(join(dir, "server-id"));
  expect(checkBackupsOfMoved(rt)).toHaveLength(1);
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual([earlier[1]]);
});

test("a server that was replaced by a takeover deletes no copies", async () => {
  const { rt, dir, earlier, listLeft } = await createServer();
  rt.advance(31 * DAY_MS);
  await copyBackup(rt, await createBackup(rt));
  writeFileSync(join(dir, "epoch-1"), "another server\n");
  await deleteBackupsOfMoved(rt);
  expect(listLeft()).toEqual([earlier[1]]);
  expect(rt.logged.at(-1)?.message).toContain("could not be deleted");
});
