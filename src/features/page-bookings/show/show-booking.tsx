/** @jsxImportSource preact */
import type { Hold } from "../../../domain/bookings/hold.ts";
import { requiresApprovalOf } from "../../../domain/bookings/visit.ts";
import { AppError, type ErrorCode } from "../../../domain/errors.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import type { HttpResponse } from "../../../http/pipeline/request-context.ts";
import { respondNotFound } from "../../public-pages/not-found.tsx";
import { countOnPages } from "../../public-pages/counters.ts";
import { findPageKey, needsApproval, takesBookings, visitorOf } from "../access.ts";
import { createNonce, findOpenHold, isFormUsed } from "../post/book.ts";
import {
  findMonth,
  findNearest,
  findTime,
  type FreeTime,
  type MonthOfTimes,
} from "./find-times.ts";
import { findOwnAskedHold } from "../post/mail-holds.ts";
import { type BookingShop, openShop, readOffer, readService } from "./read-offer.ts";
import {
  readHoldCookie,
  respondCheckMail,
  respondClosed,
  respondUsed,
  respondWithShop,
  sayFull,
} from "./respond.tsx";
import {
  type Choice,
  completeChoice,
  EMPTY_FORM,
  fieldsOf,
  type FormErrors,
  type GuestForm,
  isFormKey,
  isHoldOf,
  keptUntil,
  type Progress,
  readProgress,
  type ServiceChoice,
  toRequest,
} from "../rules.ts";
import { bookPath, type Fields, keptFields, toQuery, urlOfStep } from "../urls.ts";
import { Details } from "../view/details.tsx";
import { PartyOptions, ServiceOptions } from "../view/options.tsx";
import { Start } from "../view/start.tsx";
import { Summary } from "../view/summary.tsx";
import { Times } from "../view/times.tsx";

export type BookingPage = BookingShop & {
  content: { offer: ReturnType<typeof readOffer>; details: ReturnType<typeof readService> };
};

/** Reads what a step of the booking page shows; undefined for a business without a page. */
export async function openBookingPage(
  request: PageRequest,
  progress: Progress,
): Promise<BookingPage | undefined> {
  const serviceId = serviceOf(progress);
  const page = await openShop(request, null, (view, variant) => {
    const details = serviceId === null ? undefined : readService(view, variant, serviceId);
    // A guest who has chosen a service sees no list.
    const pageOfList = details === undefined ? readPageNumber(request) : null;
    return { offer: readOffer(request, view, variant, pageOfList), details };
  });
  return page?.business.doc.publicPage.enabled ? page : undefined;
}

