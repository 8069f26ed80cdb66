import type { Runtime } from "../app/runtime.ts";
import { recordResults } from "../app/webhooks/delivery-results.ts";
import type { StoredBackoff } from "../domain/webhooks/failing-endpoint.ts";
import { isStorageFull, isStorageUnavailable } from "../store/database/storage-error.ts";
import { isBusy } from "../store/database/write-lock.ts";
import type { AttemptResult } from "./attempt.ts";

/** The number of outcomes that are written at once and share one fsync. */
const WRITE_GROUP_SIZE = 256;
/** Longest time that an outcome waits for others to be written with it. */
const WRITE_GROUP_MS = 20;
/** Delay before a write is retried while another writer holds the lock. */
const BUSY_RETRY_MS = 2;
/** Delay before a write is retried while the disk is full or gone. */
const UNAVAILABLE_RETRY_MS = 1000;
/** Maximum number of unwritten outcomes while another writer holds the lock. */
const MAX_UNWRITTEN = 2048;

export type OutcomeListeners = {
  /**
   * Called before each write, so that `shift` corrects the times if the clock was set. Throws an
   * error of the database if the outcomes cannot be written yet.
   */
  beforeWrite: () => void;
  /** Returns the backoff of the endpoint, in times of the wall clock. */
  getStoredBackoff: (endpointId: string) => StoredBackoff;
  /** @param disabled the IDs of the endpoints that these outcomes have disabled */
  onWritten: (results: readonly AttemptResult[], disabled: readonly string[]) => void;
};

/** Writes the outcomes of attempts in groups, and tries again while they cannot be written. */
export class OutcomeWriter {
  readonly #rt: Runtime;
  readonly #listeners: OutcomeListeners;
  #unwritten: AttemptResult[] = [];
  #timer: NodeJS.Timeout | undefined;
  #commits = 0;
  #isRetrying = false;
  #isBlocked = false;

  constructor(rt: Runtime, listeners: OutcomeListeners) {
    this.#rt = rt;
    this.#listeners = listeners;
  }

  /**
   * Number of commits of this writer. The delivery worker subtracts them from all commits, because
   * they change nothing that it has read.
   */
  get commits(): number {
    return this.#commits;
  }

  /** Whether no more deliveries may be sent, because their outcomes could not be written. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Whether the last write failed. Its retry is then scheduled. */
  get isRetrying(): boolean {
    return this.#isRetrying;
  }

  /** Adds an outcome. Call `writeSoon` or `write` afterwards. */
  add(result: AttemptResult): void {
    this.#unwritten.push(result);
  }

  /** Writes a full group at once; a smaller one waits WRITE_GROUP_MS for more outcomes. */
  writeSoon(): void {
    if (this.#unwritten.length >= WRITE_GROUP_SIZE && !this.#isRetrying) this.write();
    else this.#timer ??= setTimeout(() => this.write(), WRITE_GROUP_MS);
  }

  /** Writes all outcomes in one transaction, with one fsync. */
  write(): void {
    this.cancel();
    const rt = this.#rt;
    const group = this.#unwritten;
    let disabled: string[];
    try {
      this.#listeners.beforeWrite();
      disabled = rt.tx(() => recordResults(rt, group, this.#listeners.getStoredBackoff));
      this.#commits += 1;
    } catch (error) {
      return this.#retryLater(error);
    }
    this.#isRetrying = false;
    this.#isBlocked = false;
    this.#unwritten = [];
    this.#listeners.onWritten(group, disabled);
  }

  /** Schedules another write after a failed one, or throws the error if a retry cannot help. */
  #retryLater(error: unknown): void {
    const isUnavailable = isStorageUnavailable(error);
    if (!isUnavailable && !isBusy(error)) throw error;
    if (isUnavailable && !this.#isBlocked)
      this.#rt.log(
        "error",
        `${isStorageFull(error) ? "The disk is full" : "The data folder cannot be used"}: outcomes cannot be written, so deliveries are paused.`,
      );
    this.#isRetrying = true;
    this.#isBlocked = isUnavailable || this.#unwritten.length >= MAX_UNWRITTEN;
    const delayMs = isUnavailable ? UNAVAILABLE_RETRY_MS : BUSY_RETRY_MS;
    this.#timer = setTimeout(() => this.write(), delayMs);
  }

  /**
   * Shifts the next attempts of unwritten outcomes. Call it when the clock was set, because the
   * attempts are planned by the time before the jump.
   */
  shift(byMs: number): void {
    for (const { settlement } of this.#unwritten)
      if (settlement.nextAttemptAt !== null) settlement.nextAttemptAt += byMs;
  }

  /** Cancels the scheduled write. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
