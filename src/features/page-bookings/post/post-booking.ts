import { ShareUsedError } from "../../../app/bookings/hold-limits.ts";
import { prepareBookableCatalog } from "../../../app/catalog/bookable-catalog.ts";
import { mailsGuests } from "../../../app/guests/mails-guests.ts";
import { AppError } from "../../../domain/errors.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { readBody } from "../../../http/pipeline/body.ts";
import { retryWhileBusy } from "../../../http/pipeline/idempotency.ts";
import type { HttpResponse } from "../../../http/pipeline/request-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { respondNotFound } from "../../public-pages/not-found.tsx";
import { findPageKey, takesBookings, visitorOf } from "../access.ts";
import {
  bookOnPage,
  holdTime,
  isClosedError,
  isFormUsed,
  type PageBooking,
  recordRefusal,
} from "./book.ts";
import { findAskedHold, findOwnAskedHold, holdForMail } from "./mail-holds.ts";
import { readGuestForm } from "./read-form.ts";
import {
  bookedCookie,
  holdCookie,
  isUsedError,
  parseForm,
  readHoldCookie,
  redirect,
  respondClosed,
  respondToRefusal,
  respondUsed,
} from "../show/respond.tsx";
import {
  type Choice,
  fieldsOf,
  HOLD_MS,
  isFormKey,
  KEY_BYTES,
  readProgress,
  readTotal,
} from "../rules.ts";
import {
  type BookingPage,
  completeInForm,
  completeOnPage,
  type DetailsState,
  isGoneError,
  openBookingPage,
  readHoldId,
  readInstant,
  respondAsked,
  respondWithDetails,
  showGone,
  urlOfDetails,
  urlOfOtherDays,
} from "../show/show-booking.tsx";
import { keptFields, urlOfBooked, urlOfStep } from "../urls.ts";

type Posted = { page: BookingPage; choice: Choice; body: URLSearchParams };

/** Reads a form of the booking page. Returns a response instead if the form cannot be handled. */
async function readPosted(request: PageRequest): Promise<Posted | { response: HttpResponse }> {
  const { context } = request;
  const body = parseForm(await readBody(context));
  const progress = readProgress(new URLSearchParams(context.request.search));
  const page = await openBookingPage(request, progress);
  if (page === undefined) return { response: respondNotFound(request) };
  if (!takesBookings(page.business)) return { response: respondClosed(request, page) };
  if (progress.step !== "time")
    return { response: redirect(request, urlOfStep(page, keptFields(request))) };
  return { page, choice: progress.choice, body };
}

/**
 * Runs a write for a business that still takes bookings.
 * @throws AppError too_many_bookings if the page was closed meanwhile
 */
async function writeOnPage<T>(
  { rt }: PageRequest,
  { business: { slug, id } }: BookingPage,
  write: (business: BusinessRow) => T,
): Promise<T> {
  // The business is read again, here and in each attempt, because it may have changed since the
  // page was opened.
  const found = rt.store.businesses.findById(id);
  if (found) await prepareBookableCatalog(rt, found);
  return retryWhileBusy(rt, () => {
    const business = rt.store.businesses.findBySlug(slug);
    if (business && takesBookings(business)) return write(business);
    throw new AppError("too_many_bookings", "Online booking is closed.");
  });
}

/** Holds a time that a guest has chosen, and redirects to the form for the guest's details. */
export async function postHold(request: PageRequest): Promise<HttpResponse> {
  const posted = await readPosted(request);
  if ("response" in posted) return posted.response;
  const { page, body } = posted;
  const choice = completeOnPage(page, posted.choice);
  const { rt } = request;
  const kept = keptFields(request);
  const startsAt = readInstant(body.get("at"));
  if (startsAt === null) return redirect(request, urlOfStep(page, [...fieldsOf(choice), ...kept]));
  const wanted = { choice, startsAt, previousId: readHoldCookie(request) ?? readHoldId(request) };
  try {
    const hold = await writeOnPage(request, page, (business) =>
      holdTime(rt, business, (keyId) => visitorOf(request, keyId), wanted),
    );
    const key = rt.random(KEY_BYTES).toString("hex");
    const holdId = hold?.id ?? null;
    const url = urlOfDetails(page, { choice, at: startsAt, key, holdId, kept });
    return redirect(request, url, hold === null ? [] : holdCookie(request, hold.id, HOLD_MS));
  } catch (error) {
    if (error instanceof ShareUsedError) {
      recordRefusal(rt, page.business, error);
      return redirect(request, urlOfOtherDays(page, choice, startsAt, kept));
    }
    const refused = respondToRefusal(request, page, error);
    if (refused) return refused;
    if (error instanceof AppError && error.code === "slot_taken") {
      const day = localDateOf(startsAt, page.business.doc.timezone);
      const fields = [...fieldsOf(choice), ["date", day] as const, ["taken", "1"] as const];
      return redirect(request, urlOfStep(page, [...fields, ...kept]));
    }
    if (isGoneError(error)) return showGone(request, page, choice, error);
    throw error;
  }
}

