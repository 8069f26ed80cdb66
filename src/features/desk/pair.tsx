/** @jsxImportSource preact */
import { clientAddressOf, type PageRequest, wantsJson } from "../../http/pages/page-request.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import { getHeader, type HttpResponse, respond } from "../../http/pipeline/request-context.ts";
import { AppError } from "../../domain/errors.ts";
import { fillText } from "../../pages/languages.ts";
import { TEXTS } from "./browser/texts.ts";
import { cookieHeaders, hasHttpsOrLoopback, sessionOf } from "./cookie.ts";
import { findDeskByLink, pairDevice, runAsDesk, unpairDevice } from "./desks.ts";
import { deskPathOf, languageOf } from "./page-request.ts";
import { REFUSAL_TEXTS } from "./actions/refusal-texts.ts";

/**
 * Shows a button that pairs the device. Opening the link changes nothing, because chats and mail
 * programs open links for a preview.
 */
export function showPairing(request: PageRequest): HttpResponse {
  if (!hasHttpsOrLoopback(request)) return respondNeedsHttps(request);
  const { rt, slug, context } = request;
  const desk = findDeskByLink(rt, slug, context.request.params["token"] ?? "");
  if (desk === undefined) return respondLinkEnded(request);
  const language = languageOf(request, localeOf(request));
  const texts = TEXTS[language];
  return respondWithPage(request, {
    language,
    title: texts.pairTitle,
    hasForms: true,
    isPrivate: true,
    content: (
      <main>
        <h1>{texts.pairTitle}</h1>
        <p>{fillText(texts.pairText, { desk: desk.name })}</p>
        <form method="post">
          <button type="submit" class="primary">
            {texts.pairButton}
          </button>
        </form>
      </main>
    ),
  });
}

/**
 * Pairs the device, and redirects it to the desk, so that the token is no longer in the address.
 */
export function postPairing(request: PageRequest): HttpResponse {
  if (!hasHttpsOrLoopback(request)) return respondNeedsHttps(request);
  const { rt, slug, context } = request;
  const linkToken = context.request.params["token"] ?? "";
  try {
    const token = pairDevice(rt, slug, linkToken, {
      userAgent: getHeader(context.request, "user-agent"),
      address: clientAddressOf(request),
    });
    return token === undefined ? respondLinkEnded(request) : redirectToDesk(request, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    const { too_many_devices: title } = REFUSAL_TEXTS[languageOf(request, null)];
    return respondWithNotice(request, 409, title);
  }
}

/** Ends the session of the device that asks for it. */
export function postUnpairing(request: PageRequest): HttpResponse {
  const { rt } = request;
  const session = sessionOf(request);
  if (session !== undefined)
    runAsDesk(rt, session.desk, clientAddressOf(request), () => unpairDevice(rt, session));
  return redirectToDesk(request, "");
}

/** Redirects to the desk, and sets the device's cookie. @param token empty to delete the cookie */
const redirectToDesk = (request: PageRequest, token: string): HttpResponse =>
  respond(request.context, 303, [
    "location",
    deskPathOf(request),
    "content-length",
    "0",
    "cache-control",
    "no-store",
    "referrer-policy",
    "strict-origin",
    ...cookieHeaders(request, token),
  ]);

const localeOf = ({ rt, slug }: PageRequest): string | null =>
  rt.store.businesses.findBySlug(slug)?.doc.locale ?? null;

const respondLinkEnded = (request: PageRequest): HttpResponse =>
  respondWithMessage(request, 404, "linkEnded");

/** Responds to a device that is not paired, or is no longer paired. */
export function respondNotPaired(request: PageRequest): HttpResponse {
  if (wantsJson(request))
    throw new AppError("missing_key", "This device is not paired with the desk.");
  return respondWithMessage(request, 401, "notPaired");
}

function respondWithMessage(
  request: PageRequest,
  status: number,
  message: "linkEnded" | "notPaired",
): HttpResponse {
  // A stranger learns nothing about the business, not even whether it exists.
  const texts = TEXTS[languageOf(request, null)];
  return respondWithNotice(request, status, texts[message], texts.askForLink);
}

/**
 * Responds to a browser that reaches the server neither by https nor on the same machine: the
 * cookie would be sent in plain text.
 */
export function respondNeedsHttps(request: PageRequest): HttpResponse {
  const message = "The desk needs https, and this address has none.";
  if (wantsJson(request)) throw new AppError("address_not_allowed", message);
  return respondWithNotice(request, 403, REFUSAL_TEXTS[languageOf(request, null)].needs_https);
}

const respondWithNotice = (
  request: PageRequest,
  status: number,
  title: string,
  hint?: string,
): HttpResponse =>
  respondWithPage(request, {
    status,
    language: languageOf(request, null),
    title,
    isPrivate: true,
    content: (
      <main>
        <h1>{title}</h1>
        {hint !== undefined && <p>{hint}</p>}
      </main>
    ),
  });
