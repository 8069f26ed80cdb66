import { expect, test } from "vitest";
import { type CommandResult, createTerminal } from "../../support/cli.ts";

const CAFE = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]
`;

const data = (ran: CommandResult): unknown => {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return (JSON.parse(ran.stdout) as { data: unknown }).data;
};

test("seed rejects an existing business, and --overwrite undoes its local edits", async () => {
  const { deskbell } = createTerminal();
  expect(await deskbell("seed -", CAFE)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("joes: version 0 -> 1"),
  });
  await deskbell("services update cut --price 45.00");
  expect(await deskbell("seed -", CAFE)).toMatchObject({ code: 5, stdout: "" });
  expect(data(await deskbell("services show cut --json"))).toMatchObject({ priceCents: 4500 });

  const planned = await deskbell("seed - --overwrite --dry-run", CAFE);
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^update\tservice\tcut\tprice 45\.00 -> 40\.00, undoes a local edit of price\tsvc_/,
    ),
    stderr: expect.stringContaining("would change version 2 -> 3, 3 events"),
  });
  expect(data(await deskbell("services show cut --json"))).toMatchObject({ priceCents: 4500 });

  expect(await deskbell("seed - --overwrite", CAFE)).toMatchObject({ code: 0 });
  expect(data(await deskbell("services show cut --json"))).toMatchObject({ priceCents: 4000 });
});

test("seed --overwrite changes the currency, or cancels bookings, only with the flag that its error names", async () => {
  const { deskbell } = createTerminal();
  const hours = 'hours: [{ days: mon-sun, start: "00:00", end: "24:00" }]\n';
  const withVariant = CAFE.replace(
    "price: 40.00 }",
    "price: 40.00, variants: [{ key: long, name: Long }] }",
  );
  await deskbell("seed -", hours + withVariant);
  const foreign =
    hours + withVariant.replace(/currency: \w+/, "currency: JPY").replace("40.00", "40");
  expect(await deskbell("seed - --overwrite --yes", foreign)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("add --accept-currency-change"),
  });
  expect(
    await deskbell("seed - --overwrite --yes --accept-currency-change", foreign),
  ).toMatchObject({ code: 0 });

  const booked = await deskbell(
    "bookings create --service cut --variant long --start 'tomorrow 12:00'",
  );
  expect(booked).toMatchObject({ code: 0 });
  const without = foreign.replace(/, variants: .*\] \}/, " }");
  expect(await deskbell("seed - --overwrite --yes", without)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("or add --cancel-affected"),
  });
  expect(await deskbell("seed - --overwrite --yes --cancel-affected", without)).toMatchObject({
    code: 0,
  });
  expect((await deskbell("bookings list --status CANCELLED --json")).stdout).toContain('"bkg_');
});

test("seed all loads nothing if one of the businesses exists", async () => {
  const { deskbell } = createTerminal();
  expect(await deskbell("seed venue")).toMatchObject({ code: 0 });
  expect(await deskbell("seed all")).toMatchObject({ code: 5 });
  expect(data(await deskbell("businesses list --json"))).toMatchObject([{ slug: "kita-live" }]);
});

test("seed counts the objects of a new business, and names the file in the audit log", async () => {
  const { deskbell } = createTerminal();
  const { stderr } = await deskbell("seed restaurant");
  expect(stderr).toMatch(/^cafe-lumen: new, .*\d+ menu categories, .*\d+ menu items/);
  expect(data(await deskbell("audit list --json"))).toMatchObject([
    { action: "catalog.applied", details: { files: ["restaurant.yaml"] } },
  ]);
});

test("seed --dry-run creates no business", async () => {
  const { deskbell } = createTerminal();
  expect((await deskbell("seed salon --dry-run")).stderr).toMatch(/^salon-aurora: would be new, /);
  expect(await deskbell("services list")).toMatchObject({ code: 3 });
});

test("seed --generate creates an equal business for an equal --random-seed", async () => {
  const [first, second] = [createTerminal(), createTerminal()];
  for (const { deskbell } of [first, second])
    expect(await deskbell("seed --generate 120 --random-seed 9")).toMatchObject({ code: 0 });
  const text = async ({ deskbell }: typeof first) => (await deskbell("catalog export")).stdout;
  expect(await text(first)).toBe(await text(second));
});

test.each([
  "seed",
  "seed salon --generate 10",
  "seed --generate 0",
  "seed --generate many",
  "seed --generate 101k",
])("the command line '%s' is a usage error", async (line) => {
  expect(await createTerminal().deskbell(line)).toMatchObject({ code: 2, stdout: "" });
});

test("seed refuses a device file", async () => {
  expect(await createTerminal().deskbell("seed /dev/zero")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
  });
});
