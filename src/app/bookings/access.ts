import { grants, type KeyKind, type Scope } from "../../domain/api-key.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import type { Initiator } from "../../domain/bookings/visit.ts";

/** What a client may see and change of the business's visits and ticket orders. */
export type VisitAccess = {
  /** null: the operator. */
  keyId: string | null;
  readsAll: boolean;
  managesAll: boolean;
  readsGuests: boolean;
  /** The visitor for whom the key creates something; absent: it names none. */
  visitor?: Buffer | null;
};

export const OPERATOR: VisitAccess = {
  keyId: null,
  readsAll: true,
  managesAll: true,
  readsGuests: true,
};

export function accessOf(key: {
  id: string;
  kind: KeyKind;
  scopes: readonly Scope[];
}): VisitAccess {
  const managesAll = grants(key, "bookings.manage");
  return {
    keyId: key.id,
    readsAll: managesAll || grants(key, "bookings.read"),
    managesAll,
    readsGuests: grants(key, "guests.read"),
  };
}

type Owned = { createdByKey: string | null };

// Queries select by these keys, so that the object of another key takes the same work, and thus the
// same time, as an ID that does not exist.

/** The key whose objects the client may see; null: those of all. */
export const seesOnly = ({ readsAll, keyId }: VisitAccess): string | null =>
  readsAll ? null : keyId;

/** The key whose objects the client may change; null: those of all. */
export const changesOnly = ({ managesAll, keyId }: VisitAccess): string | null =>
  managesAll ? null : keyId;

export const canSeeGuest = ({ readsGuests, keyId }: VisitAccess, owned: Owned): boolean =>
  readsGuests || owned.createdByKey === keyId;

/** What the client may book: the operator also what is not public. */
export const audienceOf = ({ keyId }: VisitAccess): Audience =>
  keyId === null ? "INTERNAL" : "PUBLIC";

export const initiatorOf = ({ managesAll }: VisitAccess): Initiator =>
  managesAll ? "BUSINESS" : "GUEST";
