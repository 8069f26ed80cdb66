import { setImmediate } from "node:timers";
import type { YieldToEventLoop } from "../../../app/availability/yield-to-event-loop.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { AppError } from "../../../domain/errors.ts";
import type { RequestClient } from "../../auth/client-address.ts";

/** A scan of the calendar, shared by all requests that wait for it. */
export type Scan<T> = {
  /** Resolves with the result. Rejects if the client has waited too long for the scan to start. */
  waitAs: (client: RequestClient, disconnected: AbortSignal) => Promise<T>;
};

export type ScanQueue = {
  /** @param work calls its argument between two slices of at most about 20 ms */
  add: <T>(work: (yieldToEventLoop: YieldToEventLoop) => Promise<T>) => Scan<T>;
  /** Counts a request that needed no scan. After it, scans leave half of the time to others. */
  recordRequest: () => void;
};

const MAX_SCANS_PER_ADDRESS = 1;
const MAX_SCANS_PER_KEY = 2;
/** An address that shares its /48 with a busy one must not wait for that one's scan to end. */
const MAX_SCANS_PER_NETWORK = 4;
const MAX_WAIT_MS = 2000;
const WAIT_CHECK_MS = 250;
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
type Account = {
  spentMs: number;
  spentAt: number;
  /** Scans that were started for it and have not ended. */
  running: number;
  maxRunning: number;
  tickets: Set<Ticket>;
};

type RunningScan = {
  /** The accounts it was started for; null until it starts. */
  startedFor: Account[] | null;
  spentMs: number;
  /** Continues the scan, or ends it with an error. Undefined while it runs and after its end. */
  resume: ((error?: AppError) => void) | undefined;
  tickets: Set<Ticket>;
};

/** A request that waits for a scan. */
type Ticket = { scan: RunningScan; client: Account; network: Account };

/**
 * Runs slices of scans, one at a time: the next slice is for the network, and in it for the client,
 * for which the least CPU time was spent recently, beyond an allowance. So a client that asks for
 * much work delays only itself.
 * @param monotonic milliseconds
 * @param cpuMs CPU time of this thread. The system updates it every few milliseconds, which is
 * exact enough for sums, but not for one slice.
 */
