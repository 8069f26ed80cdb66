import { accessOf } from "../../../app/bookings/access.ts";
import {
  getBookableCatalog,
  prepareBookableCatalog,
} from "../../../app/catalog/bookable-catalog.ts";
import { CANNOT_BE_BOOKED } from "../../../app/bookings/plan-booking.ts";
import type { NamedRequest } from "../../../domain/availability/request.ts";
import { publicReason, type Reason, REFUSAL_TEXT } from "../../../domain/availability/refusal.ts";
import type { PublicSlot } from "../../../domain/availability/public-slot.ts";
import { AppError } from "../../../domain/errors.ts";
import { localDateOf, parseInstant } from "../../../domain/local-time.ts";
import type { Credential } from "../../../store/keys.ts";
import { getBusinessOfKey } from "../../pipeline/business-response.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";

const MAX_ALTERNATIVES = 3;
/** The nearest slots are searched among at most this number of slots, from the requested day on. */
const MAX_SLOTS = 200;

/** The visit or table that the client wanted to book, and its start. */
export type WantedVisit = {
  request: NamedRequest;
  startsAt: number;
  /**
   * The ID of a visit that the client wanted to move: the time that the visit takes now counts as
   * free.
   */
  except?: string;
};

type Deps = Pick<HandlerDeps, "rt" | "scanQueue" | "findAvailability" | "accessControl">;

/**
 * Responds to a request that plans a visit, and adds the nearest free starts to a `slot_taken`
 * problem. The search begins after the transaction has ended, so that no writer waits for it.
 * @param findWanted returns the visit near which free starts are searched; undefined for no search
 * @param respond plans the visit; called first
 */
export async function withAlternatives(
  deps: Deps,
  context: RequestContext,
  key: Credential,
  findWanted: () => WantedVisit | undefined,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  // The bookable catalog is read into its cache before the transaction, so that no writer waits
  // for the reading.
  await prepareBookableCatalog(deps.rt, getBusinessOfKey(deps.rt, key));
  getBookableCatalog(deps.rt, getBusinessOfKey(deps.rt, key));
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "slot_taken") throw error;
    const actualReason = error.extensions["reason"] as Reason;
    // A client without bookings.read may learn that a time is taken, but not by whom or why.
    const reason = accessOf(key).readsAll ? actualReason : publicReason(actualReason);
    const wanted = findWanted();
    const alternatives = wanted === undefined ? [] : await findNearest(deps, context, key, wanted);
    throw new AppError("slot_taken", `${CANNOT_BE_BOOKED}: ${REFUSAL_TEXT[reason]}.`, {
      fix: `${alternatives.length > 0 ? "choose one of 'alternatives', or " : ""}read /availability again`,
      extensions: { reason, alternatives },
    });
  }
}

/**
 * Returns the nearest free starts; none if the search would take too much work or waits too long.
 */
async function findNearest(
  { rt, scanQueue, findAvailability, accessControl }: Deps,
  context: RequestContext,
  key: Credential,
  { request, startsAt, except }: WantedVisit,
): Promise<Pick<PublicSlot, "startsAt" | "endsAt" | "segments">[]> {
  const business = getBusinessOfKey(rt, key);
  const { timezone } = business.doc;
  const date = localDateOf(startsAt, timezone);
  const scan = scanQueue.add((yieldToEventLoop) => {
    const query = {
      audience: "PUBLIC" as const,
      request,
      dates: { from: date, to: date },
      timezone: null,
      explain: false,
      except,
      yieldToEventLoop,
    };
    const availability = findAvailability(business, query);
    availability.assertNotTooLarge("next");
    return availability.nextSlots(MAX_SLOTS, date);
  });
  const distanceOf = (slot: PublicSlot) =>
    Math.abs(parseInstant(slot.startsAt, timezone) - startsAt);
  try {
    const slots = await scan.waitAs(
      accessControl.getClient(context),
      context.request.disconnected(),
    );
    return slots
      .toSorted((a, b) => distanceOf(a) - distanceOf(b))
      .slice(0, MAX_ALTERNATIVES)
      .sort((a, b) => parseInstant(a.startsAt, timezone) - parseInstant(b.startsAt, timezone))
      .map(({ startsAt, endsAt, segments }) => ({ startsAt, endsAt, segments }));
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
