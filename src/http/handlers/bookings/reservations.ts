import type { z } from "zod";
import { reserveTable } from "../../../app/bookings/bookings.ts";
import { explainKeptArea, moveReservation } from "../../../app/bookings/reschedule.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import { pathId } from "../../pipeline/object-handlers.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { withAlternatives } from "./alternatives.ts";
import {
  assertAlone,
  assertPresent,
  guestInBody,
  parseBody,
  rescheduleReservationBody,
  reservationBody,
  startInBody,
} from "./bodies.ts";
import { commitChange, RESERVATIONS } from "./visits.ts";
import { createAs, explainOmittedFields, toCreatedReply } from "./writes.ts";

export const handleCreateReservation =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(reservationBody(), await readJsonObject(context));
    const wanted = wantedTable(body);
    const guest = guestInBody(body);
    return withAlternatives(
      deps,
      context,
      key,
      () => ("holdId" in wanted ? undefined : wanted),
      () =>
        createAs(deps, context, key, (business, access, isDryRun) => {
          const reservation = reserveTable(rt, business, access, { ...wanted, guest });
          const object = RESERVATIONS.toPublic(rt, business, access, reservation);
          return toCreatedReply(deps, key, RESERVATIONS.path, object, isDryRun);
        }),
    );
  };

/**
 * Returns the hold or the table that a body asks for. The default values of `startsAt` and
 * `partySize` are never used, because `assertPresent` refuses a body without these fields.
 */
function wantedTable(body: z.output<ReturnType<typeof reservationBody>>) {
  const { holdId, startsAt = "", partySize = 0, areaId = null } = body;
  if (holdId !== undefined) {
    assertAlone(body, "holdId", ["startsAt", "partySize", "areaId"]);
    return { holdId };
  }
  assertPresent(body, ["startsAt", "partySize"], "holdId");
  return { request: { partySize, areaId }, startsAt: startInBody(startsAt) };
}

const ALL_AREAS = "send areaId: null to look in all areas, or a smaller partySize";

export const handleRescheduleReservation =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const body = parseBody(rescheduleReservationBody(), await readJsonObject(context));
    const { partySize, areaId } = body;
    const startsAt = startInBody(body.startsAt);
    return withAlternatives(
      deps,
      context,
      key,
      () => {
        const row = deps.rt.store.reservations.findById(key.businessId, pathId(context));
        const request = row && {
          partySize: partySize ?? row.partySize,
          // An `areaId` of null asks for any area. A missing `areaId` keeps the present area.
          areaId: areaId === undefined ? row.areaId : areaId,
        };
        return request && { request, startsAt, except: row.id };
      },
      () =>
        commitChange(RESERVATIONS, deps, context, key, ({ rt }, business, access, row) =>
          explainKeptArea(areaId === undefined && row.areaId !== null ? ALL_AREAS : null, () =>
            explainOmittedFields(body, ["partySize", "areaId"], () =>
              moveReservation(rt, business, access, row, { startsAt, partySize, areaId }),
            ),
          ),
        ),
    );
  };
