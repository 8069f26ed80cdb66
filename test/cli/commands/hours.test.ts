import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

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

/** A salon in which Mia, who keeps hours of her own, has a visit at 18:00. */
async function openSalon() {
  const { deskbell } = createTerminal();
  await deskbell("seed -", CATALOG);
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

test("hours update names the staff that keep their own hours, and the visits outside the new ones", async () => {
  const { run, id, affected, refuses } = await openSalon();
  const { stderr } = await run(`hours update --day ${DAY} --open 10:00-14:00`);
  expect(stderr).toContain(affected);
  expect((await run(`bookings show ${id.slice(-6)}`)).stdout).toContain(id);
  expect(stderr).toContain(
    `salon: mia keeps hours of their own: deskbell staff hours update mia --day ${DAY} --open 10:00-14:00\n`,
  );
  expect(await refuses("tom", "20:15")).not.toBe(0);
  await run(`staff hours update mia --day ${DAY} --open 10:00-14:00`);
  expect(await refuses("mia", "20:15")).not.toBe(0);
  const { stdout } = await run("staff hours update mia --like-business --json");
  expect(JSON.parse(stdout)).toMatchObject({ data: { changes: [{ fields: ["hours"] }] } });
});

test("hours update --date opens the business and all staff at other times on one date only", async () => {
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

test("staff hours update --date changes the hours of one person on one date", async () => {
  const { run, affected, refuses } = await openSalon();
  const { stderr } = await run(`staff hours update mia --date ${DATE} --closed`);
  expect(stderr).toContain(affected);
  expect(await refuses("mia", "10:00")).not.toBe(0);
  expect(await refuses("tom", "10:00")).toBe(0);
});

test("commands that affect future visits name them in the same sentence", async () => {
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

test("a visit that cannot be kept is named without its guest", async () => {
  const { deskbell, id } = await openSalon();
  expect((await deskbell("staff delete mia")).stderr).toContain(
    `booked: 1 future booking: ${DATE} 18:00 · Cut · Mia · …${id.slice(-6)}. Nothing was changed.\n`,
  );
});
