import { expect, test } from "vitest";
import { createTerminal } from "../../../support/cli.ts";

const today = Temporal.Now.plainDateISO("Europe/Zurich");
const DAY = today.add({ days: 7 }).toString();
const AFTER = today.add({ days: 8 }).toString();

const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo] }
  - { key: perm, name: Perm, durationMin: 60, price: 70.00, staff: [mia] }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }]
`;

async function openSalon(catalog = CATALOG, staff = "mia") {
  const terminal = createTerminal();
  const { deskbell } = terminal;
  expect(await deskbell("catalog apply -", catalog)).toMatchObject({ code: 0 });
  const book = async (service: string, time: string): Promise<string> => {
    const ran = await deskbell(
      `bookings create --service ${service} --staff ${staff} --start ${DAY}T${time} --name 'Guest ${time}' --json`,
    );
    return (JSON.parse(ran.stdout) as { data: { id: string } }).data.id.slice(-6);
  };
  return { ...terminal, cut: await book("cut", "10:00"), perm: await book("perm", "12:00") };
}

test("staff away lists the visits with their guests and says how to move them", async () => {
  const { deskbell, cut, perm } = await openSalon();
  const ran = await deskbell(`staff away mia --date ${DAY} --reason migraine`);
  expect(ran.stdout).toBe(
    `${DAY} 10:00 · Guest 10:00 · Cut · …${cut}\tLeo\n` +
      `${DAY} 12:00 · Guest 12:00 · Perm · …${perm}\t\n`,
  );
  expect(ran.stderr).toMatch(
    new RegExp(
      `^joes: Mia is away \\(tof_\\w+\\) from ${DAY}T00:00 to ${AFTER}T00:00\\.\n` +
        `1 visit can be moved to colleagues: deskbell staff away mia --from ${DAY}T00:00 --to ${AFTER}T00:00 --reassign --business joes\n` +
        "Nobody is free for 1 visit\\. Call the guest, then: deskbell bookings reschedule ID --start TIME --business joes, or bookings cancel ID\n$",
    ),
  );
  expect((await deskbell("time-off list --json")).stdout).toContain('"reason": "migraine"');
  const day = await deskbell(`today --date ${DAY}`);
  expect(day.stdout).toMatch(/Cut\tMia \(away\)/);
  expect(day.stderr).toMatch(/: 2 visits, 2 with somebody who is away\.\n$/);
});

test("staff away quotes the key of a person in the command that moves the visits", async () => {
  const { deskbell } = await openSalon(CATALOG.replaceAll("mia", "Mia R"), "'Mia R'");
  const { stderr } = await deskbell(`staff away 'Mia R' --date ${DAY}`);
  const [, line = ""] = /deskbell (staff away .* --reassign --business joes)/.exec(stderr) ?? [];
  expect(await deskbell(line)).toMatchObject({ code: 0, stdout: expect.stringContaining("Leo") });
});

test("staff away --reassign moves the visits, and its dry run saves nothing", async () => {
  const { deskbell } = await openSalon();
  const line = `staff away mia --date ${DAY} --reassign`;
  const planned = await deskbell(`${line} --dry-run`);
  expect(planned.stdout).toMatch(/Cut · …\w{6}\tLeo\tLeo\n/);
  expect(planned.stderr).toMatch(/^joes: Mia would be away from /);
  expect((await deskbell("time-off list")).stdout).toBe("");
  expect((await deskbell(`today --date ${DAY}`)).stdout).toMatch(/Cut\tMia\t/);

  const moved = await deskbell(`${line} --json`);
  expect(JSON.parse(moved.stdout)).toMatchObject({
    data: {
      timeOff: { id: expect.stringMatching(/^tof_/), from: expect.stringContaining(DAY) },
      visits: [
        { service: "Cut", couldTake: ["Leo"], movedTo: ["Leo"] },
        { service: "Perm", couldTake: [], movedTo: [] },
      ],
    },
  });
  expect((await deskbell(`today --date ${DAY}`)).stdout).toMatch(/Cut\tLeo\t/);
});

test("staff away notes that a staff member has no visits in the time off", async () => {
  const { deskbell } = await openSalon();
  const ran = await deskbell(`staff away leo --from ${DAY}T13:00 --to ${DAY}T15:00`);
  expect(ran).toMatchObject({ code: 0, stdout: "" });
  expect(ran.stderr).toMatch(/^Leo has no visits then\.\njoes: Leo is away \(/);
});

test.each([
  ["", "error: Missing --date, or --from and --to.\n"],
  [`--from ${DAY}`, "error: Missing --date, or --from and --to.\n"],
  [
    `--date ${DAY} --to ${DAY}`,
    "error: --date is a whole day, and cannot be combined with --from or --to.\n",
  ],
  ["--date someday", "error: Invalid --date 'someday'.\n"],
])("staff away mia %s is refused", async (flags, message) => {
  const { deskbell } = await openSalon();
  const ran = await deskbell(`staff away mia ${flags}`);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(message);
});

test.each(["staff away mia", "time-off create mia"])(
  "%s says what a time means that clocks skip",
  async (command) => {
    const { deskbell } = await openSalon();
    const gap = "Clocks in Europe/Zurich skip '2027-03-28T02:30', so it means 2027-03-28T03:30.";
    expect(
      await deskbell(`${command} --from 2027-03-28T02:30 --to 2027-03-28T03:30`),
    ).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `error: 'to' '2027-03-28T03:30' is not after 'from' '2027-03-28T02:30'. ${gap} (exit 2)\n`,
    });
    expect(
      await deskbell(`${command} --from 2027-03-28T02:30 --to 2027-03-28T04:00`),
    ).toMatchObject({ code: 0, stderr: expect.stringContaining(`${gap}\n`) });
    expect(
      await deskbell(`${command} --from 2027-03-28T01:30 --to 2027-03-28T04:00`),
    ).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Clocks") });
  },
);
