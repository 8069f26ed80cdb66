import { expect, test } from "vitest";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { createLiveStore } from "../../../src/features/live-view/store.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import type { BusinessRow } from "../../../src/store/businesses.ts";
import { fillDeliveries } from "../../support/live-data.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addBusinesses, createTestPartner } from "../partners/partners/support.ts";

async function fillStore(deliveries: number) {
  const rt = createTestRuntime();
  const endpoints = await fillDeliveries(rt, deliveries);
  return { rt, endpoints, live: rt.openStore(createLiveStore) };
}

const STREAK = {
  failingSince: 5,
  failureCount: 3,
  failedEventId: null,
  failedEvents: 1,
  lastError: "HTTP 500",
  warnedAt: null,
  disableAt: null,
};

const idOf = (number: number): string => `dlv_${String(number).padStart(25, "0")}`;

test("deliveries that match the filter and are newer than a given delivery are counted", async () => {
  const { live } = await fillStore(1000);
  expect(live.countNewer({}, idOf(500))).toBe(500);
  expect(live.countNewer({ state: "EXHAUSTED" }, idOf(500))).toBe(5);
  expect(live.countNewer({ text: "http 5" }, idOf(500))).toBe(15);
});

test("the list of deliveries to redeliver begins with the oldest, and has no new, parked or cancelled deliveries", async () => {
  const { rt, live } = await fillStore(100);
  rt.tx(() => rt.store.deliveryMoves.cancel({ id: idOf(100) }));
  const found = live.listRedeliverable({}, 1000).map((id) => Number(id.slice(4)));
  expect(found).toEqual(
    Array.from({ length: 99 }, (_, i) => i + 1).filter((number) => number !== 2),
  );
  expect(live.listRedeliverable({ state: "EXHAUSTED" }, 1000)).toEqual([idOf(3)]);
});

test("the list of endpoints begins with disabled and failing ones, and counts pending and parked deliveries", async () => {
  const { rt, live, endpoints } = await fillStore(400);
  rt.tx(() => {
    rt.store.endpoints.updateStreak(endpoints[2]!, STREAK);
    disableEndpoint(rt, endpoints[0]!, "manual");
  });
  expect(
    live.listEndpoints(null, 10).map(({ id, pending, parked }) => ({ id, pending, parked })),
  ).toEqual([
    { id: endpoints[0], pending: 0, parked: 4 },
    { id: endpoints[2], pending: 4, parked: 0 },
    { id: endpoints[1], pending: 4, parked: 0 },
    { id: endpoints[3], pending: 0, parked: 0 },
  ]);
  expect(live.countFailing(null)).toBe(1);
  expect(live.countRetrying(null)).toBe(4);
});

test("the endpoints of a business include those for several businesses of its partners", async () => {
  const rt = createTestRuntime();
  const [one, other] = addBusinesses(rt, ["one", "other"]) as [BusinessRow, BusinessRow];
  const { partner, key } = createTestPartner(rt, [one]);
  const { endpoint } = await createEndpoint(rt, {
    businessId: null,
    partnerId: partner.id,
    keyId: key.id,
    name: "mirror",
    url: "http://10.0.0.1/hook",
    events: ["service.updated"],
    allowPrivate: true,
  });
  rt.tx(() => rt.store.endpoints.updateStreak(endpoint.id, STREAK));
  const live = rt.openStore(createLiveStore);
  const read = ({ id }: BusinessRow) => ({
    listed: live.listEndpoints(id, 10).map((row) => row.id),
    failing: live.countFailing(id),
  });
  expect(read(one)).toEqual({ listed: [endpoint.id], failing: 1 });
  expect(read(other)).toEqual({ listed: [], failing: 0 });
});
