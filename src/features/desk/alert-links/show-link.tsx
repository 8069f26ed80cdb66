/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Runtime } from "../../../app/runtime.ts";
import { formatLocalMinute } from "../../../domain/local-time.ts";
import { clientAddressOf, type PageRequest } from "../../../http/pages/page-request.ts";
import { respondWithPage } from "../../../http/pages/render-page.tsx";
import type { HttpResponse } from "../../../http/pipeline/request-context.ts";
import { fillPlural, fillText } from "../../../pages/languages.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { findTeller } from "../../guest-mail/queue-mail.ts";
import { TEXTS } from "../browser/texts.ts";
import { localeOfTimes, timesIn } from "../browser/times.ts";
import { readForm } from "../form.ts";
import { languageOf } from "../page-request.ts";
import {
  DECISIONS,
  type Decision,
  decideByLink,
  findLinkedVisit,
  type LinkedVisit,
} from "./alert-links.ts";
import { ALERT_LINK_TEXTS } from "./texts.ts";

/** The desk's action for each decision. The buttons have the texts of these actions. */
const ACTIONS = { accept: "approve", decline: "decline" } as const;
/** The desk's outcome for each decision. The pages have the texts of these outcomes. */
const DONE = { accept: "approved", decline: "declined" } as const;

/** What a link asks the reader to decide. */
type Question = LinkedVisit & { token: string; decision: Decision };

/** Returns the visit and the decision of a link; undefined if the link has ended. */
function findQuestion({ rt, slug, context }: PageRequest): Question | undefined {
  const { token = "", decision } = context.request.params;
  const knownDecision = DECISIONS.find((one) => one === decision);
  const linked = knownDecision && findLinkedVisit(rt, slug, token);
  return linked && { ...linked, token, decision: knownDecision };
}

/**
 * Asks whether to accept or decline the visit of a link in an alert. Opening the link changes
 * nothing, because chats and mail programs open links for a preview.
 */
export function showAlertLink(request: PageRequest): HttpResponse {
  const question = findQuestion(request);
  return question === undefined ? respondEnded(request) : respondWithQuestion(request, question);
}

/** Accepts or declines the visit of a link, once, and says so. */
export async function postAlertLink(request: PageRequest): Promise<HttpResponse> {
  const { rt, slug } = request;
  const { start = "" } = await readForm(request);
  // The link is read after the body, so that a link that has ended meanwhile does nothing.
  const question = findQuestion(request);
  if (question === undefined) return respondEnded(request);
  const { token, decision, business } = question;
  const address = clientAddressOf(request);
  const outcome = decideByLink(rt, slug, token, { decision, seenStart: Number(start), address });
  if (outcome === "ended") return respondEnded(request);
  if (outcome === "moved") return respondWithQuestion(request, question, { hasMoved: true });
  const language = languageOf(request, business.doc.locale);
  const title = TEXTS[language].done[DONE[decision]];
  return respondPrivately(request, 200, language, title, describeVisit(request, question));
}

function respondWithQuestion(
  request: PageRequest,
  question: Question,
  { hasMoved } = { hasMoved: false },
): HttpResponse {
  const { decision, business, visit } = question;
  const language = languageOf(request, business.doc.locale);
  const texts = TEXTS[language];
  const { questions, moved } = ALERT_LINK_TEXTS[language];
  const { day, time, today } = timesOf(request.rt, language, question);
  // The page has no guest data, so nobody could call from here.
  const teller = findTeller(request.rt, business, visit);
  const decideBy = `${day(visit.decideBy, today)}, ${time(visit.decideBy)}`;
  return respondPrivately(
    request,
    hasMoved ? 409 : 200,
    language,
    questions[decision],
    <>
      {hasMoved && <p class="note warn">{moved}</p>}
      {describeVisit(request, question)}
      <p>{texts.tells[teller === "nobody" ? "nobodyCanCall" : teller]}</p>
      <p class="faint">{fillText(texts.decideBy, { time: decideBy })}</p>
      <form method="post">
        <input type="hidden" name="start" value={String(visit.startsAt)} />
        <button type="submit">{texts.actions[ACTIONS[decision]]}</button>
      </form>
    </>,
  );
}

/** Returns the business, time, services and party of a visit, without guest data. */
function describeVisit(request: PageRequest, linked: LinkedVisit): ComponentChildren {
  const { visit, business } = linked;
  const language = languageOf(request, business.doc.locale);
  const { day, time, today } = timesOf(request.rt, language, linked);
  const guests = visit.type === "booking" ? visit.guests : visit.partySize;
  const serviceLines =
    visit.type === "booking"
      ? visit.segments.map(({ serviceName, staffName }) =>
          [serviceName, staffName].filter((name) => name !== null).join(", "),
        )
      : [];
  return (
    <>
      <p>
        <OutsideText text={business.doc.name} />
      </p>
      <p>
        <strong>
          {day(visit.startsAt, today)}, {time(visit.startsAt)}–{time(visit.endsAt)}
        </strong>
      </p>
      {serviceLines.map((line) => (
        <p>
          <OutsideText text={line} />
        </p>
      ))}
      <p>{fillPlural(language, TEXTS[language].guests, guests)}</p>
    </>
  );
}

/** Returns functions that write times (epoch ms) in the time zone of the business. */
function timesOf(rt: Runtime, language: string, { business: { doc } }: LinkedVisit) {
  const local = (at: number) => formatLocalMinute(at, doc.timezone);
  const { day, time } = timesIn(localeOfTimes(language, doc.locale));
  return {
    today: local(rt.now()).slice(0, 10),
    day: (at: number, today: string) => day(local(at).slice(0, 10), today),
    time: (at: number) => time(local(at)),
  };
}

function respondEnded(request: PageRequest): HttpResponse {
  // A stranger learns nothing about the business, not even whether it exists.
  const language = languageOf(request, null);
  const { ended, endedHint } = ALERT_LINK_TEXTS[language];
  return respondPrivately(request, 404, language, ended, <p>{endedHint}</p>);
}

const respondPrivately = (
  request: PageRequest,
  status: number,
  language: string,
  title: string,
  content: ComponentChildren,
): HttpResponse =>
  respondWithPage(request, {
    status,
    language,
    title,
    hasForms: true,
    isPrivate: true,
    content: (
      <main>
        <h1>{title}</h1>
        {content}
      </main>
    ),
  });
