/** @jsxImportSource preact */
import { findKeptArea } from "../../../app/bookings/reschedule.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { AppError } from "../../../domain/errors.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import { localise } from "../../../domain/public/public-context.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { respondWithPage } from "../../../http/pages/render-page.tsx";
import { retryWhileBusy } from "../../../http/pipeline/idempotency.ts";
import { readBody } from "../../../http/pipeline/body.ts";
import {
  getHeader,
  type HttpResponse,
  respondBytes,
} from "../../../http/pipeline/request-context.ts";
import { choosePageLanguage } from "../../../pages/languages.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { addressLines } from "../../public-pages/content/address.ts";
import { CALENDAR_END, writeCalendarStart, writeEntry } from "../../calendars/ical.ts";
import { findMonth, type MonthOfTimes } from "./find-times.ts";
import { isClosedError, recordRefusal } from "../post/book.ts";
import {
  cancelOrderAsGuest,
  findGuestOrder,
  listTicketsWithCodes,
  statusOfOrder,
} from "../post/orders.ts";
import type { GuestTicket } from "../view/ticket-codes.tsx";
import type { TicketOrder } from "../../tickets/rules.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import { OrderPage } from "../view/order.tsx";
import { type BookingShop, openShop } from "./read-offer.ts";
import { NO_STORE, parseForm, redirect, respondWithShop } from "./respond.tsx";
import { isGoneError, readInstant } from "./show-booking.tsx";
import { fieldsToBook, keptFields, toQuery, urlOfStep } from "../urls.ts";
import { textsOf } from "../texts.ts";
import { Times } from "../view/times.tsx";
import { VisitPage } from "../view/visit.tsx";
import { canChange, toView } from "./visit-view.ts";
import { cancelAsGuest, findGuestVisit, type GuestVisit, moveAsGuest } from "../visits.ts";

type Linked = { business: BusinessRow; found: GuestVisit; token: string };

function findLinked({ rt, slug, context }: PageRequest): Linked | undefined {
  const token = context.request.params["token"] ?? "";
  const business = rt.store.businesses.findBySlug(slug);
  const found = business && findGuestVisit(rt, business, token);
  return business && found && { business, found, token };
}

/** Responds in the same way for each link that does not work, whether or not it ever did. */
function respondEnded(request: PageRequest): HttpResponse {
  const { rt, slug } = request;
  const acceptLanguage = getHeader(request.context.request, "accept-language");
  const language = choosePageLanguage(acceptLanguage, []);
  const texts = textsOf(language);
  return respondWithPage(request, {
    status: 404,
    language,
    title: texts.linkEnded,
    isPrivate: true,
    embedOrigins: rt.store.businesses.findBySlug(slug)?.doc.publicPage.embedOrigins ?? [],
    content: (
      <main>
        <h1>{texts.linkEnded}</h1>
        <p>{texts.linkEndedText}</p>
      </main>
    ),
  });
}

async function openVisitPage(
  request: PageRequest,
  { found }: Linked,
): Promise<BookingShop | undefined> {
  return openShop(request, found.language, () => null);
}

const pathOf = ({ shop }: BookingShop, token: string): string => `${shop.path}/v/${token}`;

const keptQueryOf = (request: PageRequest): string => toQuery(keptFields(request));

/** The messages that a visit can show after a change: values of `done` in its URL. */
const MESSAGES = ["moved", "changeClosed", "cannotMove", "moveByPhone"] as const;
/**
 * The query of the URL of a visit that cannot be moved, because what was booked is no longer
 * offered.
 */
const CANNOT_MOVE = "done=cannotMove";

/** Shows a guest's visit, or the times to which it can be moved. */
export async function showVisit(request: PageRequest): Promise<HttpResponse> {
  const linked = findLinked(request);
  if (linked === undefined) return showOther(request);
  const page = await openVisitPage(request, linked);
  if (page === undefined) return respondEnded(request);
  const query = new URLSearchParams(request.context.request.search);
  const { found, token } = linked;
  if (query.has("move") && canChange(request.rt, found.visit))
    return showMove(request, page, linked, query);
  const done = query.get("done");
  const message = MESSAGES.find((one) => one === done) ?? null;
  const view = toView(request.rt, page.business, found.visit, page.shop.locale);
  const props = {
    ...page,
    view,
    path: pathOf(page, token),
    keptQuery: keptQueryOf(request),
    bookUrl: urlOfStep(page, fieldsToBook(request, page)),
    message,
  };
  const { kind: type, visit } = found;
  return respondWithShop(request, page, {
    title: page.texts.title,
    content: <VisitPage {...props} />,
    booked: query.has("booked") ? { business: request.slug, type, status: visit.status } : null,
  });
}

