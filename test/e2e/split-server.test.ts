import { copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readGuide } from "../../src/platform/assets.ts";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../src/app/bookings/guests.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { deleteBusiness } from "../../src/app/delete-business.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { listBackups } from "../../src/features/backups/backups.ts";
import { backUpAndCopy, runMaintenance } from "../../src/features/backups/upkeep/maintenance.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { createTempFolder, runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

// These tests run the commands of "Split a server" in the guide, on two machines.

/** Returns the command blocks of the section "Split a server", with the folders of this test. */
function blocksOfGuide(folders: Record<"east" | "west", string>): string[][] {
  const [section = ""] = (
    readGuide("more-than-one-machine").split("### Split a server\n")[1] ?? ""
  ).split("\n## ");
  return [...section.matchAll(/```sh\n([^`]+)```/g)].map(([, block = ""]) =>
    block
      .trim()
      .split("\n")
      .map((line) =>
        line
          .replace(/^deskbell /, "")
          .replace("/mnt/nas/east", folders.east)
          .replace("/mnt/nas/west", folders.west),
      ),
  );
}

const runOn =
  (dataDir: string) =>
  async (line: string): Promise<string> => {
    const result = await runProgram([...line.split(" "), "--data-dir", dataDir]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };

const start = async (dataDir: string, line: string) => {
  const daemon = spawnDaemon(dataDir, ...line.split(" ").slice(1));
  const url = await waitForUrl(daemon);
  const stop = async () => {
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  };
  return { url, stop };
};

const read = (url: string, key: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${key}` } });

test(
  "a server that is split as the guide says keeps keys and cursors, and no older backup brings back a moved business",
  { timeout: 120_000 },
  async () => {
    const folders = { east: createTempFolder(), west: createTempFolder() };
    const [onWest = [], onEast = [], [serveEast = "", serveWest = ""] = []] =
      blocksOfGuide(folders);
    const { dataDir: east } = await createSeededSalon();
    const west = createTempFolder();
    const [runEast, runWest] = [runOn(east), runOn(west)];
    await runEast("seed restaurant");
    const createKey = (business: string) =>
      runEast(
        `keys create --business ${business} --name site --scope services.read --scope webhooks.read`,
      );
    const [salonKey, cafeKey] = [await createKey("salon-aurora"), await createKey("cafe-lumen")];
    await runEast(
      "webhooks create --business cafe-lumen --name till --url http://127.0.0.1:9/ --allow-private --event all",
    );
    const before = await start(east, serveEast);
    const changes = `/v1/businesses/cafe-lumen/changes`;
    const page = (await (await read(`${before.url}${changes}`, cafeKey)).json()) as {
      page: { nextCursor: string };
    };
    await before.stop();
    const [beforeSplit] = listBackups(readConfig({ dataDir: east }, {}));

    copyFileSync(join(east, "master.key"), join(west, "master.key"));
    for (const line of onWest) await runWest(line);
    for (const line of onEast) await runEast(line);
    const keys = [east, west].map((folder) => readFileSync(join(folder, "master.key"), "utf8"));
    expect(new Set(keys).size).toBe(2);
    const servers = [await start(east, serveEast), await start(west, serveWest)] as const;
    const [{ url: eastUrl }, { url: westUrl }] = servers;
    expect((await read(`${westUrl}${changes}?after=${page.page.nextCursor}`, cafeKey)).status).toBe(
      200,
    );
    expect((await read(`${westUrl}/v1/businesses/salon-aurora/services`, salonKey)).status).toBe(
      401,
    );
    expect((await read(`${eastUrl}/v1/businesses/salon-aurora/services`, salonKey)).status).toBe(
      200,
    );
    expect((await read(`${eastUrl}${changes}`, cafeKey)).status).toBe(401);
    const ids = Object.values(folders).map((folder) =>
      readFileSync(join(folder, "server-id"), "utf8"),
    );
    expect(new Set(ids).size).toBe(2);
    for (const { stop } of servers) await stop();

    // The backup from before the split is restored on the same machine, and on a standby that has
    // the new master key and the folder of the copies.
    const name = basename(beforeSplit?.path ?? "");
    const standby = createTempFolder();
    copyFileSync(join(east, "master.key"), join(standby, "master.key"));
    for (const [dataDir, folder] of [
      [east, join(east, "backups")],
      [standby, folders.east],
    ] as const) {
      await runOn(dataDir)(`restore ${join(folder, name)} --yes`);
      const restored = await start(dataDir, serveEast);
      const list = JSON.parse(await runOn(dataDir)("businesses list --json"));
      expect(list.data.map(({ slug }: { slug: string }) => slug)).toEqual(["salon-aurora"]);
      await restored.stop();
    }
  },
);

const DAY_MS = 86_400_000;
const GUESTS = 40;

