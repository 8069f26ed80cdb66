/** @jsxImportSource preact */
import { useMemo } from "preact/hooks";
import { fillPlural, fillText, type PageLanguage } from "../../../pages/languages.ts";
import type { DeskView, DeskVisit } from "../rules.ts";
import { Away, SomebodyAway } from "./absences.tsx";
import { type Live, type Page, Section } from "./parts.tsx";
import {
  CheckIn,
  canCheckIn,
  Closing,
  countedTitle,
  hasSomethingToSell,
  hasOrders,
  Orders,
  ordersTitle,
  SoldOut,
  soldOutTitle,
  WalkIn,
} from "./sections.tsx";
import type { DeskTexts } from "./texts.ts";
import { timesIn } from "./times.ts";
import { aboutOf, NowAndNext, rowId, Visits } from "./visits.tsx";

/**
 * The outcome of an action in words. `codes` are the admission codes of a confirmed order, and
 * `visitId` names the visit that was changed.
 */
export type DeskMessage = { text: string; isGood: boolean; codes: string[]; visitId?: string };

export type DeskProps = {
  view: DeskView;
  texts: DeskTexts;
  language: PageLanguage;
  /** The locale in which times are written, such as `en-GB`. */
  locale: string;
  /** The path of the page, to which its forms are sent. */
  path: string;
  /** The path of the script that finds tickets' codes in pictures. */
  scanner: string;
  message: DeskMessage | null;
};

/** The page of the desk. The server and the script render it alike. */
export function Desk({ live, message, ...props }: DeskProps & { live?: Live }) {
  const { view, texts, language, path, locale } = props;
  const { key: formKey, today } = view;
  const times = timesIn(locale);
  // A new `page` object would render every part again, and the answer to a tap would come too late.
  // `formKey` may be older than the view, because the script adds the current key to each action.
  const page = useMemo(
    (): Page => ({ texts, language, times, path, formKey, today, live }),
    [today, live?.isLocked],
  );
  const sections = useMemo(() => <Sections page={page} view={view} />, [page, view]);
  return (
    <main>
      <h1>
        {view.business} <span class="faint">{view.desk}</span>
      </h1>
      <StateOfView page={page} view={view} live={live} message={message} />
      <Codes message={message} texts={texts} />
      <div class="parts" aria-busy={live?.isBusy === true ? "true" : undefined}>
        {sections}
      </div>
    </main>
  );
}

function Sections({ page, view }: { page: Page; view: DeskView }) {
  const { texts, times, language, path } = page;
  const { rights, isOfOnePerson, pending, recent, days } = view;
  const titles = [texts.today, texts.tomorrow];
  return (
    <>
      <SectionLinks page={page} view={view} />
      {view.isHoursChanged && rights.includes("close") && !isOfOnePerson && (
        <p class="note warn">
          {texts.closedAtDesk} <a href="#closing">{texts.takeBackClosing}</a>
        </p>
      )}
      {view.away && <Away page={page} away={view.away} />}
      <div class="columns">
        <div>
          <NowAndNext page={page} visits={days[0]?.visits ?? []} />
          {pending.length > 0 && (
            <section id="decide">
              <h2>{texts.toDecide}</h2>
              <Visits page={page} visits={pending} withDate />
            </section>
          )}
          {days.map(({ date, visits }, i) => (
            <section key={date} id={date}>
              <h2>
                {titles[i]}{" "}
                <span class="faint">
                  {times.day(date, view.today)}
                  {visits.length > 0 && ` · ${fillPlural(language, texts.visits, visits.length)}`}
                </span>
              </h2>
              {visits.length === 0 && <p class="faint">{texts.noVisits}</p>}
              <EarlierVisits texts={texts} visits={visits} />
              <Visits page={page} visits={visits} />
            </section>
          ))}
          {recent.length > 0 && (
            <section id="recent">
              <h2>{texts.recent}</h2>
              <Visits page={page} visits={recent} withDate isOnlyList />
            </section>
          )}
        </div>
        <div class="tools">
          {rights.includes("visits") && <WalkIn page={page} view={view} />}
          {canCheckIn(view) && <CheckIn page={page} />}
          {hasOrders(view) && <Orders page={page} view={view} />}
          {rights.includes("sold-out") && hasSomethingToSell(view) && (
            <SoldOut page={page} view={view} />
          )}
          {rights.includes("close") && !isOfOnePerson && view.staff.length > 0 && (
            <SomebodyAway page={page} view={view} />
          )}
          {rights.includes("close") && !isOfOnePerson && <Closing page={page} view={view} />}
          <Section id="device" title={texts.device}>
            <form method="post" action={`${path}/unpair`}>
              <button type="submit">{texts.unpair}</button>
            </form>
          </Section>
        </div>
      </div>
    </>
  );
}

