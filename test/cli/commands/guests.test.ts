import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();
const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]
`;

test("guests export prints the visits of a guest; guests erase names what still has the data", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed -", CATALOG);
  const create = `bookings create --service cut --start ${DAY}T10:00 --customer-ref ana-4711 --json`;
  const created = await deskbell(create);
  const { id } = (JSON.parse(created.stdout) as { data: { id: string } }).data;
  await deskbell("backup");

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
  expect(erased.stderr).toMatch(
    /^Erased the guest's data in 1 visit\.\nBackups, and copies made elsewhere, still contain the data, encrypted\. .*\nThe last nightly one is deleted on 20\d\d-\d\d-\d\d\.\n$/,
  );
  const again = await deskbell("guests export --customer-ref ana-4711");
  expect(JSON.parse(again.stdout)).toEqual({ data: [] });
});

test("guests export and erase need a guest", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed -", CATALOG);
  for (const line of ["guests export", "guests erase --yes"]) {
    const { code, stderr } = await deskbell(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Name the guest.")]);
  }
});
