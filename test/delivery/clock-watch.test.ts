import { expect, test } from "vitest";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const DAY = 86_400_000;

/** A delivery that waits for its second attempt, and a wall clock that can be set. */
async function stage() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  let attempts = 0;
  const answer = { statusCode: 500 };
  const send = async () => {
    attempts += 1;
    return { kind: "responded", retryAfter: null, responseText: "", ...answer } as const;
  };
  let offBy = 0;
  const { now } = rt;
  rt.now = () => now() + offBy;
  const courier = createTestWorker(rt, send);
  const happen = () => emitEvents(rt, business, "service.updated");
  const beat = async (how: "sweep" | "wake" = "sweep") => {
    courier[how]();
    await courier.whenIdle();
  };
  const waits = () => rt.store.deliveries.list({ failed: true }, 1)[0]!.nextAttemptAt! - rt.now();
  happen();
  await beat("wake");
  return {
    rt,
    courier,
    send,
    answer,
    happen,
    beat,
    waits,
    set: (ms: number) => void (offBy = ms),
    tried: () => attempts,
  };
}

test.each([30, -30, 1, -1])(
  "a clock that jumps by %d days brings no attempt sooner or later",
  async (days) => {
    const { rt, beat, waits, set, tried } = await stage();
    const before = waits();
    set(days * DAY);
    await beat();
    expect(waits()).toBe(before);
    expect(tried()).toBe(1);
    rt.advance(before);
    await beat();
    expect(tried()).toBe(2);
  },
);

test.each([30, 0.5, -0.5, -30])(
  "what happens right after a jump by %d days goes out at once",
  async (days) => {
    const { answer, beat, happen, set, rt } = await stage();
    set(days * DAY);
    answer.statusCode = 200;
    happen();
    await beat("wake");
    expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 1, PENDING: 1 });
  },
);

test("what was due already, at an endpoint that is paused, stays due when the clock goes back", async () => {
  const { rt, beat, happen, set, answer } = await stage();
  for (let i = 0; i < 20; i++) happen();
  await beat("wake");
  rt.advance(20_000);
  set(-30 * DAY);
  answer.statusCode = 200;
  rt.advance(20_000);
  for (let i = 0; i < 120; i++) {
    rt.advance(1000);
    await beat();
  }
  expect(rt.store.tallies.countByStatus()).toMatchObject({ DELIVERED: 21, PENDING: 0 });
});

test("a clock that was set back while no courier ran puts nothing off for longer than a day", async () => {
  const { rt, courier, send, set, tried } = await stage();
  await courier.stop(0);
  set(-30 * DAY);
  const next = createTestWorker(rt, send);
  next.sweep();
  await next.whenIdle();
  expect(tried()).toBe(2);
});

test("a clock that is a little off moves nothing", async () => {
  const { rt, beat, set } = await stage();
  const at = () => rt.store.deliveries.list({}, 1)[0]!.nextAttemptAt;
  const before = at();
  set(-4000);
  await beat();
  expect(at()).toBe(before);
  expect(rt.logged).toEqual([]);
});
