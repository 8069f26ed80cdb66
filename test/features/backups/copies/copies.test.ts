import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createBackup,
  listBackups,
  listBackupsIn,
  pruneBackups,
  verifyBackup,
} from "../../../../src/features/backups/backups.ts";
import { awaitCopy } from "../../../../src/features/backups/copies/await-copy.ts";
import { copyBackup, findUncopiedBackup } from "../../../../src/features/backups/copies/copies.ts";
import { checkBackupDir } from "../../../../src/features/backups/copies/backup-dir.ts";
import { checkBackupCopies } from "../../../../src/features/backups/checks.ts";
import { addToErasureList } from "../../../../src/features/backups/erasure-list.ts";
import {
  forgetBackupState,
  readBackupState,
  saveBackupState,
} from "../../../../src/features/backups/state.ts";
import { forgetHandover, saveHandover } from "../../../../src/features/backups/handover/state.ts";
import { isNewestOfHandover } from "../../../../src/features/backups/upkeep/maintenance.ts";
import type { Runtime } from "../../../../src/app/runtime.ts";
import type { ConfigFlags } from "../../../../src/config.ts";
import { backupName } from "../../../../src/features/backups/store/files.ts";
import { isDaemonRunning, openDatabase } from "../../../../src/store/database/database.ts";
import { createStore } from "../../../../src/store/store.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness, subscribe } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

vi.mock("../../../../src/store/database/database.ts", { spy: true });

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Creates a server with a master key. */
async function createServer(flags: ConfigFlags) {
  const rt = createTestRuntime(flags);
  await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  return rt;
}

const errorsOf = ({ logged }: { logged: { level: string; fields: object }[] }) =>
  logged.filter(({ level }) => level === "error").map(({ fields }) => fields);

const DAEMON = { url: "", startedAt: 0, copiesBackups: true };

const conditionsOf = (rt: Runtime) =>
  checkBackupCopies(rt, listBackups(rt.config)[0]?.createdAt ?? null, DAEMON).map(
    ({ text }) => text,
  );

/** Writes files that have the names of backups. */
const writeNamesOf = (folder: string, times: number[]) =>
  times.forEach((at) => writeFileSync(join(folder, backupName(at)), ""));

test("each backup is copied to --backup-dir and verified, and old copies are deleted there too", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir });
  const nights = Array.from({ length: 9 }, (_, i) => rt.now() - (i + 1) * DAY_MS);
  writeNamesOf(dir, nights);
  const backup = await createBackup(rt);
  await copyBackup(rt, backup);
  expect(errorsOf(rt)).toEqual([]);
  expect(readdirSync(dir).filter((name) => name !== "server-id")).toEqual([
    "SHA256SUMS",
    "counters.json",
    ...nights.slice(0, 6).map(backupName).toReversed(),
    basename(backup.path),
    "erased-guests.txt",
  ]);
  const copy = join(dir, basename(backup.path));
  expect(await verifyBackup(copy)).toMatchObject({ bytes: backup.bytes });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readBackupState(rt.config, "copy")).toMatchObject({
    at: rt.now(),
    createdAt: backup.createdAt,
  });
  // SQLite does not find this damage.
  const bytes = readFileSync(copy);
  bytes.write("Salun", bytes.indexOf("Salon"));
  writeFileSync(copy, bytes);
  await expect(verifyBackup(copy)).rejects.toThrow("its SHA-256 differs from SHA256SUMS");
});

test("a copy that was deleted from --backup-dir, or whose checksum is missing there, is made again", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir });
  const backup = await createBackup(rt);
  const copy = join(dir, basename(backup.path));
  await copyBackup(rt, backup);
  rmSync(copy);
  await copyBackup(rt, backup);
  expect(await verifyBackup(copy)).toMatchObject({ bytes: backup.bytes });
  writeFileSync(copy, "the start of a copy by a process that was killed");
  rmSync(join(dir, "SHA256SUMS"));
  await copyBackup(rt, backup);
  expect(await verifyBackup(copy)).toMatchObject({ bytes: backup.bytes });
});

