import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

const CATALOG = `catalog: 1
business: { slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: mon-fri, start: "09:00", end: "17:00" }]
closures: [{ date: 2020-12-24 }, { yearly: 01-01, name: New Year }]
staff: [{ key: mia, name: Mia, title: Boss }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia] }]
menu:
  items: [{ key: soup, name: Soup, price: 8.00, sizes: [{ key: cup, name: Cup, price: 5.00 }] }]
promotions: [{ key: tenth, name: Tenth, benefit: { type: percent_off, percent: 10 } }]
events: [{ key: gala, name: Gala, startsAt: 2030-12-01T19:00, durationMin: 180, venue: Hall }]
`;

test("commands edit every kind of catalog object without the catalog file", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const run = async (line: string) => {
    const ran = await deskbell(line);
    expect({ line, ...ran }).toMatchObject({ code: 0 });
    return ran;
  };
  const show = async (line: string) =>
    (JSON.parse((await run(`${line} --json`)).stdout) as { data: Record<string, unknown> }).data;

  const created = await run("services create --name 'Beard trim' --price 20.00 --duration 20");
  expect(created.stderr).toContain("Performed by mia.");
  expect(await show("services show beard-trim")).toMatchObject({
    priceCents: 2000,
    staff: ["mia"],
  });
  const added = await run("staff create --name 'Noé Bär' --public no");
  expect(added.stderr).toContain("deskbell staff update noe-bar --add-service KEY");
  await run("staff update noe-bar --title '' --bookable no --add-service cut");
  expect(await show("staff show noe-bar")).toMatchObject({ public: false, bookable: false });
  await run("services update cut --description '  Wash and cut. '");
  expect(await show("services show cut")).toMatchObject({
    description: "Wash and cut.",
    staff: ["mia", "noe-bar"],
  });
  await run("menu update soup --description ''");
  await run("promotions update tenth --percent 12.5 --to 2030-12-31 --code SAVE");
  expect(await show("promotions show tenth")).toMatchObject({
    benefit: { percentBps: 1250 },
    schedule: { endsAt: "2031-01-01T00:00:00+01:00" },
    code: "SAVE",
  });
  await run("public-events update gala --start 20:00 --venue Barn --venue-address 'Way 1'");
  expect(await show("public-events show gala")).toMatchObject({
    startsAt: "2030-12-01T20:00:00+01:00",
    endsAt: "2030-12-01T23:00:00+01:00",
    venue: { name: "Barn", address: "Way 1" },
  });
  const postponed = await run("public-events postpone gala --start 2031-02-01T19:00");
  expect(postponed.stderr).toContain("public-events update gala --status PUBLISHED");
  await run("hours update --day Mon --day wed-thu --open 10:00-12:00 --open 13:00-18:00");
  await run("hours update --day fri --closed");
  expect((await run("hours list")).stdout).toBe(
    [
      "mon\t10:00-12:00, 13:00-18:00\t\t",
      "tue\t09:00-17:00\t\t",
      "wed\t10:00-12:00, 13:00-18:00\t\t",
      "thu\t10:00-12:00, 13:00-18:00\t\t",
      ...["fri", "sat", "sun"].map((day) => `${day}\tclosed\t\t`),
      "",
    ].join("\n"),
  );
  await run("closures create --from 2030-12-24 --to 2030-12-26 --name Holidays");
  await run("closures delete 01-01");
  expect((await run("closures list")).stdout).toBe("2030-12-24\t2030-12-26\t\tHolidays\n");
  expect((await run("closures list --past")).stdout).toContain("2020-12-24");
  expect((await run("staff delete noe-bar --yes --dry-run")).stdout).toMatch(/^delete\tstaff/m);

  const rejected: [line: string, code: number, message: string][] = [
    ["services create --name Wax --price 9", 2, "Missing --duration"],
    ["services create --name Wax --duration 9", 2, "--price is missing: a service that is neither"],
    ["services create --name カット --duration 9 --price 9", 2, "fix: add --key KEY"],
    ["staff update mia", 2, "There is nothing to update."],
    ["staff delete mia", 5, "Nobody else performs the service 'beard-trim'."],
    ["staff delete mia --cancel-affected", 2, "Cancelling the bookings of mia needs"],
    ["menu update soup --size cup --description x", 2, "--description cannot be combined"],
    ["promotions update tenth --amount 5", 5, "'tenth' has no amount to change"],
    ["promotions update tenth --from 2031-05-01", 2, "--to is not after --from."],
    [
      "promotions update tenth --to soon",
      2,
      "fix: use a date from 1900 to 2199 such as 2026-12-24",
    ],
    ["public-events update gala --start x", 2, "18:00 (on the day of the event)"],
    ["hours update --day someday --closed", 2, "Each of --day must be mon, tue"],
    ["hours update --day mon --open 9-18", 2, "use two times such as 09:00-18:00"],
    ["hours update --day mon", 2, "Give either --open or --closed."],
    ["closures create --date 2030-02-30", 2, "Invalid --date '2030-02-30'"],
    ["closures delete Easter", 2, "There is no closure with the first day or name"],
  ];
  for (const [line, code, message] of rejected)
    expect({ line, ...(await deskbell(line)) }).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
});

