import { expect, test } from "vitest";
import { createEndpoint } from "../../../../src/app/webhooks/endpoints.ts";
import type { Send } from "../../../../src/domain/webhooks/webhook-post.ts";
import { chooseScale } from "../../../support/scale.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner, publish } from "./support.ts";

// `PROOFS=full npx vitest run test/features/partners/partners/scale.test.ts` prints the figures of
// 10,000 businesses.

const BUSINESSES = chooseScale(100, 10_000, 1000);
const CHANGES = ["service.updated", "service_price.updated", "catalog.changed"] as const;
const POLLS = 50;

const slugs = Array.from({ length: BUSINESSES }, (_, i) => `shop-${i}`);

/** Returns the median CPU time of a step, without its preparation, in milliseconds. */
async function measure(prepare: () => void, step: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < POLLS; i++) {
    prepare();
    const before = process.cpuUsage();
    await step();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[POLLS / 2] ?? 0;
}

test(
  `a poll of ${BUSINESSES} businesses reads those that have changed and no others`,
  { timeout: 600_000 },
  async () => {
    const rt = createTestRuntime();
    const businesses = rt.tx(() => addBusinesses(rt, slugs));
    const { secret } = createTestPartner(rt, businesses);
    const ask = createClient(rt, secret);
    let { cursor } = (await ask("businesses?limit=1")).meta;
    const changed = [businesses[1]!, businesses[50]!, businesses[99]!];
    const found: number[] = [];
    const change = () => changed.forEach((business) => publish(rt, business));
    const ms = await measure(change, async () => {
      const { data, meta } = await ask(`businesses?changedSince=${cursor}`);
      found.push(data.length);
      cursor = meta.cursor;
    });
    expect(new Set(found)).toEqual(new Set([3]));
    if (chooseScale(false, true))
      console.log(`${BUSINESSES} businesses: ${ms} ms of CPU for a poll that finds three`);
  },
);

test(
  `a change of each of ${BUSINESSES} businesses reaches one endpoint, in order per business`,
  { timeout: 600_000 },
  async () => {
    const rt = createTestRuntime();
    const businesses = rt.tx(() => addBusinesses(rt, slugs));
    const { partner, key } = createTestPartner(rt, businesses);
    await createEndpoint(rt, {
      businessId: null,
      partnerId: partner.id,
      keyId: key.id,
      name: "mirror",
      url: "http://10.0.0.1/hook",
      events: CHANGES,
      allowPrivate: true,
      maxInFlight: 32,
    });
    const last = new Map<string, number>();
    let received = 0;
    let outOfOrder = 0;
    const send: Send = async ({ body, headers }) => {
      const { business } = JSON.parse(body.toString()) as { business: { slug: string } };
      const sequence = Number(headers["X-Service-Sequence"]);
      if (sequence !== (last.get(business.slug) ?? 0) + 1) outOfOrder += 1;
      last.set(business.slug, sequence);
      received += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
    };
    const worker = createTestWorker(rt, send);
    // One transaction for each type, because a commit waits for the disk.
    for (const type of CHANGES)
      rt.tx(() => businesses.forEach((business) => publish(rt, business, type)));
    const startedAt = process.hrtime.bigint();
    while (received < CHANGES.length * BUSINESSES) {
      worker.sweep();
      await worker.whenIdle();
    }
    const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
    expect([received, outOfOrder, last.size]).toEqual([3 * BUSINESSES, 0, BUSINESSES]);
    if (chooseScale(false, true)) console.log(`${received} deliveries in ${seconds} s`);
  },
);
