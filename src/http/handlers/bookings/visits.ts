import {
  accessOf,
  canSeeGuest,
  type VisitAccess,
  toPartnerBooking,
} from "../../../app/bookings/access.ts";
import {
  changeState,
  getVisit,
  getVisitToChange,
  type StateAction,
  updateVisit,
} from "../../../app/bookings/change-visit.ts";
import { findCustomer } from "../../../app/bookings/guests.ts";
import { BOOKING, RESERVATION, type VisitKind } from "../../../app/bookings/visit-kinds.ts";
import type { Runtime } from "../../../app/runtime.ts";
import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../../domain/bookings/booking.ts";
import { mergeCustomer } from "../../../domain/bookings/customer.ts";
import { type Reservation, toPublicReservation } from "../../../domain/bookings/reservation.ts";
import type { Visit } from "../../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import { emptyBody, readJsonObject, readOptionalJsonObject } from "../../pipeline/body.ts";
import { getBusinessOfKey } from "../../pipeline/business-response.ts";
import {
  assertIfMatch,
  ETAG_SUFFIX,
  handleGet,
  pathId,
  toDataReply,
} from "../../pipeline/object-handlers.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { parseBody, reasonBody, visitUpdateBody } from "./bodies.ts";
import { commitAs } from "./writes.ts";

/** A kind of visit, its path and its public form. */
export type VisitResource<Row extends Visit> = {
  kind: VisitKind<Row>;
  path: string;
  toPublic: (rt: Runtime, business: BusinessRow, access: VisitAccess, row: Row) => { id: string };
};

export const BOOKINGS: VisitResource<Booking> = {
  kind: BOOKING,
  path: "bookings",
  toPublic: (rt, business, { readsAll }, row) =>
    readsAll
      ? toPublicBooking(row, business.doc.timezone)
      : withEtagSuffix(row, toPartnerBooking(rt, business, row)),
};

/**
 * Adds to the ETag which staff members are hidden, because a staff member can be hidden without a
 * new version of the booking.
 */
function withEtagSuffix({ segments }: Booking, shown: PublicBooking): PublicBooking {
  const hiddenIndexes = segments.flatMap(({ staffId }, i) =>
    staffId === (shown.segments[i]?.staffId ?? null) ? [] : i,
  );
  return hiddenIndexes.length === 0
    ? shown
    : Object.assign(shown, { [ETAG_SUFFIX]: `-${hiddenIndexes.join(".")}` });
}

export const RESERVATIONS: VisitResource<Reservation> = {
  kind: RESERVATION,
  path: "reservations",
  toPublic: (_rt, business, _access, row) => toPublicReservation(row, business.doc.timezone),
};

export const handleGetVisit =
  <Row extends Visit>({ kind, toPublic }: VisitResource<Row>) =>
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const access = accessOf(key);
    const business = getBusinessOfKey(rt, key);
    return handleGet(
      { rt },
      () => getVisit(rt, kind, business.id, access, pathId(context)),
      (row) => withCustomer(rt, access, row, toPublic(rt, business, access, row)),
    )(context, key);
  };

/** Returns the object with the guest's data, if the client may read them. */
export const withCustomer = <T extends object>(
  rt: Runtime,
  access: VisitAccess,
  row: { id: string; createdByKey: string | null },
  object: T,
): T & { customer?: unknown } =>
  canSeeGuest(access, row) ? { ...object, customer: findCustomer(rt, row.id) } : object;

type Change<Row extends Visit> = (
  deps: HandlerDeps,
  business: BusinessRow,
  access: VisitAccess,
  row: Row,
) => Row;

/** Handles a request that changes one visit. Errors are checked in the order 400, 404, 412, 409. */
export const commitChange = <Row extends Visit>(
  { kind, toPublic }: VisitResource<Row>,
  deps: HandlerDeps,
  context: RequestContext,
  key: Credential,
  change: Change<Row>,
): Promise<HttpResponse> =>
  commitAs(deps, context, key, (business, access) => {
    const row = getVisitToChange(deps.rt, kind, business, access, pathId(context));
    assertIfMatch(context, row);
    return toDataReply(toPublic(deps.rt, business, access, change(deps, business, access, row)));
  });

export const handleStateAction =
  <Row extends Visit>(resource: VisitResource<Row>, action: StateAction) =>
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const body = await readOptionalJsonObject(context);
    const { reason = null } =
      action === "cancel" ? parseBody(reasonBody(), body) : parseEmptyBody(body);
    return commitChange(resource, deps, context, key, ({ rt }, business, access, row) =>
      changeState(rt, resource.kind, business, access, row, action, reason),
    );
  };

/**
 * Parses a body that must have no fields. The return type has `reason`, because the caller handles
 * a cancellation, which can have a reason, in the same way.
 */
const parseEmptyBody = (body: Record<string, unknown>): { reason?: null } =>
  parseBody(emptyBody(), body);

/**
 * Handles a merge patch: a field that the patch omits keeps its value, and so does each field that
 * `customer` omits.
 */
export const handleUpdateVisit =
  <Row extends Visit>(resource: VisitResource<Row>) =>
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { customer, customerRef } = parseBody(visitUpdateBody(), await readJsonObject(context));
    return commitChange(resource, deps, context, key, ({ rt }, business, _access, row) =>
      updateVisit(rt, resource.kind, business, row, {
        customer: customer && mergeCustomer(findCustomer(rt, row.id), customer),
        customerRef,
      }),
    );
  };
