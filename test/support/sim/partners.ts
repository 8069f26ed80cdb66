import type { SeededRandom } from "../../../src/domain/seeded-random.ts";
import type { Outcome } from "../../../src/domain/webhooks/settle.ts";

/** How a receiver responds. */
export type Behavior =
  | "steady"
  | "selective"
  | "healthy"
  | "slow"
  | "failing"
  | "flaky"
  | "limiting"
  | "overloaded"
  | "hanging"
  | "swallowing"
  | "absent"
  | "gone";

/** A response. `isAccepted`: the receiver has the delivery, even if the sender sees a failure. */
export type SimulatedResponse = { afterMs: number; isAccepted: boolean; outcome: Outcome };

/** The behaviours that receivers change to. Steady and selective receivers never change. */
export const BEHAVIORS: readonly Behavior[] = [
  "healthy",
  "healthy",
  "healthy",
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

const responded = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});

/**
 * Returns a receiver's response.
 * @param isUnwanted whether a selective receiver rejects the delivery, in every attempt
 */
export function respondAs(
  {
    behavior,
    isUnwanted,
    timeoutMs,
    wallNow,
  }: { behavior: Behavior; isUnwanted: boolean; timeoutMs: number; wallNow: number },
  { integer, pick, chance }: SeededRandom,
): SimulatedResponse {
  const soonMs = integer(1, 60);
  const accept = (afterMs: number): SimulatedResponse => ({
    afterMs,
    isAccepted: true,
    outcome: responded(pick([200, 200, 202, 204])),
  });
  const reject = (outcome: Outcome): SimulatedResponse => ({
    afterMs: soonMs,
    isAccepted: false,
    outcome,
  });
  const timedOut: Outcome = { kind: "timed_out", error: "no response" };
  switch (behavior) {
    case "steady":
    case "healthy":
      return accept(soonMs);
    case "selective":
      return isUnwanted ? reject(responded(422)) : accept(soonMs);
    case "slow":
      return accept(integer(500, timeoutMs - 1));
    case "failing":
      return reject(responded(pick([302, 400, 404, 500, 501])));
    case "flaky":
      return chance(0.5) ? accept(soonMs) : reject(responded(500));
    case "limiting": {
      const seconds = integer(1, 30 * HOUR_SEC);
      const date = new Date(wallNow + seconds * 1000).toUTCString();
      return reject(responded(pick([429, 503]), chance(0.3) ? date : String(seconds)));
    }
    case "overloaded":
      return reject(responded(pick([429, 502, 503, 504])));
    case "hanging":
      return { afterMs: timeoutMs, isAccepted: false, outcome: timedOut };
    case "swallowing":
      return { afterMs: timeoutMs, isAccepted: true, outcome: timedOut };
    case "absent":
      return reject({
        kind: pick(["refused", "unresolvable", "tls_failed", "blocked"] as const),
        error: "unreachable",
      });
    case "gone":
      return reject(responded(410));
  }
}
