import { grants, type KeyKind, type Scope } from "../../domain/api-key.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import type { Initiator } from "../../domain/bookings/visit.ts";
import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../domain/bookings/booking.ts";
import { type Hold, type PublicHold, toPublicHold } from "../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

/** What a client may see and change of the business's visits and ticket orders. */
export type VisitAccess = {
  /** The client's API key; null for the operator. */
  keyId: string | null;
  readsAll: boolean;
  managesAll: boolean;
  readsGuests: boolean;
  /**
   * The hash of the visitor for whom the key creates a visit, hold or order (`hashVisitor`); null
   * or absent if the key names none.
   */
  visitor?: Buffer | null;
  /**
   * Whether each visit that the client makes or moves needs approval, even if the rules of the
   * business require none.
   */
  needsApproval?: boolean;
  /** Where the visit is made, such as "on the booking page"; absent over the API. */
  madeWhere?: string;
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

// Queries select by the keys that the next two functions return. A query for an object of another
// key then takes the same time as one for an ID that does not exist.

/** Returns the only key whose objects the client may see; null if it may see all. */
export const seesOnly = ({ readsAll, keyId }: VisitAccess): string | null =>
  readsAll ? null : keyId;

/** Returns the only key whose objects the client may change; null if it may change all. */
export const changesOnly = ({ managesAll, keyId }: VisitAccess): string | null =>
  managesAll ? null : keyId;

export const canSeeGuest = ({ readsGuests, keyId }: VisitAccess, owned: Owned): boolean =>
  readsGuests || owned.createdByKey === keyId;

/**
 * Returns which objects the client may book: the operator may also book those that are not public.
 */
export const audienceOf = ({ keyId }: VisitAccess): Audience =>
  keyId === null ? "INTERNAL" : "PUBLIC";

export const initiatorOf = ({ managesAll }: VisitAccess): Initiator =>
  managesAll ? "BUSINESS" : "GUEST";

// Staff members who are not public are left out in events, and for keys without `bookings.read`.

export const toPartnerBooking = (
  rt: Runtime,
  business: BusinessRow,
  booking: Booking,
): PublicBooking =>
  withoutHiddenStaff(rt, business, toPublicBooking(booking, business.doc.timezone));

export const toPartnerHold = (rt: Runtime, business: BusinessRow, hold: Hold): PublicHold =>
  withoutHiddenStaff(rt, business, toPublicHold(hold, business.doc.timezone, rt.now()));

/** Returns whether a staff member is public. A deleted staff member is not. */
export const isPublicStaff = (rt: Runtime, businessId: string, staffId: string): boolean =>
  rt.store.catalog.findByKeyOrId(businessId, "staff", staffId)?.public === true;

function withoutHiddenStaff<T extends Pick<PublicBooking, "segments">>(
  rt: Runtime,
  { id }: BusinessRow,
  object: T,
): T {
  return {
    ...object,
    segments: object.segments.map((segment) =>
      segment.staffId !== null && isPublicStaff(rt, id, segment.staffId)
        ? segment
        : { ...segment, staffId: null, staffName: null },
    ),
  };
}