test("public-events update reads --end and --doors without a date as times on the day of the new start", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const moved = "--start 2030-12-03T20:00 --end 23:30 --doors 19:15";
  expect(await deskbell(`public-events update gala ${moved}`)).toMatchObject({ code: 0 });
  const { stdout } = await deskbell("public-events show gala --json");
  expect(JSON.parse(stdout)).toMatchObject({
    data: {
      startsAt: "2030-12-03T20:00:00+01:00",
      endsAt: "2030-12-03T23:30:00+01:00",
      doorsAt: "2030-12-03T19:15:00+01:00",
    },
  });
});

test("an update of a public event says that its new start or end is in the past", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const over = "is in the past: the event is over, so no tickets are sold.\n";
  for (const [times, note] of [
    ["--start 2020-12-01T19:00", `salon: --start 2020-12-01T19:00 ${over}`],
    ["--end 2020-12-01T21:00", `salon: --end 2020-12-01T21:00 ${over}`],
    [
      "--start 2020-12-01T20:00 --end 2030-12-01T21:00",
      "salon: --start 2020-12-01T20:00 is in the past: the event has begun.\n",
    ],
  ] as const) {
    const ran = await deskbell(`public-events update gala ${times}`);
    expect({ times, ...ran }).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  }
  for (const edit of ["--start 2030-12-02T19:00", "--description past"])
    expect((await deskbell(`public-events update gala ${edit}`)).stderr).not.toContain("is in the");
});

test("update commands set a price to 0 only after a confirmation or with --yes", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  for (const [line, show, change] of [
    ["services update cut --price 0", "services show cut", "cut 35.00 -> 0.00"],
    ["menu update soup --size cup --price 0", "menu show soup", "soup/cup 5.00 -> 0.00"],
  ] as const) {
    const before = (await deskbell(`${show} --json`)).stdout;
    const refused = await deskbell(line);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain(`to 0 (`);
    expect(refused.stderr).toContain(change);
    expect(refused.stderr).toContain("add --yes");
    const asking = createTerminal({ isTTY: true, dataDir }).deskbell;
    expect((await asking(line, "n\n")).code).not.toBe(0);
    expect((await deskbell(`${line} --dry-run`)).code).toBe(0);
    expect((await deskbell(`${show} --json`)).stdout).toBe(before);
    expect((await asking(line, "y\n")).code).toBe(0);
    expect((await deskbell(`${show} --json`)).stdout).not.toBe(before);
    // The price is 0 already, so nothing is confirmed again.
    expect((await deskbell(line)).code).toBe(0);
  }
  expect((await deskbell("services update cut --price 10")).code).toBe(0);
  expect((await deskbell("services update cut --price 0 --yes")).code).toBe(0);
});

const UNPRICED = `catalog: 1
business: { slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF }
services:
  - { key: wedding, name: Wedding, durationMin: 90, priceType: on_request, variants: [{ key: w1, name: One, price: 80.00, default: true }] }
  - { key: cut, name: Cut, durationMin: 30, price: 35.00, variants: [{ key: long, name: Long, price: 50.00, default: true }, { key: short, name: Short }] }
menu:
  items: [{ key: fish, name: Fish, priceType: market, sizes: [{ key: half, name: Half, price: 9.00 }] }]
`;

