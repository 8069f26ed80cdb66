import { createHmac } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import { readPreset } from "../../src/platform/assets.ts";
import { type CommandResult, createTerminal } from "./cli.ts";
import { RESTAURANT, SALON, writeVenue } from "./samples.ts";

// This module creates data on which the examples in every command's help text can run.

/**
 * The data are in memory if possible: the tests make hundreds of copies, which need not survive a
 * crash.
 */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "deskbell-tree-"));
const home = process.cwd();
/** Maps ID prefixes and other values of the examples to existing ones. */
const existing = new Map<string, string>();

/** Each feature creates the objects of its examples in test/features/<name>/examples.ts. */
const ofFeatures = await Promise.all(
  globSync("../features/*/examples.ts", { cwd: import.meta.dirname }).map(
    async (file) => (await import(join(import.meta.dirname, file))) as FeatureExamples,
  ),
);

type FeatureExamples = {
  createExamples?: (
    recordId: (prefix: string, line: string) => Promise<void>,
    tools: ExampleTools,
  ) => Promise<void>;
  /** Creates the files that the examples use. */
  createFiles?: (folder: string, terminal: ReturnType<typeof createTerminal>) => Promise<void>;
  /**
   * Maps the first word of a command to the business on which its examples run if they name none.
   */
  businesses?: Record<string, string>;
};

export type ExampleTools = {
  /** Runs a line and returns what it prints as JSON. */
  create: <Created = { id: string; code: string }>(line: string) => Promise<Created>;
  /** Makes the examples use `value` instead of an ID prefix or another value. */
  record: (example: string, value: string) => void;
};

