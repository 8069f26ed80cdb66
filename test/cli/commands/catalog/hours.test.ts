import { expect, test } from "vitest";
import { createTerminal } from "../../../support/cli.ts";

const CATALOG = `catalog: 1
business: { slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: mon-sun, start: "09:00", end: "21:00" }]
staff:
  - { key: mia, name: Mia, hours: [{ days: mon-sun, start: "09:00", end: "21:00" }] }
  - { key: tom, name: Tom }
services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia, tom] }]
`;

const inDays = (days: number) => Temporal.Now.plainDateISO("Europe/Zurich").add({ days });
const DATE = inDays(20).toString();
const DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][inDays(20).dayOfWeek - 1];

/** Creates a salon in which Mia, who keeps hours of her own, has a visit at 18:00. */
async function openSalon() {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const run = async (line: string) => {
    const ran = await deskbell(line);
    expect({ line, ...ran }).toMatchObject({ code: 0 });
    return ran;
  };
  const booked = await run(
    `bookings create --service cut --staff mia --start ${DATE}T18:00 --customer-ref Ana --json`,
  );
  const { id } = (JSON.parse(booked.stdout) as { data: { id: string } }).data;
  const affected =
    "salon: 1 future visit is affected and stays as it is: " +
    `${DATE} 18:00 · Ana · Cut · Mia · …${id.slice(-6)}.\n`;
  const refuses = async (staff: string, time: string) =>
    (await deskbell(`bookings create --service cut --staff ${staff} --start ${DATE}T${time}`)).code;
  return { deskbell, run, id, affected, refuses };
}

test("hours update names the staff who keep their own hours, and the visits outside the new hours", async () => {
  const { run, id, affected, refuses } = await openSalon();
  const { stderr } = await run(`hours update --day ${DAY} --open 10:00-14:00`);
  expect(stderr).toContain(affected);
  expect((await run(`bookings show ${id.slice(-6)}`)).stdout).toContain(id);
  expect(stderr).toContain(
    `salon: mia keeps hours of their own: deskbell staff hours update mia --day ${DAY} --open 10:00-14:00 --business salon\n`,
  );
  expect(await refuses("tom", "20:15")).not.toBe(0);
  await run(`staff hours update mia --day ${DAY} --open 10:00-14:00`);
  expect(await refuses("mia", "20:15")).not.toBe(0);
  const { stdout } = await run("staff hours update mia --like-business --json");
  expect(JSON.parse(stdout)).toMatchObject({ data: { changes: [{ fields: ["hours"] }] } });
});

test("hours update --date changes the hours of the business and all staff on that date only", async () => {
  const { run, affected, refuses } = await openSalon();
  const { stderr } = await run(`hours update --date ${DATE} --open 10:00-14:00`);
  expect(stderr).toContain(affected);
  expect((await run("hours list")).stdout).toContain(`${DATE}\t10:00-14:00`);
  for (const staff of ["mia", "tom"]) expect(await refuses(staff, "14:00")).not.toBe(0);
  const exported = (await run("catalog export")).stdout;
  expect(exported).toMatch(new RegExp(`date: .?${DATE}.?, mode: only`, "i"));
  await run(`hours update --date ${DATE} --usual`);
  expect((await run("catalog export")).stdout).not.toContain(DATE);
  expect(await refuses("mia", "14:00")).toBe(0);
});

