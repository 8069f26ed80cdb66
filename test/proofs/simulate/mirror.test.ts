import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { publishEventAvailability, publishClockChanges } from "../../../src/app/catalog/publish.ts";
import { expireTicketOrders } from "../../../src/features/tickets/orders/take-tickets.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { changeCatalog } from "../../../src/app/catalog/changes/change-catalog.ts";
import { createKey } from "../../../src/app/keys.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { createTestApp } from "../../support/app.ts";
import { buildCatalog } from "../../support/catalog-builders.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createMirror, type Get, type MirroredEvent, PATHS } from "../../support/mirror.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { createRandomOperations } from "../support/random-operations.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createSimpleMirror } from "../../support/simple-mirror.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

// The mirrors are written from data/guides/mirror.md alone. A failure names the seed and the number
// of operations, with which DESKBELL_MIRROR_SEED and DESKBELL_MIRROR_OPERATIONS repeat it.

const OPERATIONS = Number(process.env["DESKBELL_MIRROR_OPERATIONS"] ?? chooseScale(150, 5000));
const SEED = Number(process.env["DESKBELL_MIRROR_SEED"] ?? chooseSeed(42));
const SLUG = "salon-aurora";
const TIMEOUT_MS = 900_000;
const DAY_MS = 86_400_000;
/** Webhooks are repeated for 8 days. */
const RETRIES_MS = 8 * DAY_MS;
/** An outage is longer than events are kept. */
const OUTAGE_MS = 40 * DAY_MS;
const OPERATIONS_PER_OUTAGE = 100;

type Delivery = { sequence: number; event: MirroredEvent; sentAt: number };

function setUp() {
  const rt = createTestRuntime();
  const randomInt = createRandomInt(SEED);
  changeCatalog(rt, { catalog: buildCatalog(), origin: "local", loaded: null });
  const businessId = getBusiness(rt, SLUG).id;
  const app = createTestApp(rt);
  const { secret } = createKey(rt, {
    businessId,
    name: "mirror",
    kind: "RESTRICTED",
    scopes: ["services.read", "webhooks.read"],
    limitMinute: 1_000_000,
    limitHour: 1_000_000,
  });
  const get: Get = async (path, headers = {}) => {
    // A request over a socket would take a turn of the event loop, and the daemon looks for writes
    // once per turn.
    await nextTurn();
    const init = { headers: { ...headers, authorization: `Bearer ${secret}` } };
    return app.request(`/v1/businesses/${SLUG}${path}`, init);
  };
  const runScheduler = (): void => {
    // The number of tickets left is sent at most every ten seconds.
    rt.advance(10_000);
    expireTicketOrders(rt);
    publishClockChanges(rt);
    publishEventAvailability(rt);
  };
  let sent = getBusiness(rt, SLUG).lastSequence;
  let queue: Delivery[] = [];
  const sendNew = (): void => {
    for (const { sequence, body } of rt.store.events.listAfter(businessId, sent, 100_000)) {
      const event = JSON.parse(body.toString()) as MirroredEvent;
      queue.push({ sequence, event, sentAt: rt.now() });
      sent = sequence;
    }
  };
  const takeNewDeliveries = (): Delivery[] => {
    sendNew();
    const taken = queue;
    queue = [];
    return taken;
  };
  const prune = createPruner(rt);
  let operationCount = 0;
  const operateOnce = createRandomOperations(rt, SLUG, randomInt);
  const operate = async (): Promise<string> => {
    operationCount += 1;
    if (operationCount % OPERATIONS_PER_OUTAGE > 0) return operateOnce();
    for (let missed = 0; missed < 5; missed++) operateOnce();
    sendNew();
    rt.advance(OUTAGE_MS);
    runScheduler();
    await prune();
    return "an outage of 40 days";
  };
  return { rt, randomInt, get, operate, runScheduler, takeNewDeliveries };
}

/** Throws at the first list that differs from a fresh read. */
async function assertCurrent(
  shown: Record<string, unknown>,
  get: Get,
  context: Record<string, unknown>,
): Promise<void> {
  for (const [route, path] of Object.entries(PATHS)) {
    const response = await get(path);
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: unknown };
    // Comparing every list with toEqual would take ten times as long.
    if (!isDeepStrictEqual(shown[route], data))
      expect({ ...context, route, data: shown[route] }).toEqual({ ...context, route, data });
  }
}

