import type { z } from "zod";
import { insertReservation } from "../../../app/bookings/bookings.ts";
import { expireDueVisits } from "../../../app/bookings/change-visit.ts";
import { reserveHold } from "../../../app/bookings/holds.ts";
import { CANNOT_BE_BOOKED, planReservation } from "../../../app/bookings/plan-booking.ts";
import { rescheduleTable } from "../../../app/bookings/reschedule.ts";
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
  parseBody,
  rescheduleReservationBody,
  reservationBody,
  startOf,
} from "./bodies.ts";
import { commitChange, RESERVATIONS } from "./visits.ts";
import { createAs, keepingOmitted, toCreatedReply } from "./writes.ts";

export const handleCreateReservation =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(reservationBody(), await readJsonObject(context));
    const wanted = wantedTable(body);
    const { holdId = "" } = body;
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
          const reserve = () => {
            if (wanted === undefined) return reserveHold(rt, business, access, holdId, guest);
            expireDueVisits(rt, business);
            const plan = {
              audience: "PUBLIC" as const,
              ...wanted,
              table: null,
              refusal: CANNOT_BE_BOOKED,
            };
            return insertReservation(
              rt,
              business,
              access,
              planReservation(rt, business, plan),
              guest,
            );
          };
          const object = RESERVATIONS.toPublic(rt, business, access, reserve());
          return toCreatedReply(deps, key, RESERVATIONS.path, object, isDryRun);
        }),
    );
  };

/** Returns undefined for a reservation of a hold. */
function wantedTable(body: z.output<ReturnType<typeof reservationBody>>) {
  const { holdId, startsAt = "", partySize = 0, areaId = null } = body;
  if (holdId !== undefined) {
    assertAlone(body, "holdId", ["startsAt", "partySize", "areaId"]);
    return undefined;
  }
  assertPresent(body, ["startsAt", "partySize"], "holdId");
  return { request: { partySize, areaId }, startsAt: startOf(startsAt) };
}

export const handleRescheduleReservation =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const body = parseBody(rescheduleReservationBody(), await readJsonObject(context));
    const { partySize, areaId } = body;
    const startsAt = startOf(body.startsAt);
    const reserved = () => deps.rt.store.reservations.findById(key.businessId, pathId(context));
    return withAlternatives(
      deps,
      context,
      key,
      () => {
        const row = reserved();
        const request = row && {
          partySize: partySize ?? row.partySize,
          areaId: areaId === undefined ? row.areaId : areaId,
        };
        return request && { request, startsAt };
      },
      () =>
        commitChange(RESERVATIONS, deps, context, key, ({ rt }, business, access, row) =>
          keepingOmitted(body, ["partySize", "areaId"], () =>
            rescheduleTable(rt, business, access, row, { startsAt, partySize, areaId }),
          ),
        ),
    );
  };
