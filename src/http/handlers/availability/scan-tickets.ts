import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { AppError } from "../../../domain/errors.ts";
import type { RequestClient } from "../../auth/client-address.ts";

const MAX_SCANS_PER_ADDRESS = 1;
const MAX_SCANS_PER_KEY = 2;
/** An address that shares its /48 with a busy one must not wait for that one's scan to end. */
const MAX_SCANS_PER_NETWORK = 4;
/** Time after which CPU time spent counts half. */
const HALF_LIFE_MS = 10_000;
/**
 * Recent CPU time that does not count against a client: about 35 ms a second. Among clients below
 * it, the scan with the least CPU time so far is first, so that small ones do not wait for large
 * ones.
 */
const ALLOWANCE_MS = 500;
const MAX_ACCOUNTS = 20_000;

/** The CPU time spent for a client or a network. */
export type Account = {
  spentMs: number;
  spentAt: number;
  /** Scans that were started for it and have not ended. */
  running: number;
  maxRunning: number;
  tickets: Set<Ticket>;
};

export type RunningScan = {
  /** The accounts it was started for; null until it starts. */
  startedFor: Account[] | null;
  spentMs: number;
  /** Continues the scan, or ends it with an error. Undefined while it runs and after its end. */
  resume: ((error?: AppError) => void) | undefined;
  tickets: Set<Ticket>;
};

/** A request that waits for a scan. */
export type Ticket = { scan: RunningScan; client: Account; network: Account };

/**
 * The requests that wait for scans. The next slice is for the network, and in it for the client,
 * for which the least CPU time was spent recently, beyond an allowance. So a client that asks for
 * much work delays only itself.
 */
export class ScanTickets {
  /** Milliseconds. */
  readonly #monotonic: () => number;
  readonly #accounts = new BoundedCache<string, Account>(MAX_ACCOUNTS);
  readonly #waitingClients = new Set<Account>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(scan: RunningScan, { id, network, isKey }: RequestClient): Ticket {
    const client = this.#getAccount(id, isKey ? MAX_SCANS_PER_KEY : MAX_SCANS_PER_ADDRESS);
    const ticket = {
      scan,
      client,
      network: network === undefined ? client : this.#getAccount(network, MAX_SCANS_PER_NETWORK),
    };
    client.tickets.add(ticket);
    scan.tickets.add(ticket);
    this.#waitingClients.add(client);
    return ticket;
  }

  /** Ends the scan if nobody else waits for it. */
  remove(ticket: Ticket): void {
    const { scan, client } = ticket;
    client.tickets.delete(ticket);
    if (client.tickets.size === 0) this.#waitingClients.delete(client);
    if (scan.tickets.delete(ticket) && scan.tickets.size === 0)
      scan.resume?.(new AppError("busy", "All clients of this response have disconnected."));
  }

  /** Returns the ticket that gets the next slice. */
  next(): Ticket | undefined {
    let best: { ticket: Ticket; rank: number[] } | undefined;
    for (const client of this.#waitingClients) {
      const ticket = client.tickets.values().find(canRun);
      if (ticket === undefined) continue;
      const rank = [this.#excessMs(ticket.network), this.#excessMs(client), ticket.scan.spentMs];
      if (best === undefined || isBefore(rank, best.rank)) best = { ticket, rank };
    }
    return best?.ticket;
  }

  /** Whether no other client waits for more scans. */
  hasLongestQueue(client: Account): boolean {
    const length = queueLength(client);
    return this.#waitingClients.values().every((other) => queueLength(other) <= length);
  }

  /** Adds CPU time that was spent for an account. */
  charge(account: Account, ms: number): void {
    account.spentMs = this.#spentMs(account) + ms;
    account.spentAt = this.#monotonic();
  }

  #getAccount(id: string, maxRunning: number): Account {
    const account = this.#accounts.get(id) ?? {
      spentMs: 0,
      spentAt: 0,
      running: 0,
      maxRunning,
      tickets: new Set<Ticket>(),
    };
    this.#accounts.set(id, account);
    return account;
  }

  #spentMs({ spentMs, spentAt }: Account): number {
    return spentMs * 2 ** ((spentAt - this.#monotonic()) / HALF_LIFE_MS);
  }

  #excessMs(account: Account): number {
    return Math.max(0, this.#spentMs(account) - ALLOWANCE_MS);
  }
}

/** Compares the first numbers that differ. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const i = a.findIndex((value, j) => value !== b[j]);
  return i !== -1 && (a[i] ?? 0) < (b[i] ?? 0);
}

/** Whether it can have the next slice: its scan has started, or can start within the limits. */
const canRun = ({ scan, client, network }: Ticket): boolean =>
  scan.resume !== undefined &&
  (scan.startedFor !== null ||
    (client.running < client.maxRunning && network.running < network.maxRunning));

const queueLength = ({ tickets }: Account): number =>
  tickets.values().reduce((sum, { scan }) => sum + (scan.startedFor === null ? 1 : 0), 0);
