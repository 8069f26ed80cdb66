import { AppError } from "../../domain/errors.ts";
import { createMasterKey } from "../../platform/secret-box.ts";
import type { VisitorActionKind } from "../../store/bookings/booking-limits.ts";
import { assertMasterKey } from "../master-key.ts";
import type { Runtime } from "../runtime.ts";
import type { VisitAccess } from "./access.ts";

// Limits of the visitors whom a key names, so that one of them cannot use up what all may have.

const DAY_MS = 86_400_000;
const MAX_PER_DAY = 10;
const HASH_BYTES = 16;

/**
 * Returns what is stored of a visitor: never the text itself. Keys that name the same visitor get
 * different hashes. The first visitor of a new server creates the master key.
 * @throws AppError signing_unavailable if the master key of the stored data is missing
 */
export function hashVisitor(rt: Runtime, keyId: string, visitor: string): Buffer {
  const findHash = () => rt.secrets.mac("visitor", `${keyId} ${visitor}`);
  let hash = findHash();
  if (hash === undefined) {
    assertMasterKey(rt);
    createMasterKey(rt.config.masterKeyPath, rt.random);
    hash = findHash() as Buffer;
  }
  return hash.subarray(0, HASH_BYTES);
}

/**
 * Counts a visit or order towards the limit of the visitor who makes it. Call it in the transaction
 * that writes it.
 * @throws AppError too_many_bookings
 */
export function countForVisitor(
  rt: Runtime,
  { visitor }: VisitAccess,
  kind: VisitorActionKind,
): void {
  if (!visitor) return;
  if (countActions(rt, visitor, kind) >= MAX_PER_DAY)
    throw new AppError(
      "too_many_bookings",
      `This visitor has made ${MAX_PER_DAY} ${kind}s in 24 hours, which is the limit.`,
      { fix: "ask the visitor to call the business" },
    );
  rt.store.visitors.insertAction(visitor, kind, rt.now());
}

const countActions = (rt: Runtime, visitor: Buffer, kind: VisitorActionKind): number =>
  rt.store.visitors.countActions(visitor, kind, rt.now() - DAY_MS);

/** The visits that a visitor has made in 24 hours, including cancelled ones. */
export const countVisitsOf = (rt: Runtime, visitor: Buffer): number =>
  countActions(rt, visitor, "visit");

// Called by the delivery thread: this file loads nothing of the planning of visits.
export const pruneVisitors = (rt: Runtime): void =>
  rt.store.visitors.deleteUntil(rt.now() - DAY_MS);
