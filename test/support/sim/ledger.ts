import Database from "better-sqlite3";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import type { WebhookPost } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Outcome } from "../../../src/domain/webhooks/outcome.ts";
import type { Mood } from "./partners.ts";
import { leastWaitOf, type Waited } from "./promises.ts";
import type { Time } from "./time.ts";

/** An endpoint as its partner and the operator know it. */
export type Subscription = {
  id: string;
  businessId: string;
  url: string;
  events: readonly string[];
  maxInFlight: number;
  status: "ACTIVE" | "DISABLED" | "DELETED";
  /** With the wall's time at which it dies; null: it lives. */
  secrets: { secret: string; until: number | null }[];
  mood: Mood;
  inFlight: Set<string>;
  failures: number;
  pauseMs: number;
  probeAt: number;
  askedUntil: number;
};

/** What is known of a delivery from outside. */
export type Owed = {
  id: string;
  eventId: string;
  endpointId: string;
  postedAt: number;
  /** The receiver has it. */
  isTaken: boolean;
  /** When the next attempt may go, if that is known. */
  waited: (Waited & { n: number }) | undefined;
  attemptsBefore: number;
  /** The last attempt of which the sender heard what came. */
  heardOf: number;
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

const MOST_ATTEMPTS = 20;
const SUSPECT_AFTER = 10;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 900_000;
/** From a commit to the POST, at a receiver that takes all at once. */
const PROMPT_MS = 5000;
const ROUNDING_MS = 20;

/** Keeps book beside the engine of what it promised, from what was asked of it, what it sent and what is on file. */
export function openLedger(databasePath: string, time: Time) {
  const db = new Database(databasePath, { readonly: true });
  const rowOf = db.prepare(`${ROW} WHERE id = ?`);
  const rows = db.prepare(`${ROW} ORDER BY number`);
  const rowsOfEvent = db.prepare(`${ROW} WHERE event_id = ?`);
  const event = db.prepare("SELECT business_id AS businessId, type, body FROM event WHERE id = ?");
  const nextDue = db
    .prepare("SELECT min(next_attempt_at) FROM delivery WHERE status = 'PENDING'")
    .pluck();
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
  const deliveries = new Map<string, Owed>();
  const broken: string[] = [];
  /** Since when the engine has been able to send at once. */
  let readySince = 0;
  const complain = (what: string): void => void broken.push(what);

  const at = (url: string): Subscription | undefined =>
    subscriptions.values().find((one) => one.url === url);

  /** Something was written of it that no attempt has caused. */
  function restart(id: string): void {
    const owed = deliveries.get(id);
    const row = rowOf.get(id) as Row | undefined;
    if (owed === undefined || row === undefined) return;
    owed.waited = undefined;
    owed.attemptsBefore = row.attemptsBefore;
  }

  function checkSignatures(one: Subscription, { headers, body }: WebhookPost): void {
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
    for (const { secret, until } of one.secrets) {
      const isLive = until === null || until > time.wall();
      if (accepts(secret) !== isLive)
        complain(isLive ? "a live secret does not verify it" : "a dead secret signed it");
    }
  }

  function checkPace(one: Subscription, owed: Owed, row: Row): void {
    const now = time.elapsed();
    if (one.inFlight.size > one.maxInFlight)
      complain(`${one.inFlight.size} are on the wire, ${one.maxInFlight} may be`);
    if (now < one.askedUntil)
      complain(`${one.askedUntil - now} ms before the receiver may be asked again`);
    if (now < one.probeAt) complain(`a suspect is probed ${one.probeAt - now} ms too soon`);
    if (one.failures >= SUSPECT_AFTER && one.inFlight.size > 1)
      complain("a suspect is sent more than one at a time");
    const { waited } = owed;
    if (waited?.n === row.attemptCount && now < waited.from - ROUNDING_MS)
      complain(`sent ${waited.from - now} ms too soon`);
    const isFirst = row.attemptCount === 0 && row.attemptsBefore === 0;
    const late = now - Math.max(owed.postedAt, readySince) - PROMPT_MS;
    if (one.mood === "steady" && isFirst && late > 0)
      complain(`a healthy endpoint waited ${late} ms too long`);
  }

  return {
    subscriptions,
    deliveries,
    broken,
    restart,
    at,
    rowOf: (id: string) => rowOf.get(id) as Row | undefined,
    nextDue: (): number | null => nextDue.get() as number | null,
    delayed: (): void => void (readySince = time.elapsed()),
    close: () => db.close(),

    /** Each change is owed to those who subscribed to its kind, once. */
    posted(businessId: string, events: readonly { id: string; type: string }[]): void {
      for (const { id: eventId, type } of events) {
        const matching = [...subscriptions.values()].filter(
          (one) =>
            one.businessId === businessId && one.status !== "DELETED" && one.events.includes(type),
        );
        const found = rowsOfEvent.all(eventId) as Row[];
        const expected = matching.map(({ id }) => id).sort();
        if (
          found
            .map(({ endpointId }) => endpointId)
            .sort()
            .join() !== expected.join()
        )
          complain(
            `${type} is owed to ${found.length} endpoints, and should be to ${expected.length}`,
          );
        for (const { id, endpointId } of found)
          deliveries.set(id, {
            id,
            eventId,
            endpointId,
            postedAt: time.elapsed(),
            isTaken: false,
            waited: undefined,
            attemptsBefore: 0,
            heardOf: 0,
          });
      }
    },

    /** A POST arrives. */
    received(post: WebhookPost): { one: Subscription; owed: Owed; n: number } | undefined {
      const { headers } = post;
      const id = headers["X-Service-Delivery"] ?? "";
      const [one, owed, row] = [at(post.url), deliveries.get(id), rowOf.get(id) as Row | undefined];
      if (one === undefined || owed === undefined || row === undefined)
        return void complain(`${id} is owed to nobody`);
      if (one.status !== "ACTIVE") complain(`sent to an endpoint that is ${one.status}`);
      if (row.status !== "PENDING") complain(`sent while it is ${row.status}`);
      if (one.inFlight.has(id)) complain(`${id} is on the wire twice`);
      one.inFlight.add(id);
      const stored = event.get(owed.eventId) as { businessId: string; type: string; body: Buffer };
      const owners = new Set([row.businessId, one.businessId, stored.businessId]);
      if (owners.size !== 1 || row.endpointId !== one.id)
        complain(`${id} goes to somebody else's endpoint`);
      if (!stored.body.equals(post.body)) complain(`${id} has another body than its event`);
      if (headers["X-Service-Event"] !== stored.type || headers["webhook-id"] !== owed.eventId)
        complain(`${id} has the headers of another event`);
      const n = row.attemptCount + 1;
      if (headers["X-Service-Attempt"] !== String(n))
        complain(`${id} says to be attempt ${headers["X-Service-Attempt"]}, not ${n}`);
      if (n <= owed.heardOf) complain(`attempt ${n} of ${id} is made again`);
      checkSignatures(one, post);
      checkPace(one, owed, row);
      return { one, owed, n };
    },

    /** The sender hears what came of it. */
    answered(one: Subscription, owed: Owed, n: number, outcome: Outcome): void {
      one.inFlight.delete(owed.id);
      owed.heardOf = n;
      const now = time.elapsed();
      const isWell =
        outcome.kind === "responded" && outcome.statusCode >= 200 && outcome.statusCode < 300;
      const wait = leastWaitOf(n - owed.attemptsBefore, outcome, time.wall());
      owed.waited =
        isWell || wait === undefined ? undefined : { n, from: now + wait.from, to: now + wait.to };
      if (isWell) return void Object.assign(one, { failures: 0, pauseMs: 0, probeAt: 0 });
      one.failures += 1;
      if (wait?.askedMs !== undefined)
        one.askedUntil = Math.max(one.askedUntil, now + wait.askedMs);
      if (one.failures < SUSPECT_AFTER || one.probeAt > now) return;
      one.pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * one.pauseMs), LONGEST_PAUSE_MS);
      one.probeAt = now + one.pauseMs;
    },

    /** The engine died: what it had heard and not written is lost, and nobody remembers to pause. */
    crashed(): void {
      for (const one of subscriptions.values()) {
        one.inFlight.clear();
        Object.assign(one, { pauseMs: 0, probeAt: 0, askedUntil: 0 });
      }
      for (const owed of deliveries.values()) {
        const written = (rowOf.get(owed.id) as Row).attemptCount;
        if (owed.heardOf === written) continue;
        Object.assign(owed, { heardOf: written, waited: undefined });
      }
    },

    forgetWaits(): void {
      for (const owed of deliveries.values()) owed.waited = undefined;
    },

    /** @param isRunning the engine runs, and has seen what the clock did */
    audit(isRunning: boolean): void {
      const [are, should] = [counted.all(), counts.all()].map((all) => JSON.stringify(all));
      if (are !== should) complain(`the counts say ${are} of ${should}`);
      if (minutes.get() !== attempts.get())
        complain(`the minutes have ${minutes.get()} of ${attempts.get()} attempts`);
      const onFile = rows.all() as Row[];
      if (onFile.length !== deliveries.size)
        complain(`${onFile.length} of ${deliveries.size} deliveries are on file`);
      for (const row of onFile) this.auditRow(row, isRunning);
    },

    auditRow(row: Row, isRunning: boolean): void {
      const owed = deliveries.get(row.id);
      const one = subscriptions.get(row.endpointId);
      if (owed === undefined || one === undefined) return complain(`${row.id} came from nowhere`);
      const { status, attemptCount, attemptsBefore } = row;
      const made = attemptCount - attemptsBefore;
      if (status === "DELIVERED" && !owed.isTaken)
        complain(`${row.id} is DELIVERED, and its receiver never had it`);
      if (status === "CORRUPT") complain(`${row.id} is CORRUPT`);
      if (status === "EXHAUSTED" && made !== MOST_ATTEMPTS)
        complain(`${row.id} is EXHAUSTED after ${made} attempts`);
      if (made > MOST_ATTEMPTS) complain(`${row.id} has had ${made} attempts`);
      if (attemptsBefore !== owed.attemptsBefore)
        complain(`${row.id} counts from ${attemptsBefore}`);
      if (status === "PENDING" && one.status !== "ACTIVE")
        complain(`${row.id} is PENDING at one that is ${one.status}`);
      if (status === "PARKED" && one.status !== "DISABLED")
        complain(`${row.id} is PARKED at one that is ${one.status}`);
      const { waited } = owed;
      if (
        status !== "PENDING" ||
        !isRunning ||
        waited?.n !== attemptCount ||
        row.nextAttemptAt === null
      )
        return;
      const dueAt = row.nextAttemptAt - time.wall() + time.elapsed();
      // When it became due does not matter any more.
      if (Math.max(waited.from, dueAt) <= time.elapsed()) return;
      if (dueAt < waited.from - ROUNDING_MS || dueAt > waited.to + ROUNDING_MS)
        complain(`${row.id} waits until ${dueAt}, not from ${waited.from} to ${waited.to}`);
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;