test("a second backup within one second, which is dated a second ahead, keeps its copy when old copies are deleted", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir });
  await createBackup(rt);
  const { path, createdAt } = await createBackup(rt);
  expect(createdAt).toBe(rt.now() + 1000);
  writeNamesOf(
    dir,
    Array.from({ length: 7 }, (_, i) => rt.now() - i * HOUR_MS),
  );
  await copyBackup(rt, { path, createdAt, bytes: 0 });
  expect(readdirSync(dir)).toContain(basename(path));
});

test("a server neither deletes the copies in the folder of another server nor adds any", async () => {
  const dir = createTempFolder();
  const [first, second] = [
    await createServer({ backupDir: dir }),
    await createServer({ backupDir: dir }),
  ];
  const theirs = await createBackup(first);
  await copyBackup(first, theirs);
  second.advance(60 * DAY_MS);
  await copyBackup(second, await createBackup(second));
  expect(errorsOf(second)).toMatchObject([
    {
      reason: `--backup-dir: ${dir} has the backups of another server.`,
      fix: expect.stringContaining(`rm ${join(dir, "server-id")}`),
    },
  ]);
  expect(listBackupsIn(dir).map(({ path }) => basename(path))).toEqual([basename(theirs.path)]);
  checkBackupDir(first);
  const third = await createServer({ backupDir: dir });
  checkBackupDir(third);
  expect(errorsOf(first)).toEqual([]);
  expect(errorsOf(third)[0]).toMatchObject({
    reason: `--backup-dir: ${dir} has the backups of another server.`,
  });
  // A server that was restored from the copy continues to use the folder.
  const restored = createTestRuntime();
  const file = join(restored.config.dataDir, "restored.db");
  copyFileSync(join(dir, basename(theirs.path)), file);
  const { db, close } = openDatabase(file, 0, null);
  expect(createStore(db).file.getServerId()).toBe(first.store.file.getServerId());
  close();
});

test("hourly backups are deleted except the seven newest and the newest of each of seven days", () => {
  const folder = createTempFolder();
  const newest = Date.parse("2026-11-20T18:00:00Z");
  const hours = Array.from({ length: 24 * 9 }, (_, i) => newest - i * HOUR_MS);
  writeNamesOf(folder, hours);
  pruneBackups(folder, newest);
  expect(listBackupsIn(folder).map(({ createdAt }) => createdAt)).toEqual([
    ...hours.slice(0, 7),
    ...Array.from({ length: 6 }, (_, i) => Date.parse("2026-11-19T23:00:00Z") - i * DAY_MS),
  ]);
});

test("a new backup is kept although earlier backups have a later time from a clock that was ahead", () => {
  const folder = createTempFolder();
  const now = Date.parse("2026-11-20T12:00:00Z");
  const ahead = Array.from({ length: 9 }, (_, i) => now + (9 - i) * HOUR_MS);
  writeNamesOf(folder, [...ahead, now]);
  pruneBackups(folder, now);
  expect(listBackupsIn(folder).map(({ createdAt }) => createdAt)).toEqual([
    ...ahead.slice(0, 6),
    now,
  ]);
});

test("backups with a future time, and the guests in them, are deleted like other backups", () => {
  const folder = createTempFolder();
  const now = Date.parse("2026-11-20T12:00:00Z");
  const nights = Array.from({ length: 7 }, (_, i) => now - i * DAY_MS);
  const ahead = Array.from({ length: 7 }, (_, i) => now + (i + 1) * 365 * DAY_MS);
  writeNamesOf(folder, [...nights, ...ahead]);
  pruneBackups(folder, now);
  expect(listBackupsIn(folder).map(({ createdAt }) => createdAt)).toEqual(nights);
});

test("a copy with a future time does not count as the copy of a new backup", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir });
  await copyBackup(rt, await createBackup(rt));
  rt.shiftClock(-2 * HOUR_MS);
  const backup = await createBackup(rt);
  rmSync(dir, { recursive: true });
  expect(await awaitCopy(rt, backup)).toEqual({
    isCopied: false,
    reason: `--backup-dir: there is no folder ${dir}.`,
  });
});

