import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, afterEach, describe, expect, test, vi } from "vitest";
import type { RequestClient } from "../../../../src/http/auth/client-address.ts";
import { ScanQueue } from "../../../../src/http/handlers/availability/scan-queue.ts";

const CONNECTED = new AbortController().signal;
const SLICE_MS = 100;

const address = (id: string, network?: string): RequestClient => ({ id, network, isKey: false });
const key = (id: string): RequestClient => ({ id, network: undefined, isKey: true });

/** Opens a queue whose scans take 100 ms of a simulated clock for each slice. */
function openQueue() {
  let nowMs = 0;
  const clock = () => nowMs;
  const queue = new ScanQueue(clock, clock);
  const slices: string[] = [];
  let started = 0;
  const add = (name: string, count: number) =>
    queue.add(async (yieldToEventLoop) => {
      started += 1;
      for (let i = 0; i < count; i++) {
        if (i > 0) await yieldToEventLoop();
        nowMs += SLICE_MS;
        slices.push(name);
      }
      started -= 1;
      return name;
    });
  return {
    queue,
    slices,
    advance: (ms: number) => (nowMs += ms),
    runningScans: () => started,
    add,
    scan: (client: RequestClient, count: number, signal = CONNECTED) =>
      add(client.id, count).waitAs(client, signal),
  };
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};

describe("the next slice", () => {
  test("the next slice goes to a scan of the client that has used least CPU time", async () => {
    const { scan, slices } = openQueue();
    const heavy = ["a", "b", "c"].map((id) => scan(address(id), 40));
    await turns(30);
    const before = slices.length;
    await scan(address("visitor"), 5);
    expect(slices.slice(before)).toEqual(Array(5).fill("visitor"));
    await Promise.all(heavy);
    expect(slices.slice(0, 6)).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  test("the next slice goes to the smaller scan while both clients have used little CPU time", async () => {
    const { scan, slices } = openQueue();
    for (let i = 0; i < 3; i++) await scan(address("small"), 1);
    const large = scan(address("large"), 20);
    while (!slices.includes("large")) await nextTurn();
    const before = slices.length;
    await scan(address("small"), 1);
    expect(slices.slice(before).indexOf("small")).toBeLessThanOrEqual(1);
    await large;
  });

  test("slices alternate between all clients of an IPv6 /48 and another address", async () => {
    const { scan, slices } = openQueue();
    const scans = Array.from({ length: 10 }, (_, i) => scan(address(`6-${i}`, "net"), 4));
    scans.push(scan(address("4"), 20));
    await Promise.all(scans);
    const counted = slices.slice(0, 40).filter((name) => name === "4").length;
    expect(counted).toBeGreaterThanOrEqual(19);
  });

  test("a shared scan gets its slices as early as a scan of its least busy client would", async () => {
    const { scan, add, slices } = openQueue();
    const other = scan(address("other"), 30);
    const own = scan(address("hostile"), 10);
    const shared = add("shared", 5);
    const hostile = shared.waitAs(address("hostile"), CONNECTED);
    await turns(15);
    const before = slices.length;
    await shared.waitAs(address("visitor"), CONNECTED);
    expect(slices.slice(before)).toEqual(Array(5).fill("shared"));
    await Promise.all([other, own, hostile]);
  });

  test("if other requests were served, a slice starts only after a pause as long as the last slice", async () => {
    const timeout = vi.spyOn(globalThis, "setTimeout");
    const { scan, queue } = openQueue();
    const done = scan(address("a"), 3);
    const pauses = () => timeout.mock.calls.filter(([, ms]) => ms === SLICE_MS).length;
    await turns(2);
    expect(pauses()).toBe(0);
    queue.recordRequest();
    await done;
    expect(pauses()).toBe(1);
    timeout.mockRestore();
  });

  test("a scan that is added during the pause after a slice waits only for the rest of the pause", async () => {
    const timeout = vi.spyOn(globalThis, "setTimeout");
    const { scan, queue, advance } = openQueue();
    const delays = () => timeout.mock.calls.map(([, ms]) => ms).filter((ms) => ms !== 2000);
    await scan(address("a"), 1);
    queue.recordRequest();
    advance(SLICE_MS - 1);
    await scan(address("a"), 1);
    expect(delays()).toEqual([1]);
    queue.recordRequest();
    advance(SLICE_MS);
    await scan(address("a"), 1);
    expect(delays()).toEqual([1]);
    timeout.mockRestore();
  });
});

describe("at the same time", () => {
  test.each([
    ["an address", () => address("a"), 1],
    ["a key", () => key("key_a"), 2],
  ])("%s can have only a limited number of scans at the same time", async (_, client, most) => {
    const { scan, runningScans } = openQueue();
    const scans = Array.from({ length: 5 }, () => scan(client(), 4));
    let highest = 0;
    for (let i = 0; i < 30; i++) {
      await nextTurn();
      highest = Math.max(highest, runningScans());
    }
    await Promise.all(scans);
    expect(highest).toBe(most);
  });

  test("an IPv6 /48 can have at most four scans at the same time", async () => {
    const { scan, runningScans } = openQueue();
    const scans = Array.from({ length: 20 }, (_, i) => scan(address(`6-${i}`, "net"), 4));
    await turns(10);
    expect(runningScans()).toBe(4);
    await Promise.all(scans);
  });
});

test("scans of any number of clients wait for their turn", async () => {
  const { scan, slices } = openQueue();
  await Promise.all(Array.from({ length: 100 }, (_, i) => scan(address(`a-${i}`), 1)));
  expect(slices).toHaveLength(100);
});

describe("after two seconds", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("requests of the client with the longest queue are rejected after two seconds", async () => {
    const { scan } = openQueue();
    const outcomes = (client: string, count: number) =>
      Array.from({ length: count }, () =>
        scan(address(client), 100).catch((error: { code: string }) => error.code),
      );
    const visitor = outcomes("visitor", 2);
    const hostile = outcomes("hostile", 4);
    await turns(10);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all([...visitor, ...hostile])).toEqual([
      "visitor",
      "visitor",
      "hostile",
      "busy",
      "busy",
      "busy",
    ]);
  });
});

test("a scan ends when its last client disconnects, and the next scan for the same address starts", async () => {
  const { scan, slices } = openQueue();
  const gone = new AbortController();
  const first = scan(address("a"), 1000, gone.signal);
  const second = scan(address("a"), 2);
  await turns(5);
  gone.abort();
  await expect(first).rejects.toMatchObject({ code: "busy" });
  expect(await second).toBe("a");
  expect(slices.length).toBeLessThan(20);
});
