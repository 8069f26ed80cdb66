import {
  type EndpointClass,
  type EndpointHealth,
  backoffOf,
  classifyEndpoint,
  recordOutcome,
  remainingConcurrency,
  restoreHealth,
  splitPermits,
} from "../domain/webhooks/endpoint-health.ts";
import { limitedHost } from "../app/webhooks/host-limits.ts";
import type { Backoff } from "../domain/webhooks/failing-endpoint.ts";
import type { OutcomeClass } from "../domain/webhooks/settle.ts";
import type { SigningKey } from "../domain/webhooks/webhook-post.ts";
import type { DueRow } from "../store/webhooks/due.ts";
import { DueRows, type DueSource } from "./due-rows.ts";
import type { TargetRow } from "../store/webhooks/endpoints.ts";

export type PermitKind =
  /** A permit for a first or second attempt at an endpoint that responds. */
  | "PROMPT"
  /**
   * A permit for later attempts, for redeliveries, and for endpoints whose last attempt failed or
   * is overdue.
   */
  | "LATE"
  /** A permit for an endpoint that keeps failing, which gets one delivery at a time. */
  | "PROBE";

/**
 * Result of `sendNext`. NO_PERMIT: the endpoint has due deliveries, but no permit for them is free.
 */
export type DispatchResult = "SENT" | "NOTHING" | "NO_PERMIT";

const PERMIT_OF: Record<EndpointClass, PermitKind> = {
  HEALTHY: "PROMPT",
  DEGRADED: "LATE",
  PROBING: "PROBE",
};
const ENDPOINT_CLASSES = Object.keys(PERMIT_OF) as EndpointClass[];

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/**
 * Decides which endpoint may send next. Endpoints that hang use up the permits of late attempts and
 * probes, never those of healthy endpoints.
 */
export function createDeliveryQueue(permits: number) {
  const { probes, fast, late, maxFastInFlight, reserved } = splitPermits(permits);
  const used: Record<PermitKind, number> = { PROMPT: 0, LATE: 0, PROBE: 0 };
  const waiting: Record<EndpointClass, Set<string>> = {
    HEALTHY: new Set(),
    DEGRADED: new Set(),
    PROBING: new Set(),
  };

  /**
   * @param isIdle whether the endpoint has nothing in flight. The first delivery of such an
   * endpoint may also use a reserved permit, so that it never waits for endpoints that hang with
   * many deliveries
   */
  function hasPermit(kind: PermitKind, isIdle = false): boolean {
    if (kind === "PROBE") return used.PROBE < probes;
    const inFlight = used.PROMPT + used.LATE;
    if (kind === "PROMPT" && isIdle) return inFlight < maxFastInFlight + reserved;
    if (inFlight >= maxFastInFlight) return false;
    // A prompt permit can become late in flight, so more late permits can be in use than there are.
    // The surplus does not count, so that it takes no permit from prompt attempts.
    return (
      used.PROMPT + Math.min(used.LATE, late) < fast && (kind === "PROMPT" || used.LATE < late)
    );
  }

  return {
    hasPermit,
    acquire: (kind: PermitKind): void => void (used[kind] += 1),
    release: (kind: PermitKind): void => void (used[kind] -= 1),
    /** Turns a used prompt permit into a late one, which frees it for another delivery. */
    downgradeToLate(): void {
      used.PROMPT -= 1;
      used.LATE += 1;
    },

    /** Adds an endpoint, or moves it to another class. */
    enqueue(endpointId: string, endpointClass: EndpointClass): void {
      for (const other of ENDPOINT_CLASSES)
        if (other !== endpointClass) waiting[other].delete(endpointId);
      waiting[endpointClass].add(endpointId);
    },

    /**
     * Lets the waiting endpoints send one delivery each, in turn, so that a long backlog gives no
     * advantage. An endpoint with nothing to send waits again only when it is enqueued.
     */
    dispatch(sendNext: (endpointId: string) => DispatchResult): void {
      for (const endpointClass of ENDPOINT_CLASSES) {
        const withoutPermit: string[] = [];
        // An endpoint that has sent moves to the end of the set, where the iteration reaches it
        // again.
        for (const endpointId of waiting[endpointClass]) {
          // If even an idle endpoint gets no permit, no other endpoint of the class gets one.
          const isIdle = true;
          if (!hasPermit(PERMIT_OF[endpointClass], isIdle)) break;
          waiting[endpointClass].delete(endpointId);
          const result = sendNext(endpointId);
          if (result === "SENT") waiting[endpointClass].add(endpointId);
          else if (result === "NO_PERMIT") withoutPermit.push(endpointId);
        }
        for (const endpointId of withoutPermit) waiting[endpointClass].add(endpointId);
      }
    },
  };
}

/**
 * The keys of an endpoint, the current one first. `validUntil` is when the first of them expires
 * (epoch ms); Infinity if none does.
 */
export type SigningKeys = { keys: SigningKey[]; validUntil: number };

/** The attempts of a delivery that may use prompt permits: the first one and its first retry. */
const PROMPT_ATTEMPTS = 2;

/**
 * The claimed and the due deliveries of one endpoint. A delivery is claimed from the start of its
 * attempt until its outcome is written.
 */
