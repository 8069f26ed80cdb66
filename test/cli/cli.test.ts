import { PassThrough, Readable, Writable } from "node:stream";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { saveCustomer } from "../../src/app/bookings/guests.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { run } from "../../src/cli/run.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SALON } from "../support/samples.ts";

const HOSTILE = 'x\n\x1b[2J\x7f\u009b2J\u202e\u2066\u{e0041}می\u200cخ"';

/**
 * Returns a terminal whose data have an endpoint with a name that only an earlier version accepted.
 */
async function withHostileName(isTTY: boolean) {
  const terminal = createTerminal({ isTTY });
  const rt = openRuntime(readConfig({ dataDir: terminal.dataDir }, {}), 5000);
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, name: HOSTILE }, rt.now()));
  rt.close();
  return { ...terminal, id: endpoint.id };
}

test.each(["webhooks list", "webhooks show whe_"])(
  "%s --json on a terminal escapes control and format characters without changing the data",
  async (line) => {
    const { deskbell, id } = await withHostileName(true);
    const { stdout } = await deskbell(`${line.replace("whe_", id)} --json`);
    expect(stdout).toContain(String.raw`\u007f\u009b2J\u202e\u2066\udb40\udc41`);
    expect(stdout).not.toMatch(/[\p{Cf}\x00-\x09\x0b-\x1f\x7f-\x9f]/u);
    const { data } = JSON.parse(stdout) as { data: { name: string } | { name: string }[] };
    expect([data].flat()[0]!.name).toBe(HOSTILE);
  },
);

test("--json in a pipe does not escape invisible format characters in names", async () => {
  const { deskbell, id } = await withHostileName(false);
  const { stdout } = await deskbell(`webhooks show ${id} --json`);
  expect(stdout).toContain("\u202e");
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  expect((JSON.parse(stdout) as { data: { name: string } }).data.name).toBe(HOSTILE);
});

test("a line break in a file name cannot forge a message on stderr", async () => {
  const { deskbell, dataDir } = createTerminal({ isTTY: true });
  const { stderr } = await deskbell(`init '${dataDir}-a\nerror: forged'`);
  expect(stderr).toContain("a␊error: forged");
  expect(stderr).not.toMatch(/^error: forged/m);
  expect(stderr.split("\n").length).toBeGreaterThan(4);
});

test("keys create and webhooks create with --dry-run print no secret and create no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const out = join(dataDir, "site.key");
  const ran = await deskbell(`keys create --name site --secret --out ${out} --dry-run`);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("name\tsite\n") });
  expect(ran.stdout).not.toMatch(/deskbell_sk_\w/);
  expect(existsSync(out)).toBe(false);
  // A dry run creates no key, so its advice must not contain a command that names the key.
  const { stderr } = await deskbell("keys create --name menu --scope services.read --dry-run");
  expect(stderr).toContain("bookings and ticket orders: add --event-group catalog\n");
  const added = await deskbell(
    "webhooks create --name a --url http://127.0.0.1:9/ --event all --allow-private --dry-run --json",
  );
  expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining("whsec_") });
  expect((await deskbell("keys list")).stdout + (await deskbell("webhooks list")).stdout).toBe("");
});

test("a dry run needs no confirmation, fails like the real command, and reports only on stderr", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { stdout } = await deskbell("keys create --name site --secret --json");
  const { id } = (JSON.parse(stdout) as { data: { id: string } }).data;
  expect(await deskbell(`keys revoke ${id} --dry-run`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `Would revoke ${id}.\nDry run: nothing was saved.\n`,
  });
  expect(await deskbell(`keys rotate ${id} --dry-run -q`)).toMatchObject({ code: 0, stderr: "" });
  expect(await deskbell("keys revoke key_none --dry-run")).toMatchObject({
    code: 3,
    stderr: expect.not.stringContaining("Dry run"),
  });
  expect((await deskbell("keys list --json")).stdout).toContain('"revokedAt": null');
});

test("catalog apply and hours update with --dry-run say what would change", async () => {
  const { deskbell } = createTerminal();
  const dryRun = await deskbell(`catalog apply ${SALON} --dry-run`);
  expect(dryRun.stderr).toMatch(/^salon-aurora: would be new, /);
  await deskbell(`catalog apply ${SALON}`);
  expect((await deskbell("hours update --day tue --closed --dry-run")).stderr).toMatch(
    /^salon-aurora: hours would change\.\nsalon-aurora: would change version 1 -> 2, /,
  );
});

test("a dry run without data fails and creates no data", async () => {
  const { deskbell, dataDir } = createTerminal({ dataDir: join(createTempFolder(), "data") });
  expect(await deskbell("keys create --name site --secret --dry-run")).toMatchObject({ code: 3 });
  expect(existsSync(dataDir) && readdirSync(dataDir).length > 0).toBe(false);
});

test("rotate-master --dry-run changes no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("webhooks create --name a --url http://127.0.0.1:9/ --event all --allow-private");
  const content = () =>
    ["deskbell.db", "master.key"].map((name) => readFileSync(join(dataDir, name), "base64"));
  const before = { content: content(), names: readdirSync(dataDir) };
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({
    code: 0,
    stderr:
      "Would re-encrypt 1 signing secret and the data of 0 guests with a new master key.\nDry run: nothing was saved.\n",
  });
  expect({ content: content(), names: readdirSync(dataDir) }).toEqual(before);

  writeFileSync(join(dataDir, "master.key"), `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({ code: 5 });
});

test("rotate-master says how many guests have data that no key decrypts", async () => {
  const { deskbell, dataDir } = createTerminal();
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const { id } = addBusiness(rt);
  const guest = { name: "Ana", email: null, phone: null, notes: null };
  rt.tx(() => saveCustomer(rt, id, "bkg_1", guest));
  rt.close();
  rmSync(join(dataDir, "master.key"));
  const note = "decrypts the data of 1 guest, which stay as they are";
  for (const line of ["keys rotate-master --dry-run", "keys rotate-master"])
    expect((await deskbell(line)).stderr).toContain(note);
  expect(JSON.parse((await deskbell("keys rotate-master --json")).stdout).data).toMatchObject({
    guests: 0,
    undecryptable: 1,
  });
});

test.each([
  "keys create --name site --secret",
  "keys create --name site --secret --json",
  "webhooks create --name till --url http://10.0.0.1/ --event all --allow-private",
  "webhooks disable bar --json",
  "businesses publish salon-aurora --booking request",
  "events trigger service.updated",
  "time-off create maya --from 2099-12-24 --to 2099-12-24",
])("a dry run of %s lets others write when it prints, and saves nothing", async (line) => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("webhooks create --name bar --url http://10.0.0.2/ --event all --allow-private");
  const db = new Database(join(dataDir, "deskbell.db"), { timeout: 0 });
  onTestFinished(() => void db.close());
  const before = db.pragma("data_version", { simple: true });
  const printed: string[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      printed.push(chunk.toString());
      done();
    },
  });
  const io = { stdin: Readable.from([]), stdout, stderr: new PassThrough() };
  const words = ["--data-dir", dataDir, ...line.split(" "), "--dry-run"];
  expect(await run("deskbell", words, io)).toBe(0);
  expect(printed).not.toEqual([]);
  expect(db.pragma("data_version", { simple: true })).toBe(before);
});