test("a backup counts as copied even if the daemon copies it, and stops, while a command reads the state", async () => {
  const rt = await createServer({ backupDir: createTempFolder() });
  const backup = await createBackup(rt);
  await copyBackup(rt, backup);
  const copy = readBackupState(rt.config, "copy")!;
  forgetBackupState(rt.config, "copy");
  vi.mocked(isDaemonRunning)
    .mockImplementationOnce(() => true)
    .mockImplementationOnce(() => {
      saveBackupState(rt.config, "copy", copy);
      return false;
    });
  expect(await awaitCopy(rt, backup)).toEqual({ isCopied: true, reason: null });
});

test("a backup that is made after the clock was set back is copied", async () => {
  const rt = await createServer({ backupDir: createTempFolder() });
  const ahead = await createBackup(rt);
  await copyBackup(rt, ahead);
  rt.shiftClock(-2 * HOUR_MS);
  expect(findUncopiedBackup(rt)).toBeUndefined();
  const backup = await createBackup(rt);
  expect(findUncopiedBackup(rt)).toEqual(backup);
  await copyBackup(rt, backup);
  expect(findUncopiedBackup(rt)).toBeUndefined();
});

test("a folder that is missing, or whose disk is no longer mounted, gets no copy until it is back", async () => {
  const dir = join(createTempFolder(), "nas");
  const rt = await createServer({ backupDir: dir });
  const { path, createdAt } = await createBackup(rt);
  const tryCopy = async () => {
    const backup = findUncopiedBackup(rt);
    if (backup) await copyBackup(rt, backup);
    return backup !== undefined;
  };
  expect(await tryCopy()).toBe(true);
  expect(errorsOf(rt)).toMatchObject([{ reason: `--backup-dir: there is no folder ${dir}.` }]);
  const copy = { at: 0, name: "", createdAt: 0, dir, isOtherDisk: true, hasCommand: false };
  saveBackupState(rt.config, "copy", copy);
  mkdirSync(dir);
  expect(await tryCopy()).toBe(false);
  rt.advance(HOUR_MS);
  expect(await tryCopy()).toBe(true);
  expect(errorsOf(rt)[1]).toMatchObject({ reason: expect.stringContaining("was on another disk") });
  expect(readdirSync(dir)).toEqual([]);
  expect(readBackupState(rt.config, "copy-failure")).toMatchObject({
    at: rt.now(),
    since: rt.now() - HOUR_MS,
  });
  saveBackupState(rt.config, "copy", { ...copy, isOtherDisk: false });
  rt.advance(HOUR_MS);
  expect(await tryCopy()).toBe(true);
  expect(readdirSync(dir)).toContain("deskbell-20261120T120000Z.db");
  expect(readBackupState(rt.config, "copy-failure")).toBeNull();
  expect(readBackupState(rt.config, "copy")).toMatchObject({ createdAt });
  expect(await tryCopy()).toBe(false);
  rmSync(path);
});

test("--backup-command gets the environment of the daemon without its settings and secrets", async () => {
  const dir = createTempFolder();
  vi.stubEnv("DESKBELL_SMTP_URL", "smtps://user:password@mail.example.com");
  vi.stubEnv("DESKBELL_API_KEY", "dbk_secret");
  vi.stubEnv("RESTIC_PASSWORD", "of restic");
  onTestFinished(() => void vi.unstubAllEnvs());
  const rt = await createServer({ backupCommand: `env >${dir}/env` });
  await copyBackup(rt, await createBackup(rt));
  const names = readFileSync(join(dir, "env"), "utf8").match(/^\w+(?==)/gm) ?? [];
  expect(names.filter((name) => name.startsWith("DESKBELL_")).toSorted()).toEqual([
    "DESKBELL_BACKUP_ERASURES",
    "DESKBELL_BACKUP_FILE",
    "DESKBELL_BACKUP_KEY",
  ]);
  expect(names).toEqual(expect.arrayContaining(["RESTIC_PASSWORD", "PATH"]));
});