export function createScanQueue(
  monotonic: () => number,
  cpuMs: () => number = threadCpuMs,
): ScanQueue {
  const accounts = new BoundedCache<string, Account>(MAX_ACCOUNTS);
  const waitingClients = new Set<Account>();
  let isScheduled = false;
  let isRunning = false;
  /** The end of a pause that is as long as the last slice took. */
  let pauseUntil = 0;
  let requestsServed = 0;

  const getAccount = (id: string, maxRunning: number): Account => {
    const account = accounts.get(id) ?? {
      spentMs: 0,
      spentAt: 0,
      running: 0,
      maxRunning,
      tickets: new Set<Ticket>(),
    };
    accounts.set(id, account);
    return account;
  };

  const spentMs = ({ spentMs, spentAt }: Account): number =>
    spentMs * 2 ** ((spentAt - monotonic()) / HALF_LIFE_MS);

  const excessMs = (account: Account): number => Math.max(0, spentMs(account) - ALLOWANCE_MS);

  const charge = (account: Account, ms: number): void => {
    account.spentMs = spentMs(account) + ms;
    account.spentAt = monotonic();
  };

  const nextTicket = (): Ticket | undefined => {
    let best: { ticket: Ticket; rank: number[] } | undefined;
    for (const client of waitingClients) {
      const ticket = client.tickets.values().find(canRun);
      if (ticket === undefined) continue;
      const rank = [excessMs(ticket.network), excessMs(client), ticket.scan.spentMs];
      if (best === undefined || isBefore(rank, best.rank)) best = { ticket, rank };
    }
    return best?.ticket;
  };

  const schedule = (): void => {
    if (isScheduled || isRunning) return;
    isScheduled = true;
    setImmediate(takeTurn);
  };

  const takeTurn = (): void => {
    const pauseMs = pauseUntil - monotonic();
    if (requestsServed > 0 && pauseMs > 0) {
      requestsServed = 0;
      setTimeout(takeTurn, pauseMs);
      return;
    }
    isScheduled = false;
    requestsServed = 0;
    const ticket = nextTicket();
    if (ticket !== undefined) runSlice(ticket);
  };

  let sliceStartMs = 0;
  let sliceStartCpuMs = 0;
  let sliceAccounts: Account[] = [];
  let sliceScan: RunningScan | undefined;

  const runSlice = (ticket: Ticket): void => {
    const { scan, client, network } = ticket;
    const chargedTo = network === client ? [client] : [client, network];
    if (scan.startedFor === null) {
      scan.startedFor = chargedTo;
      for (const account of chargedTo) account.running += 1;
    }
    // Moved to the end, so that two scans of a key advance in turn.
    client.tickets.delete(ticket);
    client.tickets.add(ticket);
    const { resume } = scan;
    scan.resume = undefined;
    isRunning = true;
    sliceAccounts = chargedTo;
    sliceScan = scan;
    sliceStartMs = monotonic();
    sliceStartCpuMs = cpuMs();
    resume?.();
  };

  const endSlice = (): void => {
    if (!isRunning) return;
    isRunning = false;
    const now = monotonic();
    pauseUntil = now + (now - sliceStartMs);
    const spent = cpuMs() - sliceStartCpuMs;
    if (sliceScan) sliceScan.spentMs += spent;
    for (const account of sliceAccounts) charge(account, spent);
    schedule();
  };

  const hasLongestQueue = (client: Account): boolean => {
    const length = queueLength(client);
    return waitingClients.values().every((other) => queueLength(other) <= length);
  };

  const addTicket = (scan: RunningScan, { id, network, isKey }: RequestClient): Ticket => {
    const client = getAccount(id, isKey ? MAX_SCANS_PER_KEY : MAX_SCANS_PER_ADDRESS);
    const ticket = {
      scan,
      client,
      network: network === undefined ? client : getAccount(network, MAX_SCANS_PER_NETWORK),
    };
    client.tickets.add(ticket);
    scan.tickets.add(ticket);
    waitingClients.add(client);
    schedule();
    return ticket;
  };

  /** Ends the scan if nobody else waits for it. */
  const removeTicket = (ticket: Ticket): void => {
    const { scan, client } = ticket;
    client.tickets.delete(ticket);
    if (client.tickets.size === 0) waitingClients.delete(client);
    if (scan.tickets.delete(ticket) && scan.tickets.size === 0)
      scan.resume?.(new AppError("busy", "All clients of this response have disconnected."));
  };

  /** @returns a function that stops waiting */
  const onLongWait = (ticket: Ticket, reject: (error: AppError) => void): (() => void) => {
    const check = (): void => {
      if (ticket.scan.startedFor !== null) return;
      if (!hasLongestQueue(ticket.client)) {
        timer = setTimeout(check, WAIT_CHECK_MS);
        return;
      }
      reject(new AppError("busy", BUSY));
      removeTicket(ticket);
    };
    let timer = setTimeout(check, MAX_WAIT_MS);
    return () => clearTimeout(timer);
  };

  return {
    add<T>(work: (yieldToEventLoop: YieldToEventLoop) => Promise<T>): Scan<T> {
      const scan: RunningScan = {
        startedFor: null,
        spentMs: 0,
        resume: undefined,
        tickets: new Set(),
      };
      const yieldToEventLoop: YieldToEventLoop = () =>
        new Promise((resolve, reject) => {
          scan.resume = (error) => {
            scan.resume = undefined;
            if (error) reject(error);
            else resolve();
          };
          endSlice();
        });
      const run = async (): Promise<T> => {
        try {
          await yieldToEventLoop();
          return await work(yieldToEventLoop);
        } finally {
          for (const account of scan.startedFor ?? []) account.running -= 1;
          endSlice();
          schedule();
        }
      };
      const result = run();
      return {
        async waitAs(client, disconnected) {
          const ticket = addTicket(scan, client);
          const leave = () => removeTicket(ticket);
          const busy = Promise.withResolvers<never>();
          const stopWaiting = onLongWait(ticket, busy.reject);
          disconnected.addEventListener("abort", leave);
          try {
            return await Promise.race([result, busy.promise]);
          } finally {
            stopWaiting();
            disconnected.removeEventListener("abort", leave);
            leave();
          }
        },
      };
    },
    recordRequest: () => void (requestsServed += 1),
  };
}

const BUSY =
  "Too many availability requests of this client are waiting: send the next one after the response to the last.";

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

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
