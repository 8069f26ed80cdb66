/** @jsxImportSource preact */
import { useMemo } from "preact/hooks";
import { telUrl } from "../../../pages/call-button.tsx";
import { fillPlural, fillText } from "../../../pages/languages.ts";
import type { Teller } from "../../../domain/bookings/visit.ts";
import type { DeskVisit, DeskVisitAction } from "../rules.ts";
import { dayText, Form, momentText, type Page } from "./parts.tsx";
import type { DeskTexts } from "./texts.ts";

/** Returns the ID of the row of a visit in the list of its day, or of visits of other days. */
export const rowId = ({ id }: DeskVisit): string => `visit-${id}`;

/** The visits that take place now, and the next visit, each with a link to its row. */
export function NowAndNext({ page, visits }: { page: Page; visits: readonly DeskVisit[] }) {
  const shown = visits.filter(({ at }) => at === "now" || at === "next");
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="now-and-next">
      <h2 id="now-and-next">{page.texts.nowAndNext}</h2>
      <ul class="visits">
        {shown.map((visit) => (
          <li key={visit.id} class={visit.at === "now" ? "visit at-now" : "visit"}>
            <a class="row" href={`#${rowId(visit)}`}>
              <Row page={page} visit={visit} />
            </a>
            <QuickActions page={page} visit={visit} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type VisitsProps = {
  page: Page;
  visits: readonly DeskVisit[];
  /**
   * Whether each row shows the date of the visit and the time until which the business must decide.
   * Such a row has no ID, because the list of the visit's day may contain a row with this ID.
   */
  withDate?: boolean;
  /** Whether no other list contains these visits, so that each row has an ID. */
  isOnlyList?: boolean;
};

export const Visits = ({ page, visits, withDate = false, isOnlyList = !withDate }: VisitsProps) => (
  <ul class="visits">
    {visits.map((visit) => (
      <VisitRow
        key={visit.id}
        page={page}
        visit={visit}
        withDate={withDate}
        isOnlyList={isOnlyList}
      />
    ))}
  </ul>
);

/** Renders a visit again only if it has changed: a day may have a hundred visits. */
function VisitRow({ page, visit, withDate = false, isOnlyList = false }: RowProps) {
  return useMemo(
    () => (
      <li class={visit.at === null ? "visit" : `visit at-${visit.at}`}>
        <details>
          <summary class="row">
            <Row page={page} visit={visit} withDate={withDate} />
          </summary>
          <div class="details" id={isOnlyList ? rowId(visit) : undefined}>
            <VisitDetails page={page} visit={visit} withDate={withDate} />
          </div>
        </details>
        {!hasActionsOnlyOnTop(visit) && <QuickActions page={page} visit={visit} />}
      </li>
    ),
    [page, JSON.stringify(visit)],
  );
}

/**
 * Returns whether the row of a visit lacks quick actions because they are at the top of the page. A
 * visit that comes next has them in both places.
 */
const hasActionsOnlyOnTop = ({ at }: DeskVisit): boolean => at === "now";

type RowProps = { page: Page; visit: DeskVisit } & Pick<VisitsProps, "withDate" | "isOnlyList">;

function Row({ page, visit, withDate = false }: RowProps) {
  const { texts, times } = page;
  const { start, end, decideBy, at, parts, status, actions, teller } = visit;
  return (
    <>
      <span class="when">
        {withDate && <span>{dayText(page, start)} </span>}
        <b>{times.time(start)}</b> <span class="faint">{times.time(end)}</span>
      </span>
      <span class="who">
        {(at === "now" || at === "next") && (
          <>
            <strong class="mark">{at === "now" ? texts.now : texts.next}</strong>{" "}
          </>
        )}
        <bdi class="name">{visit.guest ?? texts.noName}</bdi>
        <span class="what">
          <Party page={page} visit={visit} />
          {parts
            .map(({ what, staff, place }) => [what, staff, place].filter(Boolean).join(" · "))
            .join(" + ")}
        </span>
        {withDate && decideBy !== null && (
          <span class="what">{fillText(texts.decideBy, { time: momentText(page, decideBy) })}</span>
        )}
        {withDate && actions.some(isNotifying) && (
          <span class={`what ${lookOf(teller)}`}>{texts.tells[tellerOf(visit)]}</span>
        )}
      </span>
      <span class="states">
        <span class={`chip ${status.toLowerCase()}`}>{texts.status[status]}</span>{" "}
        {parts.some(({ isStaffAway }) => isStaffAway) && (
          <strong class="chip away">{texts.away}</strong>
        )}
      </span>
    </>
  );
}

const Party = ({ page, visit: { guests, type } }: RowProps) =>
  guests > 1 || type === "reservation" ? (
    <b>{fillPlural(page.language, page.texts.guests, guests)} · </b>
  ) : null;

/** Returns the actions whose buttons are on the row itself, outside its details. */
const quickActionsOf = ({ status, at, actions }: DeskVisit): DeskVisitAction[] => {
  const wanted: DeskVisitAction[] =
    status === "PENDING"
      ? ["approve"]
      : status === "CONFIRMED" && (at === "now" || at === "past")
        ? ["complete", "noShow"]
        : [];
  return wanted.filter((action) => actions.includes(action));
};

type ActionsProps = { page: Page; visit: DeskVisit; actions: readonly DeskVisitAction[] };

const Actions = ({ page, visit, actions }: ActionsProps) => (
  <div class="actions">
    {actions.map((action, i) => (
      <Form
        key={action}
        page={page}
        action={action}
        fields={{ id: visit.id, shown: visit.start }}
        button={page.texts.actions[action]}
        about={aboutOf(page, visit)}
        look={
          action === "cancel" || action === "decline" ? "danger" : i === 0 ? "primary" : undefined
        }
      />
    ))}
  </div>
);

/** Returns what a screen reader says after the text of a button. */
export const aboutOf = (page: Page, { guest, start }: DeskVisit): string =>
  `${guest ?? page.texts.noName}, ${momentText(page, start)}`;

function QuickActions({ page, visit }: RowProps) {
  const actions = quickActionsOf(visit);
  return actions.length === 0 ? null : <Actions page={page} visit={visit} actions={actions} />;
}

/** The actions that take the booked time from a guest, who should be told. */
const NOTIFYING: readonly DeskVisitAction[] = ["decline", "cancel", "reschedule"];
const isNotifying = (action: DeskVisitAction): boolean => NOTIFYING.includes(action);

/**
 * Returns the style of the text about who tells the guest. The text is a warning if nobody tells
 * the guest, because a person must call then.
 */
const lookOf = (teller: Teller): string => (teller === "nobody" ? "warn" : "faint");

/** Returns which text says who tells the guest. Nobody is asked to call an unknown number. */
const tellerOf = ({ teller, contact }: DeskVisit): keyof DeskTexts["tells"] =>
  teller === "nobody" && !contact?.phone ? "nobodyCanCall" : teller;

function VisitDetails({ page, visit, withDate = false }: RowProps) {
  const { texts } = page;
  const { id, actions, contact, start, teller } = visit;
  const about = aboutOf(page, visit);
  const quick = hasActionsOnlyOnTop(visit) ? [] : quickActionsOf(visit);
  // Rescheduling has a form of its own.
  const buttons = actions.filter((action) => action !== "reschedule" && !quick.includes(action));
  // Declining and cancelling come last, so that nobody taps them by mistake.
  const lastButtons = buttons.filter(isNotifying);
  const firstButtons = buttons.filter((action) => !isNotifying(action));
  return (
    <>
      {contact && (
        <p>
          {contact.phone !== null && (
            <a class="button" href={telUrl(contact.phone)}>
              {contact.phone}
            </a>
          )}{" "}
          {contact.email !== null && (
            <a class="button" href={`mailto:${contact.email}`}>
              {contact.email}
            </a>
          )}
          {contact.notes !== null && <bdi class="notes">{contact.notes}</bdi>}
        </p>
      )}
      {firstButtons.length > 0 && <Actions page={page} visit={visit} actions={firstButtons} />}
      {contact && (
        <Form page={page} action="note" fields={{ id }} button={texts.save} about={about}>
          <label>
            {texts.note}
            <textarea name="note" rows={2} maxLength={2000} defaultValue={contact.notes ?? ""} />
          </label>
        </Form>
      )}
      {!withDate && actions.some(isNotifying) && (
        <p class={lookOf(teller)}>{texts.tells[tellerOf(visit)]}</p>
      )}
      {actions.includes("reschedule") && (
        <Form
          page={page}
          action="reschedule"
          fields={{ id }}
          button={texts.actions.reschedule}
          about={about}
        >
          <label>
            {texts.newTime}
            <input type="datetime-local" name="start" required defaultValue={start} />
          </label>
        </Form>
      )}
      {lastButtons.length > 0 && <Actions page={page} visit={visit} actions={lastButtons} />}
      {contact === null && actions.length === 0 && <p class="faint">{texts.nothingToDo}</p>}
    </>
  );
}