export class EndpointQueue {
  readonly endpointId: string;
  target: TargetRow;
  /** The host whose limits apply; null if the operator trusts the endpoint. */
  host: string | null;
  health: EndpointHealth;
  #signingKeys: SigningKeys | undefined;
  /** The commit count at which the endpoint and its due rows were read. */
  commitCount: number;
  claimedCount = 0;
  #inFlight = 0;
  /** Number of redeliveries in flight: one at a time, so that they arrive in order. */
  #redeliveriesInFlight = 0;
  #overdueInFlight = 0;
  /**
   * The businesses of the deliveries in flight to the endpoint of a partner. The next delivery of
   * such a business waits, so that the events of a business arrive in their order.
   */
  readonly #businessesInFlight = new Set<string>();
  readonly #dueRows = new DueRows();

  /** @param notBefore the monotonic time before which nothing is sent; 0 if there is none */
  constructor(target: TargetRow, commitCount: number, notBefore = 0) {
    this.endpointId = target.id;
    this.target = target;
    this.host = limitedHost(target);
    this.health = restoreHealth(target.failureCount, notBefore);
    this.commitCount = commitCount;
  }

  /**
   * Takes over the endpoint as it is stored now. Its health begins anew if the endpoint was changed
   * or its backoff was ended early.
   */
  reload(target: TargetRow, commitCount: number): void {
    const { updatedAt, holdsEnded } = this.target;
    if (updatedAt !== target.updatedAt || holdsEnded !== target.holdsEnded) {
      this.host = limitedHost(target);
      this.health = restoreHealth(target.failureCount);
    }
    this.target = target;
    this.#signingKeys = undefined;
    this.#dueRows.clear();
    this.commitCount = commitCount;
  }

  /**
   * The ID of the owner whose deliveries share a part of a host's capacity: the key that the
   * endpoint belongs to, else its business or partner.
   */
  get owner(): string {
    const { keyId, businessId, partnerId, id } = this.target;
    return keyId ?? businessId ?? partnerId ?? id;
  }

  get endpointClass(): EndpointClass {
    return classifyEndpoint(this.health, this.#overdueInFlight);
  }

  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  hasCapacity(now: number): boolean {
    return remainingConcurrency(this.health, this.#inFlight, this.target.maxInFlight, now) > 0;
  }

  /**
   * Returns the endpoint's current backoff, in times of the monotonic clock; undefined if there is
   * none.
   */
  getBackoff(now: number): Backoff | undefined {
    return backoffOf(this.health, now);
  }

  /** Makes `listDue` read again, because deliveries may have become due. */
  expectMore(): void {
    this.#dueRows.expectMore();
  }

  /** Returns the due rows that may be sent now. */
  listDue(source: DueSource): DueRow[] {
    return this.#dueRows.list(source, {
      isOfPartner: this.target.businessId === null,
      claimedCount: this.claimedCount,
      businessesInFlight: this.#businessesInFlight,
      hasRedeliveryInFlight: this.#redeliveriesInFlight > 0,
    });
  }

  /**
   * Returns the signing keys, which `load` reads when first needed: most endpoints in a sweep have
   * nothing to send.
   */
  getSigningKeys(
    now: number,
    load: (endpointId: string) => SigningKeys | undefined,
  ): readonly SigningKey[] | undefined {
    if (this.#signingKeys === undefined || this.#signingKeys.validUntil <= now)
      this.#signingKeys = load(this.endpointId);
    return this.#signingKeys?.keys;
  }

  permitFor({ isRedelivery, attemptCount, attemptsBefore }: DueRow): PermitKind {
    const { endpointClass } = this;
    if (endpointClass === "PROBING") return "PROBE";
    // The first attempts of a new delivery are prompt. The attempts that `attemptsBefore` counts
    // belong to an earlier retry schedule.
    const isPrompt = isRedelivery === 0 && attemptCount - attemptsBefore < PROMPT_ATTEMPTS;
    return endpointClass === "HEALTHY" && isPrompt ? "PROMPT" : "LATE";
  }

  /** Claims a row for an attempt that starts now. */
  claim(row: DueRow): void {
    this.#dueRows.remove(row);
    this.claimedCount += 1;
    this.#inFlight += 1;
    this.#redeliveriesInFlight += row.isRedelivery;
    if (this.target.businessId === null) this.#businessesInFlight.add(row.businessId);
  }

  markOverdue(): void {
    this.#overdueInFlight += 1;
  }

  /** Ends an attempt. The delivery stays claimed until `release`. */
  endAttempt({ isRedelivery, businessId }: DueRow, wasOverdue: boolean): void {
    this.#inFlight -= 1;
    this.#businessesInFlight.delete(businessId);
    this.#redeliveriesInFlight -= isRedelivery;
    if (wasOverdue) this.#overdueInFlight -= 1;
  }

  recordOutcome(outcome: OutcomeClass, now: number): void {
    this.health = recordOutcome(this.health, outcome, now);
  }

  release(): void {
    this.claimedCount -= 1;
  }

  /** Makes the next delivery read the endpoint and its due rows again. */
  expire(): void {
    // NaN differs from every commit count.
    this.commitCount = Number.NaN;
  }
}
