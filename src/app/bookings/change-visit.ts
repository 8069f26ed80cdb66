import type { Customer } from "../../domain/bookings/customer.ts";
import {
  assertActionAllowed,
  type Initiator,
  stateAfter,
  type Visit,
  type VisitAction,
} from "../../domain/bookings/visit.ts";
import { deepEqual } from "../../domain/equality.ts";
import { assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { appendEvents } from "../events.ts";
import { tellOfChange } from "../guests/guest-news.ts";
import type { Runtime } from "../runtime.ts";
import { changesOnly, initiatorOf, seesOnly, type VisitAccess } from "./access.ts";
import { auditVisit } from "./audit-visit.ts";
import { uncountVisit } from "./booking-limits.ts";
import { saveCustomer, tryDecryptCustomer } from "./guests.ts";
import { BOOKING, RESERVATION, type VisitKind } from "./visit-kinds.ts";

/** An action that changes only the state of a visit. */
export type StateAction = Exclude<VisitAction, "expire" | "reschedule">;

/** @throws AppError resource_not_found if the visit does not exist or the client may not see it */
export function getVisit<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  businessId: string,
  access: VisitAccess,
  id: string,
): Row {
  return getVisitOf(rt, kind, businessId, id, seesOnly(access));
}

/**
 * Throws the same error for a visit that does not exist as for a visit that the client may not see,
 * so that the client cannot tell the two apart.
 * @param createdByKey the only key whose visits are found; null for the visits of all clients
 */
function getVisitOf<Row extends Visit>(
  rt: Runtime,
  { noun, store }: VisitKind<Row>,
  businessId: string,
  id: string,
  createdByKey: string | null,
): Row {
  const row = store(rt).findById(businessId, id, createdByKey);
  return assertFound(row, `There is no ${noun} ${quote(id)}.`, `deskbell ${noun}s list`);
}

/**
 * Returns a visit that the client may change. Call it at the start of a transaction. It first
 * cancels the pending visits that were not approved in time: the scheduler cancels them each
 * second, but may be late.
 * @throws AppError resource_not_found if the visit does not exist or the client may not change it
 */
export function getVisitToChange<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  access: VisitAccess,
  id: string,
): Row {
  expireDueVisits(rt, business);
  return getVisitOf(rt, kind, business.id, id, changesOnly(access));
}

/**
 * Applies an action to a visit, and returns the changed visit. Cancelling a cancelled visit changes
 * nothing. Call it in a transaction.
 * @throws AppError wrong_status, cancellation_closed, insufficient_scope
 */
export function changeState<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  access: VisitAccess,
  row: Row,
  action: StateAction,
  reason: string | null = null,
): Row {
  if (action === "cancel" && row.status === "CANCELLED") return row;
  const initiator = initiatorOf(access);
  assertActionAllowed(nameVisit(kind, row), row, action, initiator, rt.now());
  const after = applyAction(rt, kind, business, row, action, initiator, reason);
  auditVisit(rt, business, `${kind.noun}.${AUDITED[action]}`, after);
  return after;
}

const AUDITED = {
  approve: "approved",
  decline: "declined",
  cancel: "cancelled",
  complete: "completed",
  noShow: "no_show",
} as const satisfies Record<StateAction, string>;

export const nameVisit = ({ noun }: Pick<VisitKind<Visit>, "noun">, { id }: Visit): string =>
  `${noun === "booking" ? "Booking" : "Reservation"} ${id}`;

function applyAction<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  before: Row,
  action: StateAction | "expire",
  initiator: Initiator,
  reason: string | null,
): Row {
  const state = stateAfter(before, action, initiator, reason);
  const after = nextVersion(rt, kind.store(rt), business.id, { ...before, ...state });
  kind.store(rt).update(after);
  if (after.status === "CANCELLED") uncountVisit(rt, after);
  publishVisit(rt, kind, business, before, after);
  return after;
}

export type ChangeStore = { getLastChange: (businessId: string) => number };

/** Returns a visit or ticket order with the version and time of its next change. */
export const nextVersion = <Row extends { version: number; updatedAt: number }>(
  rt: Runtime,
  store: ChangeStore,
  businessId: string,
  row: Row,
): Row => ({
  ...row,
  version: row.version + 1,
  updatedAt: changeTime(rt, store, businessId),
});

/**
 * Returns the time of a change: now, or the time of the last change if the clock was set back since
 * then.
 */
export const changeTime = (rt: Runtime, store: ChangeStore, businessId: string): number =>
  Math.max(rt.now(), store.getLastChange(businessId));

/** Publishes the event of a change, and tells the guest. */
export function publishVisit<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  before: Row,
  after: Row,
): void {
  const event =
    after.status === "CANCELLED" && before.status !== "CANCELLED"
      ? kind.cancelledEvent(rt, business, after)
      : kind.updatedEvent(rt, business, before, after);
  appendEvents(rt, business, [event], after.createdByKey);
  tellOfChange(rt, business, before, after);
}

/**
 * Updates the guest data and customer reference of a visit; undefined fields keep their value. An
 * update that changes nothing publishes no event. Call it in a transaction.
 */
export function updateVisit<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
  before: Row,
  { customer, customerRef = before.customerRef }: VisitUpdate,
): Row {
  const isSameCustomer = customer === undefined || isStored(rt, before.id, customer);
  if (customerRef === before.customerRef && isSameCustomer) return before;
  const after = nextVersion(rt, kind.store(rt), business.id, { ...before, customerRef });
  kind.store(rt).update(after);
  if (!isSameCustomer) saveCustomer(rt, business.id, before.id, customer);
  publishVisit(rt, kind, business, before, after);
  const fields = [
    ...(isSameCustomer ? [] : ["customer"]),
    ...(customerRef === before.customerRef ? [] : ["customerRef"]),
  ];
  auditVisit(rt, business, `${kind.noun}.updated`, after, { fields });
  return after;
}

/**
 * Returns whether `customer` equals the stored data of the guest. Data that no key decrypts never
 * count as equal, so that a request to delete them is carried out.
 */
function isStored(rt: Runtime, visitId: string, customer: Customer | null): boolean {
  const row = rt.store.guests.findByVisit(visitId);
  return deepEqual(customer, row === undefined ? null : tryDecryptCustomer(rt, row));
}

export type VisitUpdate = {
  customer?: Customer | null | undefined;
  customerRef?: string | null | undefined;
};

/** Cancels the pending visits of every business that were not approved in time. */
export function expirePendingVisits(rt: Runtime): void {
  const ids = [BOOKING, RESERVATION].flatMap(({ store }) =>
    store(rt).listBusinessesWithOverdue(rt.now()),
  );
  for (const id of new Set(ids))
    rt.tx(() => {
      const business = rt.store.businesses.findById(id);
      if (business) expireDueVisits(rt, business);
    });
}

/**
 * Cancels the pending visits of a business that were not approved in time, so that their times
 * become free, and releases expired holds. Call it in a transaction before planning a visit.
 * Expired holds are released for good: if the clock were set back, they would otherwise open again,
 * although others can book their times from now on.
 */
export function expireDueVisits(rt: Runtime, business: BusinessRow): void {
  rt.store.holds.releaseOverdue(business.id, rt.now());
  expireDue(rt, BOOKING, business);
  expireDue(rt, RESERVATION, business);
}

function expireDue<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  business: BusinessRow,
): void {
  const store = kind.store(rt);
  for (const id of store.listOverdue(business.id, rt.now())) {
    const row = store.findById(business.id, id);
    if (row) applyAction(rt, kind, business, row, "expire", "SYSTEM", null);
  }
}
