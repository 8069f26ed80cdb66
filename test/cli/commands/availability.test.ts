import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

// A day in the future, but within the booking horizon, on which the business has visits.
const today = Temporal.Now.plainDateISO("Europe/Zurich");
const in7 = today.add({ days: 7 });
const [DAY, NEXT_DAY] = [in7.toString(), in7.add({ days: 1 }).toString()];

const CATALOG = `
catalog: 1
business:
  slug: joes
  name: Joe's
  timezone: Europe/Zurich
  currency: CHF
  bookingPolicy: { slotIntervalMin: 60 }
hours: [{ days: [mon-sun], start: "08:00", end: "12:00" }]
closures: [{ date: ${NEXT_DAY} }]
services:
  - { key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [mia, leo], addons: [{ addon: wash, max: 2 }] }
  - { key: shave, name: Shave, durationMin: 60, price: 20.00, staff: [leo] }
addons: [{ key: wash, name: Wash, price: 5.00, durationMin: 30 }]
staff: [{ key: mia, name: Mia, public: false }, { key: leo, name: Leo }]
areas: [{ key: terrace, name: Terrace }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4, area: terrace }]
turnTimes: [{ upTo: 4, min: 120 }]
`;

async function createBusiness(options: Parameters<typeof createTerminal>[0] = {}) {
  const { deskbell } = createTerminal(options);
  expect(await deskbell("catalog apply -", CATALOG)).toMatchObject({ code: 0 });
  expect(
    await deskbell(`bookings create --service cut --staff mia --start ${DAY}T09:00`),
  ).toMatchObject({ code: 0 });
  return async (line: string) => {
    const ran = await deskbell(`availability ${line}`);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    return ran.stdout;
  };
}

test("availability in a pipe prints a line per slot, and one for a day without slots", async () => {
  const availability = await createBusiness();
  expect(await availability(`--service cut --staff mia --from ${DAY} --to ${NEXT_DAY}`)).toBe(
    [
      `${DAY}\tOPEN\t08:00\t09:00\t1\tmia\t`,
      `${DAY}\tOPEN\t10:00\t11:00\t1\tmia\t`,
      `${DAY}\tOPEN\t11:00\t12:00\t1\tmia\t`,
      `${NEXT_DAY}\tCLOSED\t\t\t\t\t`,
      "",
    ].join("\n"),
  );
  expect(await availability(`--service cut --service shave --addon wash*2 --date ${DAY}`)).toBe(
    `${DAY}\tOPEN\t08:00\t11:00\t1\tleo leo\t\n${DAY}\tOPEN\t09:00\t12:00\t1\tleo leo\t\n`,
  );
  expect(await availability(`--party 2 --area terrace --date ${DAY}`)).toMatch(
    new RegExp(`^${DAY}\tOPEN\t08:00\t10:00\t1\tt1\t\n`),
  );
});

test("availability on a terminal prints a line of start times per day; --explain adds the rejected start times", async () => {
  const availability = await createBusiness({ isTTY: true });
  const weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  const head = (date: Temporal.PlainDate) => `${weekday[date.dayOfWeek - 1]} ${date.toString()}`;
  expect(await availability(`--service cut --staff mia --from ${DAY} --to ${NEXT_DAY}`)).toBe(
    `${head(in7)}  OPEN      08:00 10:00 11:00\n${head(in7.add({ days: 1 }))}  CLOSED\n`,
  );
  const indent = " ".repeat(26);
  expect(await availability(`--service cut --staff mia --date ${DAY} --explain`)).toBe(
    [
      `${head(in7)}  OPEN      08:00 10:00 11:00`,
      `${indent}00:00-07:00: it is outside working hours`,
      `${indent}09:00: it is already booked`,
      `${indent}12:00-23:00: it is outside working hours`,
      "",
    ].join("\n"),
  );
});

test("availability --explain in a pipe says why each start time is rejected, and for which service", async () => {
  const availability = await createBusiness();
  const lines = (
    await availability(`--service shave --service cut --staff cut:mia --date ${DAY} --explain`)
  ).split("\n");
  expect(lines.filter((line) => /\t(08|09|10|11):00\t.*\t/.test(line))).toEqual([
    `${DAY}\tTAKEN\t08:00\t\t\t\tservice 2: it is already booked`,
    `${DAY}\tOPEN\t09:00\t11:00\t1\tleo mia\t`,
    `${DAY}\tOPEN\t10:00\t12:00\t1\tleo mia\t`,
    `${DAY}\tOUTSIDE_HOURS\t11:00\t\t\t\tservice 2: it is outside working hours`,
  ]);
});