/**
 * Follows a server with two mirrors, and compares them with fresh lists after each operation.
 * @param refetches whether the mirrors read lists again when an event says so
 * @returns how often a mirror began anew
 * @throws at the first difference
 */
async function pollChanges(operations: number, refetches = true): Promise<number> {
  const { rt, get, operate, randomInt, runScheduler, takeNewDeliveries } = setUp();
  const mirror = createMirror(get, rt.now);
  const simple = createSimpleMirror(get, rt.now);
  const synchronize = async (isFirst = false) => {
    await mirror.catchUp();
    if (refetches || isFirst) await mirror.refresh();
    for (const { sequence, event } of takeNewDeliveries()) simple.receive(sequence, event);
    await simple.refresh();
  };
  await synchronize(true);
  const log: string[] = [];
  for (let operation = 1; operation <= operations; operation++) {
    log.push(await operate());
    // The mirrors sometimes read before the scheduler has published what the clock has changed.
    if (randomInt(2) > 0) await synchronize();
    runScheduler();
    await synchronize();
    const context = { seed: SEED, operation, last: log.slice(-3) };
    await assertCurrent(mirror.shown(), get, context);
    await assertCurrent(simple.shown(), get, { ...context, mirror: "simple" });
  }
  return mirror.restarts();
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const error = await pollChanges(OPERATIONS, false).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return {
    done: "A mirror ignored which lists to read again.",
    figure: error === undefined ? "It was never stale." : "It became stale.",
    hasFailed: error !== undefined,
  };
}

test(
  `mirrors that poll /changes equal fresh lists after each of ${OPERATIONS} operations`,
  { timeout: patient(TIMEOUT_MS) },
  async () => {
    expect(await pollChanges(OPERATIONS)).toBeGreaterThan(0);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: "A partner that follows the changes has the same catalog as the server",
      done: `${OPERATIONS} random operations were made on a catalog and its bookings, with clock changes and outages; two mirrors, written from the guide, were compared with fresh lists after each.`,
      figure: "No difference was found.",
      control: await runControl(),
      seed: SEED,
    });
  },
);

test(
  `a mirror fed by unreliable webhooks equals fresh lists during ${OPERATIONS} operations`,
  { timeout: patient(TIMEOUT_MS) },
  async () => {
    const { rt, get, operate, randomInt, runScheduler, takeNewDeliveries } = setUp();
    let undelivered: Delivery[] = [];
    let delivered: Delivery[] = [];

    /** Delivers one event, or repeats one. */
    const deliverAny = (): void => {
      const from = randomInt(4) > 0 ? undelivered : delivered;
      const delivery = from[randomInt(from.length || 1)];
      if (!delivery) return;
      mirror.receive(delivery.sequence, delivery.event);
      if (from === delivered) return;
      undelivered = undelivered.filter((other) => other !== delivery);
      delivered.push(delivery);
    };
    const deliverSome = (): void => {
      for (let count = randomInt(4); count > 0; count--) deliverAny();
    };
    const getWhileDelivering: Get = async (path, headers) => {
      const response = await get(path, headers);
      deliverSome();
      return response;
    };
    const mirror = createMirror(getWhileDelivering, rt.now);
    await mirror.catchUp();
    await mirror.refresh();

    const log: string[] = [];
    let compared = 0;
    for (let operation = 1; operation <= OPERATIONS; operation++) {
      log.push(await operate());
      runScheduler();
      undelivered.push(...takeNewDeliveries());
      const isRecent = ({ sentAt }: Delivery) => sentAt > rt.now() - RETRIES_MS;
      delivered = delivered.filter(isRecent);
      const hasExpired = undelivered.some((delivery) => !isRecent(delivery));
      undelivered = undelivered.filter(isRecent);
      deliverSome();
      if (randomInt(2) > 0) await mirror.refresh();
      if (randomInt(3) > 0 && !hasExpired) continue;

      if (randomInt(2) > 0 || hasExpired) await mirror.catchUp();
      else while (undelivered.length > 0) deliverAny();
      await mirror.refresh();
      compared += 1;
      await assertCurrent(mirror.shown(), get, { seed: SEED, operation, last: log.slice(-3) });
    }
    expect(compared).toBeGreaterThan(OPERATIONS / 5);
    expect(mirror.restarts()).toBeGreaterThan(0);
  },
);