test("staff hours update --like-business is refused together with days, which it would ignore", async () => {
  const { deskbell } = await openSalon();
  for (const flags of ["--day fri", "--date 2026-12-24 --closed", "--open 09:00-10:00"])
    expect(await deskbell(`staff hours update mia --like-business ${flags}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--like-business cannot be combined with --day"),
    });
  expect((await deskbell("staff show mia")).stdout).toContain("09:00-21:00");
});

test("staff hours update --date changes the hours of one staff member on that date only", async () => {
  const { run, affected, refuses } = await openSalon();
  const { stderr } = await run(`staff hours update mia --date ${DATE} --closed`);
  expect(stderr).toContain(affected);
  expect(await refuses("mia", "10:00")).not.toBe(0);
  expect(await refuses("tom", "10:00")).toBe(0);
});

test("commands that affect future visits list the visits", async () => {
  const { run, affected } = await openSalon();
  for (const line of [
    `closures create --date ${DATE}`,
    `time-off create mia --from ${DATE} --to ${DATE}`,
    "services update cut --status INACTIVE",
    "services update cut --status ARCHIVED",
    "staff update mia --bookable no",
    "staff update mia --status INACTIVE",
  ]) {
    const { stderr } = await run(`${line} --dry-run`);
    expect(`${line}: ${stderr}`).toContain(affected);
  }
});

test("staff delete names the visits that prevent it, without their guests", async () => {
  const { deskbell, id } = await openSalon();
  expect((await deskbell("staff delete mia")).stderr).toContain(
    `booked: 1 future booking: ${DATE} 18:00 · Cut · Mia · …${id.slice(-6)}. Nothing was changed.\n`,
  );
});

test("an update of a date's hours names the closures that override the hours, and the command that deletes them", async () => {
  const { run, refuses } = await openSalon();
  const [from, to, yearly] = [inDays(18).toString(), inDays(25).toString(), DATE.slice(5)];
  await run(`closures create --from ${from} --to ${to} --name 'Winter rest'`);
  await run(`closures create --yearly ${yearly}`);
  for (const who of ["hours update", "staff hours update mia"])
    for (const hours of ["--open 10:00-14:00", "--usual"]) {
      const { stderr } = await run(`${who} --date ${DATE} ${hours}`);
      expect(stderr).toContain(
        `salon: ${DATE} stays closed, because the closure 'Winter rest' from ${from} to ${to} wins over these hours. To delete it: deskbell closures delete ${from} --business salon\n`,
      );
      expect(stderr).toContain(
        `salon: ${DATE} stays closed, because the closure of every ${yearly} wins over these hours. To delete it: deskbell closures delete ${yearly} --business salon\n`,
      );
    }
  expect((await run(`hours update --date ${DATE} --closed`)).stderr).not.toContain("wins");
  await run(`closures delete ${from} --business salon`);
  await run(`closures delete ${yearly} --business salon`);
  const { stderr } = await run(`hours update --date ${DATE} --open 10:00-14:00`);
  expect(stderr).not.toContain("wins");
  expect(await refuses("tom", "10:00")).toBe(0);
});

test("an update of a person's hours on a date names the time off and opening hours that override the new hours", async () => {
  const { run } = await openSalon();
  const off = await run(`time-off create mia --from ${DATE} --to ${DATE} --json`);
  const { id } = (JSON.parse(off.stdout) as { data: { id: string } }).data;
  await run(`hours update --date ${DATE} --open 10:00-14:00`);
  const { stderr } = await run(`staff hours update mia --date ${DATE} --open 09:00-13:00`);
  expect(stderr).toContain(
    `salon: mia has time off from ${DATE} 00:00 to ${inDays(21).toString()} 00:00, which wins over these hours. To delete it: deskbell time-off delete ${id} --business salon\n`,
  );
  expect(stderr).toContain(
    `salon: on ${DATE} the business is open 10:00-14:00 only, which binds mia too. To delete these hours of the business: deskbell hours update --date ${DATE} --usual --business salon\n`,
  );
  await run(`time-off delete ${id} --business salon`);
  const within = await run(`staff hours update mia --date ${DATE} --open 10:00-13:00`);
  expect(within.stderr).not.toMatch(/wins|binds/);
  await run(`hours update --date ${DATE} --closed`);
  expect((await run(`staff hours update mia --date ${DATE} --open 09:00-13:00`)).stderr).toContain(
    `on ${DATE} the business is closed, which binds mia too.`,
  );
});

test("commands note that a change which ends in the past changes nothing for future visits", async () => {
  const { deskbell } = createTerminal();
  const promotion = `promotions:
  - { key: off, name: Off, benefit: { type: PERCENT_OFF, percent: 10 }, appliesTo: { services: [cut] } }
`;
  const [past, longPast] = [inDays(-3).toString(), inDays(-9).toString()];
  expect(await deskbell("catalog apply -", CATALOG + promotion)).toMatchObject({ code: 0 });
  const nothing = "is in the past: nothing changes for future visits.\n";
  for (const [line, note] of [
    [`closures create --date ${past}`, `salon: ${past} ${nothing}`],
    [`closures create --from ${longPast} --to ${past}`, `salon: ${past} ${nothing}`],
    [`hours update --date ${past} --closed`, `salon: ${past} ${nothing}`],
    [`staff hours update mia --date ${past} --closed`, `salon: ${past} ${nothing}`],
    [`time-off create mia --from ${longPast} --to ${past}`, `salon: --to ${past} ${nothing}`],
    [
      `promotions update off --to ${past}`,
      `salon: --to ${past} is in the past: the promotion applies to no future visit.\n`,
    ],
  ] as const) {
    const ran = await deskbell(line);
    expect({ line, ...ran }).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  }
  const today = inDays(0).toString();
  for (const line of [
    `closures create --date ${today}`,
    `closures create --from ${longPast} --to ${DATE}`,
    `closures create --yearly 01-01`,
    `time-off create mia --from ${past} --to ${today}`,
    `promotions update off --from ${past} --to none`,
  ])
    expect((await deskbell(line)).stderr).not.toContain("in the past");
});

/** Opens a bar with hours past midnight, and returns what a new closure notes. */
async function openBar(staffHours = "") {
  const { deskbell } = createTerminal();
  const file = CATALOG.replace("slug: salon", "slug: bar")
    .replace('hours: [{ days: mon-sun, start: "09:00", end: "21:00" }]', staffHours || NIGHTS)
    .replace(/, hours: .*(?= \})/, staffHours === "" ? "" : `, ${NIGHTS}`);
  expect(await deskbell("catalog apply -", file)).toMatchObject({ code: 0 });
  const isBookable = async (time: string) =>
    (await deskbell(`bookings create --service cut --staff mia --start ${time} --dry-run`)).code ===
    0;
  return { deskbell, isBookable };
}

const NIGHTS = 'hours: [{ days: mon-sun, start: "20:00", end: "28:00" }]';

test.each([
  ["the business", ""],
  ["a staff member", 'hours: [{ days: mon-sun, start: "09:00", end: "21:00" }]'],
])(
  "closures create notes the nights of %s that the closure cuts and leaves open, and how to close the latter",
  async (_name, hours) => {
    const { deskbell, isBookable } = await openBar(hours);
    const [eve, from, to, after] = [-1, 0, 1, 2].map((n) => inDays(20 + n).toString());
    const { stderr } = await deskbell(`closures create --from ${from} --to ${to}`);
    expect(stderr).toContain(
      `bar: the closure begins at midnight, so it also ends the hours of ${eve} then.\n`,
    );
    const command = `hours update --date ${to} --closed --business bar`;
    expect(stderr).toContain(
      `bar: the closure ends at midnight, so the hours of ${to} after midnight stay open. To close them, too: deskbell ${command}\n`,
    );
    expect([await isBookable(`${eve}T23:00`), await isBookable(`${from}T01:00`)]).toEqual([
      true,
      false,
    ]);
    expect(await isBookable(`${after}T01:00`)).toBe(true);
    await deskbell(command);
    expect(await isBookable(`${after}T01:00`)).toBe(false);
    expect(await isBookable(`${after}T21:00`)).toBe(true);
  },
);

test("closures create notes no night if the hours end by midnight, or if the nights are closed already", async () => {
  const { run } = await openSalon();
  expect((await run(`closures create --date ${DATE}`)).stderr).not.toContain("midnight");
  const { deskbell } = await openBar();
  const [eve, next] = [inDays(19).toString(), inDays(21).toString()];
  await deskbell(`closures create --date ${eve}`);
  await deskbell(`closures create --date ${next}`);
  expect((await deskbell(`closures create --date ${DATE}`)).stderr).not.toContain(" ends at ");
  const past = inDays(-3).toString();
  expect((await deskbell(`closures create --date ${past}`)).stderr).not.toContain("midnight");
});

test("closures create notes the night after the next date of a yearly closure", async () => {
  const { deskbell } = await openBar();
  const { stderr } = await deskbell(`closures create --yearly ${DATE.slice(5)}`);
  expect(stderr).toContain(`To close them, too: deskbell hours update --date ${DATE} --closed`);
  const leap = await deskbell("closures create --yearly 02-29");
  expect(leap.stderr).toMatch(/hours update --date \d{4}-02-29 --closed/);
});