test("an update of a service or dish changes no price that was not given, even if the price is on request", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", UNPRICED);
  const prices = async (line: string) => {
    const { data } = JSON.parse((await deskbell(`${line} --json`)).stdout) as {
      data: { priceCents: number; variants?: object[]; sizes?: object[] };
    };
    const parts = (data.variants ?? data.sizes) as { priceCents: number }[];
    return [data, ...parts].map(({ priceCents }) => priceCents);
  };
  const update = async (line: string) => expect((await deskbell(line)).code).toBe(0);
  await update("services update wedding --name Weddings");
  expect(await prices("services show wedding")).toEqual([0, 8000]);
  await update("services update wedding --variant w1 --price 90");
  expect(await prices("services show wedding")).toEqual([0, 9000]);
  await update("services update cut --name Cuts");
  await update("services update cut --variant short --price 30");
  expect(await prices("services show cut")).toEqual([3500, 5000, 3000]);
  await update("services update cut --variant long --price 55");
  expect(await prices("services show cut")).toEqual([5500, 5500, 3000]);
  await update("menu update fish --size half --price 10");
  expect(await prices("menu show fish")).toEqual([0, 1000]);
  const { stdout: file } = await deskbell("catalog export");
  await deskbell("catalog apply -", file);
  expect(await prices("menu show fish")).toEqual([0, 1000]);
  expect(await prices("services show wedding")).toEqual([0, 9000]);
});

const OWN_PRICES = `catalog: 1
business: { slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF }
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, variants: [{ key: long, name: Long, price: 62.00, durationMin: 60, default: true }] }
menu:
  items: [{ key: soup, name: Soup, price: 3.00, sizes: [{ key: cup, name: Cup, price: 5.00 }, { key: bowl, name: Bowl, price: 8.00 }] }]
`;

/** Returns a function that runs an update and returns its line with the object afterwards. */
async function openOwnPrices() {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", OWN_PRICES);
  return async (line: string): Promise<object> => {
    const { code } = await deskbell(line);
    const { stdout } = await deskbell(line.replace(/^(\w+) update (\w+).*/, "$1 show $2 --json"));
    return { line, code, ...JSON.parse(stdout).data };
  };
}

test("an update of the default variant gives the service only the price or duration that was given", async () => {
  const afterwards = await openOwnPrices();
  for (const [edit, priceCents, durationMin] of [
    ["--variant long --name Longer", 4000, 30],
    ["--variant long --status INACTIVE", 4000, 30],
    ["--variant long --duration 50", 4000, 50],
    ["--all --duration 45", 4000, 45],
    ["--variant long --price 65", 6500, 45],
  ] as const) {
    const line = `services update cut ${edit}`;
    expect(await afterwards(line)).toMatchObject({ line, code: 0, priceCents, durationMin });
  }
});

test("an update of a size gives the dish the lowest price only if this price changed", async () => {
  const afterwards = await openOwnPrices();
  for (const [edit, priceCents] of [
    ["--size bowl --price 9", 300],
    ["--size cup --name Mug", 300],
    ["--size cup --price 4", 400],
    ["--size cup --price 10", 900],
  ] as const) {
    const line = `menu update soup ${edit}`;
    expect(await afterwards(line)).toMatchObject({ line, code: 0, priceCents });
  }
});

test("commands in messages quote keys with spaces for the shell", async () => {
  const { deskbell } = createTerminal();
  await deskbell(
    "catalog apply -",
    CATALOG.replace("{ key: mia,", "{ key: mia o'hara,").replace(
      "staff: [mia]",
      'staff: ["mia o\'hara"]',
    ),
  );
  const quoted = `'mia o'\\''hara'`;
  await deskbell(`staff hours update Mia --day mon --open 10:00-12:00`);
  const { stderr } = await deskbell("hours update --day mon --closed");
  expect(stderr).toContain(`deskbell staff hours update ${quoted} --day mon --closed --business `);
  const created = await deskbell("staff create --name Tom --key 'tom b'");
  expect(created.stderr).toContain("deskbell staff update 'tom b' --add-service KEY");
  const service = await deskbell(
    "services create --name Wash --key 'wash it' --duration 30 --price 5",
  );
  expect(service.stderr).toContain("--remove-service 'wash it'");
});
