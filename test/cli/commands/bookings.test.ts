import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { type CommandResult, createTempFolder, createTerminal } from "../../support/cli.ts";

// A day in the future, but within the booking horizon.
const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();

const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo] }
  - { key: bath, name: Bath, durationMin: 60, price: 10.00, capacity: 4 }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo, hours: [{ days: mon-sun, start: '20:00', end: '23:00' }] }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4 }]
events: [{ key: gala, name: Gala, startsAt: ${DAY}T19:00, durationMin: 180 }]
`;

async function createBusiness() {
  const { deskbell, dataDir } = createTerminal();
  expect(await deskbell("catalog apply -", CATALOG)).toMatchObject({ code: 0 });
  return { deskbell, dataDir };
}

const data = <T = Record<string, unknown>>(ran: CommandResult): T => {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return (JSON.parse(ran.stdout) as { data: T }).data;
};

test("bookings create --input reports each line, and creates the other bookings if a line is rejected", async () => {
  const { deskbell } = await createBusiness();
  const file = join(createTempFolder(), "bookings.ndjson");
  const line = (fields: object) =>
    JSON.stringify({ service: "cut", staff: "mia", start: `${DAY}T10:00`, ...fields });
  writeFileSync(
    file,
    [
      line({}),
      "",
      "nope",
      line({ start: `${DAY}T10:15` }),
      line({ customerRef: "\u001b[2J", item: 1 }),
      line({ start: `${DAY}T10:30` }),
    ].join("\r\n"),
  );
  const ran = await deskbell(`bookings create --input ${file}`);
  expect(ran).toMatchObject({ code: 6, stderr: "2 created, 3 rejected.\n" });
  expect(ran.stdout.split("\n")).toEqual([
    expect.stringMatching(/^1\tok\tbkg_\w+$/),
    "3\tinvalid_json\tThe line is not JSON.",
    expect.stringMatching(/^4\tslot_taken\t/),
    expect.stringMatching(/^5\tvalidation_failed\t.*not '␛\[2J'\. Unknown field 'item'\./),
    expect.stringMatching(/^6\tok\tbkg_\w+$/),
    "",
  ]);
});

test("bookings create --input --json reports a JSON object per line", async () => {
  const { deskbell } = await createBusiness();
  const lines = [
    { service: "cut", start: `${DAY}T10:00` },
    { service: "cut", start: `${DAY}T10:15` },
  ];
  const ran = await deskbell(
    "bookings create --input - --json",
    lines.map((line) => JSON.stringify(line)).join("\n"),
  );
  expect(ran.code).toBe(6);
  expect(
    ran.stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    { line: 1, id: expect.stringMatching(/^bkg_/) },
    { line: 2, error: { code: "slot_taken", detail: expect.stringContaining("is not available") } },
  ]);
  const table = await deskbell(
    "reservations create --input -",
    JSON.stringify({ party: 4, start: `${DAY}T19:00` }),
  );
  expect(table).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\tok\trsv_\w+\n$/) });
});

test("bookings list shows the names of services and staff", async () => {
  const { deskbell } = await createBusiness();
  await deskbell(
    `bookings create --service cut --staff mia --start ${DAY}T10:00 --customer-ref Müller`,
  );
  const { stdout } = await deskbell("bookings list");
  expect(stdout.split("\t").slice(1, 5)).toEqual([`${DAY}T10:00`, "Cut", "Mia", "Müller"]);
});

test("guest data given on the command line are shown to the operator, and are in no event", async () => {
  const { deskbell } = await createBusiness();
  const guest = "--name 'Ana 💇' --email ana@example.com --phone '0664 123' --notes 'left-handed'";
  const customer = {
    name: "Ana 💇",
    email: "ana@example.com",
    phone: "0664 123",
    notes: "left-handed",
  };
  for (const [group, terms] of [
    ["bookings", "--service cut"],
    ["reservations", "--party 2"],
  ]) {
    const { id } = data<{ id: string }>(
      await deskbell(`${group} create ${terms} --start ${DAY}T10:00 ${guest} --json`),
    );
    expect(data(await deskbell(`${group} show ${id} --json`))).toMatchObject({ customer });
    expect((await deskbell(`${group} list --status confirmed`)).stdout).toContain("\tAna 💇\t");
  }
  expect((await deskbell("events list --json")).stdout).not.toContain("Ana");
  expect(
    await deskbell(`bookings create --service cut --start ${DAY}T12:00 --name 'a\nb'`),
  ).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^error: 'customer.name' must be a name of one line/),
  });
  expect(
    await deskbell(`bookings create --service cut --start ${DAY}T12:00 --email abc`),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: 'customer.email' must be an email address such as ana@example.com/,
    ),
  });
});

test("the error for a start that cannot be booked names the command that lists available ones", async () => {
  const { deskbell } = await createBusiness();
  const book = async (terms: string, group = "bookings") =>
    deskbell(`${group} create ${terms} --start ${DAY}T10:00`);
  await book("--service bath --guests 2");
  expect((await book("--service bath --guests 3")).stderr).toBe(
    `error: 'bath' is not available at ${DAY}T10:00: not enough places are left.\n` +
      `fix: deskbell availability --service bath --guests 3 --date ${DAY} (exit 5)\n`,
  );
  await book("--party 4", "reservations");
  expect((await book("--party 3", "reservations")).stderr).toMatch(
    `fix: deskbell availability --party 3 --date ${DAY} (exit 5)\n`,
  );
});

test("--ignore-notice books a start between the usual times, as the refusal suggests", async () => {
  const { deskbell } = await createBusiness();
  const line = `bookings create --service cut --start ${DAY}T10:05`;
  expect((await deskbell(line)).stderr).toBe(
    `error: 'cut' is not available at ${DAY}T10:05: visits start at other times.\n` +
      `fix: deskbell availability --service cut --date ${DAY}, or add --ignore-notice (exit 5)\n`,
  );
  const { id } = data<{ id: string }>(await deskbell(`${line} --ignore-notice --json`));
  const move = `bookings reschedule ${id} --start ${DAY}T10:10 --ignore-notice --json`;
  expect(data(await deskbell(move))).toMatchObject({ version: 2 });
  const audited = data<{ subject: { id: string } }[]>(
    await deskbell("audit list --action booking.notice_ignored --json"),
  );
  expect(audited.map(({ subject }) => subject.id)).toEqual([id, id]);
});

test("bookings and reservations can be created, listed in pages, shown and cancelled", async () => {
  const { deskbell } = await createBusiness();
  const booking = data<{ id: string }>(
    await deskbell(`bookings create --service cut --start ${DAY}T10:00 --json`),
  );
  await deskbell(`bookings create --service cut --start ${DAY}T11:00`);
  expect(data(await deskbell(`bookings show ${booking.id} --json`))).toMatchObject(booking);
  const page = await deskbell("bookings list --limit 1 --json");
  expect(page.stderr).toBe(
    `There are later bookings: add --from ${DAY}T11:00, or a larger --limit.\n`,
  );
  expect(JSON.parse(page.stdout)).toMatchObject({ data: [booking] });
  const [later] = data<{ id: string }[]>(
    await deskbell(`bookings list --from ${DAY}T11:00 --json`),
  );
  expect(data(await deskbell(`bookings list --before ${later?.id} --json`))).toMatchObject([
    booking,
  ]);
  expect(data(await deskbell(`bookings cancel ${booking.id} --json`))).toEqual({
    ...booking,
    status: "CANCELLED",
    cancelledBy: "BUSINESS",
    updatedAt: expect.any(String),
    version: 2,
  });
  expect((await deskbell("bookings list --status CANCELLED")).stdout).toContain(booking.id);

  const table = data<{ id: string }>(
    await deskbell(`reservations create --party 2 --start ${DAY}T19:00 --table t1 --json`),
  );
  expect(data(await deskbell("reservations list --json"))).toEqual([table]);
  expect(data(await deskbell(`reservations show ${table.id} --json`))).toEqual(table);
  expect(await deskbell(`reservations cancel ${table.id}`)).toMatchObject({ code: 0 });
});

test("bookings list filters by day, staff member, service and status", async () => {
  const { deskbell } = await createBusiness();
  for (const [service, time] of ["cut 10:00", "cut 12:00", "bath 11:00"].map((text) =>
    text.split(" "),
  ))
    await deskbell(`bookings create --service ${service} --start ${DAY}T${time}`);
  const startsOf = async (flags: string) =>
    data<{ startsAt: string }[]>(await deskbell(`bookings list --json ${flags}`)).map(
      ({ startsAt }) => startsAt.slice(11, 13),
    );
  expect(await startsOf("")).toEqual(["10", "11", "12"]);
  expect(await startsOf(`--from ${DAY} --to ${DAY}`)).toEqual(["10", "11", "12"]);
  expect(await startsOf(`--from ${DAY}T10:30 --to ${DAY}T12:00`)).toEqual(["11"]);
  expect(await startsOf("--staff mia")).toEqual(["10", "12"]);
  expect(await startsOf("--service bath --status CONFIRMED")).toEqual(["11"]);
  expect(await startsOf("--status PENDING")).toEqual([]);
  expect(await deskbell("bookings list --staff miah")).toMatchObject({ code: 3 });
});

test("today shows the visits of a day with names and local times in 80 columns", async () => {
  const { deskbell, dataDir } = await createBusiness();
  const { id } = data<{ id: string }>(
    await deskbell(`bookings create --service cut --start ${DAY}T10:00 --customer-ref Ana --json`),
  );
  await deskbell(`bookings create --service bath --start ${DAY}T08:00 --guests 2`);
  await deskbell(`reservations create --party 3 --start ${DAY}T19:00`);
  const gone = data<{ id: string }>(
    await deskbell(`bookings create --service cut --start ${DAY}T12:00 --json`),
  );
  await deskbell(`bookings cancel ${gone.id} --reason illness`);
  const terminal = createTerminal({ dataDir, isTTY: true, columns: 80 });
  const { stdout, stderr } = await terminal.deskbell(`today --date ${DAY}`);
  expect(stripVTControlCharacters(stdout)).toBe(`\
