import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, test } from "vitest";
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