/** Adds a business with guests, and returns their customer references and their encrypted data. */
function addGuests(rt: Runtime, slug: string): { references: Buffer[]; sealed: Buffer[] } {
  const text = `catalog: 1
business: {slug: ${slug}, name: ${slug}, timezone: America/New_York, currency: USD}
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: ${GUESTS} }]
`;
  applyCatalog(rt, [{ name: `${slug}.yaml`, text }]);
  const business = getBusiness(rt, slug);
  const start = `${new Date(rt.now() + 2 * DAY_MS).toISOString().slice(0, 10)}T10:00`;
  const guests = Array.from({ length: GUESTS }, (_, n) => {
    const customerRef = `reference-${n}-of-${slug}`;
    const { id } = createBooking(rt, slug, { service: "cut", start, customerRef });
    const customer = { name: `guest ${n}`, email: null, phone: null, notes: null };
    rt.tx(() => saveCustomer(rt, business.id, id, customer));
    return { reference: Buffer.from(customerRef), sealed: rt.store.guests.findByVisit(id)!.sealed };
  });
  return {
    references: guests.map(({ reference }) => reference),
    sealed: guests.map(({ sealed }) => sealed),
  };
}

const oldGuestOf = (slug: string): Buffer => Buffer.from(`old guest of ${slug} `.repeat(3));

/** Leaves guests of each business in the free space of the file, as version 0.2 did. */
function leaveOldGuests({ config, store }: Runtime): void {
  const db = new Database(config.databasePath);
  db.pragma("secure_delete = OFF");
  const insert = db.prepare(
    "INSERT INTO guest (visit_id, business_id, sealed) VALUES (:visitId, :id, :sealed)",
  );
  for (const { id, slug } of store.businesses.list())
    for (let n = 0; n < 200; n++) {
      const sealed = Buffer.from(oldGuestOf(slug).toString().repeat(20));
      insert.run({ visitId: `bkg_old${n}${slug}`, id, sealed });
    }
  db.exec("DELETE FROM guest WHERE visit_id LIKE 'bkg_old%'; UPDATE server SET has_old_space = 1");
  db.close();
}

/** Returns the paths of the files in a folder that contain any of the markers. */
const findFiles = (folder: string, markers: readonly Buffer[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return markers.some((marker) => bytes.includes(marker));
    })
    .map((path) => relative(folder, path));

test(
  "a split removes the guests of the other server from the database at once, and from backups after 30 days",
  { timeout: 120_000 },
  async () => {
    const folders = { east: createTempFolder(), west: createTempFolder() };
    const [onWest = [], onEast = [], [serveEast = "", serveWest = ""] = []] =
      blocksOfGuide(folders);
    const [east, west, control] = [createTempFolder(), createTempFolder(), createTempFolder()];
    const rt = createTestRuntime({ dataDir: east, backupDir: folders.east }, Date.now());
    const [salon, cafe] = [addGuests(rt, "salon-aurora"), addGuests(rt, "cafe-lumen")];
    leaveOldGuests(rt);
    const ofSalon = [...salon.references, ...salon.sealed, oldGuestOf("salon-aurora")];
    const ofCafe = [...cafe.references, ...cafe.sealed, oldGuestOf("cafe-lumen")];
    expect(await backUpAndCopy(rt)).toBe(true);
    rt.close();

    copyFileSync(join(east, "master.key"), join(west, "master.key"));
    const [restore = "", ...deleteOnWest] = onWest;
    await runOn(west)(restore);
    expect(findFiles(west, ofSalon)).toEqual(["deskbell.db"]);
    cpSync(west, control, { recursive: true });
    for (const line of deleteOnWest) await runOn(west)(line);
    for (const line of onEast) await runOn(east)(line);
    expect(findFiles(west, ofSalon)).toEqual([]);
    expect(findFiles(west, cafe.references)).toContain("deskbell.db");
    const [beforeSplit] = listBackups(readConfig({ dataDir: east }, {}));
    const backup = join("backups", basename(beforeSplit?.path ?? ""));
    expect(findFiles(east, ofCafe)).toEqual([backup]);
    expect(findFiles(east, salon.references)).toContain("deskbell.db");
    const doctor = await runProgram(["doctor", "--data-dir", east]);
    expect(doctor.stdout).toMatch(/before cafe-lumen moved to another server.*the daemon deletes/);

    // A control shows that a plain deletion leaves old guests in the free space of the file.
    const careless = createTestRuntime({ dataDir: control }, Date.now());
    deleteBusiness(careless, getBusiness(careless, "salon-aurora"));
    careless.store.file.emptyLog();
    careless.close();
    expect(findFiles(control, ofSalon)).toEqual(["deskbell.db"]);

    for (const [dataDir, line, backupDir] of [
      [east, serveEast, folders.east],
      [west, serveWest, folders.west],
    ] as const) {
      await (await start(dataDir, line)).stop();
      const later = createTestRuntime({ dataDir, backupDir }, Date.now() + 31 * DAY_MS);
      await runMaintenance(later, { backUp: true });
      later.close();
    }
    for (const folder of [east, folders.east]) expect(findFiles(folder, ofCafe)).toEqual([]);
    for (const folder of [west, folders.west]) expect(findFiles(folder, ofSalon)).toEqual([]);
    expect(findFiles(folders.east, salon.references)).not.toEqual([]);
    expect(findFiles(folders.west, cafe.references)).not.toEqual([]);
  },
);
