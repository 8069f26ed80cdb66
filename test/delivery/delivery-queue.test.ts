import { describe, expect, test } from "vitest";
import { createDeliveryQueue, type PermitKind } from "../../src/delivery/delivery-queue.ts";
import type { Lane } from "../../src/domain/webhooks/endpoint-health.ts";

/** 100 slots: 20 for probes, 80 fast ones, 40 of them for what is late. */
const SLOTS = 100;

function desk() {
  const turns = createDeliveryQueue(SLOTS);
  const sent: string[] = [];
  /** Each has so many to send; they take slots of that kind. */
  const goRound = (owed: Record<string, number>, kind: PermitKind) =>
    turns.dispatch((id) => {
      if (!owed[id]) return "NOTHING";
      if (!turns.hasSlot(kind)) return "NO_SLOT";
      owed[id] -= 1;
      turns.acquire(kind);
      sent.push(id);
      return "SENT";
    });
  return { ...turns, goRound, sent };
}

const fill = (turns: ReturnType<typeof desk>, kind: PermitKind, count: number) => {
  for (let i = 0; i < count; i++) turns.acquire(kind);
};

test("endpoints send one each in turn, and one with a long backlog goes no more often than the others", () => {
  const turns = desk();
  for (const id of ["a", "b", "a", "c"]) turns.enqueue(id, "HEALTHY");
  turns.goRound({ a: 4, b: 1, c: 2 }, "PROMPT");
  expect(turns.sent).toEqual(["a", "b", "c", "a", "c", "a", "a"]);
});

test("one that had nothing waits no longer, until it is offered again", () => {
  const turns = desk();
  turns.enqueue("a", "HEALTHY");
  turns.goRound({}, "PROMPT");
  turns.goRound({ a: 1 }, "PROMPT");
  expect(turns.sent).toEqual([]);
  turns.enqueue("a", "HEALTHY");
  turns.goRound({ a: 1 }, "PROMPT");
  expect(turns.sent).toEqual(["a"]);
});

test("whoever found no slot keeps its turn for when one is free", () => {
  const turns = desk();
  fill(turns, "PROMPT", 79);
  for (const id of ["a", "b", "c"]) turns.enqueue(id, "HEALTHY");
  turns.goRound({ a: 1, b: 1, c: 1 }, "PROMPT");
  expect(turns.sent).toEqual(["a"]);
  turns.release("PROMPT");
  turns.goRound({ a: 1, b: 1, c: 1 }, "PROMPT");
  expect(turns.sent).toEqual(["a", "b"]);
});

test.each<{ lane: Lane; kind: PermitKind; most: number }>([
  { lane: "HEALTHY", kind: "PROMPT", most: 80 },
  { lane: "DEGRADED", kind: "LATE", most: 40 },
  { lane: "PROBING", kind: "PROBE", most: 20 },
])("at most $most of 100 slots are $kind", ({ lane, kind, most }) => {
  const turns = desk();
  turns.enqueue("a", lane);
  turns.goRound({ a: 1000 }, kind);
  expect(turns.sent).toHaveLength(most);
});

test("with every late slot and every probe taken, half of the fast slots are left to first attempts", () => {
  const turns = desk();
  fill(turns, "LATE", 40);
  fill(turns, "PROBE", 20);
  turns.enqueue("shaky", "DEGRADED");
  turns.enqueue("suspect", "PROBING");
  turns.enqueue("well", "HEALTHY");
  turns.goRound({ shaky: 5, suspect: 5, well: 1000 }, "PROMPT");
  expect(turns.sent).toHaveLength(40);
  expect(new Set(turns.sent)).toEqual(new Set(["well"]));
});

describe("when all the fast slots are held by what became late on the wire", () => {
  const hung = () => {
    const turns = desk();
    fill(turns, "PROMPT", 80);
    expect(turns.hasSlot("PROMPT")).toBe(false);
    for (let i = 0; i < 80; i++) turns.downgradeToLate();
    return turns;
  };

  test("first attempts find the half that is theirs, and later ones wait", () => {
    const turns = hung();
    turns.enqueue("well", "HEALTHY");
    turns.goRound({ well: 1000 }, "PROMPT");
    expect(turns.sent).toHaveLength(40);
    expect(turns.hasSlot("LATE")).toBe(false);
  });

  test("that goes on until there are twice as many as fast slots, and probes still go", () => {
    const turns = hung();
    fill(turns, "PROMPT", 40);
    for (let i = 0; i < 40; i++) turns.downgradeToLate();
    fill(turns, "PROMPT", 39);
    expect(turns.hasSlot("PROMPT")).toBe(true);
    fill(turns, "PROMPT", 1);
    for (let i = 0; i < 40; i++) turns.downgradeToLate();
    expect(turns.hasSlot("PROMPT")).toBe(false);
    expect(turns.hasSlot("PROBE")).toBe(true);
  });

  test("with them gone there are as many slots as before", () => {
    const turns = hung();
    for (let i = 0; i < 80; i++) turns.release("LATE");
    turns.enqueue("well", "HEALTHY");
    turns.goRound({ well: 1000 }, "PROMPT");
    expect(turns.sent).toHaveLength(80);
  });
});

test("an endpoint that is offered in another lane leaves the one that it was in", () => {
  const turns = desk();
  turns.enqueue("a", "HEALTHY");
  turns.enqueue("a", "PROBING");
  fill(turns, "PROBE", 20);
  turns.goRound({ a: 1 }, "PROMPT");
  expect(turns.sent).toEqual([]);
});
