import Database from "better-sqlite3";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import type { WebhookPost } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../../src/domain/webhooks/settle.ts";
import type { Behavior } from "./partners.ts";
import { expectedWait, type WaitRange } from "./retry-schedule.ts";
import type { VirtualTime } from "./time.ts";

/** An endpoint as its partner and the operator see it. */
export type Subscription = {
  id: string;
  businessId: string;
  url: string;
  events: readonly string[];
  maxInFlight: number;
  status: "ACTIVE" | "DISABLED" | "DELETED";
  /** `until` is when the secret expires on the monotonic clock, or null. */
  secrets: { secret: string; until: number | null }[];
  behavior: Behavior;
  inFlight: Set<string>;
  failures: number;
  /** Attempts in a row that found the receiver down. */
  foundDown: number;
  /** Whether each of the last outcomes was a failure, the newest last. */
  recent: readonly boolean[];
  pauseMs: number;
  probeAt: number;
  retryAfterUntil: number;
};

/** What can be known of a delivery without reading the worker's state. */
export type ExpectedDelivery = {
  id: string;
  eventId: string;
  endpointId: string;
  postedAt: number;
  /** Whether the receiver has accepted the delivery. */
  isAccepted: boolean;
  /** When the next attempt may be sent, if that is known. */
  wait: (WaitRange & { n: number }) | undefined;
  attemptsBefore: number;
  /** The number of the last attempt whose outcome reached the sender. */
  lastAnsweredAttempt: number;
};

type Row = {
  id: string;
  businessId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  status: string;
  attemptCount: number;
  attemptsBefore: number;
  nextAttemptAt: number | null;
};

const ROW = `SELECT id, business_id AS businessId, endpoint_id AS endpointId, event_id AS eventId, event_type AS eventType, status,
  attempt_count AS attemptCount, attempts_before AS attemptsBefore, next_attempt_at AS nextAttemptAt FROM delivery`;

const MAX_ATTEMPTS = 20;
/** An endpoint is probed after so many failures in a row. */
const PROBING_AFTER = 10;
/** An endpoint is probed after so many attempts in a row that found its receiver down. */
const PROBING_AFTER_DOWN = 2;
/** Number of last outcomes that count as recent. */
const RECENT_OUTCOMES = 20;
/** An endpoint is probed if so many of its recent outcomes are failures. */
const PROBING_AFTER_RECENT = 14;
/** The statuses that show that a receiver is down. */
const DOWN_STATUSES = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 900_000;
/** The longest time from a commit to the POST at a healthy endpoint. */
const MAX_LATENCY_MS = 5000;
const ROUNDING_MS = 20;

/** The health of an endpoint after a success, and after it is enabled. */
export const NO_FAILURES = { failures: 0, foundDown: 0, recent: [], pauseMs: 0, probeAt: 0 };

/** Returns whether an endpoint is probed. A probed endpoint stays so until a success. */
const isProbed = ({ failures, foundDown, pauseMs }: Subscription): boolean =>
  pauseMs > 0 || failures >= PROBING_AFTER || foundDown >= PROBING_AFTER_DOWN;

/**
 * Returns whether so many of the recent outcomes are failures that the endpoint is probed from now
 * on.
 */
const failsOften = ({ recent }: Subscription): boolean =>
  recent.length === RECENT_OUTCOMES && recent.filter(Boolean).length >= PROBING_AFTER_RECENT;

/** Returns the recent outcomes with one more at the end. */
const addOutcome = ({ recent }: Subscription, isFailure: boolean): readonly boolean[] =>
  [...recent, isFailure].slice(-RECENT_OUTCOMES);

/**
 * Checks the delivery worker's guarantees independently, from the commands it was given, the
 * requests it sent and the rows it stored.
 */
