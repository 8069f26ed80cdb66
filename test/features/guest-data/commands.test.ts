import Database from "better-sqlite3";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();
const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]
`;

test("guests export prints the visits of a guest until guests erase has erased them", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const create = `bookings create --service cut --start ${DAY}T10:00 --customer-ref ana-4711 --json`;
  const created = await deskbell(create);
  const { id } = (JSON.parse(created.stdout) as { data: { id: string } }).data;
  const exported = await deskbell("guests export --customer-ref ana-4711");
  expect(JSON.parse(exported.stdout)).toMatchObject({
    data: [
      {
        type: "booking",
        object: { id, customerRef: "ana-4711" },
        customer: null,
        events: [{ type: "booking.created" }],
      },
    ],
  });
  expect(await deskbell("guests erase --customer-ref ana-4711")).toMatchObject({ code: 2 });
  const erased = await deskbell("guests erase --customer-ref ana-4711 --yes");
  expect(erased.stderr).toBe("Erased the guest's data in 1 visit.\n");
  const again = await deskbell("guests export --customer-ref ana-4711");
  expect(JSON.parse(again.stdout)).toEqual({ data: [], undecryptable: 0 });
});

test("guests export and guests erase require a guest", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  for (const line of ["guests export", "guests erase --yes"]) {
    const { code, stderr } = await deskbell(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Name the guest.")]);
  }
});

test("guests export and guests erase are in the audit log of the visit, without guest data", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const json = async <Data>(line: string) =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: Data }).data;
  const create = `bookings create --service cut --start ${DAY}T10:00`;
  const { id } = await json<{ id: string }>(`${create} --name Ana --email ana@example.com`);
  await deskbell("guests export --email ana@example.com");
  await deskbell("guests erase --email ana@example.com --yes --dry-run");
  await deskbell("guests erase --email ana@example.com --yes");
  const entries = await json<{ action: string }[]>(`audit list --visit ${id}`);
  expect(entries).toMatchObject([
    { action: "guests.erased", details: { visits: 1 } },
    { action: "guests.exported", details: { visits: 1 } },
    { action: "booking.created" },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/Ana\b|example\.com/);
  expect(await json("audit list --action guests.erased")).toHaveLength(1);
});

test("guests erase says that the WAL still has the data while a program reads the database", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  await deskbell(`bookings create --service cut --start ${DAY}T10:00 --customer-ref ana-4711`);
  const path = join(dataDir, "deskbell.db");
  const reader = new Database(path, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM booking").get();
  const { code, stderr } = await deskbell("guests erase --customer-ref ana-4711 --yes");
  reader.close();
  expect(code).toBe(0);
  expect(stderr).toContain(
    `${path}-wal still has the old data, because a program reads the database.`,
  );
});

test("guests export and guests erase exit with 6 and count the visits if guest data cannot be decrypted", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  await deskbell(`bookings create --service cut --start ${DAY}T10:00 --email ana@example.com`);
  expect(await deskbell("guests export --email leo@example.com")).toMatchObject({ code: 0 });
  const db = new Database(join(dataDir, "deskbell.db"));
  db.prepare("UPDATE guest SET sealed = zeroblob(64)").run();
  db.close();
  const exported = await deskbell("guests export --email ana@example.com --quiet");
  expect(exported).toMatchObject({ code: 6, stderr: "" });
  expect(JSON.parse(exported.stdout)).toEqual({ data: [], undecryptable: 1 });
  const erased = await deskbell("guests erase --email ana@example.com --yes --json");
  expect(erased).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("Not compared: the email address and phone number"),
  });
  expect(JSON.parse(erased.stdout)).toMatchObject({ data: { visits: [], undecryptable: 1 } });
});

test("guests export and guests erase with --visit concern this visit alone, also if the guest left only a name", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const json = async <Data>(line: string) =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: Data }).data;
  const create = (time: string) =>
    json<{ id: string }>(`bookings create --service cut --start ${DAY}T${time} --name Bo`);
  const { id } = await create("10:00");
  const other = await create("11:00");
  const shortId = id.slice(-6);
  const customers = (visit: string) => json<object[]>(`guests export --visit ${visit}`);
  const bo = { object: { id }, customer: { name: "Bo" }, events: [{ type: "booking.created" }] };
  expect(await customers(id)).toMatchObject([bo]);
  expect(await customers(shortId)).toMatchObject([bo]);
  await deskbell(`guests erase --visit ${shortId} --yes --dry-run`);
  expect(await customers(id)).toMatchObject([bo]);
  const erased = await deskbell(`guests erase --visit ${shortId} --yes`);
  expect(erased).toMatchObject({ code: 0, stderr: "Erased the guest's data in 1 visit.\n" });
  expect(await customers(id)).toMatchObject([{ object: { id }, customer: null }]);
  expect(await customers(other.id)).toMatchObject([{ customer: { name: "Bo" } }]);
  expect(readFileSync(join(dataDir, "erased-guests.txt"), "utf8")).toContain(id);
  const entries = await json<{ action: string }[]>(
    `audit list --visit ${id} --action guests.erased`,
  );
  expect(entries).toMatchObject([{ details: { visits: 1, visitIds: [id] } }]);
});

test("guests export and guests erase refuse an unknown visit, and --visit beside another name of the guest", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  for (const line of ["guests export", "guests erase --yes"]) {
    const unknown = await deskbell(`${line} --visit bkg_nope`);
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
    expect(unknown.stderr).toContain("There is no booking, reservation or ticket order 'bkg_nope'");
    const both = await deskbell(`${line} --visit bkg_nope --email ana@example.com`);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be combined") });
  }
});

test("guests export --visit exits with 6 if the guest data of the visit cannot be decrypted, and guests erase --visit erases them", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const line = `bookings create --service cut --start ${DAY}T10:00 --name Bo --json`;
  const { id } = (JSON.parse((await deskbell(line)).stdout) as { data: { id: string } }).data;
  const db = new Database(join(dataDir, "deskbell.db"));
  onTestFinished(() => void db.close());
  db.prepare("UPDATE guest SET sealed = zeroblob(64)").run();
  expect(await deskbell(`guests export --visit ${id}`)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("Not printed: the guest data of this visit"),
  });
  expect(await deskbell(`guests erase --visit ${id} --yes`)).toMatchObject({ code: 0 });
  expect(db.prepare("SELECT count(*) FROM guest").pluck().get()).toBe(0);
});
