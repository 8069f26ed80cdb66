import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readConfig } from "../../../../src/config.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";

const CATALOG = `catalog: 1
business: { slug: venue, name: Venue, timezone: Europe/Zurich, currency: CHF }
events:
  - { key: gig, name: Gig, startsAt: 2099-12-01T20:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: std, name: Standard, price: 10 }] }
  - { key: past, name: Past, startsAt: 2099-12-02T20:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: std, name: Standard, price: 10 }] }
`;

test("the orders of a key are cancelled together, except those with a checked-in ticket or a past event", async () => {
  const { deskbell, dataDir } = createTerminal();
  const file = join(createTempFolder(), "catalog.yaml");
  writeFileSync(file, CATALOG);
  expect(await deskbell(`catalog apply ${file}`)).toMatchObject({ code: 0 });
  const json = async <T>(line: string): Promise<T> =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: T }).data;
  const create = async (event = "gig") =>
    (await json<{ id: string }>(`ticket-orders create --public-event ${event} --item std`)).id;
  const old = await create();
  const [pending, paid, used] = [await create(), await create(), await create()];
  const past = await create("past");
  const other = await create();
  await deskbell(`ticket-orders confirm ${paid}`);
  const { tickets } = await json<{ tickets: { id: string; admissionCode: string }[] }>(
    `ticket-orders confirm ${used}`,
  );
  expect(await deskbell(`tickets check-in ${tickets[0]?.admissionCode}`)).toMatchObject({
    code: 0,
  });
  await deskbell("keys create --name website --scope bookings.write");
  const database = new Database(readConfig({ dataDir }, {}).databasePath);
  database
    .prepare("UPDATE ticket_order SET created_by_key = (SELECT id FROM api_key) WHERE id <> ?")
    .run(other);
  database.prepare("UPDATE ticket_order SET created_at = 1 WHERE id = ?").run(old);
  database.close();
  writeFileSync(file, CATALOG.replace("2099-12-02", "2020-12-02"));
  expect(await deskbell(`catalog apply ${file} --yes`)).toMatchObject({ code: 0 });

  const listed = async (flags: string) =>
    (await json<{ id: string }[]>(`ticket-orders list ${flags}`)).map(({ id }) => id);
  expect(await listed("--key website")).toEqual([past, used, paid, pending, old]);
  const cancel = (flags: string) => deskbell(`ticket-orders cancel --key website ${flags}`);
  expect(await deskbell("ticket-orders cancel")).toMatchObject({ code: 2 });
  expect(await cancel("")).toMatchObject({ code: 2 });
  expect(await cancel("--created-since 1h")).toMatchObject({ code: 2 });
  const preview = await cancel("--created-since 1h --dry-run");
  expect(preview).toMatchObject({ code: 0 });
  expect(preview.stderr).toContain("2 ticket orders");
  expect(await listed("--status CANCELLED")).toEqual([]);
  const done = await cancel("--created-since 1h --reason abuse --yes --json");
  expect(JSON.parse(done.stdout)).toMatchObject({
    data: [
      { id: pending, status: "CANCELLED", cancelReason: "abuse" },
      { id: paid, status: "CANCELLED" },
    ],
  });
  expect(await listed("--status CANCELLED")).toEqual([paid, pending]);
  expect(await cancel("--created-since 1h --yes")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("has made no ticket orders since then"),
  });
});

test("a cancellation of a thousand ticket orders says that the key has made more", async () => {
  const { deskbell, dataDir } = createTerminal();
  const file = join(createTempFolder(), "catalog.yaml");
  writeFileSync(file, CATALOG);
  await deskbell(`catalog apply ${file}`);
  await deskbell("keys create --name website --scope bookings.write");
  await deskbell("ticket-orders create --public-event gig --item std");
  const database = new Database(readConfig({ dataDir }, {}).databasePath);
  database.exec(`
    UPDATE ticket_order SET created_by_key = (SELECT id FROM api_key);
    CREATE TEMP TABLE copy AS SELECT * FROM ticket_order`);
  const insert = database.transaction(() => {
    for (let i = 0; i < 1000; i += 1)
      database.exec(
        `UPDATE copy SET id = 'tor_0${i}', code = 'CODE-${i}'; INSERT INTO ticket_order SELECT * FROM copy`,
      );
  });
  insert();
  database.close();
  const cancel = async () =>
    (await deskbell("ticket-orders cancel --key website --created-since 1h --yes")).stderr;
  expect(await cancel()).toMatch(/Cancelled 1000 ticket orders\.\n.*has made more ticket orders/);
  expect(await cancel()).toMatch(/Cancelled 1 ticket order\.\n$/);
});

test("guests export and guests erase find the guest of an order by its code", async () => {
  const { deskbell } = createTerminal();
  expect(await deskbell("catalog apply -", CATALOG)).toMatchObject({ code: 0 });
  const json = async <T>(line: string): Promise<T> =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: T }).data;
  const create = "ticket-orders create --public-event gig --item std --customer-ref till-4";
  const { id, code } = await json<{ id: string; code: string }>(create);
  const line = `guests export --visit ${code.toLowerCase()}`;
  expect(await json(line)).toMatchObject([
    { type: "ticket_order", object: { id, customerRef: "till-4" } },
  ]);
  expect(await deskbell(`guests erase --visit ${code} --yes`)).toMatchObject({ code: 0 });
  expect(await json(line)).toMatchObject([{ object: { id, customerRef: null } }]);
});