test("--backup-command gets the paths of the backup and the key as variables, not in its text", async () => {
  const dir = createTempFolder();
  const flags = {
    dataDir: join(createTempFolder(), "a; touch '$(pwd)'"),
    backupDir: dir,
    backupCommand: `printf '%s\\n' "$DESKBELL_BACKUP_FILE" "$DESKBELL_BACKUP_KEY" >${dir}/paths`,
  };
  const rt = await createServer(flags);
  const backup = await createBackup(rt);
  await copyBackup(rt, backup);
  expect(errorsOf(rt)).toEqual([]);
  expect(readFileSync(join(dir, "paths"), "utf8")).toBe(`${backup.path}\n\n`);
  const withKey = {
    ...rt,
    config: { ...rt.config, backups: { ...rt.config.backups, withKey: true } },
  };
  await copyBackup(withKey, backup);
  expect(readFileSync(join(dir, "paths"), "utf8")).toBe(
    `${backup.path}\n${rt.config.masterKeyPath}\n`,
  );
  const key = readdirSync(dir).find((name) => name.startsWith("master-")) ?? "";
  expect(readFileSync(join(dir, key))).toEqual(readFileSync(rt.config.masterKeyPath));
  expect(statSync(join(dir, key)).mode & 0o777).toBe(0o600);
});

test.each([
  {
    name: "fails",
    command: `echo "$(printf 'not found\\033[2J')" >&2; exit 3`,
    reason: "--backup-command exited with code 3: not found\u001b[2J.",
  },
  {
    name: "writes a lot and fails",
    command: "printf 'first%0500d' 7 >&2; exit 3",
    reason: `--backup-command exited with code 3: ${"7".padStart(400, "0")}.`,
  },
  {
    name: "does not end",
    command: "sleep 60 & wait",
    reason: "--backup-command took too long.",
  },
  {
    name: "is killed",
    command: "kill -9 $$",
    reason: "--backup-command was ended by SIGKILL.",
  },
])(
  "a --backup-command that $name is logged and recorded with the end of its stderr",
  async (given) => {
    const rt = await createServer({ backupCommand: given.command });
    const isCopied = await copyBackup(rt, await createBackup(rt), {
      timeoutMs: given.name === "does not end" ? 100 : 5000,
    });
    expect(isCopied).toBe(false);
    expect(errorsOf(rt)).toMatchObject([{ reason: given.reason }]);
    expect(readBackupState(rt.config, "copy")).toBeNull();
    expect(readBackupState(rt.config, "copy-failure")).toMatchObject({ reason: given.reason });
  },
);

/** Returns a --backup-command that counts its runs, and a function that returns the number. */
function countRuns(end: string) {
  const file = join(createTempFolder(), "runs");
  const runs = () => (existsSync(file) ? readFileSync(file, "utf8").length : 0);
  return { backupCommand: `printf x >>${file}; ${end}`, runs };
}

test("a --backup-command gets each backup only once, even if the copy to --backup-dir fails and is tried again", async () => {
  const dir = join(createTempFolder(), "nas");
  const { backupCommand, runs } = countRuns("exit 0");
  const rt = await createServer({ backupDir: dir, backupCommand });
  const backup = await createBackup(rt);
  for (let tries = 0; tries < 2; tries++) {
    expect(findUncopiedBackup(rt)).toEqual(backup);
    expect(await copyBackup(rt, backup)).toBe(false);
    expect(findUncopiedBackup(rt)).toBeUndefined();
    rt.advance(HOUR_MS);
  }
  expect(errorsOf(rt)).toMatchObject([
    { reason: `--backup-dir: there is no folder ${dir}.` },
    { reason: `--backup-dir: there is no folder ${dir}.` },
  ]);
  expect([runs(), readBackupState(rt.config, "copy")]).toEqual([1, null]);
  expect(conditionsOf(rt)[0]).toMatch(
    /^no backup has reached both --backup-dir and --backup-command since \S+: --backup-dir: there is no folder/,
  );
  mkdirSync(dir);
  expect(await copyBackup(rt, backup)).toBe(true);
  expect(readBackupState(rt.config, "copy")).toMatchObject({ dir, hasCommand: true });
  expect([runs(), findUncopiedBackup(rt), conditionsOf(rt)]).toEqual([1, undefined, []]);
  await copyBackup(rt, await createBackup(rt));
  expect(runs()).toBe(2);
});

