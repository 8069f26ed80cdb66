/** @jsxImportSource preact */
import { createGetClientAddress } from "../../http/auth/client-address.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import { getHeader, type HttpResponse, respond } from "../../http/pipeline/request-context.ts";
import { AppError } from "../../domain/errors.ts";
import { fillText } from "../../pages/languages.ts";
import { TEXTS } from "./browser/texts.ts";
import { assertSafe, cookieHeaders, sessionOf } from "./cookie.ts";
import { findDeskByLink, pairDevice, runAsDesk, unpairDevice } from "./desks.ts";
import { languageOf, pathOf, wantsJson } from "./page-request.ts";

/**
 * Shows a button that pairs the device. Opening the link changes nothing, because chats and mail
 * programs open links for a preview.
 */
export function showPairing(request: PageRequest): HttpResponse {
  assertSafe(request);
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
          <button type="submit">{texts.pairButton}</button>
        </form>
      </main>
    ),
  });
}

/** Pairs the device, and leads to the desk, whose address has no token. */
export function postPairing(request: PageRequest): HttpResponse {
  assertSafe(request);
  const { rt, slug, context } = request;
  const getClientAddress = createGetClientAddress(rt.config.http.trustedProxies);
  const token = pairDevice(rt, slug, context.request.params["token"] ?? "", {
    userAgent: getHeader(context.request, "user-agent"),
    address: getClientAddress(context.request),
  });
  if (token === undefined) return respondLinkEnded(request);
  return redirect(request, token);
}

/** Ends the session of the device that asks for it. */
export function postUnpairing(request: PageRequest): HttpResponse {
  const { rt, context } = request;
  const session = sessionOf(request);
  const getClientAddress = createGetClientAddress(rt.config.http.trustedProxies);
  if (session !== undefined)
    runAsDesk(rt, session.desk, getClientAddress(context.request), () => unpairDevice(rt, session));
  return redirect(request, "");
}

const redirect = (request: PageRequest, token: string): HttpResponse =>
  respond(request.context, 303, [
    "location",
    pathOf(request),
    "content-length",
    "0",
    "cache-control",
    "no-store",
    "referrer-policy",
    "no-referrer",
    ...cookieHeaders(request, token),
  ]);

const localeOf = ({ rt, slug }: PageRequest): string | null =>
  rt.store.businesses.findBySlug(slug)?.doc.locale ?? null;

const respondLinkEnded = (request: PageRequest): HttpResponse =>
  respondWithMessage(request, 404, "linkEnded");

/** Responds to a device that is not paired, or no longer. */
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
  const language = languageOf(request, null);
  const texts = TEXTS[language];
  return respondWithPage(request, {
    status,
    language,
    title: texts[message],
    isPrivate: true,
    content: (
      <main>
        <h1>{texts[message]}</h1>
        <p>{texts.askForLink}</p>
      </main>
    ),
  });
}
