import type { z } from "zod";
import { bookServices } from "../../../app/bookings/bookings.ts";
import { moveBooking } from "../../../app/bookings/reschedule.ts";
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
  guestInBody,
  parseBody,
  rescheduleBookingBody,
  startInBody,
} from "./bodies.ts";
import { BOOKINGS, commitChange } from "./visits.ts";
import { createAs, explainOmittedFields, toCreatedReply } from "./writes.ts";

export const handleCreateBooking =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(bookingBody(), await readJsonObject(context));
    const { expectedTotalCents } = body;
    const wanted = wantedVisit(body);
    const guest = guestInBody(body);
    return withAlternatives(
      deps,
      context,
      key,
      () => ("holdId" in wanted ? undefined : wanted),
      () =>
        createAs(deps, context, key, (business, access, isDryRun) => {
          const booking = bookServices(rt, business, access, {
            ...wanted,
            guest,
            expectedTotalCents,
          });
          const object = BOOKINGS.toPublic(rt, business, access, booking);
          return toCreatedReply(deps, key, BOOKINGS.path, object, isDryRun);
        }),
    );
  };

/**
 * Returns the hold or the visit that a body asks for. The default values of `startsAt` and
 * `segments` are never used, because `assertPresent` refuses a body without these fields.
 */
function wantedVisit(body: z.output<ReturnType<typeof bookingBody>>) {
  const { holdId, startsAt = "", segments = [], guests = 1 } = body;
  if (holdId !== undefined) {
    assertAlone(body, "holdId", ["startsAt", "segments", "guests"]);
    return { holdId };
  }
  assertPresent(body, ["startsAt", "segments"], "holdId");
  return { request: { segments, guests }, startsAt: startInBody(startsAt) };
}

export const handleRescheduleBooking =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const body = parseBody(rescheduleBookingBody(), await readJsonObject(context));
    const { segments } = body;
    const startsAt = startInBody(body.startsAt);
    const findBooked = () => deps.rt.store.bookings.findById(key.businessId, pathId(context));
    return withAlternatives(
      deps,
      context,
      key,
      () => {
        const row = findBooked();
        const request = row && { segments: segments ?? row.segments, guests: row.guests };
        return request && { request, startsAt, except: row.id };
      },
      () =>
        commitChange(BOOKINGS, deps, context, key, ({ rt }, business, access, row) =>
          explainOmittedFields(body, ["segments"], () =>
            moveBooking(rt, business, access, row, { startsAt, segments }),
          ),
        ),
    );
  };
