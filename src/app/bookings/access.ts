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
   * The hash (`hashVisitor`) of the visitor for whom the key creates a visit, hold or order; null
   * or absent if the request names no visitor.
   */
  visitor?: Buffer | null;
  /**
   * Whether each visit that the client makes or moves needs approval, even if the rules of the
   * business require none.
   */
  needsApproval?: boolean;
  /**
   * Where the visit is made, in the words of an alert, such as "on the booking page". If it is
   * absent, the alert says "over the API".
   */
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

// Each of the next two functions returns a key, and queries select only the objects of this key. A
// query for an object of another key then takes the same time as one for an ID that does not exist,
// so a client cannot tell the two apart.

/** Returns the only key whose objects the client may see; null if it may see all. */
export const seesOnly = ({ readsAll, keyId }: VisitAccess): string | null =>
  readsAll ? null : keyId;

/** Returns the only key whose objects the client may change; null if it may change all. */
export const changesOnly = ({ managesAll, keyId }: VisitAccess): string | null =>
  managesAll ? null : keyId;

export const canSeeGuest = ({ readsGuests, keyId }: VisitAccess, owned: Owned): boolean =>
  readsGuests || owned.createdByKey === keyId;

/**
 * Returns which catalog objects the client may book. The operator may also book objects that are
 * not public.
 */
export const audienceOf = ({ keyId }: VisitAccess): Audience =>
  keyId === null ? "INTERNAL" : "PUBLIC";

export const initiatorOf = ({ managesAll }: VisitAccess): Initiator =>
  managesAll ? "BUSINESS" : "GUEST";

// Staff members who are not public are removed from objects that events contain, or that keys
// without `bookings.read` get.

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
