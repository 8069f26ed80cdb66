import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
} from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../../src/app/webhooks/endpoint-secrets.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { redeliverDelivery, redeliverDeliveries } from "../../../src/app/webhooks/deliveries.ts";
import { AppError } from "../../../src/domain/errors.ts";
import type { SeededRandom } from "../../../src/domain/seeded-random.ts";
import type { EventType } from "../../../src/domain/events/event-types.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { addBusiness, emitEvents } from "../delivery.ts";
import { type Ledger, type Subscription, NO_FAILURES } from "./ledger.ts";
import { BEHAVIORS } from "./partners.ts";
import type { VirtualTime } from "./time.ts";

export type Simulation = {
  admin: Runtime;
  random: SeededRandom;
  time: VirtualTime;
  ledger: Ledger;
  note: (text: string) => void;
  wake: () => void;
  crash: () => void;
  start: () => void;
  shiftWall: (byMs: number) => void;
  fillDisk: (ms: number) => void;
  breakDisk: () => void;
  hasBrokenDisk: boolean;
  advance: (ms: number) => Promise<void>;
};

const TYPES: readonly EventType[] = [
  "service.updated",
  "staff.created",
  "menu_item.deleted",
  "catalog.changed",
];
const HOUR_MS = 3_600_000;
/** The daemon notices a jump of the clock within this time. */
const NOTICED_WITHIN_MS = 2000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Creates the random steps of a simulation: events, operator commands, crashes, and faults of
 * receivers.
 */