/** Shows a hold that its guest can confirm, or an order. */
async function showOther(request: PageRequest): Promise<HttpResponse> {
  const { showHold } = await import("./show-hold.tsx");
  return (await showHold(request)) ?? showOrder(request);
}

async function showOrder(request: PageRequest): Promise<HttpResponse> {
  const { rt, slug, context } = request;
  const token = context.request.params["token"] ?? "";
  const business = rt.store.businesses.findBySlug(slug);
  const found = business && findGuestOrder(rt, business, token);
  if (found === undefined) return respondEnded(request);
  const { order, language } = found;
  const page = await openShop(request, language, (view, { locale }) => {
    const [doc] = view.select("public_event", { ids: [order.eventId] }).docs;
    return doc === undefined ? null : localise(view.forms.events(doc), locale);
  });
  if (page === undefined) return respondEnded(request);
  const isBooked = new URLSearchParams(context.request.search).has("booked");
  const { status } = order;
  return respondWithShop(request, page, {
    title: page.texts.tickets,
    booked: isBooked ? { business: slug, type: "ticketOrder", status } : null,
    content: (
      <OrderPage
        {...page}
        order={order}
        status={statusOfOrder(order, rt.now())}
        event={page.content}
        tickets={await readGuestTickets(rt, page.business, order, page.content)}
        path={pathOf(page, token)}
        keptQuery={keptQueryOf(request)}
      />
    ),
  });
}

/** The width of the light border around a QR code, in modules. Scanners need it. */
const QUIET_ZONE = 4;

async function readGuestTickets(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  event: PublicEvent | null,
): Promise<GuestTicket[]> {
  const tickets = listTicketsWithCodes(rt, business, order);
  if (tickets.length === 0) return [];
  const { encode } = await import("uqr");
  return tickets.map(({ ticketTypeId, admissionCode, isUsed }) => ({
    name: event?.ticketTypes.find(({ id }) => id === ticketTypeId)?.name ?? "",
    admissionCode,
    modules: encode(admissionCode, { border: QUIET_ZONE, ecc: "M" }).data,
    isUsed,
  }));
}

async function postOrderCancellation(request: PageRequest): Promise<HttpResponse> {
  const { rt, slug, context, base } = request;
  const token = context.request.params["token"] ?? "";
  const isFound = await retryWhileBusy(rt, () => {
    const business = rt.store.businesses.findBySlug(slug);
    return business !== undefined && cancelOrderAsGuest(rt, business, token);
  });
  if (!isFound) return respondEnded(request);
  const kept = keptQueryOf(request);
  return redirect(request, `${base}/b/${encodeURIComponent(slug)}/v/${token}${kept && `?${kept}`}`);
}

async function showMove(
  request: PageRequest,
  page: BookingShop,
  { found, token }: Linked,
  query: URLSearchParams,
): Promise<HttpResponse> {
  const { texts } = page;
  const wanted =
    found.kind === "booking"
      ? { segments: found.visit.segments, guests: found.visit.guests }
      : {
          partySize: found.visit.partySize,
          areaId: findKeptArea(request.rt, page.business, found.visit),
        };
  const { id: except, startsAt } = found.visit;
  const search = { request: wanted, audience: "INTERNAL" as const, except };
  // The calendar begins with the day of the visit, whose other times are the likeliest choice.
  if (!query.has("month") && !query.has("date"))
    query.set("date", localDateOf(startsAt, page.business.doc.timezone));
  const path = pathOf(page, token);
  let month: MonthOfTimes;
  try {
    month = await findMonth(request, page.business, search, query);
  } catch (error) {
    if (!isGoneError(error)) throw error;
    return redirect(request, urlOfVisit(request, page, token, CANNOT_MOVE));
  }
  const kept = keptFields(request) as [string, string][];
  const urlOf = (fields: Record<string, string>): string =>
    `${path}?${new URLSearchParams([["move", "1"], ...Object.entries(fields), ...kept])}`;
  return respondWithShop(request, page, {
    title: texts.moveTitle,
    content: (
      <Times
        {...page}
        title={texts.moveTitle}
        summary={
          <p>
            <a href={urlOfVisit(request, page, token, "")}>{texts.keepTime}</a>
          </p>
        }
        found={month}
        own={null}
        urlOf={urlOf}
        action={`${path}/move?${new URLSearchParams(kept)}`}
        notice={query.has("taken") ? texts.taken : null}
        priceType={
          toView(request.rt, page.business, found.visit, page.shop.locale).total?.priceType ??
          "FIXED"
        }
      />
    ),
  });
}