/** A control to show the visits that are over: while it is closed, the style sheet hides them. */
function EarlierVisits({ texts, visits }: { texts: DeskTexts; visits: readonly DeskVisit[] }) {
  const past = visits.filter(({ at }) => at === "past");
  if (past.length === 0) return null;
  const unrecorded = past.filter(({ status }) => status === "CONFIRMED").length;
  return (
    <details class="earlier">
      <summary>
        {fillText(texts.earlier, { count: past.length })}
        {unrecorded > 0 && (
          <strong class="warn"> {fillText(texts.unrecorded, { count: unrecorded })}</strong>
        )}
      </summary>
    </details>
  );
}

/** Links to the parts of the page, which is long on a phone. */
function SectionLinks({ page: { texts }, view }: { page: Page; view: DeskView }) {
  const { rights, isOfOnePerson, pending, recent, days } = view;
  const can = (right: DeskView["rights"][number]) => rights.includes(right);
  const canClose = can("close") && !isOfOnePerson;
  const links: [id: string, title: string, isShown: boolean][] = [
    ["decide", countedTitle(texts.toDecide, pending), pending.length > 0],
    [days[1]?.date ?? "", texts.tomorrow, days.length > 1],
    ["recent", texts.recent, recent.length > 0],
    ["walk-in", texts.walkIn, can("visits")],
    ["check-in", texts.checkIn, canCheckIn(view)],
    ["orders", ordersTitle(texts, view), hasOrders(view)],
    ["sold-out", soldOutTitle(texts, view), can("sold-out") && hasSomethingToSell(view)],
    ["away", texts.somebodyAway, canClose && view.staff.length > 0],
    ["closing", texts.closing, canClose],
  ];
  return (
    <nav aria-label={texts.goTo} class="jumps">
      {links
        .filter(([, , isShown]) => isShown)
        .map(([id, title]) => (
          <a key={id} class="button" href={`#${id}`}>
            {title}
          </a>
        ))}
    </nav>
  );
}

type StateProps = {
  page: Page;
  view: DeskView;
  live: Live | undefined;
  message: DeskMessage | null;
};

function StateOfView({ page, view, live, message }: StateProps) {
  const { texts, times } = page;
  const time = times.time(view.now);
  // A visit that today and tomorrow do not list is one tap away, in case the action was a mistake.
  const changed = view.recent.find(({ id }) => id === message?.visitId);
  const isStale = live?.isStale === true;
  return (
    <div class="state">
      <p class={isStale ? "bad" : "faint"}>
        {fillText(texts.updated, { time })}
        {isStale && `, ${live.age}`}
      </p>
      <p role="status" class="bad">
        {isStale && (live.isConnected ? texts.reading : texts.offline)}
      </p>
      <div role="status" id="message" tabIndex={-1}>
        {message && (
          <p class={`note ${message.isGood ? "good" : "bad"}`}>
            {message.text} {changed && <a href={`#${rowId(changed)}`}>{aboutOf(page, changed)}</a>}
          </p>
        )}
      </div>
      {live?.question && (
        <div class="actions">
          <button type="button" class="primary" onClick={live.question.sendAgain}>
            {texts.sendAgain}
          </button>
          <button type="button" onClick={live.question.drop}>
            {texts.drop}
          </button>
        </div>
      )}
    </div>
  );
}

/** The codes of an order, which are shown after its confirmation only. */
const Codes = ({ message, texts }: { message: DeskMessage | null; texts: DeskTexts }) =>
  message === null || message.codes.length === 0 ? null : (
    <div class="card">
      <p>{texts.codesOnce}</p>
      <ul>
        {message.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </div>
  );
