/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { AppError } from "../../../domain/errors.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import type { Hold } from "../../../domain/bookings/hold.ts";
import { readCookies, setCookie } from "../../../http/pages/cookies.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { respondWithPage } from "../../../http/pages/render-page.tsx";
import {
  type HttpResponse,
  type RawHeaders,
  respond,
} from "../../../http/pipeline/request-context.ts";
import { findPageKey, takesBookings } from "../access.ts";
import { findBookedByKey, isClosedError, recordRefusal } from "../post/book.ts";
import { isLinkToken } from "../link-tokens.ts";
import type { BookingShop } from "./read-offer.ts";
import { type Booked, confirmableUntil, HOLD_MS, keptUntil, type PageProps } from "../rules.ts";
import {
  type Fields,
  isEmbedded,
  isFirstOfFrame,
  keptFields,
  urlOfBooked,
  urlOfStep,
} from "../urls.ts";
import { BookingFrame, Heading, Hidden, Telephone } from "../view/parts.tsx";
import { fillText } from "../../../pages/languages.ts";
import { writeTime } from "../when.ts";

export const NO_STORE: RawHeaders = [
  "cache-control",
  "no-store",
  "referrer-policy",
  "strict-origin",
];

/**
 * Matches the last segment of a path to which a form is sent, such as `/hold`. The page with the
 * form has the path without this segment.
 */
const FORM_PATH = /\/(?:hold|cancel|confirm|move)$/;

type Shown = {
  title: string;
  content: ComponentChildren;
  status?: number;
  headers?: RawHeaders;
  /** What was booked just now, which a frame tells the website around it. */
  booked?: Booked | null;
};

/** Responds with a page of the booking flow or of a guest's visit. No cache keeps it. */
export function respondWithShop(
  request: PageRequest,
  props: BookingShop,
  { title, content, status = 200, headers = [], booked = null }: Shown,
): HttpResponse {
  const { shop, texts, business } = props;
  const { embedOrigins } = business.doc.publicPage;
  const { path, search } = request.context.request;
  const query = new URLSearchParams(search);
  query.delete("lang");
  const url = `${request.base}${path.replace(FORM_PATH, "")}${query.size > 0 ? `?${query}` : ""}`;
  return respondWithPage(request, {
    status,
    language: shop.language,
    title: `${title} · ${shop.profile.name}`,
    accent: shop.theme.accent,
    imageUrls: shop.theme.logo === null ? [] : [shop.theme.logo],
    props: {
      yourTime: texts.yourTime,
      language: shop.language,
      ...(props.isEmbedded && {
        frame: { origins: embedOrigins, isFirst: isFirstOfFrame(request), booked },
      }),
    } satisfies PageProps,
    hasForms: true,
    embedOrigins,
    isPrivate: true,
    headers,
    content: (
      <BookingFrame {...props} url={url}>
        {content}
      </BookingFrame>
    ),
  });
}

/** A time that the page refuses, and the URL of the times of other days. */
type RefusedTime = { at: number; otherDaysUrl: string };

/** Returns a sentence that says that the page takes no more visits on a day. */
export const sayFull = ({ shop, texts }: BookingShop, date: string): string =>
  fillText(texts.dayFull, { date: shop.format.plainDate(date) });

/**
 * Shows that the page takes no booking, and the telephone number.
 * @param refused the time that is refused; null if the page takes no booking for any time
 */
export const respondClosed = (
  request: PageRequest,
  props: BookingShop,
  status = 200,
  refused: RefusedTime | null = null,
): HttpResponse =>
  respondWithShop(request, props, {
    title: props.texts.title,
    status,
    content: (
      <>
        <Heading>{props.texts.title}</Heading>
        <p>{whyClosed(props, refused)}</p>
        {refused !== null && (
          <p>
            <a class="button primary" href={refused.otherDaysUrl}>
              {props.texts.anotherTime}
            </a>
          </p>
        )}
        <Telephone {...props} />
      </>
    ),
  });

/** Returns why the page takes no booking. Nobody is asked to call a business without a number. */
function whyClosed(props: BookingShop, refused: RefusedTime | null): string {
  const { business, shop, texts } = props;
  if (!takesBookings(business)) return texts.closed;
  if (refused !== null) return sayFull(props, localDateOf(refused.at, business.doc.timezone));
  return shop.profile.phone === null ? texts.noMoreBookings : texts.shareUsed;
}

/**
 * Shows the telephone number to a guest whose visit or order the page refuses, and records that for
 * the operator. Returns undefined for other errors.
 * @param time the time that the guest has chosen; null for an order
 */
export function respondToRefusal(
  request: PageRequest,
  props: BookingShop,
  error: unknown,
  time: RefusedTime | null = null,
): HttpResponse | undefined {
  if (!isClosedError(error)) return undefined;
  recordRefusal(request.rt, props.business, error);
  // The page may fill a part of each day, but the limit of a visitor counts the visits of any day.
  const isOfDay = error instanceof AppError && error.code === "too_many_holds";
  return respondClosed(request, props, 429, isOfDay ? time : null);
}