test("availability --next prints the first start times, and --json the whole response", async () => {
  const availability = await createBusiness();
  expect(await availability(`--service cut --staff mia --from ${DAY} --next 2`)).toBe(
    `${DAY}\tOPEN\t08:00\t09:00\t1\tmia\t\n${DAY}\tOPEN\t10:00\t11:00\t1\tmia\t\n`,
  );
  const { data } = JSON.parse(await availability(`--service cut --date ${DAY} --json`)) as {
    data: object;
  };
  expect(data).toMatchObject({
    from: DAY,
    to: DAY,
    durationMin: 60,
    priceCents: 4000,
    days: [{ date: DAY, state: "OPEN" }],
  });
  const next = JSON.parse(await availability(`--service cut --from ${DAY} --next 1 --json`)) as {
    data: object;
  };
  expect(next.data).toMatchObject({
    from: DAY,
    slots: [{ segments: [{ staffId: expect.stringMatching(/^stf_/) }] }],
  });
});

test("bookings create accepts the flags of availability and books the staff and times that it lists", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const visit = "--service shave --service cut --addon cut:wash --staff cut:mia";
  const listed = await deskbell(`availability ${visit} --date ${DAY}`);
  expect(listed.stdout.split("\n")[0]).toBe(`${DAY}\tOPEN\t08:00\t10:30\t1\tleo mia\t`);
  const booked = await deskbell(`bookings create ${visit} --start ${DAY}T08:00 --json`);
  expect(booked).toMatchObject({ code: 0 });
  const { data } = JSON.parse(booked.stdout) as {
    data: { id: string; segments: { startsAt: string }[] };
  };
  expect(data.segments.map(({ startsAt }) => startsAt.slice(11, 16))).toEqual(["08:00", "09:00"]);
  expect(await deskbell(`bookings create ${visit} --start ${DAY}T08:00`)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(
      `'shave' and 'cut' are not available at ${DAY}T08:00 with 'cut:mia': it is already booked.`,
    ),
  });
  const line = {
    service: ["shave", "cut"],
    addons: ["cut:wash"],
    staff: ["cut:mia"],
    start: `${DAY}T08:00`,
  };
  expect(await deskbell(`bookings cancel ${data.id}`)).toMatchObject({ code: 0 });
  expect(await deskbell("bookings create --input -", JSON.stringify(line))).toMatchObject({
    code: 0,
  });
});

test("catalog diff lists the bookings outside the new hours", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  await deskbell(`bookings create --service shave --start ${DAY}T08:00`);
  const booked = await deskbell(`bookings create --service shave --start ${DAY}T11:00 --json`);
  const { data } = JSON.parse(booked.stdout) as { data: { id: string } };
  expect(await deskbell("catalog diff -", CATALOG.replace('"12:00"', '"11:00"'))).toMatchObject({
    code: 8,
    stderr: expect.stringContaining(`Shave · Leo · …${data.id.slice(-6)}.`),
  });
});

test.each([
  ["", 2, "fix: add --service KEY, or --party N for a table"],
  ["--service cut --party 2", 2, "--party cannot be combined with --service"],
  ["--service cut --area terrace", 2, "--area requires --party"],
  ["--service cut --date 2027-02-29", 2, "Invalid --date '2027-02-29'"],
  [`--service cut --from ${DAY} --to 2020-01-01`, 2, "--to must not be before"],
  [`--service cut --next 2 --date ${DAY}`, 2, "--next cannot be combined with --date or --to"],
  ["--service ct --staff me", 3, "Did you mean 'cut'?"],
  ["--service shave --staff mia", 2, "'Mia' does not perform 'Shave'."],
  ["--party 9", 2, "No table seats 9; the largest seats 4."],
])("availability %s fails with exit code %i", async (line, code, message) => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  expect(await deskbell(`availability ${line}`)).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

test("availability --party fails for a business without tables", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG.slice(0, CATALOG.indexOf("\nareas:")));
  expect(await deskbell("availability --party 2")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There are no tables to reserve."),
  });
});
