import { expect, test } from "vitest";
import { type Claim, recordClaim } from "../../support/claims.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { type Business, REASONS } from "../../support/documented-types.ts";
import { Draw } from "../../support/documented-catalog.ts";
import { Shop } from "../../support/documented-shop.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

const SEED = chooseSeed(20261123);
const SCALE = chooseScale(
  { shops: 1, rounds: 3, questions: 3, isFull: false },
  { shops: 40, rounds: 6, questions: 5, isFull: true },
);
const CHANGES_PER_ROUND = 4;
/**
 * The maximum number of businesses. A short run goes on until a mistake is noticed, which takes
 * about six businesses.
 */
const MAX_SHOPS = 60;

/** Functions that return a business without one of the documented rules, by the rule. */
const MISTAKES: Record<string, (business: Business) => Business> = {
  buffers: (business) => withServices(business, { before: 0, after: 0 }),
  rooms: (business) => withServices(business, { resources: [] }),
  breaks: (business) => withPeople(business, { breaks: [] }),
  "time off": (business) => withPeople(business, { timeOff: [] }),
  closures: (business) => ({ ...business, opening: { ...business.opening, closures: [] } }),
};

const withServices = (business: Business, change: object): Business => ({
  ...business,
  services: new Map([...business.services].map(([id, one]) => [id, { ...one, ...change }])),
});
const withPeople = (business: Business, change: object): Business => ({
  ...business,
  people: new Map([...business.people].map(([id, one]) => [id, { ...one, ...change }])),
});

test(
  "free times, prices, places and reasons are what the documentation says",
  { timeout: 3_600_000 },
  async () => {
    const draw = new Draw(createRandomInt(SEED));
    const { dataDir, deskbell } = createTerminal();
    const folder = createTempFolder();
    const url = await waitForUrl(spawnDaemon(dataDir));
    const reasons = new Set<string>();
    const noticed = new Map(Object.keys(MISTAKES).map((name) => [name, 0]));
    let questions = 0;
    let compared = 0;
    let shops = 0;
    const isVoid = (): boolean => [...noticed.values()].every((count) => count === 0);
    while (shops < SCALE.shops || (isVoid() && shops < MAX_SHOPS)) {
      const shop = await Shop.open({ url, folder, deskbell, draw }, `shop-${shops++}`);
      for (let round = 0; round < SCALE.rounds; round++) {
        for (let change = 0; change < CHANGES_PER_ROUND; change++) await shop.change();
        for (let n = 0; n < SCALE.questions; n++) {
          const question = shop.drawQuestion();
          if (!question) continue;
          questions++;
          const comparison = await shop.compare(question);
          expect(comparison.differences, `${shop.slug}: ${JSON.stringify(question)}`).toEqual([]);
          compared += comparison.compared;
          for (const reason of comparison.reasons.keys()) reasons.add(reason);
          for (const [name, forget] of n === 0 ? Object.entries(MISTAKES) : []) {
            const { differences } = await shop.compare(question, forget(shop.business));
            noticed.set(name, (noticed.get(name) ?? 0) + differences.length);
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(0);
    if (SCALE.isFull) expect(REASONS.filter((reason) => !reasons.has(reason))).toEqual([]);
    recordClaim({
      group: "simulate",
      claim:
        "Free times, staff, prices, places and reasons are what a second program computes that was written from the documentation alone",
      done: `${questions} questions were asked about ${shops} random businesses, after bookings, holds, cancellations, time off, closures and special hours, also on days on which clocks change.`,
      figure: `${compared} values were compared, and none differed.`,
      control: controlOf(noticed),
      seed: SEED,
    });
  },
);

/** Returns the control of the claim: a short run notices some of the mistakes, a full run all. */
function controlOf(noticed: Map<string, number>): Claim["control"] {
  const counts = [...noticed.values()];
  return {
    done: `The second program forgot ${[...noticed.keys()].join(", or ")}.`,
    figure: `The differences were ${[...noticed].map(([name, count]) => `${count} (${name})`).join(", ")}.`,
    hasFailed: SCALE.isFull ? counts.every((count) => count > 0) : counts.some((n) => n > 0),
  };
}
