import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CommandResult, createTempFolder, createTerminal } from "../../../support/cli.ts";
import { writeVenue } from "../../../support/samples.ts";

// The day is in the future, within the booking horizon.
const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();

const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: ${DAY}T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
    quotas: [{ key: hall, size: 3, ticketTypes: [seat] }]
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

test("tickets are ordered, confirmed, and checked in with admission codes that no list shows", async () => {
  const { deskbell } = await createBusiness();
  const order = data<{ id: string; code: string }>(
    await deskbell(
      "ticket-orders create --public-event gala --item seat*2 --customer-ref 'till 4' --json",
    ),
  );
  expect(order).toMatchObject({ status: "PENDING", totalCents: 5000, customerRef: "till 4" });

  const confirmed = await deskbell(`ticket-orders confirm ${order.code}`);
  expect(confirmed).toMatchObject({ code: 0, stderr: expect.stringContaining("shown only once") });
  const rows = confirmed.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows).toHaveLength(2);
  const [id, code] = rows[0] as [string, string];

  expect(data(await deskbell(`tickets check-in ${code} --json`))).toMatchObject({
    id,
    status: "CHECKED_IN",
  });
  expect(await deskbell(`tickets check-in ${code}`)).toMatchObject({ code: 5, stdout: "" });
  expect(await deskbell(`ticket-orders cancel ${order.id}`)).toMatchObject({ code: 5, stdout: "" });

  const lists = [
    "tickets list",
    `tickets list --order ${order.code} --json`,
    "tickets list --public-event gala",
    `ticket-orders show ${order.id}`,
  ];
  for (const line of lists) {
    const { stdout } = await deskbell(line);
    expect(stdout).toContain(order.id);
    expect(stdout).not.toContain(code);
  }
  expect((await deskbell("tickets list --status VALID")).stdout.trimEnd().split("\n")).toHaveLength(
    1,
  );
  expect((await deskbell("ticket-orders list --status PENDING")).stderr).toBe(
    "joes has no ticket orders.\n",
  );
});

test("ticket-orders create --input reports each line and continues after a rejected one", async () => {
  const { deskbell } = await createBusiness();
  const file = join(createTempFolder(), "orders.ndjson");
  const line = (fields: object) => JSON.stringify({ event: "gala", items: ["seat"], ...fields });
  writeFileSync(
    file,
    [
      line({}),
      "",
      "nope",
      line({ items: ["seat*3"] }),
      line({ customerRef: "\u001b[2J", item: 1 }),
      line({ items: ["seat*2"] }),
    ].join("\r\n"),
  );
  const ran = await deskbell(`ticket-orders create --input ${file}`);
  expect(ran).toMatchObject({ code: 6, stderr: "2 created, 3 rejected.\n" });
  expect(ran.stdout.split("\n")).toEqual([
    expect.stringMatching(/^1\tok\ttor_\w+$/),
    "3\tinvalid_json\tThe line is not JSON.",
    "4\tconflict\tOnly 2 tickets of 'Seat' are left for 'Gala'.",
    expect.stringMatching(
      /^5\tvalidation_failed\t.*not '␛\[2J'\. Unknown field 'item'\. Did you mean 'items'\?$/,
    ),
    expect.stringMatching(/^6\tok\ttor_\w+$/),
    "",
  ]);
});

test("a ticket order is cancelled with a reason that partners do not see", async () => {
  const { deskbell } = await createBusiness();
  const { id } = data<{ id: string }>(
    await deskbell("ticket-orders create --public-event gala --item seat --json"),
  );
  await deskbell(`ticket-orders cancel ${id} --reason 'paid twice'`);
  expect(data(await deskbell(`ticket-orders show ${id} --json`))).toMatchObject({
    status: "CANCELLED",
    cancelReason: "paid twice",
  });
  expect((await deskbell("events list --json")).stdout).not.toContain("paid twice");
});