export async function createCommands({
  admin,
  random,
  time,
  ledger,
  note,
  ...simulation
}: Simulation) {
  const businesses = ["aurora", "borealis"].map((slug) => addBusiness(admin, slug));
  let created = 0;
  let eventCount = 0;
  /** When the clock was last changed. */
  let jumpedAt = -Infinity;

  async function subscribe(behavior: Subscription["behavior"]): Promise<void> {
    const business = random.pick(businesses);
    const events = random.chance(0.5) ? [...TYPES] : [random.pick(TYPES)];
    const maxInFlight = random.chance(0.6) ? 4 : random.integer(1, 8);
    const url = `http://10.0.0.${(created += 1)}/`;
    const request = {
      businessId: business.id,
      keyId: null,
      name: url,
      url,
      events,
      allowPrivate: true,
      maxInFlight,
    };
    const { endpoint, secret } = await createEndpoint(admin, {
      ...request,
      timeoutMs: random.integer(1, 30) * 1000,
    });
    ledger.subscriptions.set(endpoint.id, {
      id: endpoint.id,
      businessId: business.id,
      url,
      events,
      maxInFlight,
      status: "ACTIVE",
      secrets: [{ secret, until: null }],
      behavior,
      inFlight: new Set(),
      ...NO_FAILURES,
      retryAfterUntil: 0,
    });
  }

  const existingEndpoints = () =>
    [...ledger.subscriptions.values()].filter(({ status }) => status !== "DELETED");
  /** Endpoints whose behaviour may change. */
  const changeableEndpoints = () =>
    existingEndpoints().filter(({ behavior }) => behavior !== "steady" && behavior !== "selective");

  function publish(count: number): void {
    const business = random.pick(businesses);
    const { events } = emitEvents(
      admin,
      business,
      ...Array.from({ length: count }, () => random.pick(TYPES)),
    );
    ledger.expectDeliveries(business.id, events);
    eventCount += count;
    simulation.wake();
  }

  function changeBehavior(endpoint: Subscription): void {
    endpoint.behavior = random.pick(BEHAVIORS);
    note(`${endpoint.id} is ${endpoint.behavior}`);
  }

  function rotateSecret(endpoint: Subscription): void {
    // The daemon notices a jump within a second, and then also shifts what was written since the
    // jump. No secret is rotated in this time.
    if (time.elapsed() - jumpedAt < NOTICED_WITHIN_MS) return;
    const overlapMs = random.pick([0, HOUR_MS, DAY_MS, 7 * DAY_MS]);
    const hasOld = endpoint.secrets.some(({ until }) => until !== null && until > time.elapsed());
    try {
      const { secret } = rotateEndpointSecret(admin, endpoint.id, {
        overlapMs,
        force: random.chance(0.5),
      });
      // A forced rotation keeps the older secret, which the receiver still uses.
      const kept = endpoint.secrets.findLast(({ until }) => (hasOld ? until : until === null));
      const oldEndsAt = overlapMs > 0 ? time.elapsed() + overlapMs : 0;
      for (const old of endpoint.secrets) old.until = old === kept ? oldEndsAt : 0;
      endpoint.secrets.push({ secret, until: null });
    } catch (error) {
      if (!(error instanceof AppError && error.code === "conflict")) throw error;
    }
    simulation.wake();
  }

  function finishRotation(endpoint: Subscription): void {
    finishSecretRotation(admin, endpoint.id);
    for (const old of endpoint.secrets) if (old.until !== null) old.until = 0;
    simulation.wake();
  }

  function setEnabled(endpoint: Subscription): void {
    if (endpoint.status === "ACTIVE") {
      disableEndpoint(admin, endpoint.id, "manual");
      endpoint.status = "DISABLED";
    } else {
      const parked = admin.store.deliveries.list(
        { endpointId: endpoint.id, status: "PARKED" },
        1e6,
      );
      const since = time.wall() - random.integer(0, 3 * DAY_MS);
      enableEndpoint(admin, endpoint.id, random.pick(["all", "all", "none", since] as const));
      resetHealth(endpoint);
      for (const { id } of parked) ledger.restart(id);
    }
    simulation.wake();
  }

  function resetHealth(endpoint: Subscription): void {
    Object.assign(endpoint, { status: "ACTIVE", ...NO_FAILURES, retryAfterUntil: 0 });
    if (endpoint.behavior === "gone") endpoint.behavior = "healthy";
  }

  function remove(endpoint: Subscription): void {
    deleteEndpoint(admin, endpoint.id);
    endpoint.status = "DELETED";
  }

  function redeliver(): void {
    if (random.chance(0.5)) {
      const ids = [...ledger.deliveries.keys()];
      if (ids.length === 0) return;
      const id = random.pick(ids);
      const before = ledger.rowOf(id);
      try {
        redeliverDelivery(admin, id);
      } catch (error) {
        if (!(error instanceof AppError && error.code === "conflict")) throw error;
      }
      if (before?.status !== ledger.rowOf(id)?.status || before?.attemptCount !== 0)
        ledger.restart(id);
    } else {
      const [endpoint] = random.sample(changeableEndpoints(), 1);
      if (endpoint === undefined) return;
      redeliverDeliveries(admin, {
        endpointId: endpoint.id,
        status: random.pick(["DELIVERED", "EXHAUSTED"] as const),
      });
      for (const expected of ledger.deliveries.values())
        if (expected.endpointId === endpoint.id) ledger.restart(expected.id);
    }
    simulation.wake();
  }

  /** Kills the process and restarts it immediately or hours later. */
  async function crash(): Promise<void> {
    note("crash");
    simulation.crash();
    const downMs = random.chance(0.7) ? random.integer(0, 2000) : random.integer(0, 6 * HOUR_MS);
    await simulation.advance(random.integer(0, downMs));
    if (random.chance(0.5)) publish(random.integer(1, 3));
    await simulation.advance(downMs);
    simulation.start();
    note("start");
  }

  async function setClock(): Promise<void> {
    if (random.chance(0.7)) publish(random.integer(1, 4));
    await simulation.advance(random.integer(0, 200));
    const byMs = random.pick([-30 * DAY_MS, -DAY_MS, -HOUR_MS, HOUR_MS, DAY_MS, 30 * DAY_MS]);
    note(`clock moved by ${byMs / HOUR_MS} h`);
    simulation.shiftWall(byMs);
    jumpedAt = time.elapsed();
    if (random.chance(0.5)) return;
    await simulation.advance(random.integer(0, 3000));
    simulation.shiftWall(-byMs);
    jumpedAt = time.elapsed();
  }

  const onRandomEndpoint = (act: (endpoint: Subscription) => void) => () =>
    random.sample(changeableEndpoints(), 1).forEach(act);
  const COMMANDS: [weight: number, name: string, run: () => void | Promise<void>][] = [
    [40, "publish", () => publish(random.integer(1, 4))],
    [2, "publish many", () => publish(random.integer(20, 60))],
    [20, "change behavior", onRandomEndpoint(changeBehavior)],
    [4, "rotate", onRandomEndpoint(rotateSecret)],
    [2, "finish", onRandomEndpoint(finishRotation)],
    [5, "enable or disable", onRandomEndpoint(setEnabled)],
    [1, "delete", onRandomEndpoint(remove)],
    [2, "subscribe", () => subscribe(random.pick(BEHAVIORS))],
    [6, "redeliver", redeliver],
    [6, "crash", crash],
    [2, "clock", setClock],
    [2, "disk", () => simulation.fillDisk(random.integer(1, 600) * 1000)],
  ];
  if (simulation.hasBrokenDisk) COMMANDS.push([6, "broken disk", simulation.breakDisk]);
  const total = COMMANDS.reduce((sum, [weight]) => sum + weight, 0);

  for (const behavior of [
    "steady",
    "steady",
    "selective",
    "healthy",
    "failing",
    "flaky",
    "hanging",
  ] as const)
    await subscribe(behavior);

  return {
    events: () => eventCount,
    async runOne(): Promise<void> {
      let left = random.integer(1, total);
      const [, name, run] = COMMANDS.find(([weight]) => (left -= weight) <= 0)!;
      note(name);
      await run();
    },
    /** Makes all endpoints healthy, so that every delivery can be completed. */
    async healAll(): Promise<void> {
      note("heal all");
      await simulation.advance(1_300_000);
      for (const endpoint of existingEndpoints()) {
        endpoint.behavior = "healthy";
        if (endpoint.status === "ACTIVE") continue;
        const parked = admin.store.deliveries.list(
          { endpointId: endpoint.id, status: "PARKED" },
          1e6,
        );
        enableEndpoint(admin, endpoint.id, "all");
        resetHealth(endpoint);
        for (const { id } of parked) ledger.restart(id);
      }
      simulation.wake();
    },
  };
}