TIME         GUEST  SERVICE  STAFF  PLACE  STATUS
08:00-09:00  - (2)  Bath                   CONFIRMED
10:00-10:30  Ana    Cut      Mia           CONFIRMED
19:00-21:00  - (3)                  t1     CONFIRMED
`);
  expect(stripVTControlCharacters(stderr)).toMatch(new RegExp(`^\\w+day, ${DAY}: 3 visits\\.\n$`));
  expect(data(await deskbell(`bookings show ${id} --json`))).toMatchObject({ id });
  const ofMia = await deskbell(`today --date ${DAY} --staff mia`);
  expect(ofMia.stdout.split("\n")).toHaveLength(2);
});

test("today --date accepts tomorrow and yesterday, and rejects other formats with an example", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-10-20T22:30:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const { deskbell } = await createBusiness();
  const noteOf = async (date: string) => (await deskbell(`today --date ${date}`)).stderr;
  expect(await noteOf("tomorrow")).toBe("joes has no visits on 2026-10-22.\n");
  expect(await noteOf("Yesterday")).toBe("joes has no visits on 2026-10-20.\n");
  for (const date of ["27.10.2026", "constructor"])
    expect(await deskbell(`today --date ${date}`)).toMatchObject({
      code: 2,
      stderr:
        `error: Invalid --date '${date}'.\n` +
        "fix: use a date from 1900 to 2199 such as 2026-12-24, or yesterday, today or tomorrow (exit 2)\n",
    });
});

test("times that clocks show twice are printed with an offset, and a note says which of the two instants --start means", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-10-20T09:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const { deskbell } = createTerminal();
  const night = CATALOG.replace('start: "08:00"', 'start: "00:00"').replace(
    `startsAt: ${DAY}T19:00`,
    "startsAt: 2026-10-25T02:30",
  );
  expect(await deskbell("catalog apply -", night)).toMatchObject({ code: 0 });
  const book = (start: string) =>
    deskbell(`bookings create --service bath --start ${start} --json`);
  expect(await book("2026-10-25T02:30")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2026-10-25T02:30:00+02:00"),
    stderr:
      "Clocks show 2026-10-25T02:30 twice on that day. This is the first, 2026-10-25T02:30+02:00; " +
      "the second is --start 2026-10-25T02:30+01:00.\n",
  });
  const { id } = data<{ id: string }>(await book("2026-10-25T02:30+01:00"));
  expect((await deskbell("today --date 2026-10-25")).stdout.split(/[\t\n]/)).toEqual(
    expect.arrayContaining(["02:30+02:00-02:30+01:00", "02:30+01:00-03:30"]),
  );
  const listed = (await deskbell("bookings list")).stdout.split(/[\t\n]/);
  expect(listed).toEqual(
    expect.arrayContaining(["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]),
  );
  expect((await deskbell(`bookings show ${id}`)).stdout).toContain("2026-10-25 02:30+01:00");
  expect((await deskbell("public-events list")).stdout).toContain("2026-10-25T02:30+02:00");
  const page = await deskbell("bookings list --limit 1 --json");
  expect(page.stderr).toContain("add --from 2026-10-25T02:30+01:00,");
});

test("bookings reschedule changes the staff member, and reservations reschedule changes the party", async () => {
  const { deskbell } = await createBusiness();
  const booking = data<{ id: string; totalCents: number }>(
    await deskbell(`bookings create --service cut --start ${DAY}T10:00 --json`),
  );
  const move = `bookings reschedule ${booking.id} --start ${DAY}T20:15 --json`;
  expect(data(await deskbell(`${move} --staff leo`))).toMatchObject({
    id: booking.id,
    version: 2,
    startsAt: expect.stringContaining("T20:15"),
    segments: [{ staffName: "Leo" }],
  });
  const table = data<{ id: string }>(
    await deskbell(`reservations create --party 2 --start ${DAY}T19:00 --json`),
  );
  expect(
    data(
      await deskbell(`reservations reschedule ${table.id} --start ${DAY}T19:30 --party 4 --json`),
    ),
  ).toMatchObject({ partySize: 4, startsAt: expect.stringContaining("T19:30"), version: 2 });
});

test("bookings reschedule --staff keeps the price for the booked staff member and updates it for another person", async () => {
  const { deskbell } = await createBusiness();
  const { id } = data<{ id: string }>(
    await deskbell(`bookings create --service cut --staff mia --start ${DAY}T10:00 --json`),
  );
  await deskbell("catalog apply -", CATALOG.replace("price: 40.00", "price: 45.00"));
  const move = async (to: string) =>
    data(await deskbell(`bookings reschedule ${id} --start ${DAY}T${to} --json`));
  expect(await move("11:00 --staff mia")).toMatchObject({ totalCents: 4000, version: 2 });
  expect(await move("20:15 --staff leo")).toMatchObject({ totalCents: 4500, version: 3 });
});

test("a confirmed visit that has not started cannot be completed, marked as a no-show, approved or declined", async () => {
  const { deskbell } = await createBusiness();
  const { id } = data<{ id: string }>(
    await deskbell(`bookings create --service cut --start ${DAY}T10:00 --json`),
  );
  for (const action of ["complete", "no-show", "approve", "decline"])
    expect(await deskbell(`bookings ${action} ${id}`)).toMatchObject({ code: 5, stdout: "" });
});

test("time off can be created, listed with the key of the staff member, and deleted", async () => {
  const { deskbell } = await createBusiness();
  await deskbell(`bookings create --service cut --start ${DAY}T10:00`);
  const added = await deskbell(
    `time-off create mia --from ${DAY} --to ${DAY} --reason 'a wedding' --json`,
  );
  expect(added).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 future visit is affected and stays as it is: "),
  });
  const { id } = (JSON.parse(added.stdout) as { data: { id: string } }).data;
  expect((await deskbell("time-off list")).stdout).toMatch(
    new RegExp(`^${id}\tmia\t${DAY}T00:00\t\\S+\ta wedding\n$`),
  );
  expect(await deskbell(`time-off delete ${id}`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `Deleted ${id}.\n`,
  });
  expect(data(await deskbell("time-off list --json"))).toEqual([]);
});

test("time-off create takes the staff member as an argument or as --staff", async () => {
  const { deskbell } = await createBusiness();
  const create = (staff: string) =>
    deskbell(`time-off create ${staff} --from ${DAY} --to ${DAY} --json`);
  const [mia, again] = [data(await create("mia")), data(await create("--staff mia"))];
  expect(again["staffId"]).toBe(mia["staffId"]);
  expect(await create("")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Missing --staff."),
  });
  expect(await create("mia --staff leo")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Two staff members: 'mia' and 'leo'."),
  });
  expect(await create("--staff miah")).toMatchObject({ code: 3, stdout: "" });
});

test.each([
  [
    "bookings create --service cut",
    2,
    "Missing --start.\nfix: add what is missing, or create many with --input FILE",
  ],
  ["bookings create --input x.ndjson --service cut", 2, "leave the other options out"],
  ["bookings create --input none.ndjson", 3, "There is no file none.ndjson.\nfix: ls . (exit 3)"],
  ["bookings create --input .", 2, "is a folder"],
  ["bookings show bkg_none", 3, "There is no booking 'bkg_none'"],
  ["reservations cancel rsv_none", 3, "There is no reservation 'rsv_none'"],
  ["time-off delete tof_none", 3, "There is no time off 'tof_none'"],
])("%s fails with exit code %i", async (line, exitCode, message) => {
  const { deskbell } = await createBusiness();
  expect(await deskbell(line)).toMatchObject({
    code: exitCode,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

test("bookings list and bookings cancel find the bookings that a key has made since a time", async () => {
  const { deskbell, dataDir } = await createBusiness();
  const create = (time: string, staff: string) =>
    deskbell(`bookings create --service cut --staff ${staff} --start ${DAY}T${time} --json`);
  const made: string[] = [];
  for (const time of ["20:00", "20:30", "21:00"])
    made.push(data<{ id: string }>(await create(time, "mia")).id);
  const { id: other } = data<{ id: string }>(await create("20:00", "leo"));
  await deskbell("keys create --name website --scope bookings.write");
  const database = new Database(readConfig({ dataDir }, {}).databasePath);
  database
    .prepare("UPDATE booking SET created_by_key = (SELECT id FROM api_key) WHERE id <> ?")
    .run(other);
  // The first booking was made long ago.
  database.prepare("UPDATE booking SET created_at = 1 WHERE id = ?").run(made[0]);
  database.close();

  const listed = async (flags: string) =>
    data<{ id: string }[]>(await deskbell(`bookings list ${flags} --json`)).map(({ id }) => id);
  expect(await listed("--key website")).toEqual(made);
  expect(await listed("--key website --created-since 1h")).toEqual(made.slice(1));
  const cancel = (flags: string) => deskbell(`bookings cancel --key website ${flags}`);
  expect(await deskbell("bookings cancel")).toMatchObject({ code: 2 });
  expect(await cancel("")).toMatchObject({ code: 2 });
  expect(await cancel("--created-since 1h")).toMatchObject({ code: 2 });
  const preview = await cancel("--created-since 1h --dry-run");
  expect(preview).toMatchObject({ code: 0 });
  expect(preview.stderr).toContain("2 bookings");
  expect(await listed("--status CANCELLED")).toEqual([]);
  expect(await cancel("--created-since 1h --reason abuse --yes")).toMatchObject({ code: 0 });
  expect(await listed("--status CANCELLED")).toEqual(made.slice(1));
  expect(await cancel("--created-since 1h --yes")).toMatchObject({ code: 0 });
  expect(await deskbell("reservations cancel --key website --created-since 1h")).toMatchObject({
    code: 0,
  });
});

test.each([
  "bookings list --from today",
  "bookings list --to today",
  "bookings list --staff mia",
  "bookings list --service cut",
  "bookings list --created-since 2h",
  "reservations list --from today",
  "reservations list --to today",
  "reservations list --created-since 2h",
])("%s is refused with --before, which would ignore its filter", async (line) => {
  const { deskbell } = await createBusiness();
  const [flag] = /--\S+/.exec(line) ?? [];
  expect(await deskbell(`${line} --before bkg_06f`)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(`^error: --before cannot be combined with ${flag}\\.\nfix: `),
  });
});

test("bookings list --before accepts --from none and --to none", async () => {
  const { deskbell } = await createBusiness();
  const line = "bookings list --before bkg_06f --from none --to none --status PENDING --limit 5";
  expect(await deskbell(line)).toMatchObject({ code: 0 });
});

test("the note about later bookings never suggests a page that shows the same bookings again", async () => {
  const { deskbell } = await createBusiness();
  for (const time of ["10:00", "11:00", "11:00", "11:00"])
    await deskbell(`bookings create --service bath --start ${DAY}T${time}`);
  const noteOf = async (flags: string) => (await deskbell(`bookings list ${flags}`)).stderr;
  const larger = "There are later bookings: add a larger --limit.\n";
  const from = `There are later bookings: add --from ${DAY}T11:00, or a larger --limit.\n`;
  expect(await noteOf("--limit 2")).toBe(from);
  expect(await noteOf(`--limit 2 --from ${DAY}T11:00`)).toBe(larger);
  expect(await noteOf(`--limit 3 --from ${DAY}T11:00`)).toBe("");
});

test("bookings create --input --dry-run rejects a line whose time an earlier line has taken", async () => {
  const { deskbell } = await createBusiness();
  const line = JSON.stringify({ service: "cut", staff: "mia", start: `${DAY}T10:00` });
  const ran = await deskbell("bookings create --input - --dry-run", `${line}\n${line}\n`);
  expect(ran).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(/^1\tok\tbkg_\w+\n2\tslot_taken\t.*\n$/),
    stderr: expect.stringMatching(
      /1 would be created, 1 rejected\.\nDry run: nothing was saved\.\n$/,
    ),
  });
  expect((await deskbell("bookings list")).stdout).toBe("");
});
