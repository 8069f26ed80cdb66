import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "vitest";
import { listBackups, verifyBackup } from "../../../src/features/backups/backups.ts";
import { readMigrations } from "../../../src/platform/assets.ts";
import { readConfig } from "../../../src/config.ts";
import { createTerminal } from "../cli.ts";
import { findDamage, listLost } from "./oracle.ts";

/** A command that changes the data, and the effects it must have when it exits with 0. */
export type WritingCommand = {
  template: "empty" | "salon" | "subscribed" | "edited" | "old";
  args: (dataDir: string, files: string) => string[];
  /** Returns the effects that are missing. */
  listMissing: (dataDir: string, stdout: string) => string[] | Promise<string[]>;
  /** Returns what the command must keep, whatever its exit code, but has lost. */
  listLost?: (dataDir: string) => string[];
};

export const CONTENTS: Record<WritingCommand["template"], string[]> = {
  empty: [],
  salon: ["business salon-aurora", "price 9100"],
  subscribed: ["business salon-aurora", "price 9100"],
  edited: ["business salon-aurora", "price 9100"],
  old: ["business old-shop"],
};

const OLD_SCHEMA = 30;
const dataOf = (stdout: string) =>
  (JSON.parse(stdout) as { data: { id: string; last4?: string } }).data;
const hasPrice = (cents: number) => (dataDir: string) => listLost(dataDir, [`price ${cents}`]);
const hasRow = (table: string) => (dataDir: string, stdout: string) =>
  listLost(dataDir, [`${table} ${dataOf(stdout).id}`]);
const isRestored = (dataDir: string) => listLost(dataDir, ["price 9200"]).length > 0;
const backupsOf = (dataDir: string) => listBackups(readConfig({ dataDir }, {}));

export const WRITING_COMMANDS: Record<string, WritingCommand> = {
  "keys create": {
    template: "salon",
    args: () => ["keys", "create", "--name", "site", "--secret", "--json"],
    listMissing: hasRow("api_key"),
  },
  "webhooks create": {
    template: "salon",
    args: () =>
      "webhooks create --name a --url https://93.184.215.14/ --event all --json".split(" "),
    listMissing: hasRow("endpoint"),
  },
  seed: {
    template: "empty",
    args: () => ["seed", "salon"],
    listMissing: (dataDir) => listLost(dataDir, ["business salon-aurora"]),
  },
  "services update": {
    template: "subscribed",
    args: () => ["services", "update", "beard-trim", "--price", "92.00"],
    listMissing: hasPrice(9200),
  },
  "catalog apply": {
    template: "subscribed",
    args: (_, files) => ["catalog", "apply", join(files, "catalog.yaml"), "--yes"],
    listMissing: hasPrice(9300),
  },
  "catalog import": {
    template: "subscribed",
    args: (_, files) => ["catalog", "import", "csv", join(files, "prices.csv"), "--yes"],
    listMissing: hasPrice(9400),
  },
  "catalog export": {
    template: "salon",
    args: (dataDir) => ["catalog", "export", "--out", join(dataDir, "export.yaml")],
    listMissing: (dataDir) =>
      /beard-trim[^]*\n$/.test(readFileSync(join(dataDir, "export.yaml"), "utf8"))
        ? []
        : ["the file"],
  },
  "keys rotate": {
    template: "edited",
    args: () => ["keys", "rotate", "site", "--json"],
    listMissing: (dataDir, stdout) => listLost(dataDir, [`secret ...${dataOf(stdout).last4}`]),
  },
  "keys rotate-master": {
    template: "edited",
    args: () => ["keys", "rotate-master"],
    listMissing: (dataDir) => listLost(dataDir, []),
  },
  "webhooks rotate-secret": {
    template: "edited",
    args: () => ["webhooks", "rotate-secret", "site", "--force", "--json"],
    listMissing: (dataDir) => listLost(dataDir, ["2 signing secrets"]),
  },
  "bookings create": {
    template: "subscribed",
    args: (_, files) => readFileSync(join(files, "booking"), "utf8").split(" "),
    listMissing: hasRow("booking"),
  },
  backup: {
    template: "salon",
    args: () => ["backup"],
    async listMissing(dataDir) {
      const [newest] = backupsOf(dataDir);
      if (newest === undefined) return ["the backup"];
      return verifyBackup(newest.path).then(
        () => [],
        (error: unknown) => [String(error)],
      );
    },
  },
  restore: {
    template: "edited",
    args: (dataDir) => ["restore", backupsOf(dataDir)[0]?.path ?? "", "--yes"],
    listMissing: (dataDir) => (isRestored(dataDir) ? [] : ["the restore"]),
    listLost(dataDir) {
      if (!isRestored(dataDir)) return [];
      const copy = readdirSync(dataDir).find((name) => /before-restore-\w+$/.test(name));
      return copy === undefined ? ["the copy"] : findDamage(join(dataDir, copy), ["price 9200"]);
    },
  },
  migration: {
    template: "old",
    args: () => ["businesses", "list"],
    listMissing: (dataDir) => (backupsOf(dataDir).length === 0 ? ["the backup"] : []),
  },
};

