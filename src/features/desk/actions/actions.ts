import { createBooking, createReservation } from "../../../app/bookings/bookings.ts";
import { getVisitToChange, updateVisit } from "../../../app/bookings/change-visit.ts";
import { findCustomer } from "../../../app/bookings/guests.ts";
import { changeBooking, changeReservation } from "../../../app/bookings/operator-changes.ts";
import { rescheduleBooking, rescheduleReservation } from "../../../app/bookings/reschedule.ts";
import { listAwayVisits, markAway, reassignVisits } from "../../../app/bookings/staff-away.ts";
import { OPERATOR } from "../../../app/bookings/access.ts";
import { deleteTimeOff } from "../../../app/bookings/time-off.ts";
import { BOOKING, RESERVATION } from "../../../app/bookings/visit-kinds.ts";
import { keptVisitIds } from "../../../app/catalog/changes/visits-of-change.ts";
import { setSoldOut } from "../../../app/catalog/sold-out.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { customerFields, mergeCustomer } from "../../../domain/bookings/customer.ts";
import { AppError } from "../../../domain/errors.ts";
import type { VisitAction } from "../../../domain/bookings/visit.ts";
import { addDays, formatInstant, localDateOf, startOfDay } from "../../../domain/local-time.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import { confirmTicketOrder } from "../../tickets/orders/orders.ts";
import { listAbsences } from "./absences.ts";
import { checkInAtDoor, explainTicket } from "./check-in.ts";
import { setOfferStatus, toBookedService } from "./choices.ts";
import { ClosingError, closeFromNow, reopen } from "../closing.ts";
import type { DeskSession } from "../desks.ts";
import {
  type DeskOutcome,
  type DeskRight,
  type DoneCode,
  localOf,
  type DeskRefusal,
} from "../rules.ts";
import { findVisit } from "../view.ts";

// The actions of a desk call the use cases of the commands, in the name of the desk.

/** The fields of a form by their names. */
export type DeskForm = Readonly<Record<string, string>>;

/** `codes` are the admission codes of an order, which are not stored. */
export type Done = Extract<DeskOutcome, { ok: true }> & { codes?: string[] };
export type Action = {
  right: DeskRight;
  /** True if the desk of one person does not have the action. */
  isOfBusiness?: true;
  run: (rt: Runtime, session: DeskSession, form: DeskForm) => Done;
  /** Returns the reason for a refusal if the error alone does not tell it; otherwise undefined. */
  explain?: (
    rt: Runtime,
    session: DeskSession,
    form: DeskForm,
    error: AppError,
  ) => DeskRefusal | undefined;
};

const done = (
  code: DoneCode,
  details: Pick<Done, "count" | "name" | "order" | "awayId" | "visitId"> = {},
): Done => ({
  ok: true,
  code,
  ...details,
});

/**
 * Returns an action that changes the status of a visit. The form's field `shown` is the start of
 * the visit that the page shows.
 */
const statusAction = (
  action: "approve" | "decline" | "cancel" | "complete" | "noShow",
  code: DoneCode,
): Action => ({
  right: "visits",
  run(rt, session, { id = "", shown }) {
    const { type, startsAt } = getVisit(rt, session, id);
    const start = localOf(startsAt, session.business.doc.timezone);
    // The guest may have moved the visit while somebody read the page.
    if (shown !== undefined && shown !== start)
      throw new AppError("conflict", `The visit starts at ${start}, not at ${shown}.`);
    const change = type === "booking" ? changeBooking : changeReservation;
    change(rt, session.business.slug, id, action);
    return done(code, { visitId: id });
  },
  explain: (_rt, _session, _form, { extensions }) =>
    AFTER_START.has(action) && extensions["currentStatus"] === "CONFIRMED"
      ? { code: "not_started", at: null }
      : undefined,
});

/** The actions that a confirmed visit refuses until it has started. */
const AFTER_START: ReadonlySet<VisitAction> = new Set(["complete", "noShow"]);

const getVisit = (rt: Runtime, session: DeskSession, id: string) =>
  findVisit(rt, session, id) ?? notFound("visit");

const notFound = (noun: string): never => {
  throw new AppError("resource_not_found", `This desk has no such ${noun}.`);
};

const MAX_MINUTES_AGO = 240;
const MINUTE_MS = 60_000;