/** Returns the number in the query that says which page of the list of services to show. */
function readPageNumber({ context }: PageRequest): number {
  const text = new URLSearchParams(context.request.search).get("page") ?? "";
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

function serviceOf(progress: Progress): string | null {
  if (progress.step === "options") return progress.serviceId;
  if (progress.step !== "time" || progress.choice.kind === "table") return null;
  return progress.choice.serviceId;
}

/**
 * Shows the first step of a booking that the query leaves open: a question, the free times, or the
 * form for the guest's details.
 */
export async function showBooking(request: PageRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(request.context.request.search);
  if (query.has("event")) return (await import("./show-tickets.tsx")).showTickets(request, query);
  const progress = readProgress(query);
  const page = await openBookingPage(request, progress);
  if (page === undefined) return respondNotFound(request);
  countOnPages(request.rt, "sent", "book");
  if (!takesBookings(page.business)) return respondClosed(request, page);
  if (progress.step !== "time") return showQuestion(request, page, progress, false);
  const at = readInstant(query.get("at"));
  const key = query.get("key");
  if (at !== null && isFormKey(key)) return showDetails(request, page, progress.choice, at, key);
  return showTimes(request, page, completeOnPage(page, progress.choice), query);
}

/** Returns the choice of a URL with what a booking adds to it, which the page must show. */
export const completeOnPage = ({ content }: BookingPage, choice: Choice): Choice =>
  choice.kind === "table" || content.details === undefined
    ? choice
    : completeChoice(choice, content.details.service);

/**
 * Returns what the form for the details books. A hold keeps the terms that it was made with, so
 * nothing is added to the choice of the guest's own hold.
 */
export function completeInForm(request: PageRequest, page: BookingPage, choice: Choice): Choice {
  const hold = findHold(request, page.business, readHoldId(request));
  return hold && isHoldOf(hold, choice) ? choice : completeOnPage(page, choice);
}

/** Returns the time in a form or URL; null if the text is not a whole minute in UTC. */
export function readInstant(text: string | null): number | null {
  const isInstant = text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/.test(text);
  const at = isInstant ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/**
 * Shows the first step, or the options of the service or table that the guest has chosen.
 * @param isGone whether the guest's choice cannot be booked
 * @param mismatch the choice, if the chosen person does not perform the chosen variant; else null
 */
export function showQuestion(
  request: PageRequest,
  page: BookingPage,
  progress: Exclude<Progress, { step: "time" }>,
  isGone: boolean,
  mismatch: ServiceChoice | null = null,
): HttpResponse {
  const kept = keptFields(request);
  const { texts, content } = page;
  const { offer, details } = content;
  const form = { ...page, path: bookPath(page), kept, isGone };
  const status = isGone ? 409 : 200;
  if (progress.step === "options" && details !== undefined)
    return respondWithShop(request, page, {
      status,
      title: details.service.name,
      content: <ServiceOptions {...form} details={details} mismatch={mismatch} />,
    });
  const asksParty = progress.step === "party" || (progress.step === "start" && isOnlyTables(page));
  if (asksParty && offer.maxParty > 0)
    return respondWithShop(request, page, {
      status,
      title: texts.table,
      content: <PartyOptions {...form} offer={offer} />,
    });
  // The query names a service that guests cannot book, or asks for a table where there is none.
  const isUnknown = progress.step !== "start";
  return respondWithShop(request, page, {
    status: isUnknown ? 404 : status,
    title: texts.title,
    content: (
      <Start
        {...page}
        offer={offer}
        urlOf={(fields) => urlOfStep(page, [...fields, ...kept])}
        isGone={isGone || isUnknown}
      />
    ),
  });
}

/** Returns whether guests can book only tables, so that the first step has nothing to choose. */
const isOnlyTables = ({ shop, content: { offer } }: BookingPage): boolean =>
  offer.services?.total === 0 && shop.counts.events === 0;

/** Errors that say nothing about the choice of the guest. */
const NOT_OF_CHOICE = new Set<ErrorCode>([
  "busy",
  "query_too_large",
  "rate_limited",
  "shutting_down",
  "signing_unavailable",
  "state_refuses",
  "storage_failed",
  "storage_full",
]);

/** Returns whether an error says that what the guest chose is no longer offered. */
export const isGoneError = (error: unknown): boolean =>
  error instanceof AppError && !NOT_OF_CHOICE.has(error.code);

const questionOf = (choice: Choice): Exclude<Progress, { step: "time" }> =>
  choice.kind === "table" ? { step: "party" } : { step: "options", serviceId: choice.serviceId };

/**
 * Shows the options again, because what the guest chose cannot be booked.
 * @param error the error of the choice, for which `isGoneError` is true
 */
export function showGone(
  request: PageRequest,
  page: BookingPage,
  choice: Choice,
  error: unknown,
): HttpResponse {
  const mismatch = choice.kind === "service" && isMismatch(page, choice, error) ? choice : null;
  return showQuestion(request, page, questionOf(choice), true, mismatch);
}

/** Returns whether the chosen person performs the service, but not the chosen variant. */
const isMismatch = (
  { content: { details } }: BookingPage,
  { staffId }: ServiceChoice,
  error: unknown,
): boolean =>
  error instanceof AppError &&
  error.code === "staff_cannot_perform" &&
  details?.staff.some(({ id }) => id === staffId) === true;

const changeUrlOf = (page: BookingShop, choice: Choice, kept: Fields): string =>
  urlOfStep(page, [
    ...(choice.kind === "table"
      ? [["table", "1"] as const]
      : [["service", choice.serviceId] as const]),
    ...kept,
  ]);

async function showTimes(
  request: PageRequest,
  page: BookingPage,
  choice: Choice,
  query: URLSearchParams,
): Promise<HttpResponse> {
  const { business, texts, content } = page;
  const search = { request: toRequest(choice), audience: "PUBLIC" as const };
  const kept = keptFields(request);
  const fields = [...fieldsOf(choice), ...heldFields(page, readHoldId(request)), ...kept];
  try {
    const found = await findMonth(request, business, search, query);
    const summary = (
      <Summary
        {...page}
        {...content}
        choice={choice}
        at={null}
        until={null}
        totalCents={found.times[0]?.totalCents ?? null}
        changeUrl={changeUrlOf(page, choice, kept)}
      />
    );
    return respondWithShop(request, page, {
      title: texts.chooseTime,
      content: (
        <Times
          {...page}
          title={texts.chooseTime}
          summary={summary}
          found={found}
          own={findOwnTime(request, page, choice)}
          urlOf={(more) => urlOfStep(page, [...fields, ...Object.entries(more)])}
          action={`${bookPath(page)}/hold?${toQuery(fields)}`}
          notice={noticeOf(page, found, query)}
          showsPhone={found.full !== null}
          priceType={content.details?.service.priceType ?? "FIXED"}
        />
      ),
    });
  } catch (error) {
    if (isGoneError(error)) return showGone(request, page, choice, error);
    throw error;
  }
}

/** Returns why the guest must choose another time; null if there is no reason. */
function noticeOf(
  page: BookingShop,
  { full }: MonthOfTimes,
  query: URLSearchParams,
): string | null {
  if (full !== null) return sayFull(page, full);
  return query.has("taken") ? page.texts.taken : null;
}

/** Returns the time that this guest holds for the same choice; null if there is none. */
function findOwnTime(
  request: PageRequest,
  { business }: BookingShop,
  choice: Choice,
): FreeTime | null {
  const hold = findHold(request, business, readHoldCookie(request) ?? readHoldId(request));
  if (hold === undefined || !isHoldOf(hold, choice)) return null;
  return { startsAt: hold.startsAt, endsAt: hold.endsAt, totalCents: totalOf(hold) };
}

const totalOf = (hold: Hold): number | null => (hold.tableId === null ? hold.totalCents : null);

function findHold(
  { rt }: PageRequest,
  business: BookingShop["business"],
  id: string | null,
): Hold | undefined {
  const keyId = findPageKey(rt, business);
  return id === null || keyId === undefined ? undefined : findOpenHold(rt, business, keyId, id);
}

async function showDetails(
  request: PageRequest,
  page: BookingPage,
  chosen: Choice,
  at: number,
  key: string,
): Promise<HttpResponse> {
  const { rt } = request;
  const { business } = page;
  const choice = completeInForm(request, page, chosen);
  const keyId = findPageKey(rt, business);
  if (keyId !== undefined && isFormUsed(rt, keyId, key)) return respondUsed(request, page, key);
  const state = { choice, at, key, form: EMPTY_FORM, errors: {}, status: 200 };
  const asked = findOwnAsked(request, page, key);
  if (asked === undefined) return respondWithDetails(request, page, state);
  if (asked.status === "USED") return respondUsed(request, page, key);
  return respondAsked(request, page, state, asked);
}

/** Returns the hold that this visitor has made with a form and is asked by mail to confirm. */
function findOwnAsked(
  request: PageRequest,
  { business }: BookingShop,
  formKey: string,
): Hold | undefined {
  const { rt } = request;
  const keyId = findPageKey(rt, business);
  if (keyId === undefined) return undefined;
  return findOwnAskedHold(rt, business, keyId, (id) => visitorOf(request, id), formKey);
}

/** Shows that a link in a mail confirms the visit, and leads back to the details to correct. */
export function respondAsked(
  request: PageRequest,
  page: BookingPage,
  { choice, key, form }: Pick<DetailsState, "choice" | "key" | "form">,
  hold: Hold,
): HttpResponse {
  const at = hold.startsAt;
  const url = { choice, at, key, holdId: readHoldId(request), kept: keptFields(request) };
  const fields = [...Object.entries(form), ["at", new Date(at).toISOString()] as const];
  return respondCheckMail(request, page, hold, { action: urlOfDetails(page, url), fields });
}

export type DetailsState = {
  choice: Choice;
  at: number;
  key: string;
  form: GuestForm;
  errors: FormErrors;
  status: number;
  /** The new price, if it has changed since the guest saw it. */
  newTotalCents?: number;
};

type DetailsUrl = { choice: Choice; at: number; key: string; holdId: string | null; kept: Fields };

/** Returns the URL of the form for the guest's details, which is sent to the same URL. */
export const urlOfDetails = (
  page: BookingShop,
  { choice, at, key, holdId, kept }: DetailsUrl,
): string =>
  urlOfStep(page, [
    ...fieldsOf(choice),
    ["at", new Date(at).toISOString()],
    ["key", key],
    ...(holdId === null ? [] : [["hold", holdId] as const]),
    ...kept,
  ]);

/**
 * Returns the URL of the times of a choice on other days than that of `at`, on which the page takes
 * no more visits.
 */
export function urlOfOtherDays(
  page: BookingShop,
  choice: Choice,
  at: number,
  kept: Fields,
): string {
  const day = localDateOf(at, page.business.doc.timezone);
  const fields = [...fieldsOf(choice), ["month", day.slice(0, 7)] as const, ["full", day] as const];
  return urlOfStep(page, [...fields, ...kept]);
}

/** Shows the form for the details, and the nearest free times if the chosen time is taken. */
export async function respondWithDetails(
  request: PageRequest,
  page: BookingPage,
  { choice, at, key, form, errors, status, newTotalCents }: DetailsState,
): Promise<HttpResponse> {
  const { business, texts, content } = page;
  const kept = keptFields(request);
  const holdId = readHoldId(request);
  const asked = findOwnAsked(request, page, key);
  const isKept = asked !== undefined && keptUntil(asked, request.rt.now()) !== null;
  const hold = isKept ? asked : findHold(request, business, holdId);
  const isHeld = hold !== undefined && hold.startsAt === at && isHoldOf(hold, choice);
  const search = { request: toRequest(choice), audience: "PUBLIC" as const };
  try {
    const time = isHeld
      ? { startsAt: at, endsAt: hold.endsAt, totalCents: totalOf(hold) }
      : await findTime(request, business, search, at);
    const nearest = time === undefined ? await findNearest(request, business, search, at) : null;
    const totalCents = newTotalCents ?? time?.totalCents ?? null;
    const summary = (
      <Summary
        {...page}
        {...content}
        choice={choice}
        at={time === undefined ? null : at}
        until={choice.kind === "table" ? null : (time?.endsAt ?? null)}
        totalCents={totalCents}
        changeUrl={changeUrlOf(page, choice, kept)}
      />
    );
    return respondWithShop(request, page, {
      status: time === undefined ? 409 : status,
      title: texts.details,
      content: (
        <Details
          {...page}
          summary={summary}
          form={form}
          errors={errors}
          at={at}
          totalCents={totalCents}
          priceType={content.details?.service.priceType ?? "FIXED"}
          heldUntil={isHeld ? hold.expiresAt : null}
          nearest={nearest}
          hasNewPrice={newTotalCents !== undefined}
          isRequest={isRequest(page)}
          timesUrl={urlOfStep(page, [...fieldsOf(choice), ...heldFields(page, holdId), ...kept])}
          action={urlOfDetails(page, { choice, at, key, holdId, kept })}
          nonce={createNonce(request.rt)}
        />
      ),
    });
  } catch (error) {
    if (isGoneError(error)) return showGone(request, page, choice, error);
    throw error;
  }
}

/** Returns whether the business must approve a visit of the chosen service, or at a table. */
const isRequest = ({ business, content: { details } }: BookingPage): boolean =>
  needsApproval(business, {
    requiresApproval: requiresApprovalOf(details?.service ?? null, business.doc.bookingPolicy),
  });

/** Returns the field that names the hold in a frame, in which browsers keep no cookie. */
const heldFields = ({ isEmbedded }: BookingShop, holdId: string | null): Fields =>
  isEmbedded && holdId !== null ? [["hold", holdId]] : [];

/** Returns the ID of the hold in the URL of a step. */
export function readHoldId({ context }: PageRequest): string | null {
  const id = new URLSearchParams(context.request.search).get("hold") ?? "";
  return /^hld_[0-9a-z]{1,40}$/.test(id) ? id : null;
}