/** Prepares the data for a test file, and stops the clock. */
export function setUpExamples(): void {
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T09:00:00Z") });
    await createData(join(folder, "data"));
    createFiles(join(folder, "files"));
    const terminal = createTerminal({ dataDir: join(folder, "data") });
    for (const { createFiles: create } of ofFeatures)
      await create?.(join(folder, "files"), terminal);
  }, 60_000);

  afterAll(() => {
    vi.useRealTimers();
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Creates three businesses with every kind of object that a command can show or change. */
async function createData(dataDir: string): Promise<void> {
  const { deskbell } = createTerminal({ dataDir });
  const create = async <Created = { id: string; code: string }>(line: string): Promise<Created> => {
    const ran = await deskbell(`${line} --json`);
    if (ran.code !== 0) throw new Error(`${line}: ${ran.stderr}`);
    return (JSON.parse(ran.stdout) as { data: Created }).data;
  };
  const recordId = async (prefix: string, line: string) =>
    void existing.set(prefix, (await create(line)).id);
  mkdirSync(folder, { recursive: true });
  await deskbell(`catalog apply ${SALON} ${RESTAURANT} ${writeVenue(folder)}`);
  await recordId("key", "keys create --business salon-aurora --name site --secret");
  await create("keys create --business salon-aurora --name website --scope bookings.write");
  await create("keys create --business cafe-lumen --name website --scope bookings.write");
  await create("keys create --business kita-live --name website --scope bookings.write");
  writeFileSync(join(dataDir, "metrics.token"), "deskbell_mt_0123456789abcdef\n", { mode: 0o600 });
  await recordId(
    "whe",
    "webhooks create --business salon-aurora --name till --url http://127.0.0.1:9/h --event all --allow-private",
  );
  await recordId(
    "bkg",
    "bookings create --business salon-aurora --service cut --start 2026-12-02T11:00",
  );
  await recordId(
    "rsv",
    "reservations create --business cafe-lumen --party 2 --start 2026-12-01T12:00",
  );
  await createVisitsToDecide(dataDir, recordId);
  await recordId(
    "tof",
    "time-off create maya --business salon-aurora --from 2026-12-24 --to 2026-12-31",
  );
  const record = (example: string, value: string) => void existing.set(example, value);
  for (const { createExamples } of ofFeatures) await createExamples?.(recordId, { create, record });
  await recordId("svc", "services show cut --business salon-aurora");
  // These two changes can be undone. After them, the catalog is as in its file again.
  const { name } = await create<{ name: string }>("services show cut --business salon-aurora");
  for (const edited of ["Trim", name])
    await create(`services update cut --name '${edited}' --business salon-aurora`);
  existing.set("--version 12", "--version 1");
  await recordId("mit", "menu show espresso --business cafe-lumen");
  const [delivery] = await create<{ id: string; eventId: string }[]>("deliveries list");
  existing.set("dlv", delivery?.id ?? "").set("evt", delivery?.eventId ?? "");
}

/** Creates a pending booking and reservation, and ones that have started. */
async function createVisitsToDecide(
  dataDir: string,
  recordId: (example: string, line: string) => Promise<unknown>,
): Promise<void> {
  const booking = "bookings create --business salon-aurora --service cut --start 2026-12-02T";
  await recordId("bkg_06p…", `${booking}14:00`);
  await recordId("bkg_06s…", `${booking}16:00`);
  const reservation = "reservations create --business cafe-lumen --party 2 --start 2026-12-01T";
  await recordId("rsv_06p…", `${reservation}13:00`);
  await recordId("rsv_06s…", `${reservation}14:00`);
  const db = new Database(join(dataDir, "deskbell.db"));
  for (const [table, prefix] of [
    ["booking", "bkg"],
    ["reservation", "rsv"],
  ] as const) {
    db.prepare(`UPDATE ${table} SET status = 'PENDING', decide_by = starts_at WHERE id = ?`).run(
      existing.get(`${prefix}_06p…`),
    );
    db.prepare(
      `UPDATE ${table} SET starts_at = ends_at - starts_at, ends_at = 2 * (ends_at - starts_at) WHERE id = ?`,
    ).run(existing.get(`${prefix}_06s…`));
  }
  db.close();
}

/** Creates the files that the examples of the core use. */
function createFiles(at: string): void {
  mkdirSync(at);
  for (const folder of ["catalog", "locations"]) mkdirSync(join(at, folder));
  const write = (name: string, text: string) => writeFileSync(join(at, name), text);
  for (const name of [
    "salon.yaml",
    "my-catalog.yaml",
    "catalog/salon.yaml",
    "locations/salon.yaml",
  ])
    write(name, readPreset("salon"));
  write("prices.yaml", "catalog: 1\n");
  write("prices.csv", "type,key,name,price,duration_min\nservice,cut,Cut,40.00,30\n");
  write("services.csv", "type,key,name,price,duration_min\nservice,cut,Cut,40.00,30\n");
  const item_variation_data = { name: "Regular", pricing_type: "VARIABLE_PRICING" };
  const variations = [{ type: "ITEM_VARIATION", id: "B", item_variation_data }];
  write(
    "items.json",
    JSON.stringify({
      objects: [{ type: "ITEM", id: "A", item_data: { name: "Espresso", variations } }],
    }),
  );
  for (const name of ["orders.ndjson", "bookings.ndjson", "reservations.ndjson"]) write(name, "");
  write("till.secret", "whsec_test\n");
  write("nats.password", "secret\n");
  write("nats.token", "secret\n");
  write("body.json", "{}");
  const seconds = Date.now() / 1000;
  const signature = createHmac("sha256", "whsec_test").update(`${seconds}.{}`).digest("hex");
  existing.set("t=1763615045", `t=${seconds}`).set("5257a8…", signature);
}

const BUSINESS: Record<string, string> = {
  menu: "cafe-lumen",
  reservations: "cafe-lumen",
  "public-events": "kita-live",
  ...Object.assign({}, ...ofFeatures.map(({ businesses }) => businesses)),
};

/** Returns an example that can be run: without pipes and redirections, with existing IDs. */
export function makeRunnable(line: string): string {
  const [command = ""] = line.split(/ (?:\||>>?|<) /);
  // IDs such as whe_06f… get the ID of an existing object. The files of the examples are in the
  // current folder, so the folders of absolute paths are left out.
  const named = command
    .replaceAll(
      /\b([a-z]{3})_[0-9a-z]+…/g,
      (id: string, prefix: string) => existing.get(id) ?? existing.get(prefix) ?? "",
    )
    .replaceAll(/ \/\S*\//g, " ");
  // Entries of three characters are the prefixes of IDs, which have been replaced above.
  const filled = [...existing].reduce(
    (text, [example, value]) => (example.length > 3 ? text.replace(example, value) : text),
    named,
  );
  const noun = command.includes("--party") ? "reservations" : (command.split(" ")[0] ?? "");
  return /--(business|all)\b/.test(filled)
    ? filled
    : `${filled} --business ${BUSINESS[noun] ?? "salon-aurora"}`;
}

/** Runs a command line in a folder with the files, on a copy of the data or without data. */
export async function runInCopy(
  line: string,
  { isEmpty = false, stdin = "" } = {},
): Promise<CommandResult & { dataDir: string }> {
  const cwd = mkdtempSync(join(folder, "run-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const out = / --out (\S+)/.exec(line)?.[1];
  for (const name of readdirSync(join(folder, "files")))
    if (name !== out) symlinkSync(join(folder, "files", name), join(cwd, name));
  const dataDir = join(cwd, "data");
  if (!isEmpty) mkdirSync(dataDir);
  const copied = ["deskbell.db", "master.key", "metrics.token", "backups"]
    .map((name) => ({ from: join(folder, "data", name), to: join(dataDir, name) }))
    .filter(({ from }) => !isEmpty && existsSync(from));
  for (const { from, to } of copied) cpSync(from, to, { recursive: true });
  process.chdir(cwd);
  return { ...(await createTerminal({ dataDir }).deskbell(line, stdin)), dataDir };
}
