import { expect, test } from "vitest";
import { PRESETS } from "../../src/platform/assets.ts";
import { createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

// A day in the future, but within the booking horizon.
const DAY = Temporal.Now.plainDateISO("UTC").add({ days: 7 }).toString();

const GALA = `
catalog: 1
business: { slug: hall, name: Hall, timezone: UTC, currency: CHF }
events: [{ key: gala, name: Gala, slug: gala, startsAt: ${DAY}T19:00, durationMin: 180, status: PUBLISHED,
  ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }] }]
`;

test("completion of `seed` suggests the sample businesses", async () => {
  const { stdout } = await createTerminal().deskbell("__complete -- seed ''");
  expect(stdout.replaceAll(/\t.*/g, "").trim().split("\n")).toEqual([...PRESETS, "all"]);
});

test("completion of `catalog import` suggests square", async () => {
  const { deskbell } = createTerminal();
  expect((await deskbell("__complete -- catalog import sq")).stdout).toMatch(/^square(?:\t.*)?\n$/);
});

test("completion suggests the names of destinations and the event types that they can get", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(`destinations create --name bus --url nats://10.0.0.5:4222 --stream S --all`);
  const complete = async (line: string) => (await deskbell(`__complete -- ${line}`)).stdout;
  expect(await complete("destinations show b")).toMatch(/^bus\b/m);
  expect(await complete("destinations update bus --event catalog.c")).toMatch(
    /^catalog\.changed\t/m,
  );
});

test("completion suggests codes of ticket orders and keys of public events from the data", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", GALA);
  const ask = async (words: string) =>
    (await deskbell(`__complete -- ${words}`)).stdout.replaceAll(/\t.*/g, "");
  const order = await deskbell("ticket-orders create --public-event gala --item seat --json");
  const { code } = (JSON.parse(order.stdout) as { data: { code: string } }).data;
  for (const words of ["ticket-orders confirm ''", "tickets list --order ''"])
    expect(await ask(words)).toBe(`${code}\n`);
  expect(await ask("ticket-orders create --public-event ga")).toBe("gala\n");
});