const ACTIONS: Readonly<Record<string, Action>> = {
  approve: statusAction("approve", "approved"),
  decline: statusAction("decline", "declined"),
  cancel: statusAction("cancel", "cancelled"),
  complete: statusAction("complete", "completed"),
  noShow: statusAction("noShow", "no_show"),
  reschedule: {
    right: "visits",
    run(rt, session, { id = "", start = "" }) {
      const { type } = getVisit(rt, session, id);
      const move = type === "booking" ? rescheduleBooking : rescheduleReservation;
      move(rt, session.business.slug, id, { start, ignoresNotice: true });
      return done("rescheduled", { visitId: id });
    },
  },
  note: { right: "guests", run: saveNote },
  walkIn: { right: "visits", run: enterWalkIn },
  soldOut: {
    right: "sold-out",
    run(rt, { business }, { dish = "", until }) {
      const { timezone } = business.doc;
      const tomorrow = addDays(localDateOf(rt.now(), timezone), 1);
      setSoldOut(rt, business, dish, until === "today" ? startOfDay(tomorrow, timezone) : null);
      return done("sold_out");
    },
  },
  available: {
    right: "sold-out",
    run(rt, { business }, { dish = "" }) {
      setSoldOut(rt, business, dish, "back");
      return done("available");
    },
  },
  hide: {
    right: "sold-out",
    isOfBusiness: true,
    run(rt, session, { service = "" }) {
      setOfferStatus(rt, session, service, "INACTIVE");
      return done("hidden");
    },
  },
  offer: {
    right: "sold-out",
    isOfBusiness: true,
    run(rt, session, { service = "" }) {
      setOfferStatus(rt, session, service, "ACTIVE");
      return done("offered");
    },
  },
  close: {
    right: "close",
    isOfBusiness: true,
    run(rt, { business }, { until = "" }) {
      // If the field is empty, `closeFromNow` closes the business for the rest of its opening
      // hours.
      const change = closeFromNow(rt, business.slug, until || null);
      return done("closed", { count: keptVisitIds(change).length });
    },
    explain: (_rt, _session, _form, error) =>
      error instanceof ClosingError ? { code: error.refusal, at: null } : undefined,
  },
  reopen: {
    right: "close",
    isOfBusiness: true,
    run(rt, { business }) {
      reopen(rt, business.slug);
      return done("reopened");
    },
  },
  away: { right: "close", isOfBusiness: true, run: enterAway },
  back: {
    right: "close",
    isOfBusiness: true,
    run(rt, session, { id = "" }) {
      // A desk ends only the time off that it lists.
      if (!listAbsences(rt, session).some((absence) => absence.id === id)) notFound("time off");
      deleteTimeOff(rt, session.business.slug, id);
      return done("back");
    },
  },
  reassign: {
    right: "close",
    isOfBusiness: true,
    run(rt, { business }, { id = "" }) {
      const timeOff = rt.store.timeOff.findById(business.id, id) ?? notFound("time off");
      const visits = listAwayVisits(rt, business, timeOff);
      const moved = reassignVisits(rt, business.slug, { timeOff, visits });
      return done("reassigned", { count: moved.size, awayId: id });
    },
  },
  checkIn: {
    right: "check-in",
    run(rt, { business }, { code = "" }) {
      const name = checkInAtDoor(rt, business, code);
      return done("checked_in", name === undefined ? {} : { name });
    },
    explain: (rt, { business }, { code = "" }, error) => explainTicket(rt, business, code, error),
  },
  confirmOrder: {
    right: "visits",
    isOfBusiness: true,
    run(rt, { business }, { code = "" }) {
      const { order, tickets } = confirmTicketOrder(rt, business.slug, code);
      const codes = tickets.map(({ admissionCode }) => admissionCode);
      return { ...done("order_confirmed", { count: tickets.length, order: order.code }), codes };
    },
    explain: (_rt, _session, _form, error) =>
      error.code === "resource_not_found" ? { code: "no_order", at: null } : undefined,
  },
};

function saveNote(rt: Runtime, session: DeskSession, { id = "", note = "" }: DeskForm): Done {
  const { type } = getVisit(rt, session, id);
  const { business } = session;
  const { notes } = parseRequest(customerFields().pick({ notes: true }), { notes: note || null });
  const customer = mergeCustomer(findCustomer(rt, id), { notes });
  if (type === "booking") {
    const before = getVisitToChange(rt, BOOKING, business, OPERATOR, id);
    updateVisit(rt, BOOKING, business, before, { customer });
  } else {
    const before = getVisitToChange(rt, RESERVATION, business, OPERATOR, id);
    updateVisit(rt, RESERVATION, business, before, { customer });
  }
  return done("noted", { visitId: id });
}

/** Enters a visit of guests without a booking, who came up to `MAX_MINUTES_AGO` minutes ago. */
function enterWalkIn(rt: Runtime, session: DeskSession, form: DeskForm): Done {
  const { business, desk } = session;
  const { service = "", staff = "", party = "", name = "", ago = "0" } = form;
  const minutes = Number(ago);
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MAX_MINUTES_AGO)
    throw new AppError("validation_failed", `The guests came 0 to ${MAX_MINUTES_AGO} minutes ago.`);
  const arrivedAt = Math.floor(rt.now() / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS;
  const visit = {
    start: formatInstant(arrivedAt, business.doc.timezone),
    ...(name.trim() !== "" && { customer: { name: name.trim() } }),
  };
  const options = { ignoresNotice: true };
  // The form for a table has no service.
  if (service === "") {
    if (desk.staffId !== null) throw new AppError("validation_failed", "Choose a service.");
    createReservation(rt, business.slug, { ...visit, party: Number(party) }, options);
    return done("entered");
  }
  const person = desk.staffId ?? staff;
  createBooking(
    rt,
    business.slug,
    { ...visit, ...toBookedService(rt, session, service), ...(person !== "" && { staff: person }) },
    options,
  );
  return done("entered");
}

/** Enters time off of a staff member: the rest of today, or the whole of tomorrow. */
function enterAway(rt: Runtime, { business }: DeskSession, { staff = "", day }: DeskForm): Done {
  const { timezone } = business.doc;
  const today = localDateOf(rt.now(), timezone);
  const currentMinute = Math.floor(rt.now() / MINUTE_MS) * MINUTE_MS;
  const tomorrow = addDays(today, 1);
  const { timeOff, visits } = markAway(rt, business.slug, {
    staff,
    from: day === "tomorrow" ? tomorrow : formatInstant(currentMinute, timezone),
    // An end that is a date without a time includes the whole day.
    to: day === "tomorrow" ? tomorrow : today,
    reason: null,
  });
  return done("away", { count: visits.length, awayId: timeOff.id });
}

/** Returns the action that a form names; undefined if there is none. */
export const findAction = ({ action = "" }: DeskForm): Action | undefined =>
  Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
