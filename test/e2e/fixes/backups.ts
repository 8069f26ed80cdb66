import Database from "better-sqlite3";
import {
  appendFileSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CommandResult } from "../../support/cli.ts";
import type { FixCase, Server } from "../../support/fixes.ts";

// These cases are about messages on backups, restores and the master key.

const salon = "--business salon-aurora";
const TILL = `webhooks create --name till --url http://127.0.0.1:9/h --event all --allow-private ${salon}`;

const prints =
  (line: string, text: string | RegExp) =>
  async ({ deskbell }: Server): Promise<void> =>
    expect(await deskbell(line)).toMatch(text);

export const newestBackup = ({ dataDir }: Server): string =>
  globSync(join(dataDir, "backups/*.db")).toSorted().at(-1) ?? "";

const hasBackups = (count: number) => (server: Server) =>
  expect(globSync(join(server.dataDir, "backups/*.db"))).toHaveLength(count);

const cutShort = (path: string) => truncateSync(path, readFileSync(path).length - 4096);

const keyIn = ({ dataDir }: Server) => join(dataDir, "master.key");

/** Takes a backup from the printed list and restores it, as a reader would. */
const restoresFromList = async (
  { deskbell, dataDir }: Server,
  [list]: readonly CommandResult[],
) => {
  const path = /\t(\/\S+\.db)$/m.exec(list?.stdout ?? "")?.[1] ?? "";
  expect(path).toContain(join(dataDir, "backups"));
  expect(await deskbell(`restore ${path} --yes`)).toContain("Restored");
};

/** Overwrites the first page of the events, which SQLite does not read when it opens the file. */
export const damage = ({ dataDir, edit }: Server): void => {
  edit("PRAGMA wal_checkpoint(TRUNCATE)");
  const path = join(dataDir, "deskbell.db");
  const db = new Database(path);
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'event'").pluck().get();
  const size = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(255, ((page as number) - 1) * size, (page as number) * size);
  writeFileSync(path, bytes);
};

