import {
  bookingBody,
  holdBody,
  reasonBody,
  rescheduleBookingBody,
  rescheduleReservationBody,
  reservationBody,
  visitUpdateBody,
} from "./handlers/bookings/bodies.ts";
import * as bookings from "./handlers/bookings/bookings.ts";
import * as holds from "./handlers/bookings/holds.ts";
import * as lists from "./handlers/bookings/lists.ts";
import * as reservations from "./handlers/bookings/reservations.ts";
import {
  BOOKINGS,
  handleGetVisit,
  handleStateAction,
  handleUpdateVisit,
  RESERVATIONS,
  type VisitResource,
} from "./handlers/bookings/visits.ts";
import type { StateAction } from "../app/bookings/change-visit.ts";
import type { Visit } from "../domain/bookings/visit.ts";
import { writeParameters } from "./handlers/bookings/writes.ts";
import type { HandlerDeps, KeyHandler, RouteDefinition } from "./pipeline/route.ts";
import {
  conditional,
  createdOrDry,
  createdUnversioned,
  deleted,
  EMPTY_BODY,
  get,
  paged,
  patch,
  post,
  remove,
  unversioned,
  versioned,
} from "./route-constructors.ts";
import type { HttpCode } from "./pipeline/problem-codes.ts";

// routes.ts adds these routes of holds, bookings and reservations to its table.

const PLANNING_PROBLEMS: readonly HttpCode[] = [
  "invalid_date",
  "resource_not_found",
  "service_not_bookable",
  "variant_service_mismatch",
  "addon_not_linked",
  "staff_cannot_perform",
  "party_too_large",
  "slot_taken",
];
const HOLD_PROBLEMS: readonly HttpCode[] = ["hold_expired", "hold_used"];
const GUEST_ACTION_PROBLEMS: readonly HttpCode[] = ["wrong_status", "cancellation_closed"];

/** The words for a kind of visit in texts, operation IDs and paths. */
type Noun = { one: string; many: string; Name: "Booking" | "Reservation"; path: string };

/** Returns the routes that bookings and reservations both have. */
const visitRoutes = <Row extends Visit>(
  noun: Noun,
  resource: VisitResource<Row>,
  listHandler: (deps: HandlerDeps) => KeyHandler,
  listQuery: NonNullable<RouteDefinition["query"]>,
): RouteDefinition[] => {
  const { one, many, Name, path: base } = noun;
  const body = `${Name}Response` as const;
  const withCustomer = `${Name}WithCustomerResponse` as const;
  /** @param summary an imperative verb, to which the noun is added */
  const stateRoute = (action: StateAction, summary: string, description: string) =>
    post("Bookings", `${base}/:id/${action === "noShow" ? "no-show" : action}`, {
      operationId: `${action === "noShow" ? "markNoShow" : action}${Name}`,
      scope: "bookings.manage",
      summary: `${summary} a ${one}`,
      description,
      query: writeParameters,
      body: EMPTY_BODY,
      responses: versioned(`The ${one}.`, body),
      problems: ["wrong_status"],
      handle: handleStateAction(resource, action),
    });
  return [
    get("Bookings", base, {
      operationId: `list${Name}s`,
      scope: ["bookings.read", "bookings.write"],
      summary: `List ${many}`,
      description: `Sorted by start. A key without bookings.read lists the ${many} that it made. To follow changes, pass the newest \`updatedAt\` you have as \`updatedSince\`.`,
      query: listQuery,
      responses: paged(`One page of ${many}.`, `${Name}List` as const),
      handle: listHandler,
    }),
    get("Bookings", `${base}/:id`, {
      operationId: `get${Name}`,
      scope: ["bookings.read", "bookings.write"],
      summary: `Get a ${one}`,
      description: `With \`customer\`, if the key made the ${one} or has guests.read.`,
      responses: conditional(`The ${one}.`, withCustomer),
      handle: handleGetVisit(resource),
    }),
    patch("Bookings", `${base}/:id`, {
      operationId: `update${Name}`,
      scope: "bookings.write",
      summary: `Update the guest of a ${one}`,
      description:
        "A merge patch: omitted fields keep their value, and null erases. The response does not contain `customer`.",
      query: writeParameters,
      body: { schema: visitUpdateBody },
      responses: versioned(`The updated ${one}.`, body),
      problems: ["signing_unavailable"],
      handle: handleUpdateVisit(resource),
    }),
    post("Bookings", `${base}/:id/cancel`, {
      operationId: `cancel${Name}`,
      scope: "bookings.write",
      summary: `Cancel a ${one}`,
      description: `Possible until \`cancelUntil\`; with bookings.manage also later. A ${one} that is cancelled already stays as it is, and no event is sent.`,
      query: writeParameters,
      body: { schema: reasonBody, isOptional: true },
      responses: versioned(`The cancelled ${one}.`, body),
      problems: GUEST_ACTION_PROBLEMS,
      handle: handleStateAction(resource, "cancel"),
    }),
    stateRoute("approve", "Approve", `Confirms a PENDING ${one}.`),
    stateRoute("decline", "Decline", `Cancels a PENDING ${one}, with the reason DECLINED.`),
    stateRoute("complete", "Complete", "The guest came. Possible once it has started."),
    stateRoute(
      "noShow",
      "Mark the no-show of",
      `The guest did not come. Possible once it has started; within 7 days, COMPLETED and NO_SHOW can be exchanged.`,
    ),
  ];
};