/**
 * Returns the URL of the visit. `query` selects a message or a step, such as `done=moved` or
 * `move=1`.
 */
function urlOfVisit(request: PageRequest, page: BookingShop, token: string, query: string): string {
  const all = [query, keptQueryOf(request)].filter((part) => part !== "").join("&");
  return `${pathOf(page, token)}${all && `?${all}`}`;
}

/** The errors of a change that comes too late. */
const CLOSED = new Set(["cancellation_closed", "wrong_status"]);

/**
 * Runs a change of a guest's visit, and leads back to the visit.
 * @param run returns false if the link has ended
 * @param done the query of the visit's URL after the change
 * @param gone the query of the visit's URL if what was booked is no longer offered; null if the
 *   change does not depend on that
 */
async function changeAndRedirect(
  request: PageRequest,
  run: (linked: Linked) => boolean,
  done: string,
  gone: string | null,
): Promise<HttpResponse> {
  const linked = findLinked(request);
  const page = linked && (await openVisitPage(request, linked));
  if (linked === undefined || page === undefined) return respondEnded(request);
  const { token } = linked;
  try {
    if (!(await retryWhileBusy(request.rt, () => run(linked)))) return respondEnded(request);
    return redirect(request, urlOfVisit(request, page, token, done));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (isClosedError(error)) {
      recordRefusal(request.rt, page.business, error);
      return redirect(request, urlOfVisit(request, page, token, "done=moveByPhone"));
    }
    if (error.code === "slot_taken")
      return redirect(request, urlOfVisit(request, page, token, "move=1&taken=1"));
    if (CLOSED.has(error.code))
      return redirect(request, urlOfVisit(request, page, token, "done=changeClosed"));
    if (gone !== null && isGoneError(error))
      return redirect(request, urlOfVisit(request, page, token, gone));
    throw error;
  }
}

/** Cancels a guest's visit or order. */
export const postCancellation = (request: PageRequest): Promise<HttpResponse> =>
  findLinked(request) === undefined
    ? postOrderCancellation(request)
    : changeAndRedirect(
        request,
        ({ business, token }) => cancelAsGuest(request.rt, business, token),
        "",
        null,
      );

export async function postMove(request: PageRequest): Promise<HttpResponse> {
  const at = readInstant(parseForm(await readBody(request.context)).get("at"));
  return changeAndRedirect(
    request,
    // A form without a valid time changes nothing, and leads back to the times.
    ({ business, token }) => at === null || moveAsGuest(request.rt, business, token, at),
    at === null ? "move=1" : "done=moved",
    CANNOT_MOVE,
  );
}

export async function sendCalendarFile(request: PageRequest): Promise<HttpResponse> {
  const linked = findLinked(request);
  const page = linked && (await openVisitPage(request, linked));
  if (linked === undefined || page === undefined) return respondEnded(request);
  const { found, token } = linked;
  const { visit } = found;
  const { name, phone } = page.shop.profile;
  const { services, location } = toView(request.rt, page.business, found.visit, page.shop.locale);
  const lines = location === "ON_SITE" ? addressLines(page.business.doc) : [];
  const entry = writeEntry({
    uid: `${visit.id}@deskbell`,
    sequence: visit.version,
    status: STATUSES[visit.status],
    startsAt: visit.startsAt,
    endsAt: visit.endsAt,
    createdAt: visit.createdAt,
    updatedAt: visit.updatedAt,
    summary: name,
    location: lines.join(", ") || null,
    description: [services?.join("\n") ?? null, phone, linkOf(request, page, token)]
      .filter((line) => line !== null)
      .join("\n"),
  });
  const body = Buffer.from(`${writeCalendarStart(name, null)}${entry}${CALENDAR_END}`);
  return respondBytes(request.context, 200, "text/calendar; charset=utf-8", body, [
    ...NO_STORE,
    "x-robots-tag",
    "noindex, nofollow",
    "content-disposition",
    'attachment; filename="visit.ics"',
  ]);
}

const STATUSES = {
  PENDING: "TENTATIVE",
  CONFIRMED: "CONFIRMED",
  CANCELLED: "CANCELLED",
  COMPLETED: "CONFIRMED",
  NO_SHOW: "CONFIRMED",
} as const;

/** Returns the absolute URL of a visit; null if the server has no public URL. */
function linkOf({ rt }: PageRequest, page: BookingShop, token: string): string | null {
  const origin = URL.parse(rt.config.http.publicUrl)?.origin;
  return origin === undefined ? null : `${origin}${pathOf(page, token)}`;
}
