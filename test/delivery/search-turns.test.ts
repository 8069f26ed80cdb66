import { expect, test } from "vitest";
import { SearchTurns } from "../../src/delivery/search-turns.ts";

test.each([1, 5, 50])(
  "the searches of %i endpoints take a tenth of the time at most, and each endpoint searches equally often",
  (count) => {
    const turns = new SearchTurns();
    const tookMs = 20;
    const rounds: (number | undefined)[] = Array(count).fill(undefined);
    const searches = rounds.map(() => 0);
    const endsAt = 120_000;
    for (let now = 0; now < endsAt; now += 5)
      for (const [i, lastRound] of rounds.entries()) {
        const round = turns.take(lastRound, now);
        if (round === undefined) continue;
        rounds[i] = round;
        searches[i] = (searches[i] ?? 0) + 1;
        now += tookMs;
        turns.end(now, tookMs);
      }
    const total = searches.reduce((sum, one) => sum + one, 0);
    expect(total * tookMs).toBeLessThanOrEqual(endsAt / 10);
    expect(Math.min(...searches)).toBeGreaterThan(5);
    expect(Math.max(...searches) - Math.min(...searches)).toBeLessThanOrEqual(1);
  },
);