test.each([
  ["ticket-orders create --input x.ndjson --public-event gala", 2, "leave the other options out"],
  [
    "ticket-orders create --input none.ndjson",
    3,
    "There is no file none.ndjson.\nfix: ls . (exit 3)",
  ],
  ["ticket-orders confirm tor_none", 3, "There is no order 'tor_none'"],
  ["tickets check-in none", 3, "There is no ticket with this code or ID"],
  ["tickets list --public-event galla", 3, "Did you mean 'gala'?"],
])("the command line '%s' fails with exit code %i", async (line, exitCode, message) => {
  const { deskbell } = await createBusiness();
  expect(await deskbell(line)).toMatchObject({
    code: exitCode,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

test.each(["ticket-orders create --item seat", "ticket-orders list", "tickets list"])(
  "the command line '%s' accepts the name of the event",
  async (line) => {
    const { deskbell } = await createBusiness();
    const { code, stderr } = await deskbell(`${line} --public-event ' GALA '`);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  },
);

test("ticket-orders create --input --dry-run counts the tickets that earlier lines take", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${writeVenue()}`);
  // There are 90 seats, so 15 of the 20 orders succeed.
  const line = JSON.stringify({ event: "blue-hour-quartet", items: ["seated*6"] });
  const lines = Array(20).fill(line).join("\n");
  const [dryRun, realRun] = [
    await deskbell("ticket-orders create --input - --dry-run", lines),
    await deskbell("ticket-orders create --input -", lines),
  ];
  expect(dryRun.code).toBe(6);
  expect(dryRun.stderr).toContain("15 would be created, 5 rejected.");
  const results = (text: string) => [...text.matchAll(/^\d+\t(\w+)/gm)].map(([, result]) => result);
  expect(results(dryRun.stdout)).toEqual(results(realRun.stdout));
  expect(results(dryRun.stdout).filter((result) => result === "ok")).toHaveLength(15);
});

test.each(["", " --json"])(
  "ticket-orders confirm%s leaves the order unconfirmed if its codes cannot be written",
  async (flag) => {
    const { deskbell, dataDir } = await createBusiness();
    const { id } = data<{ id: string }>(
      await deskbell("ticket-orders create --public-event gala --item seat --json"),
    );
    const fd = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(fd));
    const toFullDisk = createTerminal({ dataDir, stdoutFd: fd });
    expect(await toFullDisk.deskbell(`ticket-orders confirm ${id}${flag}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("Cannot write to stdout, so nothing was saved"),
    });
    expect(data(await deskbell(`ticket-orders show ${id} --json`))).toMatchObject({
      status: "PENDING",
    });
    expect(await deskbell("tickets list")).toMatchObject({ stdout: "" });
    expect((await deskbell(`ticket-orders confirm ${id}`)).stdout).toMatch(/\tSeat\n$/);
  },
);

test("the audit log says who changed a ticket order and checked in its tickets", async () => {
  const { deskbell } = createTerminal();
  const json = async <Data>(line: string): Promise<Data> =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: Data }).data;
  await deskbell(`catalog apply ${writeVenue()}`);
  const order = "ticket-orders create --public-event blue-hour-quartet --item seated";
  const { id, code } = await json<{ id: string; code: string }>(order);
  const { tickets } = await json<{ tickets: { admissionCode: string }[] }>(
    `ticket-orders confirm ${id}`,
  );
  await deskbell(`tickets check-in ${tickets[0]?.admissionCode}`);
  const actions = async (visit: string) =>
    (await json<{ action: string }[]>(`audit list --visit ${visit}`)).map(({ action }) => action);
  expect(await actions(id)).toEqual([
    "ticket.checked_in",
    "ticket_order.confirmed",
    "ticket_order.created",
  ]);
  expect(await actions(code.replace("-", "").toLowerCase())).toHaveLength(3);
  const { id: other } = await json<{ id: string }>(order);
  await deskbell(`ticket-orders cancel ${other}`);
  expect(await actions(other)).toEqual(["ticket_order.cancelled", "ticket_order.created"]);
});

test("ticket commands print names, amounts and local times, and raw values with --json", async () => {
  const { deskbell } = await createBusiness();
  const order = await deskbell("ticket-orders create --public-event gala --item seat*2");
  expect(order.stdout).toMatch(/^event\tGala$/m);
  expect(order.stdout).toMatch(/^items\tticket type Seat, quantity 2, unit price 25\.00 CHF$/m);
  const id = /^id\t(\S+)$/m.exec(order.stdout)?.[1] ?? "";
  expect((await deskbell(`ticket-orders confirm ${id}`)).stdout).toMatch(/\tSeat\n/);
  expect((await deskbell("tickets list")).stdout).toMatch(/\tVALID\t\tSeat\t/);
  const json = JSON.parse((await deskbell(`ticket-orders show ${id} --json`)).stdout) as object;
  const payment = { cancelReason: null, paymentRef: null };
  expect(json).toMatchObject({ data: { id, totalCents: 5000, currency: "CHF", ...payment } });
});

test("a change of an event's time, place or status names the orders for it, and a new text does not", async () => {
  const { deskbell } = await createBusiness();
  data(await deskbell("ticket-orders create --public-event gala --item seat --json"));
  const orders = "1 ticket order stays valid: deskbell ticket-orders list --public-event gala";
  for (const flags of ["--start 20:00", "--venue Barn", "--status CANCELLED"])
    expect((await deskbell(`public-events update gala ${flags}`)).stderr).toContain(orders);
  expect((await deskbell("public-events update gala --name Ball")).stderr).not.toContain("order");
});