test("a --backup-command that failed is tried again each hour, even if the list of erased guests is copied each minute", async () => {
  const dir = createTempFolder();
  const { backupCommand, runs } = countRuns("exit 3");
  const rt = await createServer({ backupDir: dir, backupCommand });
  const backup = await createBackup(rt);
  expect(await copyBackup(rt, backup)).toBe(false);
  expect(errorsOf(rt)).toMatchObject([{ reason: "--backup-command exited with code 3." }]);
  expect(readdirSync(dir)).toContain(basename(backup.path));
  rt.advance(MINUTE_MS);
  addToErasureList(rt.config, ["bkg_1"]);
  expect(findUncopiedBackup(rt)).toEqual(backup);
  expect(await copyBackup(rt, backup)).toBe(false);
  expect(readFileSync(join(dir, "erased-guests.txt"), "utf8")).toContain("bkg_1");
  expect([runs(), findUncopiedBackup(rt)]).toEqual([1, undefined]);
  rt.advance(HOUR_MS);
  expect(findUncopiedBackup(rt)).toEqual(backup);
  await copyBackup(rt, backup);
  expect(runs()).toBe(2);
});

test("the reason of a failed copy names --backup-dir and --backup-command if both failed", async () => {
  const dir = join(createTempFolder(), "nas");
  const rt = await createServer({ backupDir: dir, backupCommand: "exit 3" });
  const backup = await createBackup(rt);
  expect(await awaitCopy(rt, backup)).toEqual({
    isCopied: false,
    reason: `--backup-dir: there is no folder ${dir}; --backup-command exited with code 3.`,
  });
  await copyBackup(rt, backup);
  expect(conditionsOf(rt)[0]).toMatch(
    /^no backup has reached both --backup-dir and --backup-command since .*--backup-dir: .*; --backup-command exited/,
  );
});

test("a backup whose copy to --backup-dir failed while the daemon stopped is passed to --backup-command after the start", async () => {
  const { backupCommand, runs } = countRuns("exit 0");
  const backupDir = join(createTempFolder(), "nas");
  const rt = await createServer({ backupDir, backupCommand });
  const backup = await createBackup(rt);
  expect(await copyBackup(rt, backup, { isLast: true })).toBe(false);
  expect([runs(), findUncopiedBackup(rt)]).toEqual([0, backup]);
  await copyBackup(rt, backup);
  expect([runs(), findUncopiedBackup(rt)]).toEqual([1, undefined]);
});

test("a server that another one has replaced passes no backup to --backup-command", async () => {
  const dir = createTempFolder();
  const { backupCommand, runs } = countRuns("exit 0");
  const rt = await createServer({ backupDir: dir, backupCommand });
  writeFileSync(join(dir, "epoch-1"), "taken over at 2026-11-20T12:00:00Z by /data on other\n");
  expect(await copyBackup(rt, await createBackup(rt))).toBe(false);
  expect(errorsOf(rt)).toMatchObject([
    { reason: expect.stringMatching(/^--backup-dir: Another server has taken over/) },
  ]);
  expect([runs(), findUncopiedBackup(rt)]).toEqual([0, undefined]);
});

test("a stop of the daemon ends a copy, records no failure, and starts no --backup-command", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir, backupCommand: `touch ${dir}/started` });
  const stopping = new AbortController();
  const copying = copyBackup(rt, await createBackup(rt), { signal: stopping.signal });
  stopping.abort();
  await copying;
  expect(readdirSync(dir)).toEqual(["counters.json", "erased-guests.txt", "server-id"]);
  expect([errorsOf(rt), readBackupState(rt.config, "copy")]).toEqual([[], null]);
});