const SUBSCRIBE = "webhooks create --name site --url https://93.184.215.14/ --event all";

/** Creates the data folders that the named commands start from, and the files that they read. */
export async function createTemplates(folder: string, names: readonly string[]): Promise<void> {
  const templates = new Set(names.map((name) => WRITING_COMMANDS[name]?.template));
  if (templates.has("empty")) mkdirSync(join(folder, "empty"), { mode: 0o700 });
  if (templates.has("salon")) await seedSalon(join(folder, "salon"));
  if (templates.has("subscribed")) await createSubscribedSalon(folder);
  if (templates.has("edited")) await createEditedSalon(folder);
  if (templates.has("old")) createOldDatabase(join(folder, "old"));
}

/** Creates a salon with an endpoint, so that each event has a delivery. */
async function createSubscribedSalon(folder: string): Promise<void> {
  const salon = await seedSalon(join(folder, "subscribed"));
  expect(await salon(SUBSCRIBE)).toMatchObject({ code: 0 });
  // A start on a nearer day could become too soon to book while the commands run.
  const from = Temporal.Now.plainDateISO().add({ days: 3 });
  const slots = (await salon(`availability --service beard-trim --from ${from} --json`)).stdout;
  const [, start = ""] = /"startsAt": "([^"]{16})/.exec(slots) ?? [];
  const booking = `bookings create --service beard-trim --start ${start} --json`;
  writeFileSync(join(folder, "booking"), booking);
  const catalog = (await salon("catalog export")).stdout;
  writeFileSync(join(folder, "catalog.yaml"), catalog.replace(/\b91(?:\.00)?\b/, "93.00"));
  writeFileSync(join(folder, "prices.csv"), "type,key,price\nservice,beard-trim,94.00\n");
}

async function createEditedSalon(folder: string): Promise<void> {
  const salon = await seedSalon(join(folder, "edited"));
  for (const line of [
    "keys create --name site --secret",
    SUBSCRIBE,
    "backup",
    "services update beard-trim --price 92.00",
  ])
    expect(await salon(line)).toMatchObject({ code: 0 });
}

async function seedSalon(dataDir: string) {
  const { deskbell } = createTerminal({ dataDir });
  for (const line of ["seed salon", "services update beard-trim --price 91.00"])
    expect(await deskbell(line)).toMatchObject({ code: 0 });
  return deskbell;
}

/** Creates a database that must be migrated. */
function createOldDatabase(dataDir: string): void {
  mkdirSync(dataDir, { mode: 0o700 });
  const db = new Database(join(dataDir, "deskbell.db"));
  db.pragma("journal_mode = WAL");
  for (const sql of readMigrations().slice(0, OLD_SCHEMA)) db.exec(sql);
  db.pragma(`user_version = ${OLD_SCHEMA}`);
  db.exec(`INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at)
    VALUES ('biz_1', 'old-shop', '{}', '{}', 5, 7, 0, 0)`);
  db.close();
}
