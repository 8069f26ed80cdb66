import { expect, test } from "vitest";
import { EndpointQueue } from "../../../src/delivery/endpoint-queue.ts";
import { SearchTurns } from "../../../src/delivery/search-turns.ts";
import type { DueRow } from "../../../src/store/webhooks/due.ts";
import type { TargetRow } from "../../../src/store/webhooks/endpoints.ts";

const MINUTE_MS = 60_000;

/** Returns the queue of a partner's endpoint whose due deliveries belong to these businesses. */
function createQueue(businessIds: readonly string[], searchMs = 0, turns = new SearchTurns()) {
  const target = {
    id: "whe_1",
    businessId: null,
    failureCount: 0,
    allowPrivate: true,
  } as TargetRow;
  const queue = new EndpointQueue(target, 0);
  const due = businessIds.map((businessId, number) => ({ number, businessId, isRedelivery: 0 }));
  let left = due as unknown as DueRow[];
  const claimed = new Set<number>();
  let now = 0;
  let searches = 0;
  const listDue = () =>
    queue.listDue({
      read: (limit) => left.slice(0, limit),
      readExcept: (ids, limit) => {
        searches += 1;
        now += searchMs;
        return left.filter(({ businessId }) => !ids.includes(businessId)).slice(0, limit);
      },
      readAmong: (numbers) => left.filter(({ number }) => numbers.includes(number)),
      isClaimed: (number) => claimed.has(number),
      monotonic: () => now,
      turns,
    });
  /** Starts the next delivery, and returns its row; undefined if none may start. */
  const start = (): DueRow | undefined => {
    const [row] = listDue();
    if (row === undefined) return undefined;
    queue.claim(row);
    claimed.add(row.number);
    return row;
  };
  const end = (row: DueRow): void => {
    queue.endAttempt(row, false);
    queue.release();
    claimed.delete(row.number);
    left = left.filter((other) => other !== row);
  };
  return {
    queue,
    start,
    end,
    advance: (ms: number) => void (now += ms),
    countSearches: () => searches,
  };
}

const many = (businessId: string): string[] => Array<string>(6000).fill(businessId);

test("a business whose deliveries wait behind 6,000 of another business is served meanwhile, and in order", () => {
  const { start, end } = createQueue([...many("a"), "b", "b", "c", "b"]);
  expect(start()?.businessId).toBe("a");
  const first = start()!;
  expect([first.businessId, first.number]).toEqual(["b", 6000]);
  const other = start()!;
  expect(other.businessId).toBe("c");
  expect(start()).toBeUndefined();
  end(first);
  const second = start()!;
  expect([second.businessId, second.number]).toEqual(["b", 6001]);
  end(second);
  expect(start()?.number).toBe(6003);
});

test("an empty search for other businesses' deliveries is repeated after a pause, which is longer after a slow search", () => {
  const { start, advance, countSearches } = createQueue(many("a"), 40);
  start();
  for (let i = 0; i < 3; i++) expect(start()).toBeUndefined();
  expect(countSearches()).toBe(1);
  advance(1900);
  start();
  expect(countSearches()).toBe(1);
  advance(100);
  start();
  expect(countSearches()).toBe(2);
});

test("a reloaded queue sends another business's next delivery only after its delivery in flight has ended", () => {
  const { queue, start, end, advance } = createQueue([...many("a"), "b", "b"]);
  start();
  const first = start()!;
  queue.reload(queue.target, 1);
  advance(MINUTE_MS);
  expect(start()).toBeUndefined();
  end(first);
  advance(MINUTE_MS);
  expect(start()?.number).toBe(6001);
});

test("a queue that is reloaded after each delivery serves the other businesses in order without a further search", () => {
  const { queue, start, end, countSearches } = createQueue([...many("a"), "b", "c", "b", "c", "b"]);
  start();
  const served: number[] = [];
  for (let row = start(); row !== undefined; row = start()) {
    served.push(row.number);
    queue.reload(queue.target, served.length);
    queue.reload(queue.target, served.length);
    end(row);
  }
  expect(served).toEqual([6000, 6001, 6002, 6003, 6004]);
  expect(countSearches()).toBe(1);
});

test("an endpoint searches its backlog only after a pause if another endpoint has just searched", () => {
  const turns = new SearchTurns();
  const [one, two] = [createQueue(many("a"), 40, turns), createQueue(many("a"), 40, turns)];
  for (const { start } of [one, two]) for (let i = 0; i < 2; i++) start();
  expect([one.countSearches(), two.countSearches()]).toEqual([1, 0]);
  two.advance(500);
  two.start();
  expect(two.countSearches()).toBe(1);
});
