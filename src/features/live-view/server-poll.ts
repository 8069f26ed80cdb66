import { type Check, listForOperator } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type HealthCondition, SEVERITIES } from "../../domain/conditions/registry.ts";
import { deepEqual } from "../../domain/equality.ts";
import type { ServerState } from "./state/snapshot.ts";

const DAEMON_POLL_MS = 2000;
const CONDITIONS_POLL_MS = 10_000;
/**
 * The greatest share of the time that checks may take. Slow checks, as with thousands of endpoints,
 * run less often.
 */
const MAX_CONDITIONS_LOAD = 0.01;

const rank = ({ severity }: HealthCondition): number => SEVERITIES.indexOf(severity);

/** Polls whether the daemon runs, and checks the health conditions. */
export class ServerPoll {
  readonly #rt: Runtime;
  readonly #checks: readonly Check[];
  readonly #isDaemonRunning: () => boolean;
  #state: ServerState = { isDaemonRunning: false, conditions: [] };
  #version = 0;
  /** When the daemon was last polled and the next check is due, on the monotonic clock in ms. */
  #polledAt = -Infinity;
  #conditionsDueAt = -Infinity;

  constructor(rt: Runtime, checks: readonly Check[], isDaemonRunning: () => boolean) {
    this.#rt = rt;
    this.#checks = checks;
    this.#isDaemonRunning = isDaemonRunning;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Rises with each change of the state. */
  get version(): number {
    return this.#version;
  }

  /** Updates the state if a poll is due. */
  poll(): void {
    const rt = this.#rt;
    const at = rt.monotonic();
    if (at - this.#polledAt < DAEMON_POLL_MS) return;
    this.#polledAt = at;
    const isRunning = this.#isDaemonRunning();
    if (isRunning === this.#state.isDaemonRunning && at < this.#conditionsDueAt) return;
    const startedAt = isRunning ? (rt.store.daemon.find()?.startedAt ?? null) : null;
    const conditions = listForOperator(rt, this.#checks, { isRunning, startedAt });
    const before = this.#state;
    this.#state = {
      isDaemonRunning: isRunning,
      conditions: conditions.toSorted((a, b) => rank(a) - rank(b)),
    };
    if (!deepEqual(this.#state, before)) this.#version += 1;
    const tookMs = rt.monotonic() - at;
    this.#conditionsDueAt = at + Math.max(CONDITIONS_POLL_MS, tookMs / MAX_CONDITIONS_LOAD);
  }
}