export const fixes: FixCase[] = [
  {
    text: "deskbell backup",
    name: "a drill without a backup",
    line: "backup drill",
    outcome: "line succeeds",
  },
  { text: "deskbell backup", name: "doctor", line: "doctor", outcome: hasBackups(1) },
  {
    text: "No backups yet. Create one: deskbell backup",
    line: "backup list",
    outcome: prints("backup list", /\.db/),
  },
  {
    text: "Restore one: deskbell restore FILE",
    given: ["backup"],
    line: async (server) => {
      const printed = await server.deskbell("backup list");
      copyFileSync(newestBackup(server), join(server.folder, "backup.db"));
      return printed;
    },
    fill: { FILE: "backup.db" },
    adds: "--yes",
    outcome: /^Restored backup\.db/m,
  },
  {
    text: "deskbell backup list",
    name: "a missing file",
    given: ["backup"],
    line: "backup verify nope.db",
    outcome: restoresFromList,
  },
  {
    text: "deskbell backup list",
    name: "the live database",
    given: ["backup"],
    line: "restore data/deskbell.db",
    outcome: restoresFromList,
  },
  {
    text: "deskbell backup list, or deskbell restore --help",
    given: ["backup"],
    line: "restore",
    runs: [0, 1],
    outcome: (server, ran) => {
      expect(ran[1]?.stdout).toContain("--newest");
      return restoresFromList(server, ran);
    },
  },
  { text: "deskbell restore --help", line: "restore --fenced", outcome: /--latest/ },
  {
    text: "choose another backup: deskbell backup list; to use this one all the same, delete its line from {}",
    given: ["backup", "backup"],
    line: async (server) => {
      const path = newestBackup(server);
      const sums = join(server.dataDir, "backups/SHA256SUMS");
      const text = readFileSync(sums, "utf8");
      writeFileSync(sums, text.replace(/[0-9a-f]{64}(?=.*\n$)/, "0".repeat(64)));
      const { stderr } = await server.attempt(`restore ${path} --yes`);
      rmSync(path);
      return stderr;
    },
    outcome: restoresFromList,
  },
  {
    text: "choose another backup: deskbell backup list",
    name: "a damaged backup",
    given: ["backup", "backup"],
    line: async (server) => {
      const path = newestBackup(server);
      cutShort(path);
      const { stderr } = await server.attempt(`restore ${path} --yes`);
      rmSync(path);
      return stderr;
    },
    outcome: restoresFromList,
  },
  {
    text: "create a new backup and try that one: deskbell backup && deskbell backup drill",
    given: [TILL, "backup"],
    arrange: (server) => cutShort(newestBackup(server)),
    line: "backup drill",
    runs: [0, 1],
    outcome: "line succeeds",
  },
  {
    text: "stop the daemon and restore an earlier backup: deskbell backup list",
    given: ["backup"],
    arrange: async (server) => {
      await server.deskbell("services update cut --name Trim --business salon-aurora");
      damage(server);
    },
    line: "backup",
    outcome: restoresFromList,
  },
  {
    text: "stop the daemon and restore a backup: deskbell backup list",
    given: ["backup"],
    arrange: damage,
    line: "doctor",
    outcome: restoresFromList,
  },
  {
    text: "put {} back, or restore a backup: deskbell restore --newest",
    given: ["backup"],
    arrange: ({ dataDir }) => {
      for (const path of globSync(join(dataDir, "deskbell.db*"))) rmSync(path);
    },
    line: `services list ${salon}`,
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "put the file back, or deskbell restore {}; or {} to start from scratch",
    given: ["backup"],
    arrange: ({ dataDir }) => {
      for (const path of globSync(join(dataDir, "deskbell.db*"))) rmSync(path);
      writeFileSync(join(dataDir, "deskbell.db"), "");
    },
    line: `services list ${salon}`,
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "deskbell restore {} --untrusted",
    name: "a copy of another server",
    given: [TILL, "backup"],
    line: async (server) => {
      const path = join(server.folder, "old.db");
      copyFileSync(newestBackup(server), path);
      truncateSync(path, readFileSync(path).readUInt16BE(16) * readFileSync(path).readUInt32BE(28));
      return (await server.attempt(`restore ${path} --yes`)).stderr;
    },
    adds: "--yes",
    outcome: /^Restored/m,
  },
  {
    text: "deskbell restore {} --untrusted",
    name: "the newest backup",
    given: [TILL, "backup"],
    arrange: (server) => {
      const path = newestBackup(server);
      truncateSync(path, readFileSync(path).readUInt16BE(16) * readFileSync(path).readUInt32BE(28));
      rmSync(join(server.dataDir, "backups/SHA256SUMS"), { force: true });
    },
    line: "restore --newest --yes",
    adds: "--yes",
    outcome: /^Restored/m,
  },
  {
    text: "its old secret ends again: deskbell keys rotate {}",
    given: [
      `keys create --name portal --scope services.read ${salon}`,
      "backup",
      "keys rotate portal --overlap 0s --yes",
    ],
    line: "restore --newest --yes",
    outcome: /^deskbell_rk_/m,
  },
  {
    text: "install -m 600 FILE {} (a copy of the key), then deskbell backup",
    given: [TILL, "backup --master-key-out copy.key"],
    line: async (server) => {
      rmSync(keyIn(server));
      return (await server.attempt("backup")).stderr;
    },
    before: (server) => copyFileSync(join(server.folder, "copy.key"), keyIn(server)),
    outcome: prints("backup drill", /can be restored/),
  },
  {
    text: "No key in {} decrypts the data of {}, which stay as they are. If you have a copy of their key, add it as this command says: deskbell doctor",
    given: [`bookings create --service cut --start 2026-12-02T11:00 --name Ana ${salon}`],
    arrange: (server) => rmSync(keyIn(server)),
    line: "keys rotate-master",
    fails: true,
    outcome: /^visits\twrong\t.*\tcat FILE >> /m,
  },
  {
    text: "cat FILE >> {} && deskbell keys rotate-master",
    given: [
      `bookings create --service cut --start 2026-12-02T11:00 --name Ana ${salon}`,
      "backup --master-key-out copy.key",
    ],
    arrange: async (server) => {
      rmSync(keyIn(server));
      await server.deskbell("keys rotate-master");
      await server.deskbell(
        `bookings create --service cut --start 2026-12-02T13:00 --name Bo ${salon}`,
      );
    },
    line: "doctor",
    before: (server) =>
      appendFileSync(keyIn(server), readFileSync(join(server.folder, "copy.key"))),
    outcome: "the message is gone",
  },
  {
    text: "copy the master key back to {}; if it is lost, so are the stored guest data; then create a new key: deskbell keys rotate-master",
    given: [`bookings create --service cut --start 2026-12-02T11:00 --name Ana ${salon}`],
    arrange: (server) => rmSync(keyIn(server)),
    line: `bookings create --service cut --start 2026-12-02T13:00 --name Bo ${salon}`,
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "copy the master key back to {}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force{}",
    given: [TILL],
    arrange: (server) => writeFileSync(keyIn(server), `${Buffer.alloc(32).toString("base64")}\n`),
    line: TILL.replace("till", "second").replace("/h", "/2"),
    fill: { ID: "till" },
    outcome: "line succeeds",
  },
  {
    text: "restore the key file of this database: {}; deskbell status lists the affected secrets",
    given: [TILL],
    arrange: (server) => writeFileSync(keyIn(server), `${Buffer.alloc(32).toString("base64")}\n`),
    line: "webhooks test till",
    fails: true,
    outcome: /decrypts no signing secret/,
  },
  {
    text: "restore the key file of this database: {}; if it is lost, remove this one, then give each endpoint a new secret: deskbell webhooks rotate-secret ID --force",
    given: [TILL],
    arrange: (server) => writeFileSync(keyIn(server), "nonsense\n"),
    line: TILL.replace("till", "second").replace("/h", "/2"),
    before: (server) => rmSync(keyIn(server)),
    fill: { ID: "till" },
    outcome: "line succeeds",
  },
  {
    text: "deskbell keys rotate-master, unless a rotation is running now",
    given: [TILL],
    arrange: (server) =>
      appendFileSync(keyIn(server), `${Buffer.alloc(32, 1).toString("base64")}\n`),
    line: "doctor",
    outcome: "the message is gone",
  },
  {
    text: "deskbell backup --master-key-out FILE (on another disk), or deskbell serve --backup-with-key",
    given: [TILL, "backup"],
    line: "doctor",
    fill: { FILE: "copy.key" },
    outcome: "the message is gone",
  },
  {
    text: "The old key is now in {}: restore needs it to decrypt backups made before this rotation, and authenticates no backup with it. When no backup needs it any more, deskbell doctor says so; then delete it: rm {}",
    given: [TILL],
    line: "keys rotate-master",
    fails: true,
    outcome: /no backup that deskbell knows needs the old master key/,
  },
  {
    text: "deskbell restore --latest {} --fenced --untrusted",
    given: [TILL, "backup"],
    arrange: (server) => {
      const copies = join(server.folder, "copies");
      mkdirSync(copies);
      const path = join(copies, newestBackup(server).split("/").at(-1) ?? "");
      copyFileSync(newestBackup(server), path);
      truncateSync(path, readFileSync(path).readUInt16BE(16) * readFileSync(path).readUInt32BE(28));
    },
    line: "restore --latest copies --fenced --yes",
    adds: "--yes",
    outcome: /^Restored/m,
  },
];
