import { expect, test } from "vitest";
import {
  cacheResolve,
  countUnverifiedDeliveries,
  listLimitedHosts,
  MAX_UNVERIFIED_DELIVERIES,
  readHostLimit,
  recordHostResults,
} from "../../../src/app/webhooks/host-limits.ts";
import { addBusiness, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;
const HOST = "10.0.0.1";

async function setUp() {
  const rt = createTestRuntime();
  const { endpoint } = await subscribe(rt, addBusiness(rt), `http://${HOST}/hook`);
  const readLimit = () => readHostLimit(rt, { ...endpoint, allowPrivate: false });
  const record = (isSuccess: boolean, count = 1) =>
    rt.tx(() =>
      recordHostResults(
        rt,
        HOST,
        Array.from({ length: count }, () => ({ at: rt.now(), isSuccess })),
      ),
    );
  return { rt, readLimit, record };
}

test("a host's verification is written at most once a day, and failed deliveries on that day do not count", async () => {
  const { rt, readLimit, record } = await setUp();
  record(true);
  const first = rt.now();
  rt.advance(DAY_MS - 1);
  record(true);
  record(false);
  expect(readLimit().verifiedAt).toBe(first);
  expect(countUnverifiedDeliveries(rt, HOST)).toBe(0);
  rt.advance(1);
  record(true);
  expect(readLimit().verifiedAt).toBe(first + DAY_MS);
});

test("a host is limited once failed deliveries have used up its share, unless it is verified", async () => {
  const { rt, readLimit, record } = await setUp();
  record(false, MAX_UNVERIFIED_DELIVERIES);
  expect(listLimitedHosts(rt)).toEqual([HOST]);
  expect(readLimit().deliveriesLeft).toBe(0);
  record(true);
  expect(listLimitedHosts(rt)).toEqual([]);
  rt.advance(2 * DAY_MS);
  record(false, MAX_UNVERIFIED_DELIVERIES);
  expect(readLimit().deliveriesLeft).toBeNull();
  expect(listLimitedHosts(rt)).toEqual([]);
});

test("the addresses of a host are looked up again after a minute, and at once after a failure", async () => {
  let now = 0;
  let addresses: string[] = [];
  const lookups: number[] = [];
  const resolve = cacheResolve(
    async () => (lookups.push(now), addresses),
    () => now,
  );
  const resolveAt = (at: number) => {
    now = at;
    return resolve("example.com", { allowHttp: false, allowPrivate: [], trusted: false });
  };
  expect(await resolveAt(0)).toEqual([]);
  addresses = ["93.184.215.14"];
  for (const at of [1, 60_000, 60_001, 120_000]) expect(await resolveAt(at)).toEqual(addresses);
  expect(lookups).toEqual([0, 1, 60_001]);
});
