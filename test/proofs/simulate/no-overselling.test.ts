import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cancelBooking } from "../../../src/app/bookings/operator-changes.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale } from "../../support/scale.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { type RaceResult, type Race, runRace, withoutTransactions } from "../support/race.ts";
import { patient } from "../../support/patience.ts";

// Two processes book the same last ticket or slot simultaneously.

const ROUNDS = chooseScale(50, 1000, 100);
/**
 * The maximum number of rounds of the control. It may need several, because one process sometimes
 * ends before the other begins.
 */
const MAX_CONTROL_ROUNDS = 500;
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
  claim: string;
}[] = [
  {
    resource: "ticket",
    input: { event: "gala", items: ["seat"] },
    cancel: cancelTicketOrder,
    claim: "The last ticket is never sold twice, although two buyers order it at the same moment",
  },
  {
    resource: "slot",
    input: { service: "cut", start: `${DAY}T10:00` },
    cancel: cancelBooking,
    claim: "A free time is never booked twice, although two guests book it at the same moment",
  },
];

/** Starts a second process on the same database. */
async function startRival(dataDir: string, variant: Variant) {
  const path = fileURLToPath(new URL("../support/race-process.ts", import.meta.url));
  const child = fork(path, [dataDir, variant]);
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

type Variant = "intact" | "broken";

/** Lets two processes compete. Yields the results of each round, and then cancels what they took. */
async function* compete({ resource, input, cancel }: (typeof RACES)[number], variant: Variant) {
  const rt = createTestRuntime({}, Date.now());
  applyCatalogBody(rt, CATALOG);
  const other = await startRival(rt.config.dataDir, variant);
  const competitor = variant === "broken" ? withoutTransactions(rt) : rt;
  for (;;) {
    const start: Race = { resource, slug: SLUG, input, at: Date.now() + LEAD_MS };
    const results = await Promise.all([runRace(competitor, start), other(start)]);
    yield results;
    for (const result of results) if ("id" in result) cancel(rt, SLUG, result.id);
  }
}

/** Returns the indexes of the processes that succeeded. */
const winnersOf = (results: readonly RaceResult[]): number[] =>
  results.flatMap((result, index) => ("id" in result ? [index] : []));

async function runControl(race: (typeof RACES)[number]): Promise<Claim["control"]> {
  let rounds = 0;
  let isSoldTwice = false;
  for await (const results of compete(race, "broken")) {
    rounds += 1;
    isSoldTwice = winnersOf(results).length > 1;
    if (isSoldTwice || rounds === MAX_CONTROL_ROUNDS) break;
  }
  return {
    done: "Two processes checked and booked without a transaction.",
    figure: isSoldTwice
      ? `Both succeeded in round ${rounds}.`
      : `No ${race.resource} was taken twice.`,
    hasFailed: isSoldTwice,
  };
}

test.each(RACES)(
  `exactly one of two processes that book the last ${"$resource"} simultaneously succeeds in each of ${ROUNDS} rounds`,
  { timeout: patient(30_000 + ROUNDS * 100) },
  async (race) => {
    const wins = [0, 0];
    let rounds = 0;
    for await (const results of compete(race, "intact")) {
      expect(results).toContainEqual({
        error: race.resource === "ticket" ? "conflict" : "slot_taken",
      });
      expect(winnersOf(results)).toHaveLength(1);
      for (const index of winnersOf(results)) wins[index] = (wins[index] ?? 0) + 1;
      if ((rounds += 1) === ROUNDS) break;
    }
    // Each process won at least once, so they did compete.
    expect(Math.min(...wins)).toBeGreaterThan(0);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: race.claim,
      done: `Two processes booked the last ${race.resource} simultaneously, ${ROUNDS} times.`,
      figure: `One succeeded each time (${wins.join(" and ")} times), and the other was told that it was taken.`,
      control: await runControl(race),
      seed: "none",
    });
  },
);
