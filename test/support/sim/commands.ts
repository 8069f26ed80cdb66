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
import type { SeededRandom } from "../../../src/app/sample-catalog/seeded-random.ts";
import type { EventType } from "../../../src/domain/event-types.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { addBusiness, emitEvents } from "../delivery.ts";
import type { Ledger, Subscription } from "./ledger.ts";
import { MOODS } from "./partners.ts";
import type { Time } from "./time.ts";

export type World = {
  admin: Runtime;
  random: SeededRandom;
  time: Time;
  ledger: Ledger;
  note: (what: string) => void;
  wake: () => void;
  crash: () => void;
  start: () => void;
  setWall: (byMs: number) => void;
  fillDisk: (ms: number) => void;
  pass: (ms: number) => Promise<void>;
};

const TYPES: readonly EventType[] = [
  "service.updated",
  "staff.created",
  "menu_item.deleted",
  "catalog.changed",
];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What happens to the box, to whoever runs it and to its partners. */
export async function createCommands({ admin, random, time, ledger, note, ...world }: World) {
  const businesses = ["aurora", "borealis"].map((slug) => addBusiness(admin, slug));
  let created = 0;
  let posted = 0;

  async function subscribe(mood: Subscription["mood"]): Promise<void> {
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
      mood,
      inFlight: new Set(),
      failures: 0,
      pauseMs: 0,
      probeAt: 0,
      askedUntil: 0,
    });
  }

  const existing = () =>
    [...ledger.subscriptions.values()].filter(({ status }) => status !== "DELETED");
  /** Those to whom things happen. */
  const living = () => existing().filter(({ mood }) => mood !== "steady" && mood !== "choosy");

  function post(count: number): void {
    const business = random.pick(businesses);
    const { events } = emitEvents(
      admin,
      business,
      ...Array.from({ length: count }, () => random.pick(TYPES)),
    );
    ledger.posted(business.id, events);
    posted += count;
    world.wake();
  }

  function fall(one: Subscription): void {
    one.mood = random.pick(MOODS);
    note(`${one.id} is ${one.mood}`);
  }

  function rotate(one: Subscription): void {
    const overlapMs = random.pick([0, HOUR_MS, DAY_MS, 7 * DAY_MS]);
    try {
      const { secret, oldEndsAt } = rotateEndpointSecret(admin, one.id, {
        overlapMs,
        force: random.chance(0.5),
      });
      for (const old of one.secrets) old.until = old.until === null ? oldEndsAt : 0;
      one.secrets.push({ secret, until: null });
    } catch (error) {
      if (!(error instanceof AppError && error.code === "conflict")) throw error;
    }
    world.wake();
  }

  function finish(one: Subscription): void {
    finishSecretRotation(admin, one.id);
    for (const old of one.secrets) if (old.until !== null) old.until = 0;
    world.wake();
  }

  function setEnabled(one: Subscription): void {
    if (one.status === "ACTIVE") {
      disableEndpoint(admin, one.id, "manual");
      one.status = "DISABLED";
    } else {
      const parked = admin.store.deliveries.list({ endpointId: one.id, status: "PARKED" }, 1e6);
      const since = time.wall() - random.integer(0, 3 * DAY_MS);
      enableEndpoint(admin, one.id, random.pick(["all", "all", "none", since] as const));
      begin(one);
      for (const { id } of parked) ledger.restart(id);
    }
    world.wake();
  }

  /** With a clean record. */
  function begin(one: Subscription): void {
    Object.assign(one, { status: "ACTIVE", failures: 0, pauseMs: 0, probeAt: 0, askedUntil: 0 });
    if (one.mood === "gone") one.mood = "well";
  }

  function remove(one: Subscription): void {
    deleteEndpoint(admin, one.id);
    one.status = "DELETED";
  }

  function sendAgain(): void {
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
      const [one] = random.sample(living(), 1);
      if (one === undefined) return;
      redeliverDeliveries(admin, {
        endpointId: one.id,
        status: random.pick(["DELIVERED", "EXHAUSTED"] as const),
      });
      for (const owed of ledger.deliveries.values())
        if (owed.endpointId === one.id) ledger.restart(owed.id);
    }
    world.wake();
  }

  /** The process dies, and is started again at once or hours later. */
  async function crash(): Promise<void> {
    note("crash");
    world.crash();
    const downMs = random.chance(0.7) ? random.integer(0, 2000) : random.integer(0, 6 * HOUR_MS);
    await world.pass(random.integer(0, downMs));
    if (random.chance(0.5)) post(random.integer(1, 3));
    await world.pass(downMs);
    world.start();
    note("start");
  }

  async function setClock(): Promise<void> {
    if (random.chance(0.7)) post(random.integer(1, 4));
    await world.pass(random.integer(0, 200));
    const byMs = random.pick([-30 * DAY_MS, -DAY_MS, -HOUR_MS, HOUR_MS, DAY_MS, 30 * DAY_MS]);
    note(`the clock is set by ${byMs / HOUR_MS} h`);
    world.setWall(byMs);
    if (random.chance(0.5)) return;
    await world.pass(random.integer(0, 3000));
    world.setWall(-byMs);
  }

  const onOne = (act: (one: Subscription) => void) => () => random.sample(living(), 1).forEach(act);
  const COMMANDS: readonly [number, string, () => void | Promise<void>][] = [
    [40, "post", () => post(random.integer(1, 4))],
    [2, "post many", () => post(random.integer(20, 60))],
    [20, "mood", onOne(fall)],
    [4, "rotate", onOne(rotate)],
    [2, "finish", onOne(finish)],
    [5, "enable or disable", onOne(setEnabled)],
    [1, "delete", onOne(remove)],
    [2, "subscribe", () => subscribe(random.pick(MOODS))],
    [6, "send again", sendAgain],
    [6, "crash", crash],
    [2, "clock", setClock],
    [2, "disk", () => world.fillDisk(random.integer(1, 600) * 1000)],
  ];
  const total = COMMANDS.reduce((sum, [weight]) => sum + weight, 0);

  for (const mood of ["steady", "steady", "choosy", "well", "failing", "flaky", "hanging"] as const)
    await subscribe(mood);

  return {
    events: () => posted,
    async runOne(): Promise<void> {
      let left = random.integer(1, total);
      const [, name, run] = COMMANDS.find(([weight]) => (left -= weight) <= 0)!;
      note(name);
      await run();
    },
    /** From here on all are well, and nothing happens to anybody. */
    async calmDown(): Promise<void> {
      note("calm");
      await world.pass(1_300_000);
      for (const one of existing()) {
        one.mood = "well";
        if (one.status === "ACTIVE") continue;
        const parked = admin.store.deliveries.list({ endpointId: one.id, status: "PARKED" }, 1e6);
        enableEndpoint(admin, one.id, "all");
        begin(one);
        for (const { id } of parked) ledger.restart(id);
      }
      world.wake();
    },
  };
}
