import { setImmediate } from "node:timers";
import type { YieldToEventLoop } from "../../../app/availability/yield-to-event-loop.ts";
import { AppError } from "../../../domain/errors.ts";
import type { RequestClient } from "../../auth/client-address.ts";
import {
  type Account,
  type RunningScan,
  type WaitingRequest,
  WaitingRequests,
} from "./waiting-requests.ts";

/** A search for free times, shared by all requests that wait for its result. */
export type Scan<T> = {
  /**
   * Resolves with the result. Rejects if the client has the longest queue and the scan does not
   * start in time.
   */
  waitAs: (client: RequestClient, disconnected: AbortSignal) => Promise<T>;
};

/** The part of a scan that is now running, and the accounts that are charged for its CPU time. */
type Slice = { scan: RunningScan; accounts: Account[]; startMs: number; startCpuMs: number };

/** Time after which a request of the client with the longest queue is refused. */
const MAX_WAIT_MS = 2000;
/** Time between two checks of a request that has waited for longer than MAX_WAIT_MS. */
const WAIT_CHECK_MS = 250;

const BUSY =
  "Too many availability requests of this client are waiting: send the next one after the response to the last.";

/** Runs slices of scans, one at a time, and leaves time for other requests between them. */
export class ScanQueue {
  readonly #monotonic: () => number;
  readonly #cpuMs: () => number;
  readonly #waiting: WaitingRequests;
  #isScheduled = false;
  #slice: Slice | undefined;
  /**
   * When the pause after a slice ends, in milliseconds of the monotonic clock. The pause is as long
   * as the slice.
   */
  #pauseUntil = 0;
  #requestsServed = 0;

  /**
   * @param monotonic milliseconds
   * @param cpuMs CPU time of this thread. The system updates it only every few milliseconds, which
   * is exact enough for sums, but not for one slice
   */
  constructor(monotonic: () => number, cpuMs: () => number = threadCpuMs) {
    this.#monotonic = monotonic;
    this.#cpuMs = cpuMs;
    this.#waiting = new WaitingRequests(monotonic);
  }

  /**
   * Adds a scan, which starts once a request waits for it.
   * @param work does the scan in slices of at most about 20 ms, and calls `yieldToEventLoop`
   * between two slices
   */
  add<T>(work: (yieldToEventLoop: YieldToEventLoop) => Promise<T>): Scan<T> {
    const scan: RunningScan = {
      startedFor: null,
      spentMs: 0,
      resume: undefined,
      waiting: new Set(),
    };
    const result = this.#run(scan, work);
    return { waitAs: (client, disconnected) => this.#wait(scan, result, client, disconnected) };
  }

  /**
   * Counts a request that is not for availability. While such requests arrive, scans leave half of
   * the time to them.
   */
  recordRequest(): void {
    this.#requestsServed += 1;
  }

  async #run<T>(
    scan: RunningScan,
    work: (yieldToEventLoop: YieldToEventLoop) => Promise<T>,
  ): Promise<T> {
    const yieldToEventLoop: YieldToEventLoop = () =>
      new Promise((resolve, reject) => {
        scan.resume = (error) => {
          scan.resume = undefined;
          if (error) reject(error);
          else resolve();
        };
        this.#endSlice();
      });
    try {
      // The scan waits for its first slice.
      await yieldToEventLoop();
      return await work(yieldToEventLoop);
    } finally {
      for (const account of scan.startedFor ?? []) account.running -= 1;
      this.#endSlice();
      this.#schedule();
    }
  }

  async #wait<T>(
    scan: RunningScan,
    result: Promise<T>,
    client: RequestClient,
    disconnected: AbortSignal,
  ): Promise<T> {
    const request = this.#waiting.add(scan, client);
    this.#schedule();
    const leave = () => this.#waiting.remove(request);
    const busy = Promise.withResolvers<never>();
    const stopWaiting = this.#onLongWait(request, busy.reject);
    disconnected.addEventListener("abort", leave);
    try {
      return await Promise.race([result, busy.promise]);
    } finally {
      stopWaiting();
      disconnected.removeEventListener("abort", leave);
      leave();
    }
  }

  /**
   * Rejects a request that has waited too long if its client has the longest queue. Returns a
   * function that stops the check.
   */
  #onLongWait(request: WaitingRequest, reject: (error: AppError) => void): () => void {
    const check = (): void => {
      if (request.scan.startedFor !== null) return;
      if (!this.#waiting.hasLongestQueue(request.client)) {
        timer = setTimeout(check, WAIT_CHECK_MS);
        return;
      }
      reject(new AppError("busy", BUSY));
      this.#waiting.remove(request);
    };
    let timer = setTimeout(check, MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#slice !== undefined) return;
    this.#isScheduled = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    const pauseMs = this.#pauseUntil - this.#monotonic();
    if (this.#requestsServed > 0 && pauseMs > 0) {
      this.#requestsServed = 0;
      setTimeout(() => this.#takeTurn(), pauseMs);
      return;
    }
    this.#isScheduled = false;
    this.#requestsServed = 0;
    const request = this.#waiting.next();
    if (request !== undefined) this.#startSlice(request);
  }

  /**
   * Continues the scan of a request. A new scan counts against the client and its network until it
   * ends.
   */
  #startSlice(request: WaitingRequest): void {
    const { scan, client, network } = request;
    // A client that has no IPv6 address is its own network.
    const accounts = network === client ? [client] : [client, network];
    if (scan.startedFor === null) {
      scan.startedFor = accounts;
      for (const account of accounts) account.running += 1;
    }
    // The request moves to the end, so that two scans of one client advance in turn.
    client.waiting.delete(request);
    client.waiting.add(request);
    const { resume } = scan;
    scan.resume = undefined;
    this.#slice = { scan, accounts, startMs: this.#monotonic(), startCpuMs: this.#cpuMs() };
    resume?.();
  }

  #endSlice(): void {
    if (this.#slice === undefined) return;
    const { scan, accounts, startMs, startCpuMs } = this.#slice;
    this.#slice = undefined;
    const now = this.#monotonic();
    this.#pauseUntil = now + (now - startMs);
    const spentMs = this.#cpuMs() - startCpuMs;
    scan.spentMs += spentMs;
    for (const account of accounts) this.#waiting.charge(account, spentMs);
    this.#schedule();
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