test("a copy that fails twice is a health condition, until a backup is copied", async () => {
  const dir = join(createTempFolder(), "nas");
  const rt = await createServer({ backupDir: dir });
  const backup = await createBackup(rt);
  for (const count of [0, 1]) {
    await copyBackup(rt, backup);
    expect(conditionsOf(rt)).toHaveLength(count);
    rt.advance(60_000);
  }
  expect(conditionsOf(rt)[0]).toContain(`--backup-dir: there is no folder ${dir}`);
  mkdirSync(dir);
  expect(await copyBackup(rt, backup)).toBe(true);
  expect(conditionsOf(rt)).toEqual([]);
});

test("a copy that fails once is a health condition after an hour", async () => {
  const rt = await createServer({ backupCommand: "no-such-program" });
  await copyBackup(rt, await createBackup(rt));
  rt.advance(HOUR_MS - 1);
  expect(conditionsOf(rt)).toEqual([]);
  rt.advance(1);
  expect(conditionsOf(rt)[0]).toContain("--backup-command exited with code 127");
});

test("a --backup-dir that cannot be used is a health condition before the first backup is made", async () => {
  const dir = join(createTempFolder(), "nas");
  const rt = await createServer({ backupDir: dir });
  mkdirSync(rt.config.backupFolder);
  for (const count of [0, 1]) {
    checkBackupDir(rt);
    expect(conditionsOf(rt)).toHaveLength(count);
  }
  mkdirSync(dir);
  checkBackupDir(rt);
  expect(conditionsOf(rt)).toEqual([]);
});

test("a backup of a cancelled handover is not copied, because its copy could be restored without --fenced", async () => {
  const rt = await createServer({ backupDir: createTempFolder() });
  const earlier = await createBackup(rt);
  saveHandover(rt.config, { state: "begun", to: createTempFolder(), at: rt.now() });
  const last = await createBackup(rt);
  expect([findUncopiedBackup(rt), isNewestOfHandover(rt)]).toEqual([last, false]);
  forgetHandover(rt.config);
  // The newest backup belongs to the cancelled handover, so the list of erased guests is copied
  // with the earlier one.
  expect([findUncopiedBackup(rt), isNewestOfHandover(rt)]).toEqual([earlier, true]);
  const next = await createBackup(rt);
  expect([findUncopiedBackup(rt), isNewestOfHandover(rt)]).toEqual([next, false]);
});

test("a changed --backup-command gets the newest backup at once", async () => {
  const wrong = await createServer({ backupCommand: "no-such-program" });
  const backup = await createBackup(wrong);
  await copyBackup(wrong, backup);
  expect(findUncopiedBackup(wrong)).toBeUndefined();
  const withCommand = (command: string) => ({
    ...wrong,
    config: { ...wrong.config, backups: { ...wrong.config.backups, command } },
  });
  const right = withCommand("exit 0");
  expect(findUncopiedBackup(right)).toEqual(backup);
  expect(await copyBackup(right, backup)).toBe(true);
  expect(findUncopiedBackup(right)).toBeUndefined();
  expect(findUncopiedBackup(withCommand("exit 1"))).toEqual(backup);
});

test("the result of a copy that version 0.2 has stored counts only for the --backup-dir that it names", async () => {
  const dir = createTempFolder();
  const rt = await createServer({ backupDir: dir });
  const backup = await createBackup(rt);
  const name = basename(backup.path);
  const { createdAt } = backup;
  const copy = { at: rt.now(), name, createdAt, isOtherDisk: false, hasCommand: false };
  saveBackupState(rt.config, "copy", { ...copy, dir: createTempFolder() });
  expect(findUncopiedBackup(rt)).toEqual(backup);
  saveBackupState(rt.config, "copy", { ...copy, dir });
  expect(findUncopiedBackup(rt)).toBeUndefined();
  forgetBackupState(rt.config, "copy");
  const failure = { at: rt.now(), since: rt.now(), reason: "it failed", isErasureListLate: false };
  saveBackupState(rt.config, "copy-failure", { ...failure, name });
  expect(findUncopiedBackup(rt)).toBeUndefined();
  rt.advance(HOUR_MS);
  expect(findUncopiedBackup(rt)).toEqual(backup);
});
