import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cancelBooking } from "../../../src/app/bookings/bookings.ts";
import { cancelTicketOrder } from "../../../src/app/bookings/ticket-orders.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { type RaceResult, type Race, runRace } from "../../support/race.ts";

// Two processes book the same last ticket or slot simultaneously.
// The full version uses DESKBELL_LAST_PLACE_ROUNDS=1000.

const ROUNDS = Number(process.env["DESKBELL_LAST_PLACE_ROUNDS"] ?? 100);
const LEAD_MS = 6;
const SLUG = "salon-aurora";

const DAY = Temporal.Now.plainDateISO("America/New_York").add({ days: 7 }).toString();
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [leo] }]
staff: [{ key: leo, name: Leo }]
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: ${DAY}T19:00
    durationMin: 180
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00, showRemaining: true }]
    quotas: [{ key: hall, size: 1, ticketTypes: [seat] }]
`;

const RACES: {
  resource: Race["resource"];
  input: unknown;
  cancel: (rt: Runtime, slug: string, id: string) => unknown;
}[] = [
  { resource: "ticket", input: { event: "gala", items: ["seat"] }, cancel: cancelTicketOrder },
  { resource: "slot", input: { service: "cut", start: `${DAY}T10:00` }, cancel: cancelBooking },
];

/** Starts a second process on the same database. */
async function startRival(dataDir: string) {
  const child = fork(fileURLToPath(new URL("../../support/race-process.ts", import.meta.url)), [
    dataDir,
  ]);
  onTestFinished(async () => {
    const gone = once(child, "exit");
    child.disconnect();
    await gone;
  });
  await once(child, "message");
  return async (round: Race): Promise<RaceResult> => {
    const finish = once(child, "message");
    child.send(round);
    return ((await finish) as [RaceResult])[0];
  };
}

test.each(RACES)(
  `of two processes that book the last ${"$resource"} simultaneously, exactly one succeeds in each of ${ROUNDS} rounds`,
  { timeout: 10_000 + ROUNDS * 100 },
  async ({ resource, input, cancel }) => {
    const rt = createTestRuntime({}, Date.now());
    applyCatalogBody(rt, CATALOG);
    const other = await startRival(rt.config.dataDir);
    const wins = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const start: Race = { resource, slug: SLUG, input, at: Date.now() + LEAD_MS };
      const finishes = await Promise.all([runRace(rt, start), other(start)]);
      const succeeded = finishes.flatMap((finish, index) =>
        "id" in finish ? [{ index, id: finish.id }] : [],
      );
      expect(finishes).toContainEqual({
        error: resource === "ticket" ? "conflict" : "slot_taken",
      });
      expect(succeeded).toHaveLength(1);
      const [{ index, id }] = succeeded as [{ index: 0 | 1; id: string }];
      wins[index] = (wins[index] ?? 0) + 1;
      cancel(rt, SLUG, id);
    }
    // Each process won at least once, so they did compete.
    expect(Math.min(...wins)).toBeGreaterThan(0);
  },
);
