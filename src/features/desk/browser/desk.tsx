/** @jsxImportSource preact */
import { fillPlural, fillText, type PageLanguage } from "../../../pages/languages.ts";
import type { DeskView } from "../rules.ts";
import type { Live, Page } from "./parts.tsx";
import { Away, CheckIn, Closing, Orders, SoldOut, SomebodyAway, WalkIn } from "./sections.tsx";
import { Visits } from "./visits.tsx";
import type { DeskTexts } from "./texts.ts";

export type DeskMessage = { text: string; isGood: boolean; codes: string[] };

export type DeskProps = {
  view: DeskView;
  texts: DeskTexts;
  language: PageLanguage;
  /** The path of the page, to which its forms are sent. */
  path: string;
  message: DeskMessage | null;
};

/** The page of the desk. The server and the script render it alike. */
export function Desk({ view, texts, language, path, message, ...live }: DeskProps & Live) {
  const page: Page = { texts, path, formKey: view.key, ...live };
  const { rights, isOfOnePerson } = view;
  const titles = [texts.today, texts.tomorrow];
  return (
    <main>
      <h1>
        {view.business} <span class="faint">{view.desk}</span>
      </h1>
      <p class={live.isOffline ? "bad" : "faint"} role="status">
        {fillText(live.isOffline ? texts.offline : texts.updated, { time: view.clock })}
      </p>
      <Message message={message} texts={texts} />
      {view.away && <Away page={page} away={view.away} />}
      {view.pending.length > 0 && (
        <section>
          <h2>{texts.toDecide}</h2>
          <Visits page={page} visits={view.pending} withDate />
        </section>
      )}
      {view.days.map(({ date, visits }, i) => (
        <section key={date}>
          <h2>
            {titles[i]}{" "}
            <span class="faint">
              {date} · {fillPlural(language, texts.visits, visits.length)}
            </span>
          </h2>
          {visits.length === 0 && <p class="faint">{texts.noVisits}</p>}
          <Visits page={page} visits={visits} />
        </section>
      ))}
      {rights.includes("visits") && <WalkIn page={page} view={view} />}
      {rights.includes("check-in") && <CheckIn page={page} />}
      {view.orders.length > 0 && <Orders page={page} view={view} />}
      {rights.includes("sold-out") && view.dishes.length + view.soldOut.length > 0 && (
        <SoldOut page={page} view={view} />
      )}
      {rights.includes("close") && !isOfOnePerson && <Closing page={page} view={view} />}
      {rights.includes("close") && !isOfOnePerson && view.staff.length > 0 && (
        <SomebodyAway page={page} staff={view.staff} />
      )}
      <form method="post" action={`${path}/unpair`} class="end">
        <button type="submit">{texts.unpair}</button>
      </form>
    </main>
  );
}

function Message({ message, texts }: { message: DeskMessage | null; texts: DeskTexts }) {
  return (
    <div role="status" aria-live="polite">
      {message && <p class={`note ${message.isGood ? "good" : "bad"}`}>{message.text}</p>}
      {message && message.codes.length > 0 && (
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
      )}
    </div>
  );
}
