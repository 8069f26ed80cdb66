import type { EventType } from "../domain/event-types.ts";
import type { Outcome, Settlement } from "../domain/settle.ts";
import type { Runtime } from "../runtime.ts";
import { isBusy, isStorageFull } from "../store/database.ts";
import { type Claim, createAttempter, type Result } from "./attempt.ts";
import type { Send } from "./send.ts";
import { type Caps, createTurns } from "./turns.ts";

const CAPS: Caps = { perEndpoint: 4, total: 1024 };
const GROUP_SIZE = 128;
const GROUP_MS = 5;
/** Between two tries to write while the disk is full or somebody else holds the file. */
const STUCK_MS = 1000;

/** An attempt that was written, for whoever watches. */
export type AttemptNotice = {
  deliveryId: string;
  endpointId: string;
  url: string;
  eventId: string;
  eventType: EventType;
  n: number;
  durationMs: number;
  outcome: Outcome["kind"];
  statusCode: number | null;
  error: string | null;
  status: Settlement["status"];
  nextAttemptAt: number | null;
};

export type Courier = {
  /** Somebody committed: what is new goes out at once. */
  wake: () => void;
  /** Takes up whatever is due. Nothing is lost by its coming late. */
  sweep: () => void;
  /** Resolves when nothing is on the wire and every outcome is written. */
  idle: () => Promise<void>;
  /** Takes up nothing more, and waits at most `graceMs` for what is on the wire; what is then unfinished stays due. */
  stop: (graceMs: number) => Promise<void>;
};

/**
 * The engine. It alone sends, so that a claim needs no write: what is on the wire is known here, and in the file a delivery
 * is PENDING until its outcome is written. After a crash it is therefore due again.
 */
export function createCourier(rt: Runtime, send: Send, onAttempt: (notice: AttemptNotice) => void = () => {}): Courier {
  const { deliveries, endpoints } = rt.store;
  const turns = createTurns(CAPS);
  const attempt = createAttempter(rt, send);
  /** On the wire, or back from it with an outcome that is not written yet. */
  const held = new Set<string>();
  let unwritten: Result[] = [];
  let lastSeen = deliveries.lastNumber();
  let state: "running" | "stopping" | "stopped" = "running";
  let isTurnQueued = false;
  let writeTimer: NodeJS.Timeout | undefined;
  /** The last write failed: nothing more goes out whose outcome could not be kept. */
  let isStuck = false;
  let waitingForIdle: (() => void)[] = [];

  function wake(): void {
    const newest = deliveries.lastNumber();
    for (const id of deliveries.endpointsAmong(lastSeen, newest)) turns.offer(id);
    lastSeen = newest;
    turn();
  }

  function sweep(): void {
    for (const id of deliveries.endpointsDue(rt.now())) turns.offer(id);
    turn();
  }

  function turn(): void {
    isTurnQueued = false;
    if (state === "running" && !isStuck) claim();
    if (held.size > 0) return;
    for (const resolve of waitingForIdle) resolve();
    waitingForIdle = [];
  }

  function queueTurn(): void {
    if (isTurnQueued) return;
    isTurnQueued = true;
    // After the other answers of this round of the event loop: one look at what is due for all of them.
    setImmediate(turn);
  }

  function claim(): void {
    for (let next = turns.next(); next !== undefined; next = turns.next()) {
      const { endpointId, room } = next;
      const destination = endpoints.destination(endpointId);
      if (destination === undefined) continue;
      for (const due of deliveries.due(endpointId, rt.now(), room, held)) void deliver({ due, destination });
    }
  }

  async function deliver(claim: Claim): Promise<void> {
    held.add(claim.due.id);
    turns.begin(claim.destination.id);
    const result = await attempt(claim);
    if (state === "stopped") return;
    turns.end(claim.destination.id);
    unwritten.push(result);
    // The next ones do not wait for the disk.
    queueTurn();
    if (unwritten.length >= GROUP_SIZE && !isStuck) write();
    else writeTimer ??= setTimeout(write, GROUP_MS);
  }

  /** One transaction, and one fsync, for a group of outcomes. */
  function write(): void {
    clearTimeout(writeTimer);
    writeTimer = undefined;
    try {
      rt.tx(() => unwritten.forEach(writeResult));
    } catch (error) {
      if (!isBusy(error) && !isStorageFull(error)) throw error;
      if (!isStuck)
        rt.log("error", "Outcomes cannot be written; deliveries wait.", { reason: (error as Error).message });
      isStuck = true;
      writeTimer = setTimeout(write, STUCK_MS);
      return;
    }
    isStuck = false;
    const written = unwritten;
    unwritten = [];
    for (const result of written) {
      held.delete(result.due.id);
      report(result);
    }
    queueTurn();
  }

  function writeResult({ due, destination, settlement, attempt }: Result): void {
    deliveries.settle(due, settlement, attempt);
    if (settlement.status === "DELIVERED") endpoints.markWell(destination.id);
    else if (attempt !== null) endpoints.markFailing(destination.id, attempt.at);
  }

  function report({ due, destination, settlement, attempt }: Result): void {
    const { status, nextAttemptAt, error } = settlement;
    if (status === "EXHAUSTED" || status === "CORRUPT")
      rt.log("error", `A delivery ended ${status}.`, { delivery: due.id, endpoint: destination.id, error });
    if (attempt === null) return;
    const { n, durationMs, outcome, statusCode } = attempt;
    const { id: endpointId, url } = destination;
    const { id: deliveryId, eventId, eventType } = due;
    // prettier-ignore
    onAttempt({ deliveryId, endpointId, url, eventId, eventType, n, durationMs, outcome, statusCode, error, status, nextAttemptAt });
  }

  const idle = (): Promise<void> =>
    held.size === 0 && !isTurnQueued ? Promise.resolve() : new Promise((resolve) => waitingForIdle.push(resolve));

  async function stop(graceMs: number): Promise<void> {
    state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([idle(), new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
    clearTimeout(writeTimer);
    state = "stopped";
  }

  return { wake, sweep, idle, stop };
}
