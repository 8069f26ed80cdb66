import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { AppError } from "../../../domain/errors.ts";
import type { RequestClient } from "../../auth/client-address.ts";

/** Maximum number of scans of one client that may be in progress at the same time. */
const MAX_SCANS_PER_ADDRESS = 1;
const MAX_SCANS_PER_KEY = 2;
/**
 * Maximum number of scans of one IPv6 /48 that may be in progress at the same time. An address must
 * not wait for the scan of a busy neighbor, so the /48 may have several.
 */
const MAX_SCANS_PER_NETWORK = 4;
/** Time after which spent CPU time counts half. */
const HALF_LIFE_MS = 10_000;
/**
 * Recent CPU time that does not count against a client or network: about 35 ms a second. Among
 * clients that stay below this allowance, the scan that has used the least CPU time goes first, so
 * that small scans do not wait for large scans.
 */
const ALLOWANCE_MS = 500;
/** Maximum number of accounts in memory; the account that was not used for longest is forgotten. */
const MAX_ACCOUNTS = 20_000;

/** A client or a network, with the CPU time that was spent on its scans. */
export type Account = {
  spentMs: number;
  /** When `spentMs` was measured, in milliseconds of the monotonic clock. */
  spentAt: number;
  /** Number of scans that were started for the account and have not ended. */
  running: number;
  maxRunning: number;
  /** The client's requests that wait for a scan, in order of their turns; empty for a network. */
  waiting: Set<WaitingRequest>;
};

/** A scan that has not ended. */
export type RunningScan = {
  /** The accounts that the scan was started for; null until it starts. */
  startedFor: Account[] | null;
  spentMs: number;
  /**
   * Continues the scan, or ends it with an error. Undefined while a slice runs and after the end.
   */
  resume: ((error?: AppError) => void) | undefined;
  /** The requests that wait for the result. */
  waiting: Set<WaitingRequest>;
};

/** A request that waits for a scan. `network` is `client` unless the client is an IPv6 address. */
export type WaitingRequest = { scan: RunningScan; client: Account; network: Account };

/**
 * The requests that wait for scans. The next slice goes to the network that has recently used least
 * CPU time beyond an allowance, and in this network to the client that has used least. A client
 * that asks for much work thus delays only itself.
 */
export class WaitingRequests {
  /** The monotonic clock, in milliseconds. */
  readonly #monotonic: () => number;
  readonly #accounts = new BoundedCache<string, Account>(MAX_ACCOUNTS);
  readonly #waitingClients = new Set<Account>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(scan: RunningScan, { id, network, isKey }: RequestClient): WaitingRequest {
    const client = this.#getAccount(id, isKey ? MAX_SCANS_PER_KEY : MAX_SCANS_PER_ADDRESS);
    const request = {
      scan,
      client,
      network: network === undefined ? client : this.#getAccount(network, MAX_SCANS_PER_NETWORK),
    };
    client.waiting.add(request);
    scan.waiting.add(request);
    this.#waitingClients.add(client);
    return request;
  }

  /** Removes a request, and ends its scan if nobody else waits for it. */
  remove(request: WaitingRequest): void {
    const { scan, client } = request;
    client.waiting.delete(request);
    if (client.waiting.size === 0) this.#waitingClients.delete(client);
    if (scan.waiting.delete(request) && scan.waiting.size === 0)
      scan.resume?.(new AppError("busy", "All clients of this response have disconnected."));
  }

  /** Returns the request that gets the next slice. */
  next(): WaitingRequest | undefined {
    let best: { request: WaitingRequest; rank: number[] } | undefined;
    for (const client of this.#waitingClients) {
      const request = client.waiting.values().find(canRun);
      if (request === undefined) continue;
      const rank = [this.#excessMs(request.network), this.#excessMs(client), request.scan.spentMs];
      if (best === undefined || isBefore(rank, best.rank)) best = { request, rank };
    }
    return best?.request;
  }

  /** Returns whether no other client has more waiting scans than this client. */
  hasLongestQueue(client: Account): boolean {
    const length = queueLength(client);
    return this.#waitingClients.values().every((other) => queueLength(other) <= length);
  }

  charge(account: Account, ms: number): void {
    account.spentMs = this.#spentMs(account) + ms;
    account.spentAt = this.#monotonic();
  }

  #getAccount(id: string, maxRunning: number): Account {
    return this.#accounts.getOrInsertComputed(id, () => ({
      spentMs: 0,
      spentAt: 0,
      running: 0,
      maxRunning,
      waiting: new Set(),
    }));
  }

  #spentMs({ spentMs, spentAt }: Account): number {
    return spentMs * 2 ** ((spentAt - this.#monotonic()) / HALF_LIFE_MS);
  }

  #excessMs(account: Account): number {
    return Math.max(0, this.#spentMs(account) - ALLOWANCE_MS);
  }
}

/** Returns whether a list of numbers sorts before another one: the first difference decides. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const i = a.findIndex((value, j) => value !== b[j]);
  return i !== -1 && (a[i] ?? 0) < (b[i] ?? 0);
}

/**
 * Returns whether a request can have the next slice: its scan has started, or can start within the
 * limits.
 */
const canRun = ({ scan, client, network }: WaitingRequest): boolean =>
  scan.resume !== undefined &&
  (scan.startedFor !== null ||
    (client.running < client.maxRunning && network.running < network.maxRunning));

const queueLength = ({ waiting }: Account): number =>
  waiting.values().reduce((sum, { scan }) => sum + (scan.startedFor === null ? 1 : 0), 0);
