import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { findCustomer, saveCustomer } from "../../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { eraseForGood } from "../../../../src/app/guests/erase-visits.ts";
import {
  addToErasureList,
  copyErasureList,
  ERASURE_LIST,
  readErasureList,
} from "../../../../src/features/backups/erasure-list.ts";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { restoreBackup } from "../../../../src/features/backups/restore/restore.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import {
  createStandbyConfig,
  createTestRuntime,
  type TestRuntime,
} from "../../../support/test-runtime.ts";
import { applyCatalogBody } from "../../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: 9 }]
`;
const MINUTE_MS = 60_000;

function book(rt: TestRuntime, name: string): string {
  const { id } = createBooking(rt, SLUG, { service: "cut", start: "2026-12-01T10:00" });
  const guest = { name, email: `${name}@guests.example`, phone: null, notes: null };
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, id, guest));
  return id;
}

/**
 * Creates a backup of two guests and copies it to another folder. One of the guests is erased
 * afterwards.
 */
async function uploadBackup() {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const [ana, leo] = [book(rt, "ana"), book(rt, "leo")];
  const backUp = async () => {
    rt.advance(MINUTE_MS);
    return (await createBackup(rt)).path;
  };
  const made = await backUp();
  const madeAt = rt.now();
  const dir = createTempFolder();
  const upload = (path: string) => copyFileSync(path, join(dir, basename(path)));
  upload(made);
  rt.advance(MINUTE_MS);
  eraseForGood(rt, [ana]);
  const server = rt.store.file.getServerId();
  return { rt, ana, leo, madeAt, dir, upload, backUp, server, file: join(dir, basename(made)) };
}

type Upload = Awaited<ReturnType<typeof uploadBackup>>;

/** Restores the backup on another machine, and returns which guests have data there. */
async function restoreElsewhere({ rt, file, ana, leo }: Upload, acceptsGap = false) {
  const config = createStandbyConfig(rt.config);
  const { erasures } = await restoreBackup(config, file, {
    now: rt.now(),
    confirm: async () => {},
    ...(acceptsGap && { acceptGap: async () => {} }),
  });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  const has = (id: string): boolean => findCustomer(restored, id) !== null;
  return { erasures, guests: { ana: has(ana), leo: has(leo) } };
}

const NOTHING_MOVED = { moved: [], returning: [], revoked: [] };

const gapOf = ({ madeAt }: Upload) => ({
  code: "state_refuses",
  message: `No list of erased guests is newer than the backup: guests who were erased after ${new Date(madeAt).toISOString()} would come back.`,
  fix: expect.stringContaining("--accept-erasure-gap"),
});

test("a backup without a newer list of erased guests is restored only if the return of erased guests is accepted", async () => {
  const upload = await uploadBackup();
  await expect(restoreElsewhere(upload)).rejects.toMatchObject(gapOf(upload));
  expect(await restoreElsewhere(upload, true)).toEqual({
    erasures: { ...NOTHING_MOVED, visitIds: [], knownUntil: null, gap: { since: upload.madeAt } },
    guests: { ana: true, leo: true },
  });
});

test("a restore erases again the guest that a newer signed list next to the backup names", async () => {
  const upload = await uploadBackup();
  const { rt, ana, dir, server } = upload;
  copyErasureList(rt.config, dir, { server, asOf: rt.now() });
  expect(await restoreElsewhere(upload)).toEqual({
    erasures: { ...NOTHING_MOVED, visitIds: [ana], knownUntil: rt.now(), gap: null },
    guests: { ana: false, leo: true },
  });
});

test("an erasure renews the list of erased guests next to the backups, so that a restore on another machine misses none", async () => {
  const upload = await uploadBackup();
  const { rt, ana, dir } = upload;
  copyFileSync(join(rt.config.backupFolder, ERASURE_LIST), join(dir, ERASURE_LIST));
  expect(await restoreElsewhere(upload)).toEqual({
    erasures: { ...NOTHING_MOVED, visitIds: [ana], knownUntil: rt.now(), gap: null },
    guests: { ana: false, leo: true },
  });
});

test("a restore refuses an unsigned list of erased guests next to a backup, and names the signed one", async () => {
  const upload = await uploadBackup();
  copyFileSync(join(upload.rt.config.dataDir, ERASURE_LIST), join(upload.dir, ERASURE_LIST));
  await expect(restoreElsewhere(upload)).rejects.toMatchObject({
    ...gapOf(upload),
    fix: expect.stringContaining("erased-guests.txt of a folder of backups"),
  });
});

test("a backup of a server that has erased nobody is restored elsewhere if the empty list lies next to it", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  book(rt, "ana");
  const { path } = await createBackup(rt);
  const config = createStandbyConfig(rt.config);
  const options = { now: rt.now(), confirm: async () => {} };
  const { erasures } = await restoreBackup(config, path, options);
  expect(erasures).toMatchObject({ visitIds: [], gap: null });
});

test("a backup whose only guest data are customer references also needs a newer list of erased guests", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const booking = { service: "cut", start: "2026-12-01T10:00", customerRef: "crm-7" };
  createBooking(rt, SLUG, booking);
  const { path } = await createBackup(rt);
  const file = join(createTempFolder(), basename(path));
  copyFileSync(path, file);
  const options = { now: rt.now(), confirm: async () => {} };
  await expect(restoreBackup(createStandbyConfig(rt.config), file, options)).rejects.toMatchObject({
    code: "state_refuses",
    fix: expect.stringContaining("--accept-erasure-gap"),
  });
});

test.each([
  { machine: "that has neither data nor a list", hasList: false, hasData: false, asks: true },
  { machine: "that has lost its database only", hasList: true, hasData: false, asks: false },
  { machine: "whose database is damaged", hasList: false, hasData: true, asks: false },
])(
  "a restore from the backup folder of a machine $machine asks before erased guests come back: $asks",
  async ({ hasList, hasData, asks }) => {
    const { rt, ana, file } = await uploadBackup();
    const config = createStandbyConfig(rt.config);
    mkdirSync(config.backupFolder);
    const copied = join(config.backupFolder, basename(file));
    copyFileSync(file, copied);
    if (hasList) addToErasureList(config, [ana]);
    if (hasData) writeFileSync(config.databasePath, "damaged");
    const restoring = restoreBackup(config, copied, { now: rt.now(), confirm: async () => {} });
    if (asks) await expect(restoring).rejects.toMatchObject({ code: "state_refuses" });
    else
      expect((await restoring).erasures).toMatchObject({
        visitIds: hasList ? [ana] : [],
        gap: null,
      });
  },
);

test("a restore also uses the list of erased guests in a newer backup of the folder", async () => {
  const upload = await uploadBackup();
  upload.upload(await upload.backUp());
  expect(await restoreElsewhere(upload)).toMatchObject({
    erasures: { visitIds: [upload.ana], gap: null },
    guests: { ana: false, leo: true },
  });
});

/**
 * Returns a function that copies a signed list that would close the gap, and changes the text of
 * the copy.
 */
const altered =
  (change: (text: string, upload: Upload) => string) =>
  (upload: Upload): void => {
    const { rt, dir, server, madeAt } = upload;
    copyErasureList(rt.config, dir, { server, asOf: madeAt - MINUTE_MS });
    const path = join(dir, ERASURE_LIST);
    writeFileSync(path, change(readFileSync(path, "utf8"), upload));
  };

const REFUSED: { list: string; write: (upload: Upload) => void }[] = [
  { list: "an older list", write: altered((text) => text) },
  {
    list: "an unsigned list",
    write: altered((text, { rt }) =>
      text.replace(/"asOf":\d+/, `"asOf":${rt.now()}`).replace(/# hmac.*\n/, ""),
    ),
  },
  {
    list: "a list with another time",
    write: altered((text, { rt }) => text.replace(/"asOf":\d+/, `"asOf":${rt.now()}`)),
  },
  { list: "a list with another guest", write: altered((text, { leo }) => `${leo}\n${text}`) },
  { list: "a list with a guest at its end", write: altered((text, { leo }) => `${text}${leo}\n`) },
  {
    list: "a list of another server",
    write({ rt, dir }) {
      copyErasureList(rt.config, dir, { server: "another", asOf: rt.now() });
    },
  },
  {
    list: "a list signed with another key",
    write({ rt, dir, leo, server }) {
      const { config } = createTestRuntime();
      mkdirSync(config.dataDir, { recursive: true });
      writeFileSync(config.masterKeyPath, `${Buffer.alloc(32, 7).toString("base64")}\n`);
      addToErasureList(config, [leo]);
      copyErasureList(config, dir, { server, asOf: rt.now() });
    },
  },
];

test.each(REFUSED)(
  "$list does not count as a newer list of erased guests, and erases no other guest",
  async ({ write }) => {
    const upload = await uploadBackup();
    write(upload);
    await expect(restoreElsewhere(upload)).rejects.toMatchObject(gapOf(upload));
    const { guests } = await restoreElsewhere(upload, true);
    expect(guests.leo).toBe(true);
  },
);

test("a server restores a copy of its own backup from any folder, and erases again the guests in that folder's list", async () => {
  const { rt, file, ana, leo } = await uploadBackup();
  rt.close();
  const options = { now: rt.now(), confirm: async () => {} };
  const { erasures } = await restoreBackup(rt.config, file, options);
  expect(erasures).toMatchObject({ visitIds: [ana], gap: null });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect([findCustomer(restored, ana), findCustomer(restored, leo)]).toEqual([
    null,
    expect.objectContaining({ name: "leo" }),
  ]);
});

test("a restore erases again the guests whose erasure only the audit log of the replaced data still tells", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const [ana, leo] = [book(rt, "ana"), book(rt, "leo")];
  await createBackup(rt);
  rt.close();
  const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
  expect(await deskbell(`guests erase --visit ${ana} --yes`)).toMatchObject({ code: 0 });
  for (const folder of [rt.config.dataDir, rt.config.backupFolder])
    rmSync(join(folder, ERASURE_LIST));
  expect(await deskbell("restore --newest --yes")).toMatchObject({ code: 0 });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  expect([ana, leo].map((id) => findCustomer(restored, id) === null)).toEqual([true, false]);
  expect(readErasureList(rt.config)).toEqual([ana]);
});

test("a restore keeps the backup's list of erased guests, so that a later restore of an older backup erases them again", async () => {
  const upload = await uploadBackup();
  const { rt, ana, file, backUp } = upload;
  const config = createStandbyConfig(rt.config);
  const options = { now: rt.now(), confirm: async () => {}, acceptGap: async () => {} };
  const newer = join(createTempFolder(), "newer.db");
  copyFileSync(await backUp(), newer);
  await restoreBackup(config, newer, options);
  expect(readErasureList(config)).toEqual([ana]);
  const { erasures } = await restoreBackup(config, file, { ...options, now: rt.now() + 1 });
  expect(erasures.visitIds).toEqual([ana]);
});

test("restore asks before erased guests come back, which --accept-erasure-gap allows and --yes does not", async () => {
  const { rt, file, madeAt } = await uploadBackup();
  const { dataDir } = createStandbyConfig(rt.config);
  const terminal = createTerminal({ dataDir, isTTY: true });
  const gap = `guests who were erased after ${new Date(madeAt).toISOString()} would come back.`;
  const asked = await terminal.deskbell(`restore ${file}`, "n\n");
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${gap} Restore? [y/N]`),
  });
  const script = createTerminal({ dataDir });
  const refused = await script.deskbell(`restore ${file} --yes`);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(gap) });
  const restored = await script.deskbell(`restore ${file} --accept-erasure-gap --json`);
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining("come back") });
  expect(JSON.parse(restored.stdout).data).toMatchObject({
    erasureGap: { since: new Date(madeAt).toISOString() },
  });
});

test.each([
  { erased: "a guest", says: true },
  { erased: "nobody", says: false },
])("restore says that guests are erased again if $erased was erased: $says", async ({ says }) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  const ana = book(rt, "ana");
  const { path } = await createBackup(rt);
  rt.advance(MINUTE_MS);
  if (says) eraseForGood(rt, [ana]);
  const { config, store } = rt;
  copyErasureList(config, config.backupFolder, {
    server: store.file.getServerId(),
    asOf: rt.now(),
  });
  rt.close();
  const { deskbell } = createTerminal({ dataDir: config.dataDir });
  const { code, stderr } = await deskbell(`restore ${path} --yes`);
  expect(code).toBe(0);
  expect(stderr.includes("are erased again")).toBe(says);
});
