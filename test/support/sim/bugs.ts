import type { Send } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Runtime } from "../../../src/app/runtime.ts";

/**
 * Injects a bug into each delivery worker that starts.
 * @param memory survives a crash of the worker
 * @returns the send function to use instead, if the bug changes it
 */
export type Bug = (rt: Runtime, send: Send, memory: Map<string, number>) => Send | void;

type Written = Parameters<Runtime["store"]["due"]["settle"]>;

/** Changes the arguments with which the outcome of an attempt is stored. */
function changeSettlement(rt: Runtime, change: (...args: Written) => Written): void {
  const { settle } = rt.store.due;
  rt.store.due.settle = (...args) => settle(...change(...args));
}

const scaleWait =
  (by: number): Bug =>
  (rt) =>
    changeSettlement(rt, (due, settlement, attempt) => {
      if (settlement.status !== "PENDING") return [due, settlement, attempt];
      const now = rt.now();
      return [
        due,
        { ...settlement, nextAttemptAt: Math.round(now + (settlement.nextAttemptAt - now) * by) },
        attempt,
      ];
    });

export const BUGS: Readonly<Record<string, Bug>> = {
  "loses deliveries in flight at a crash": (rt, send, memory) => {
    const life = (memory.get("lives") ?? 0) + 1;
    memory.set("lives", life);
    const { listForEndpoint } = rt.store.due;
    rt.store.due.listForEndpoint = (...args) =>
      listForEndpoint(...args).filter(({ id }) => (memory.get(id) ?? life) === life);
    return async (post) => {
      const id = post.headers["X-Service-Delivery"] ?? "";
      memory.set(id, life);
      const outcome = await send(post);
      memory.delete(id);
      return outcome;
    };
  },
  "ignores the endpoint's limit of deliveries in flight": (rt) => {
    const { findTarget } = rt.store.endpoints;
    rt.store.endpoints.findTarget = (id) => {
      const found = findTarget(id);
      return found && { ...found, maxInFlight: 32 };
    };
  },
  "retries too soon": scaleWait(0.9),
  "adds too much jitter to its waits": scaleWait(1.25),
  "signs with an expired secret": (rt) => {
    const { listValid } = rt.store.endpointSecrets;
    rt.store.endpointSecrets.listValid = (id) => listValid(id, 0);
  },
  "stops signing with the old secret before it expires": (rt) => {
    const { listValid } = rt.store.endpointSecrets;
    rt.store.endpointSecrets.listValid = (id, now) => listValid(id, now).slice(0, 1);
  },
  "miscounts exhausted deliveries": (rt) => {
    const { add } = rt.store.tallies;
    rt.store.tallies.add = (business, status, count) =>
      add(business, status, status === "EXHAUSTED" ? 0 : count);
  },
  "miscounts failed attempts": (rt) => {
    const { addAttempts } = rt.store.tallies;
    rt.store.tallies.addAttempts = (business, at, delivered) =>
      addAttempts(business, at, delivered, 0);
  },
  "does not notice commits of other processes": (rt) => {
    const { tx } = rt;
    let depth = 0;
    let ownCommits = 0;
    rt.tx = (work) => {
      depth += 1;
      try {
        const result = tx(work);
        if (depth === 1) ownCommits += 1;
        return result;
      } finally {
        depth -= 1;
      }
    };
    rt.revision = () => ownCommits;
  },
  "ignores Retry-After": (_rt, send) => async (post) => {
    const outcome = await send(post);
    return outcome.kind === "responded" ? { ...outcome, retryAfter: null } : outcome;
  },
  "treats a timeout as success": (rt) =>
    changeSettlement(rt, (due, settlement, attempt) => {
      if (attempt?.outcome !== "timed_out") return [due, settlement, attempt];
      return [
        due,
        { status: "DELIVERED", nextAttemptAt: null, deliveredAt: rt.now(), error: null },
        attempt,
      ];
    }),
  "gives up too early": (rt) =>
    changeSettlement(rt, (due, settlement, attempt) => {
      if (settlement.status !== "PENDING" || (attempt?.n ?? 0) < 12)
        return [due, settlement, attempt];
      return [due, { ...settlement, status: "EXHAUSTED", nextAttemptAt: null }, attempt];
    }),
  "sometimes loses an outcome": (rt) => {
    const { settle } = rt.store.due;
    let outcomes = 0;
    rt.store.due.settle = (...args) => ((outcomes += 1) % 20 === 0 ? undefined : settle(...args));
  },
  "lets a hanging endpoint block the others": (_rt, send) => {
    let busy = 0;
    const waiting: (() => void)[] = [];
    return async (post) => {
      if (busy >= 3) await new Promise<void>((resolve) => waiting.push(resolve));
      busy += 1;
      const outcome = await send(post);
      busy -= 1;
      waiting.shift()?.();
      return outcome;
    };
  },
  "sometimes sends a different body": (_rt, send) => {
    let sent = 0;
    return (post) =>
      send(
        (sent += 1) % 50 === 0
          ? { ...post, body: Buffer.concat([post.body, Buffer.from(" ")]) }
          : post,
      );
  },
  "measures pauses with the wall clock": (rt) => {
    rt.monotonic = rt.now;
  },
  "takes a failed write for a successful one": (rt) => {
    const { tx } = rt;
    rt.tx = <T>(work: () => T): T => {
      try {
        return tx(work);
      } catch {
        return [] as T;
      }
    };
  },
  "sends a delivery twice at once": (rt) => {
    const { listForEndpoint } = rt.store.due;
    rt.store.due.listForEndpoint = (...args) =>
      listForEndpoint(...args).flatMap((row) => [row, { ...row }]);
  },
  "sometimes sends the event of another delivery": (rt) => {
    const { findById } = rt.store.events;
    let last: ReturnType<typeof findById>;
    let read = 0;
    rt.store.events.findById = (id) => {
      const found = (read += 1) % 20 === 0 && last !== undefined ? last : findById(id);
      last = found;
      return found;
    };
  },
  "keeps its waits when the clock is set": (rt) => {
    rt.store.due.shiftDueTimes = () => {};
  },
  "counts its attempts from zero after a restart": (rt, _send, memory) => {
    const life = (memory.get("lives") ?? 0) + 1;
    memory.set("lives", life);
    if (life === 1) return;
    const { listForEndpoint } = rt.store.due;
    rt.store.due.listForEndpoint = (...args) =>
      listForEndpoint(...args).map((row) => ({ ...row, attemptCount: 0 }));
  },
  "parks deliveries of an endpoint that is active": (rt) =>
    changeSettlement(rt, (due, settlement, attempt) =>
      settlement.status === "PENDING" && (attempt?.n ?? 0) === 5
        ? [due, { ...settlement, status: "PARKED", nextAttemptAt: null }, attempt]
        : [due, settlement, attempt],
    ),
};