/**
 * Returns a sentence about how long a time is kept for the guest.
 * @param until null if the time is not kept
 */
export function writeKept({ shop, business, texts }: BookingShop, until: number | null): string {
  if (until === null) return texts.notKept;
  return fillText(texts.heldUntil, { time: writeTime(shop, business.doc.timezone, until) });
}

/**
 * Shows that a link in a mail confirms the visit.
 * @param correction the URL and the fields of the form that leads back to the details
 */
export const respondCheckMail = (
  request: PageRequest,
  props: BookingShop,
  hold: Hold,
  correction: { action: string; fields: Fields },
): HttpResponse =>
  respondWithShop(request, props, {
    title: props.texts.checkMail,
    status: 202,
    content: (
      <>
        <Heading>{props.texts.checkMail}</Heading>
        <p>
          {fillText(props.texts.checkMailText, {
            time: writeTime(props.shop, props.business.doc.timezone, confirmableUntil(hold)),
          })}{" "}
          {writeKept(props, keptUntil(hold, request.rt.now()))}
        </p>
        <form method="post" action={correction.action}>
          <Hidden fields={[["change", "1"], ...correction.fields]} />
          <p>{props.texts.wrongAddress}</p>
          <button type="submit">{props.texts.change}</button>
        </form>
        <Telephone {...props} />
      </>
    ),
  });

/**
 * Responds to a form that was already used. The browser that has sent the form is led to what was
 * booked. Nobody else gets the link, because the guest may have shown the URL of the form to
 * others.
 * @param isChanged whether the form was sent again with other details, which were not booked
 */
export function respondUsed(
  request: PageRequest,
  props: BookingShop,
  formKey: string,
  isChanged = false,
): HttpResponse {
  const { texts } = props;
  const keyId = findPageKey(request.rt, props.business);
  const token = readCookies(request, BOOKED_COOKIE).find(isLinkToken);
  // The key of the form is in its URL, so it does not prove who has sent the form. A cookie with
  // the token of the booking does.
  const isOwn =
    token !== undefined &&
    keyId !== undefined &&
    token === findBookedByKey(request.rt, keyId, formKey);
  const url = isOwn ? urlOfBooked(request, props, token) : undefined;
  if (url !== undefined && !isChanged) return redirect(request, url);
  return respondWithShop(request, props, {
    title: texts.title,
    status: 409,
    content: (
      <>
        <Heading>{texts.title}</Heading>
        <p>{texts.formUsed}</p>
        {url !== undefined && (
          <p>
            <a href={url}>{texts.toBooked}</a>
          </p>
        )}
        <p>
          <a class="button primary" href={urlOfStep(props, keptFields(request))}>
            {texts.bookAgain}
          </a>
        </p>
        <Telephone {...props} />
      </>
    ),
  });
}

/** Returns whether an error says that a form was already used with other details. */
export const isUsedError = (error: unknown): boolean =>
  error instanceof AppError && error.code === "idempotency_key_reused";

export const redirect = (
  { context }: PageRequest,
  location: string,
  headers: RawHeaders = [],
): HttpResponse =>
  respond(context, 303, ["location", location, "content-length", "0", ...NO_STORE, ...headers]);

const HOLD_COOKIE = "deskbell_hold";
const isHoldId = (text: string): boolean => /^hld_[0-9a-z]+$/.test(text);
const BOOKED_COOKIE = "deskbell_booked";

/** Returns the ID of the hold that this browser has made. */
export const readHoldCookie = (request: PageRequest): string | undefined =>
  readCookies(request, HOLD_COOKIE).find(isHoldId);

/**
 * Returns the header that sets a cookie with the ID of the visitor's hold, so that the next hold of
 * this visitor can release it.
 */
export const holdCookie = (request: PageRequest, holdId: string, maxAgeMs: number): RawHeaders =>
  setPageCookie(request, HOLD_COOKIE, holdId, maxAgeMs);

/**
 * Returns the header that sets a cookie with the token of the link to what a form has booked, so
 * that a guest who goes back to the form is led there.
 */
export const bookedCookie = (request: PageRequest, token: string): RawHeaders =>
  setPageCookie(request, BOOKED_COOKIE, token, HOLD_MS);

/**
 * Returns the header that sets a cookie for the booking page. A frame gets no cookie, because
 * browsers keep none there: the URLs in the frame have what it needs.
 */
const setPageCookie = (
  request: PageRequest,
  name: string,
  value: string,
  maxAgeMs: number,
): RawHeaders =>
  isEmbedded(request) ? [] : setCookie(request, "book", { name, value, maxAgeMs, sameSite: "Lax" });

const MAX_FIELDS = 100;
/** The most characters of a field. */
const MAX_CHARS = 5000;

/** Reads the fields of a form. Fields that are too many or too long are left out. */
export const parseForm = (body: Buffer): URLSearchParams =>
  new URLSearchParams(
    [...new URLSearchParams(body.toString("utf8"))]
      .slice(0, MAX_FIELDS)
      .filter(([, value]) => value.length <= MAX_CHARS),
  );