export const BOOKING_ROUTES: readonly RouteDefinition[] = [
  post("Bookings", "holds", {
    operationId: "createHold",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    takesVisitor: true,
    summary: "Hold a time or table",
    description:
      "Keeps a time for a few minutes while the guest enters their data. A booking made from it keeps its time and price. Send `segments` for a visit, or `partySize` for a table. A key can have 20 open holds and unpaid ticket orders together, and 3 open holds per staff member or table and day. With Visitor-Id, each visitor can have 3, and all visitors of a key a tenth of the free time of a week together, and half of that of a day, of each staff member or table.",
    query: writeParameters,
    body: { schema: holdBody },
    responses: createdUnversioned("hold", "HoldResponse"),
    problems: [...PLANNING_PROBLEMS, "too_many_holds"],
    handle: holds.handleCreateHold,
  }),
  get("Bookings", "holds/:id", {
    operationId: "getHold",
    scope: ["bookings.read", "bookings.write"],
    summary: "Get a hold",
    description: "A hold can be read for a day after it has ended.",
    responses: unversioned("The hold.", "HoldResponse"),
    handle: holds.handleGetHold,
  }),
  remove("Bookings", "holds/:id", {
    operationId: "deleteHold",
    scope: "bookings.write",
    summary: "Release a hold",
    description: "Releasing a hold that is over changes nothing.",
    responses: deleted("Released."),
    problems: ["hold_used"],
    handle: holds.handleReleaseHold,
  }),
  post("Bookings", "bookings", {
    operationId: "createBooking",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    takesVisitor: true,
    summary: "Book a visit",
    description:
      "Send a `holdId`, or `startsAt` and `segments` from a slot of `/availability`. Where the business requires approval, the booking is PENDING and occupies its time. `totalCents` excludes promotions, deposits and payments.",
    query: writeParameters,
    body: { schema: bookingBody },
    responses: createdOrDry("booking", "BookingResponse"),
    problems: [...PLANNING_PROBLEMS, ...HOLD_PROBLEMS, "price_changed", "too_many_bookings"],
    handle: bookings.handleCreateBooking,
  }),
  ...visitRoutes(
    { one: "booking", many: "bookings", Name: "Booking", path: "bookings" },
    BOOKINGS,
    lists.handleListBookings,
    lists.bookingsParameters,
  ),
  post("Bookings", "bookings/:id/reschedule", {
    operationId: "rescheduleBooking",
    scope: "bookings.write",
    summary: "Reschedule a booking",
    description:
      "Moves the whole visit; the old time becomes free in the same moment. Possible until `cancelUntil`; with bookings.manage also later.",
    query: writeParameters,
    body: { schema: rescheduleBookingBody },
    responses: versioned("The rescheduled booking.", "BookingResponse"),
    problems: [...PLANNING_PROBLEMS, ...GUEST_ACTION_PROBLEMS],
    handle: bookings.handleRescheduleBooking,
  }),
  post("Bookings", "reservations", {
    operationId: "createReservation",
    scope: "bookings.write",
    needsIdempotencyKey: true,
    takesVisitor: true,
    summary: "Reserve a table",
    description:
      "Send a `holdId`, or `startsAt` and `partySize`. The smallest free table is chosen.",
    query: writeParameters,
    body: { schema: reservationBody },
    responses: createdOrDry("reservation", "ReservationResponse"),
    problems: [...PLANNING_PROBLEMS, ...HOLD_PROBLEMS, "too_many_bookings"],
    handle: reservations.handleCreateReservation,
  }),
  ...visitRoutes(
    { one: "reservation", many: "reservations", Name: "Reservation", path: "reservations" },
    RESERVATIONS,
    lists.handleListReservations,
    lists.reservationsParameters,
  ),
  post("Bookings", "reservations/:id/reschedule", {
    operationId: "rescheduleReservation",
    scope: "bookings.write",
    summary: "Reschedule a reservation",
    description:
      "The table is chosen again. Possible until `cancelUntil`; with bookings.manage also later.",
    query: writeParameters,
    body: { schema: rescheduleReservationBody },
    responses: versioned("The rescheduled reservation.", "ReservationResponse"),
    problems: [...PLANNING_PROBLEMS, ...GUEST_ACTION_PROBLEMS],
    handle: reservations.handleRescheduleReservation,
  }),
];
