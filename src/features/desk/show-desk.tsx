/** @jsxImportSource preact */
import { showHidden } from "../../domain/text.ts";
import { clientAddressOf, type PageRequest, wantsJson } from "../../http/pages/page-request.ts";
import { pathOfLaterScript } from "../../http/pages/page-files.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import { NO_STORE } from "../../http/pipeline/business-response.ts";
import { type HttpResponse, respond, respondJson } from "../../http/pipeline/request-context.ts";
import { fillText, type PageLanguage } from "../../pages/languages.ts";
import { act, tokenOf } from "./actions/act.ts";
import { Desk, type DeskMessage, type DeskProps } from "./browser/desk.tsx";
import { TEXTS } from "./browser/texts.ts";
import { localeOfTimes, type Times, timesIn } from "./browser/times.ts";
import { hasHttpsOrLoopback, sessionOf } from "./cookie.ts";
import { type DeskSession, recordUse } from "./desks.ts";
import { readForm } from "./form.ts";
import { deskPathOf, languageOf } from "./page-request.ts";
import { respondNotPaired, respondNeedsHttps } from "./pair.tsx";
import { REFUSAL_TEXTS } from "./actions/refusal-texts.ts";
import { type DeskOutcome, SCANNER } from "./rules.ts";
import { createDeskStore } from "./store.ts";
import { readDeskView, versionOf } from "./view.ts";

/**
 * Shows the desk's page of today. The page's script requests JSON, and names the version that it
 * already has, so that an unchanged view needs no response body.
 */
export function showDesk(request: PageRequest): HttpResponse {
  if (!hasHttpsOrLoopback(request)) return respondNeedsHttps(request);
  const { rt, context } = request;
  const session = sessionOf(request);
  if (session === undefined) return respondNotPaired(request);
  recordUse(rt, session);
  const query = new URLSearchParams(context.request.search);
  if (wantsJson(request) && query.get("version") === versionOf(rt))
    return respond(context, 204, NO_STORE);
  const outcome = findOutcome(request, session, query.get("done"));
  return respondWithDesk(request, session, outcome, query.get("away") ?? undefined);
}

function findOutcome(
  { rt }: PageRequest,
  { device }: DeskSession,
  token: string | null,
): DeskOutcome | undefined {
  return token === null ? undefined : rt.openStore(createDeskStore).findOutcome(device.id, token);
}

/** Runs the action of a form, at most once, and shows the desk's page again. */
export async function postAction(request: PageRequest): Promise<HttpResponse> {
  if (!hasHttpsOrLoopback(request)) return respondNeedsHttps(request);
  const { rt, context } = request;
  const form = await readForm(request);
  // The session is read after the body, so that a device that was revoked meanwhile does nothing.
  const session = sessionOf(request);
  if (session === undefined) return respondNotPaired(request);
  const outcome = act(rt, session, form, clientAddressOf(request));
  const awayId = outcome.ok ? outcome.awayId : undefined;
  // The action may have changed the business, so the session is read again before it is shown.
  const current = sessionOf(request) ?? session;
  // A redirect could not show the codes, because they are not stored with the outcome.
  if (wantsJson(request) || (outcome.codes ?? []).length > 0)
    return respondWithDesk(request, current, outcome, awayId);
  const query = new URLSearchParams({ done: tokenOf(form), ...(awayId && { away: awayId }) });
  return respond(context, 303, [
    "location",
    `${deskPathOf(request)}?${query}${awayId === undefined ? "" : "#away-visits"}`,
    "content-length",
    "0",
    ...NO_STORE,
  ]);
}

function respondWithDesk(
  request: PageRequest,
  session: DeskSession,
  outcome: (DeskOutcome & { codes?: string[] }) | undefined,
  awayId: string | undefined,
): HttpResponse {
  const language = languageOf(request, session.business.doc.locale);
  const locale = localeOfTimes(language, session.business.doc.locale);
  const texts = TEXTS[language];
  const view = readDeskView(request.rt, session, awayId, language);
  const message =
    outcome === undefined
      ? null
      : toMessage(session, language, timesIn(locale), view.today, outcome);
  if (wantsJson(request)) return respondJson(request.context, 200, { view, message }, NO_STORE);
  const props: DeskProps = {
    view,
    texts,
    language,
    locale,
    path: deskPathOf(request),
    scanner: pathOfLaterScript(request, SCANNER),
    message,
  };
  return respondWithPage(request, {
    language,
    title: `${view.desk} · ${view.business}`,
    description: texts.about,
    content: <Desk {...props} />,
    props,
    hasForms: true,
    isPrivate: true,
  });
}

function toMessage(
  { business: { slug } }: DeskSession,
  language: PageLanguage,
  times: Times,
  today: string,
  outcome: DeskOutcome & { codes?: string[] },
): DeskMessage {
  const texts = TEXTS[language];
  if (outcome.ok) {
    const { code, count = 0, name, order, visitId, codes = [] } = outcome;
    const text =
      name === undefined
        ? fillText(texts.done[code], { count })
        : fillText(texts.checkedInAs, { name: showHidden(name) });
    // The codes of an order are kept for a few minutes only, so an action that is repeated later
    // gets none.
    if (order !== undefined && codes.length === 0) {
      const command = `deskbell tickets list --order ${order} --business ${slug}`;
      return { text: `${text} ${fillText(texts.codesGone, { command })}`, isGood: true, codes };
    }
    return { text, isGood: true, codes, ...(visitId !== undefined && { visitId }) };
  }
  const { refusal, message } = outcome;
  if (refusal === undefined) {
    const text = fillText(texts.notDone, { reason: message });
    return { text, isGood: false, codes: [] };
  }
  const { code, at, name = "" } = refusal;
  // A text without a time or name has no placeholder for it.
  const time = at === null ? "" : timeInWords(times, today, at, code === "other_event");
  const text = fillText(REFUSAL_TEXTS[language][code], { time, name: showHidden(name) });
  return { text, isGood: false, codes: [] };
}

/** @param withDay whether the text names the day even if `at` is today */
function timeInWords(times: Times, today: string, at: string, withDay: boolean): string {
  const day = at.slice(0, 10);
  const time = times.time(at);
  return day === today && !withDay ? time : `${times.day(day, today)}, ${time}`;
}