export function openLedger(databasePath: string, time: VirtualTime) {
  const db = new Database(databasePath, { readonly: true });
  const rowOf = db.prepare(`${ROW} WHERE id = ?`);
  const rows = db.prepare(`${ROW} ORDER BY number`);
  const rowsOfEvent = db.prepare(`${ROW} WHERE event_id = ?`);
  const event = db.prepare("SELECT business_id AS businessId, type, body FROM event WHERE id = ?");
  const failureCount = db.prepare("SELECT failure_count FROM endpoint WHERE id = ?").pluck();
  // The query makes two index lookups per endpoint.
  const nextDue = db
    .prepare(`
      SELECT min((SELECT min(next_attempt_at) FROM delivery
        WHERE endpoint_id = endpoint.id AND is_redelivery = kind.value AND status = 'PENDING'))
      FROM endpoint, (SELECT 0 AS value UNION ALL SELECT 1) AS kind`)
    .pluck();
  // The version changes with every commit of another connection, and this connection does not
  // write. `due` stays valid while the version is the same.
  const dataVersion = db.prepare("PRAGMA data_version").pluck();
  let due: { at: number | null; version: unknown } | undefined;
  const counted = db
    .prepare("SELECT business_id, status, count FROM delivery_count WHERE count <> 0 ORDER BY 1, 2")
    .raw();
  const counts = db
    .prepare("SELECT business_id, status, count(*) FROM delivery GROUP BY 1, 2 ORDER BY 1, 2")
    .raw();
  const minutes = db
    .prepare("SELECT coalesce(sum(delivered + failed), 0) FROM delivery_minute")
    .pluck();
  const attempts = db.prepare("SELECT count(*) FROM attempt").pluck();

  const subscriptions = new Map<string, Subscription>();
  const deliveries = new Map<string, ExpectedDelivery>();
  const violations: string[] = [];
  /** The time since which the worker has been able to send without delay. */
  let readySince = 0;
  const report = (violation: string): void => void violations.push(violation);

  const findByUrl = (url: string): Subscription | undefined =>
    subscriptions.values().find((endpoint) => endpoint.url === url);

  /** Forgets the expected wait of a delivery that a command has changed. */
  function restart(id: string): void {
    const expected = deliveries.get(id);
    const row = rowOf.get(id) as Row | undefined;
    if (expected === undefined || row === undefined) return;
    expected.wait = undefined;
    expected.attemptsBefore = row.attemptsBefore;
  }

  function checkSignatures(endpoint: Subscription, { headers, body }: WebhookPost): void {
    const text = body.toString();
    const accepts = (secret: string) => {
      try {
        Stripe.webhooks.constructEvent(text, headers["X-Service-Signature"] ?? "", secret);
        new Webhook(secret).verify(text, headers);
        return true;
      } catch {
        return false;
      }
    };
    for (const { secret, until } of endpoint.secrets) {
      const isLive = until === null || until > time.elapsed();
      if (accepts(secret) !== isLive)
        report(isLive ? "not signed with a valid secret" : "signed with an expired secret");
    }
  }

  function checkPace(endpoint: Subscription, expected: ExpectedDelivery, row: Row): void {
    const now = time.elapsed();
    if (endpoint.inFlight.size > endpoint.maxInFlight)
      report(`${endpoint.inFlight.size} in flight, allowed are ${endpoint.maxInFlight}`);
    if (now < endpoint.retryAfterUntil)
      report(`sent ${endpoint.retryAfterUntil - now} ms before Retry-After ends`);
    if (now < endpoint.probeAt) report(`probed ${endpoint.probeAt - now} ms too soon`);
    if (isProbed(endpoint) && endpoint.inFlight.size > 1)
      report("more than one delivery in flight to an endpoint that is being probed");
    const { wait } = expected;
    if (wait?.n === row.attemptCount && now < wait.from - ROUNDING_MS)
      report(`sent ${wait.from - now} ms too soon`);
    const isFirst = row.attemptCount === 0 && row.attemptsBefore === 0;
    const late = now - Math.max(expected.postedAt, readySince) - MAX_LATENCY_MS;
    if (endpoint.behavior === "steady" && isFirst && late > 0)
      report(`a healthy endpoint waited ${late} ms too long`);
  }

  return {
    subscriptions,
    deliveries,
    violations,
    restart,
    rowOf: (id: string) => rowOf.get(id) as Row | undefined,
    nextDue(): number | null {
      const version = dataVersion.get();
      if (due === undefined || due.version !== version)
        due = { at: nextDue.get() as number | null, version };
      return due.at;
    },
    markReady: (): void => void (readySince = time.elapsed()),
    close: () => db.close(),

    /** Expects one delivery of each event to each endpoint subscribed to its type. */
    expectDeliveries(businessId: string, events: readonly { id: string; type: string }[]): void {
      for (const { id: eventId, type } of events) {
        const matching = [...subscriptions.values()].filter(
          (endpoint) =>
            endpoint.businessId === businessId &&
            endpoint.status !== "DELETED" &&
            endpoint.events.includes(type),
        );
        const found = rowsOfEvent.all(eventId) as Row[];
        const expected = matching.map(({ id }) => id).sort();
        if (
          found
            .map(({ endpointId }) => endpointId)
            .sort()
            .join() !== expected.join()
        )
          report(`${type} has ${found.length} deliveries instead of ${expected.length}`);
        for (const { id, endpointId } of found)
          deliveries.set(id, {
            id,
            eventId,
            endpointId,
            postedAt: time.elapsed(),
            isAccepted: false,
            wait: undefined,
            attemptsBefore: 0,
            lastAnsweredAttempt: 0,
          });
      }
    },

    /** Checks a POST when it arrives at its receiver. */
    checkPost(
      post: WebhookPost,
    ): { endpoint: Subscription; expected: ExpectedDelivery; n: number } | undefined {
      const { headers } = post;
      const id = headers["X-Service-Delivery"] ?? "";
      const [endpoint, expected, row] = [
        findByUrl(post.url),
        deliveries.get(id),
        rowOf.get(id) as Row | undefined,
      ];
      if (endpoint === undefined || expected === undefined || row === undefined)
        return void report(`${id} is not an expected delivery`);
      if (endpoint.status !== "ACTIVE") report(`sent to an endpoint that is ${endpoint.status}`);
      if (row.status !== "PENDING") report(`sent while it is ${row.status}`);
      if (endpoint.inFlight.has(id)) report(`${id} is in flight twice`);
      endpoint.inFlight.add(id);
      const stored = event.get(expected.eventId) as {
        businessId: string;
        type: string;
        body: Buffer;
      };
      const owners = new Set([row.businessId, endpoint.businessId, stored.businessId]);
      if (owners.size !== 1 || row.endpointId !== endpoint.id)
        report(`${id} is sent to another business's endpoint`);
      if (!stored.body.equals(post.body)) report(`${id} has another body than its event`);
      if (headers["X-Service-Event"] !== stored.type || headers["webhook-id"] !== expected.eventId)
        report(`${id} has the headers of another event`);
      const n = row.attemptCount + 1;
      if (headers["X-Service-Attempt"] !== String(n))
        report(`${id} has attempt number ${headers["X-Service-Attempt"]} instead of ${n}`);
      if (n <= expected.lastAnsweredAttempt) report(`attempt ${n} of ${id} is repeated`);
      checkSignatures(endpoint, post);
      checkPace(endpoint, expected, row);
      return { endpoint, expected, n };
    },

    /** Records an outcome when it reaches the sender. */
    recordOutcome(
      endpoint: Subscription,
      expected: ExpectedDelivery,
      n: number,
      outcome: Outcome,
    ): void {
      endpoint.inFlight.delete(expected.id);
      expected.lastAnsweredAttempt = n;
      const now = time.elapsed();
      const isWell =
        outcome.kind === "responded" && outcome.statusCode >= 200 && outcome.statusCode < 300;
      const wait = expectedWait(n - expected.attemptsBefore, outcome, time.wall());
      expected.wait =
        isWell || wait === undefined ? undefined : { n, from: now + wait.from, to: now + wait.to };
      if (isWell) {
        const recent = isProbed(endpoint) ? [] : addOutcome(endpoint, false);
        return void Object.assign(endpoint, { ...NO_FAILURES, recent });
      }
      endpoint.recent = addOutcome(endpoint, true);
      endpoint.failures += 1;
      const isDown =
        outcome.kind === "responded"
          ? DOWN_STATUSES.includes(outcome.statusCode)
          : outcome.kind !== "blocked";
      endpoint.foundDown = isDown ? endpoint.foundDown + 1 : 0;
      if (wait?.retryAfterMs !== undefined)
        endpoint.retryAfterUntil = Math.max(endpoint.retryAfterUntil, now + wait.retryAfterMs);
      if (endpoint.probeAt > now || !(isProbed(endpoint) || failsOften(endpoint))) return;
      endpoint.pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * endpoint.pauseMs), LONGEST_PAUSE_MS);
      endpoint.probeAt = now + endpoint.pauseMs;
    },

    /** A crash loses outcomes that were not stored, and all pauses. */
    recordCrash(): void {
      for (const endpoint of subscriptions.values()) {
        endpoint.inFlight.clear();
        const failures = failureCount.get(endpoint.id) as number;
        Object.assign(endpoint, { ...NO_FAILURES, failures, retryAfterUntil: 0 });
      }
      for (const expected of deliveries.values()) {
        const written = (rowOf.get(expected.id) as Row).attemptCount;
        if (expected.lastAnsweredAttempt === written) continue;
        Object.assign(expected, { lastAnsweredAttempt: written, wait: undefined });
      }
    },

    forgetWaits(): void {
      for (const expected of deliveries.values()) expected.wait = undefined;
    },

    /**
     * Compares stored rows with the ledger.
     * @param isRunning whether a worker runs that knows the current clock
     */
    audit(isRunning: boolean): void {
      const [stored, actual] = [counted.all(), counts.all()].map((all) => JSON.stringify(all));
      if (stored !== actual) report(`the stored counts are ${stored} instead of ${actual}`);
      if (minutes.get() !== attempts.get())
        report(`the minutes count ${minutes.get()} of ${attempts.get()} attempts`);
      const storedRows = rows.all() as Row[];
      if (storedRows.length !== deliveries.size)
        report(`${storedRows.length} of ${deliveries.size} deliveries are stored`);
      for (const row of storedRows) this.auditRow(row, isRunning);
    },

    auditRow(row: Row, isRunning: boolean): void {
      const expected = deliveries.get(row.id);
      const endpoint = subscriptions.get(row.endpointId);
      if (expected === undefined || endpoint === undefined)
        return report(`${row.id} is unexpected`);
      const { status, attemptCount, attemptsBefore } = row;
      const attemptsMade = attemptCount - attemptsBefore;
      if (status === "DELIVERED" && !expected.isAccepted)
        report(`${row.id} is DELIVERED, but its receiver never accepted it`);
      if (status === "CORRUPT") report(`${row.id} is CORRUPT`);
      if (status === "EXHAUSTED" && attemptsMade !== MAX_ATTEMPTS)
        report(`${row.id} is EXHAUSTED after ${attemptsMade} attempts`);
      if (attemptsMade > MAX_ATTEMPTS) report(`${row.id} has had ${attemptsMade} attempts`);
      if (attemptsBefore !== expected.attemptsBefore)
        report(`${row.id} has attemptsBefore ${attemptsBefore}`);
      if (status === "PENDING" && endpoint.status !== "ACTIVE")
        report(`${row.id} is PENDING but its endpoint is ${endpoint.status}`);
      if (status === "PARKED" && endpoint.status !== "DISABLED")
        report(`${row.id} is PARKED but its endpoint is ${endpoint.status}`);
      const { wait } = expected;
      if (
        status !== "PENDING" ||
        !isRunning ||
        wait?.n !== attemptCount ||
        row.nextAttemptAt === null
      )
        return;
      const dueAt = row.nextAttemptAt - time.wall() + time.elapsed();
      if (Math.max(wait.from, dueAt) <= time.elapsed()) return;
      if (dueAt < wait.from - ROUNDING_MS || dueAt > wait.to + ROUNDING_MS)
        report(`${row.id} is due at ${dueAt} instead of between ${wait.from} and ${wait.to}`);
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;
