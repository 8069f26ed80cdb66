import {
  recordOutcome,
  type EndpointHealth,
  restoreHealth,
  remainingConcurrency,
} from "../domain/webhooks/endpoint-health.ts";
import type { SigningKey } from "../domain/webhooks/signature.ts";
import type { OutcomeClass } from "../domain/webhooks/outcome.ts";
import type { Runtime } from "../app/runtime.ts";
import type { DueRow } from "../store/due.ts";
import type { DestinationRow } from "../store/endpoints.ts";
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts";

/** What the courier knows of an endpoint that has something due. */
export type EndpointQueue = {
  readonly endpointId: string;
  health: EndpointHealth;
  /** On the wire. */
  inFlight: number;
  /** Of them, replays. They go one at a time, so that they arrive in their order. */
  replays: number;
  /** Of them, those that have been waiting for an answer for long. */
  overdue: number;
  /** On the wire, or back from it with an outcome that is not written yet. */
  held: number;
  destination: DestinationRow;
  /** Undefined until something goes out to it. */
  live: SigningKeys | undefined;
  /** Due, and read ahead. */
  rows: DueRow[];
  /** Behind `rows` there was nothing due when it was last read. */
  isDry: boolean;
  /** In which all this was read. */
  epoch: number;
};

/** How many due rows are read at once, and for a busy endpoint: of what was read, one in five may be held and read in vain. */
const READ_AHEAD = 32;
const READ_AHEAD_PER_HELD = 4;
/** What cannot be signed waits for somebody to mend it. */
const UNREADABLE_PAUSE_MS = 60_000;

/** Keeps the endpoints' queues in step with the file: what another connection has changed is read again before the next one goes. */
export function createEndpointQueues(rt: Runtime, isHeld: (deliveryNumber: number) => boolean) {
  const queues = new Map<string, EndpointQueue>();
  const keyring = createSigningKeys(rt);
  /** Endpoints whose secret does not open, and until when they are left alone. */
  const unreadable = new Map<string, number>();

  /** Undefined: nothing may be sent to it. */
  function open(endpointId: string, epoch: number): EndpointQueue | undefined {
    const known = queues.get(endpointId);
    if (known?.epoch === epoch) return known;
    const destination = rt.store.endpoints.findDestination(endpointId);
    if (destination === undefined) {
      if (known?.held === 0) queues.delete(endpointId);
      return undefined;
    }
    const isSame = known !== undefined && known.destination.updatedAt === destination.updatedAt;
    const health = isSame ? known.health : restoreHealth(destination.failureCount);
    const read = { destination, health, live: undefined, rows: [], isDry: false, epoch };
    const queue = known
      ? Object.assign(known, read)
      : { endpointId, inFlight: 0, replays: 0, overdue: 0, held: 0, ...read };
    queues.set(endpointId, queue);
    return queue;
  }

  /**
   * What its next delivery is signed with; undefined: it cannot be signed. Not read before: most that a sweep looks at have nothing
   * to send but what is on the wire already.
   */
  function keysOf(queue: EndpointQueue): SigningKey[] | undefined {
    if (queue.live === undefined || queue.live.validUntil <= rt.now())
      queue.live = readKeys(queue.endpointId);
    return queue.live?.keys;
  }

  function readKeys(endpointId: string): SigningKeys | undefined {
    if ((unreadable.get(endpointId) ?? 0) > rt.monotonic()) return undefined;
    try {
      return keyring(endpointId);
    } catch (error) {
      unreadable.set(endpointId, rt.monotonic() + UNREADABLE_PAUSE_MS);
      rt.log("error", "An endpoint's deliveries cannot be signed; they wait.", {
        endpoint: endpointId,
        error: (error as Error).message,
      });
      return undefined;
    }
  }

  /** The next ones due, or none. */
  function rowsOf(queue: EndpointQueue): DueRow[] {
    if (queue.rows.length > 0 || queue.isDry) return queue.rows;
    const limit = queue.held + Math.max(READ_AHEAD, READ_AHEAD_PER_HELD * queue.held);
    const found = rt.store.due.listForEndpoint(queue.endpointId, rt.now(), limit);
    queue.isDry = found.length < limit;
    return (queue.rows = queue.held === 0 ? found : found.filter(({ number }) => !isHeld(number)));
  }

  return {
    open,
    rowsOf,
    keysOf,
    get: (endpointId: string): EndpointQueue | undefined => queues.get(endpointId),
    hasRoom: (queue: EndpointQueue): boolean =>
      remainingConcurrency(
        queue.health,
        queue.inFlight,
        queue.destination.maxInFlight,
        rt.monotonic(),
      ) > 0,
    feel: (queue: EndpointQueue, verdict: OutcomeClass): void =>
      void (queue.health = recordOutcome(queue.health, verdict, rt.monotonic())),
  };
}
