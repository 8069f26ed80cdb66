import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Envelope } from "../../domain/events/envelope.ts";
import { memoized } from "../../domain/lazy.ts";
import { LOCK_BREAK_MS } from "../../store/database/write-lock.ts";
import { findInReplies } from "../idempotent-replies.ts";
import type { Runtime } from "../runtime.ts";
import {
  emptyErasedLog,
  markErasedLog,
  NO_REMAINS,
  type Remains,
  removeErasedBytes,
} from "./erased-bytes.ts";
import { removeForGood } from "../record-removal.ts";

const DAY_MS = 86_400_000;
const BATCH_ROWS = 200;

/**
 * Deletes the guest data and customer references of visits for good: restoring a backup deletes
 * them again. The visits stay, so that the calendar and the statistics stay right.
 * @param alsoWrite runs in the transaction that erases the data
 * @returns the places in which bytes of the erased data are still stored for now
 */
export function eraseForGood(
  rt: Runtime,
  visitIds: readonly string[],
  alsoWrite: () => void = () => {},
): Remains {
  if (visitIds.length === 0) return NO_REMAINS;
  const eraseInReplies = findInReplies(rt, visitIds);
  removeForGood(rt, {
    remove(record) {
      // Features record the erasure before the commit, so that restoring a backup never undoes it.
      record();
      eraseVisits(rt, visitIds);
      eraseInReplies();
      markErasedLog(rt);
      alsoWrite();
    },
    record: ({ guestsErased }) => guestsErased?.(rt, visitIds),
    consequence: "a restore of a backup would erase the guest",
  });
  return removeErasedBytes(rt);
}

/**
 * Erases the guest data of visits and of their events. Nothing changes for visits that are erased
 * already. Call it in a transaction.
 */
export function eraseVisits(rt: Runtime, visitIds: readonly string[]): void {
  for (const visitId of visitIds) {
    rt.store.guests.erase(visitId, rt.now());
    for (const { id, body } of rt.store.events.listByVisit(visitId)) eraseInEvent(rt, id, body);
  }
}

/** Erases the customer reference in the body of an event, and all responses to its deliveries. */
function eraseInEvent(rt: Runtime, id: string, body: Buffer): void {
  // The responses are deleted, because receivers may have sent the event back in them.
  rt.store.deliveries.deleteResponses(id);
  const envelope = JSON.parse(body.toString()) as Envelope;
  const object = envelope.data.object as { customerRef?: string | null };
  if (object.customerRef === null) return;
  object.customerRef = null;
  const erased = Buffer.from(JSON.stringify(envelope));
  rt.store.events.updateBody(id, erased, hash("sha256", erased, "buffer"));
}

/**
 * Erases the data of guests whose visit was longer ago than the retention period of the business.
 * @param now the clock by which the age of a visit is computed
 */
export async function eraseExpiredGuests(rt: Runtime, now = rt.now): Promise<void> {
  // Businesses without guests are not read: 10,000 businesses would take tens of megabytes.
  const retentionOf = memoized((businessId: string): number => {
    const days = rt.store.businesses.findById(businessId)?.doc.guestRetentionDays ?? 0;
    return days * DAY_MS;
  });
  for (let after = ""; ;) {
    const rows = rt.store.guests.listEndedAfter(after, BATCH_ROWS);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.visitId;
    const isExpired = ({ businessId, endedAt }: (typeof rows)[number]) =>
      endedAt + retentionOf(businessId) < now();
    const expired = rows.filter(isExpired).map(({ visitId }) => visitId);
    if (expired.length > 0)
      rt.tx(() => {
        eraseVisits(rt, expired);
        markErasedLog(rt);
      });
    // The pause lets deliveries and other writers proceed between two batches.
    await delay(LOCK_BREAK_MS);
  }
  emptyErasedLog(rt);
}
