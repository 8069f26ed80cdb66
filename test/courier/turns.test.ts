import { expect, test } from "vitest";
import { createTurns } from "../../src/courier/turns.ts";

const fill = (turns: ReturnType<typeof createTurns>, endpointId: string, count: number) => {
  for (let i = 0; i < count; i++) turns.begin(endpointId);
};

test("endpoints take turns in the order in which they were offered, each once", () => {
  const turns = createTurns({ perEndpoint: 4, total: 100 });
  for (const id of ["a", "b", "a", "c"]) turns.offer(id);
  expect([turns.next(), turns.next(), turns.next(), turns.next()]).toEqual([
    { endpointId: "a", room: 4 },
    { endpointId: "b", room: 4 },
    { endpointId: "c", room: 4 },
    undefined,
  ]);
});

test("an endpoint that is full is passed over until one of its deliveries ends", () => {
  const turns = createTurns({ perEndpoint: 2, total: 100 });
  fill(turns, "a", 2);
  turns.offer("a");
  turns.offer("b");
  expect(turns.next()).toEqual({ endpointId: "b", room: 2 });
  expect(turns.next()).toBeUndefined();
  turns.end("a");
  expect(turns.next()).toEqual({ endpointId: "a", room: 1 });
});

test("the total is never exceeded, and nobody loses its place in the queue by it", () => {
  const turns = createTurns({ perEndpoint: 4, total: 6 });
  fill(turns, "a", 4);
  turns.offer("b");
  turns.offer("c");
  expect(turns.next()).toEqual({ endpointId: "b", room: 2 });
  fill(turns, "b", 2);
  expect(turns.next()).toBeUndefined();
  turns.end("a");
  expect(turns.next()).toEqual({ endpointId: "c", room: 1 });
});