/** Books what the guest has chosen, and redirects to the page of the visit. */
export async function postBooking(request: PageRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(request.context.request.search);
  if (query.has("event"))
    return (await import("../show/show-tickets.tsx")).postTickets(request, query);
  const posted = await readPosted(request);
  if ("response" in posted) return posted.response;
  const { page, body } = posted;
  const choice = completeInForm(request, page, posted.choice);
  const { rt, context } = request;
  const key = new URLSearchParams(context.request.search).get("key");
  const at = readInstant(body.get("at"));
  if (at === null || !isFormKey(key))
    return redirect(request, urlOfStep(page, [...fieldsOf(choice), ...keptFields(request)]));
  const { form, errors, customer } = readGuestForm(body);
  const state = { choice, at, key, form, errors };
  if (body.has("change"))
    return respondWithDetails(request, page, { ...state, errors: {}, status: 200 });
  const keyId = findPageKey(rt, page.business);
  if (customer === null)
    return keyId !== undefined && isFormUsed(rt, keyId, key)
      ? respondUsed(request, page, key)
      : respondWithDetails(request, page, { ...state, status: 422 });
  const wanted = {
    choice,
    startsAt: at,
    holdId: readHoldId(request),
    formKey: key,
    nonce: body.get("nonce") ?? "",
    expectedTotalCents: readTotal(body.get("total")),
    customer,
    language: page.shop.language,
  };
  try {
    const asked = keyId && findAskedHold(rt, page.business, keyId, wanted);
    if (asked) return respondAsked(request, page, state, asked);
    const token = await writeOnPage(request, page, (business) =>
      bookOnPage(rt, business, (keyId) => visitorOf(request, keyId), wanted),
    );
    // The hold that the cookie names, if any, has been used or released, so the cookie is deleted.
    const cookies = [...holdCookie(request, "", 0), ...bookedCookie(request, token)];
    return redirect(request, urlOfBooked(request, page, token), cookies);
  } catch (error) {
    const isBeyondShare = error instanceof AppError && error.code === "too_many_holds";
    if (isBeyondShare && mailsGuests(rt) && customer.email === null)
      return respondWithDetails(request, page, {
        ...state,
        errors: { email: "to confirm" },
        status: 422,
      });
    if (isBeyondShare) return askByMail(request, page, wanted, state, error);
    const visitor = (id: string) => visitorOf(request, id);
    if (isUsedError(error) && keyId && findOwnAskedHold(rt, page.business, keyId, visitor, key))
      return askByMail(request, page, wanted, state);
    return respondToError(request, page, state, error);
  }
}

/**
 * Asks the guest by mail to confirm the visit, because the page has taken as many visits as it may.
 * Holds the time meanwhile if the limits of holds allow that.
 * @param refusal why the time was not booked; shown if the guest cannot be asked by mail. Absent if
 *   the guest corrects a form for which a mail was already sent
 */
async function askByMail(
  request: PageRequest,
  page: BookingPage,
  wanted: PageBooking,
  state: Omit<DetailsState, "status">,
  refusal?: AppError,
): Promise<HttpResponse> {
  try {
    const hold = await writeOnPage(request, page, (business) =>
      holdForMail(request.rt, business, (keyId) => visitorOf(request, keyId), wanted),
    );
    return respondAsked(request, page, state, hold);
  } catch (error) {
    return respondToError(request, page, state, (isClosedError(error) && refusal) || error);
  }
}

function respondToError(
  request: PageRequest,
  page: BookingPage,
  state: Omit<DetailsState, "status">,
  error: unknown,
): Promise<HttpResponse> | HttpResponse {
  const { choice, at } = state;
  const refused = respondToRefusal(request, page, error, {
    at,
    otherDaysUrl: urlOfOtherDays(page, choice, at, keptFields(request)),
  });
  if (refused) return refused;
  if (isUsedError(error)) return respondUsed(request, page, state.key, true);
  if (!(error instanceof AppError)) throw error;
  if (error.code === "price_changed") {
    const newTotalCents = Number(error.extensions["totalCents"]);
    return respondWithDetails(request, page, { ...state, status: 409, newTotalCents });
  }
  if (error.code === "slot_taken")
    return respondWithDetails(request, page, { ...state, status: 409 });
  if (isGoneError(error)) return showGone(request, page, state.choice, error);
  throw error;
}
