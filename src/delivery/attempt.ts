import { hash } from "node:crypto";
import type { Runtime } from "../app/runtime.ts";
import type { DeliveryResult } from "../app/webhooks/delivery-results.ts";
import { userAgent } from "../platform/assets.ts";
import { RAISE_OPEN_FILE_LIMIT } from "../platform/open-file-limit.ts";
import { errorInWords } from "../domain/errors.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import { bodyFor } from "../domain/events/envelope.ts";
import { type EventReader, mayReadEvent } from "../domain/events/event-types.ts";
import {
  classifyOutcome,
  isLocalFailure,
  type Outcome,
  type OutcomeClass,
  CORRUPT_SETTLEMENT,
  FORBIDDEN_SETTLEMENT,
  postpone,
  settle,
  withdraw,
} from "../domain/webhooks/settle.ts";
import { type SigningKey, deliveryHeaders, type Send } from "../domain/webhooks/webhook-post.ts";
import type { AttemptRow } from "../store/webhooks/deliveries.ts";
import type { DueRow } from "../store/webhooks/due.ts";
import type { TargetRow } from "../store/webhooks/endpoints.ts";
import type { EventRow } from "../store/events.ts";

/** Maximum number of cached events: one event is read once for the deliveries to all endpoints. */
const MAX_CACHED_EVENTS = 128;
/** A local failure affects every delivery, so it is logged at most this often. */
const LOG_INTERVAL_MS = 60_000;

export type Claim = {
  due: DueRow;
  target: TargetRow;
  /** The host whose limits apply; null if no limit applies. */
  host: string | null;
  keys: readonly SigningKey[];
};

/** The result of an attempt. `outcomeClass` is undefined if nothing was sent. */
export type AttemptResult = DeliveryResult & { outcomeClass: OutcomeClass | undefined };

/**
 * Returns a function that makes one attempt. An error fails only its delivery: nothing is thrown.
 */
export function createAttemptRunner(
  rt: Runtime,
  send: Send,
): (claim: Claim) => Promise<AttemptResult> {
  const findEvent = createEventCache(rt);
  const agent = userAgent();
  let localFailureLoggedAt = -Infinity;

  function logLocalFailure(error: string): void {
    if (rt.monotonic() - localFailureLoggedAt < LOG_INTERVAL_MS) return;
    localFailureLoggedAt = rt.monotonic();
    rt.log("error", "This machine cannot open more connections; deliveries are tried again.", {
      error: errorInWords(error),
      fix: RAISE_OPEN_FILE_LIMIT,
    });
  }

  return async ({ due, target, host, keys }) => {
    const { id: endpointId, partnerId } = target;
    const { businessId } = due;
    const delivery = { due, endpointId, businessId, host };
    const event = findEvent(due.eventId);
    const unsent = { ...delivery, attempt: null, isGone: false, outcomeClass: undefined };
    if (event === undefined) return { ...unsent, settlement: CORRUPT_SETTLEMENT };
    const key = target.keyId === null ? undefined : rt.store.keys.findById(target.keyId);
    // The rights are checked again, because an operator may have narrowed the key's event groups
    // since the event was written.
    const reader =
      partnerId === null
        ? (key ?? "operator")
        : findPartnerReader(rt, partnerId, businessId, event);
    if (reader === undefined || (reader !== "operator" && !mayReadEvent(reader, event)))
      return { ...unsent, settlement: FORBIDDEN_SETTLEMENT };
    const body = bodyFor(reader === "operator" ? undefined : reader, event);
    // The endpoint may be disabled, or its key expire, while the attempt waits for a connection.
    let isWithdrawn = false;
    const isWanted = () => {
      isWithdrawn = !rt.store.endpoints.isActive(endpointId) || target.stopsAt <= rt.now();
      return !isWithdrawn;
    };

    const at = rt.now();
    const startedAt = rt.monotonic();
    const n = due.attemptCount + 1;
    let outcome: Outcome;
    try {
      const { id: deliveryId, eventId, eventType, sequence } = due;
      const info = { deliveryId, eventId, eventType, sequence, attempt: n };
      const headers = deliveryHeaders(info, agent, keys, at, body);
      const { url, allowPrivate: trusted, timeoutMs } = target;
      outcome = await send({ url, trusted, timeoutMs, headers, body, isWanted });
    } catch (error) {
      rt.log("error", "A delivery failed because of an internal error.", {
        delivery: due.id,
        error: (error as Error).stack,
      });
      outcome = {
        kind: "refused",
        error: "internal error in deskbell before sending; see its log",
      };
    }
    const now = rt.now();
    if (isWithdrawn) return { ...unsent, settlement: withdraw(now) };
    if (isLocalFailure(outcome)) {
      logLocalFailure(outcome.error);
      return { ...unsent, settlement: postpone(outcome, now) };
    }
    const outcomeClass = classifyOutcome(outcome, now);
    // A redelivery begins the retry schedule anew, so the attempts before it do not count.
    const step = n - due.attemptsBefore;
    const settlement = settle(step, outcome, outcomeClass, now, rt.randomFraction);
    const response = outcome.kind === "responded" ? outcome : undefined;
    const attempt: AttemptRow = {
      n,
      at,
      durationMs: Math.round(rt.monotonic() - startedAt),
      outcome: outcome.kind,
      statusCode: response?.statusCode ?? null,
      error: settlement.error,
      responseText: response?.responseText || null,
    };
    const isGone = outcomeClass.kind === "gone";
    return { ...delivery, settlement, attempt, outcomeClass, isGone };
  };
}

/**
 * Returns the rights that a partner has at the business of an event; undefined if the partner may
 * not receive the event. The partner's access has already ended when `business.removed` is sent, so
 * this event is sent with the rights of the operator, who may read every event.
 */
function findPartnerReader(
  rt: Runtime,
  partnerId: string,
  businessId: string,
  { type }: StoredEvent,
): EventReader | "operator" | undefined {
  if (type === "business.removed") return "operator";
  return rt.store.partnerAccess.find(partnerId, businessId);
}

type StoredEvent = Pick<EventRow, "type" | "ownerKeyId" | "body">;

/**
 * Returns a function that reads an event and verifies it once for all its deliveries. The function
 * returns undefined for an altered event: SQLite does not detect a change inside a value, and an
 * altered body must be neither signed nor sent.
 */
function createEventCache(rt: Runtime): (eventId: string) => StoredEvent | undefined {
  const events = new BoundedCache<string, StoredEvent>(MAX_CACHED_EVENTS);
  return (eventId) => {
    const cached = events.get(eventId);
    if (cached !== undefined) return cached;
    const event = rt.store.events.findById(eventId);
    if (event === undefined || !hash("sha256", event.body, "buffer").equals(event.sha256))
      return undefined;
    // Events of visits are not cached, because erasing a guest changes them.
    if (event.visitId === null) events.set(eventId, event);
    return event;
  };
}
