import type { Send } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Runtime } from "../../../src/app/runtime.ts";

/**
 * A mistake such as somebody may make, built into each engine that starts.
 * @param memory outlives a crash
 * @returns the wire to use, where that is not the one it was given
 */
export type Bug = (rt: Runtime, send: Send, memory: Map<string, number>) => Send | void;

type Written = Parameters<Runtime["store"]["due"]["settle"]>;

/** Changes what is written of an attempt. */
function rewrite(rt: Runtime, change: (...args: Written) => Written): void {
  const { settle } = rt.store.due;
  rt.store.due.settle = (...args) => settle(...change(...args));
}

const scaleWait =
  (by: number): Bug =>
  (rt) =>
    rewrite(rt, (due, settlement, attempt) => {
      if (settlement.status !== "PENDING") return [due, settlement, attempt];
      const now = rt.now();
      return [
        due,
        { ...settlement, nextAttemptAt: Math.round(now + (settlement.nextAttemptAt - now) * by) },
        attempt,
      ];
    });

export const BUGS: Readonly<Record<string, Bug>> = {
  "loses what is on the wire when it dies": (rt, send, memory) => {
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
  "forgets how many may be on the wire": (rt) => {
    const { findDestination } = rt.store.endpoints;
    rt.store.endpoints.findDestination = (id) => {
      const found = findDestination(id);
      return found && { ...found, maxInFlight: 32 };
    };
  },
  "tries again too soon": scaleWait(0.9),
  "adds more chance to its waits than it may": scaleWait(1.25),
  "signs with a secret that is dead": (rt) => {
    const { listValid } = rt.store.endpointSecrets;
    rt.store.endpointSecrets.listValid = (id) => listValid(id, 0);
  },
  "forgets the old secret while it lives": (rt) => {
    const { listValid } = rt.store.endpointSecrets;
    rt.store.endpointSecrets.listValid = (id, now) => listValid(id, now).slice(0, 1);
  },
  "miscounts what is exhausted": (rt) => {
    const { add } = rt.store.tallies;
    rt.store.tallies.add = (business, status, count) =>
      add(business, status, status === "EXHAUSTED" ? 0 : count);
  },
  "miscounts attempts that fail": (rt) => {
    const { addAttempts } = rt.store.tallies;
    rt.store.tallies.addAttempts = (business, at, delivered) =>
      addAttempts(business, at, delivered, 0);
  },
  "does not look at what others commit": (rt) => {
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
  "does not hear what a receiver asks for": (_rt, send) => async (post) => {
    const outcome = await send(post);
    return outcome.kind === "responded" ? { ...outcome, retryAfter: null } : outcome;
  },
  "takes silence for consent": (rt) =>
    rewrite(rt, (due, settlement, attempt) => {
      if (attempt?.outcome !== "timed_out") return [due, settlement, attempt];
      return [
        due,
        { status: "DELIVERED", nextAttemptAt: null, deliveredAt: rt.now(), error: null },
        attempt,
      ];
    }),
  "gives up too soon": (rt) =>
    rewrite(rt, (due, settlement, attempt) => {
      if (settlement.status !== "PENDING" || (attempt?.n ?? 0) < 12)
        return [due, settlement, attempt];
      return [due, { ...settlement, status: "EXHAUSTED", nextAttemptAt: null }, attempt];
    }),
  "loses an outcome now and then": (rt) => {
    const { settle } = rt.store.due;
    let outcomes = 0;
    rt.store.due.settle = (...args) => ((outcomes += 1) % 20 === 0 ? undefined : settle(...args));
  },
  "lets everybody wait for whoever hangs": (_rt, send) => {
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
  "sends another body now and then": (_rt, send) => {
    let sent = 0;
    return (post) =>
      send(
        (sent += 1) % 50 === 0
          ? { ...post, body: Buffer.concat([post.body, Buffer.from(" ")]) }
          : post,
      );
  },
  "measures its pauses by the wall": (rt) => {
    rt.monotonic = rt.now;
  },
};
