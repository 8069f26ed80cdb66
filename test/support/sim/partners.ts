import type { SeededRandom } from "../../../src/app/sample-catalog/seeded-random.ts";
import type { Outcome } from "../../../src/domain/webhooks/outcome.ts";

/** What a receiver does with what it gets. */
export type Mood =
  | "steady"
  | "choosy"
  | "well"
  | "slow"
  | "failing"
  | "flaky"
  | "limiting"
  | "overloaded"
  | "hanging"
  | "swallowing"
  | "absent"
  | "gone";

/** It has taken the delivery or not, whatever the sender hears of it. */
export type Reaction = { afterMs: number; takes: boolean; outcome: Outcome };

/** Moods that one may fall into. Those who are steady or choosy stay so. */
export const MOODS: readonly Mood[] = [
  "well",
  "well",
  "well",
  "slow",
  "failing",
  "flaky",
  "limiting",
  "overloaded",
  "hanging",
  "swallowing",
  "absent",
  "gone",
];

const HOUR_SEC = 3600;

const answer = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});

/** @param isOdd a choosy receiver chokes on odd deliveries, each time */
export function react(
  {
    mood,
    isOdd,
    timeoutMs,
    wallNow,
  }: { mood: Mood; isOdd: boolean; timeoutMs: number; wallNow: number },
  { integer, pick, chance }: SeededRandom,
): Reaction {
  const soonMs = integer(1, 60);
  const takes = (afterMs: number): Reaction => ({
    afterMs,
    takes: true,
    outcome: answer(pick([200, 200, 202, 204])),
  });
  const refuses = (outcome: Outcome): Reaction => ({ afterMs: soonMs, takes: false, outcome });
  const timedOut: Outcome = { kind: "timed_out", error: "no answer" };
  switch (mood) {
    case "steady":
    case "well":
      return takes(soonMs);
    case "choosy":
      return isOdd ? refuses(answer(422)) : takes(soonMs);
    case "slow":
      return takes(integer(500, timeoutMs - 1));
    case "failing":
      return refuses(answer(pick([302, 400, 404, 500, 501])));
    case "flaky":
      return chance(0.5) ? takes(soonMs) : refuses(answer(500));
    case "limiting": {
      const seconds = integer(1, 30 * HOUR_SEC);
      const date = new Date(wallNow + seconds * 1000).toUTCString();
      return refuses(answer(pick([429, 503]), chance(0.3) ? date : String(seconds)));
    }
    case "overloaded":
      return refuses(answer(pick([429, 502, 503, 504])));
    case "hanging":
      return { afterMs: timeoutMs, takes: false, outcome: timedOut };
    case "swallowing":
      return { afterMs: timeoutMs, takes: true, outcome: timedOut };
    case "absent":
      return refuses({
        kind: pick(["refused", "unresolvable", "tls_failed", "blocked"] as const),
        error: "nobody",
      });
    case "gone":
      return refuses(answer(410));
  }
}
