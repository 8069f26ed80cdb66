import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cancelBooking } from "../../src/app/bookings/bookings.ts";
import { cancelTicketOrder } from "../../src/app/bookings/ticket-orders.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { applyCatalogBody } from "../support/use-case.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { type RaceResult, type Race, runRace } from "../support/race.ts";

// Two processes reach for the same last place at the same instant, again and again. DESKBELL_LAST_PLACE_ROUNDS=1000 for the long proof.

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
  want: Race["want"];
  input: unknown;
  giveBack: (rt: Runtime, slug: string, id: string) => unknown;
}[] = [
  { want: "ticket", input: { event: "gala", items: ["seat"] }, giveBack: cancelTicketOrder },
  { want: "slot", input: { service: "cut", start: `${DAY}T10:00` }, giveBack: cancelBooking },
];

/** A second process on the same file. */
async function rival(dataDir: string) {
  const child = fork(fileURLToPath(new URL("../support/race-process.ts", import.meta.url)), [
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
  `of two processes that want the last ${"$want"} at once, in ${ROUNDS} rounds exactly one gets it`,
  { timeout: 10_000 + ROUNDS * 100 },
  async ({ want, input, giveBack }) => {
    const rt = createTestRuntime({}, Date.now());
    applyCatalogBody(rt, CATALOG);
    const other = await rival(rt.config.dataDir);
    const wins = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const start: Race = { want, slug: SLUG, input, at: Date.now() + LEAD_MS };
      const finishes = await Promise.all([runRace(rt, start), other(start)]);
      const got = finishes.flatMap((finish, who) =>
        "id" in finish ? [{ who, id: finish.id }] : [],
      );
      expect(finishes).toContainEqual({ refused: "conflict" });
      expect(got).toHaveLength(1);
      const [{ who, id }] = got as [{ who: 0 | 1; id: string }];
      wins[who] = (wins[who] ?? 0) + 1;
      giveBack(rt, SLUG, id);
    }
    // Neither was always first: they did race.
    expect(Math.min(...wins)).toBeGreaterThan(0);
  },
);
