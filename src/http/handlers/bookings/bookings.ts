import type { z } from "zod";
import { assertExpectedTotal, insertBooking } from "../../../app/bookings/bookings.ts";
import { expireDueVisits } from "../../../app/bookings/change-visit.ts";
import { bookHold } from "../../../app/bookings/holds.ts";
import { CANNOT_BE_BOOKED, planBooking } from "../../../app/bookings/plan-booking.ts";
import { rescheduleVisit } from "../../../app/bookings/reschedule.ts";
import { mergeCustomer } from "../../../domain/bookings/customer.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import { pathId } from "../../pipeline/object-handlers.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { withAlternatives } from "./alternatives.ts";
import {
  assertAlone,
  assertPresent,
  bookingBody,
  parseBody,
  rescheduleBookingBody,
  startOf,
} from "./bodies.ts";
import { BOOKINGS, commitChange } from "./visits.ts";
import { createAs, keepingOmitted, toCreatedReply } from "./writes.ts";

export const handleCreateBooking =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(bookingBody(), await readJsonObject(context));
    const wanted = wantedVisit(body);
    const { holdId = "", expectedTotalCents } = body;
    const guest = {
      customerRef: body.customerRef,
      customer: body.customer && mergeCustomer(null, body.customer),
    };
    return withAlternatives(
      deps,
      context,
      key,
      () => wanted,
      () =>
        createAs(deps, context, key, (business, access, isDryRun) => {
          if (wanted === undefined) {
            const booked = bookHold(rt, business, access, holdId, guest);
            assertExpectedTotal(expectedTotalCents, booked.totalCents);
            const held = BOOKINGS.toPublic(rt, business, access, booked);
            return toCreatedReply(deps, key, BOOKINGS.path, held, isDryRun);
          }
          expireDueVisits(rt, business);
          const terms = planBooking(rt, business, {
            audience: "PUBLIC",
            ...wanted,
            refusal: CANNOT_BE_BOOKED,
          });
          assertExpectedTotal(expectedTotalCents, terms.totalCents);
          const booking = insertBooking(rt, business, access, terms, guest);
          const object = BOOKINGS.toPublic(rt, business, access, booking);
          return toCreatedReply(deps, key, BOOKINGS.path, object, isDryRun);
        }),
    );
  };

/** Returns undefined for a booking of a hold. */
function wantedVisit(body: z.output<ReturnType<typeof bookingBody>>) {
  const { holdId, startsAt = "", segments = [], guests = 1 } = body;
  if (holdId !== undefined) {
    assertAlone(body, "holdId", ["startsAt", "segments", "guests"]);
    return undefined;
  }
  assertPresent(body, ["startsAt", "segments"], "holdId");
  return { request: { segments, guests }, startsAt: startOf(startsAt) };
}

export const handleRescheduleBooking =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const body = parseBody(rescheduleBookingBody(), await readJsonObject(context));
    const { segments } = body;
    const startsAt = startOf(body.startsAt);
    const booked = () => deps.rt.store.bookings.findById(key.businessId, pathId(context));
    return withAlternatives(
      deps,
      context,
      key,
      () => {
        const row = booked();
        return (
          row && { request: { segments: segments ?? row.segments, guests: row.guests }, startsAt }
        );
      },
      () =>
        commitChange(BOOKINGS, deps, context, key, ({ rt }, business, access, row) =>
          keepingOmitted(body, ["segments"], () =>
            rescheduleVisit(rt, business, access, row, { startsAt, segments }),
          ),
        ),
    );
  };
