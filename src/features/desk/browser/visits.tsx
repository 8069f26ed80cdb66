/** @jsxImportSource preact */
import type { DeskVisit, DeskVisitAction } from "../rules.ts";
import { Form, type Page } from "./parts.tsx";

export function Visits({
  page,
  visits,
  withDate = false,
}: {
  page: Page;
  visits: readonly DeskVisit[];
  withDate?: boolean;
}) {
  return (
    <ul class="visits">
      {visits.map((visit) => (
        <li key={visit.id} class={visit.at === "now" ? "at-now" : undefined}>
          <details>
            <summary>
              <Summary page={page} visit={visit} withDate={withDate} />
            </summary>
            <VisitDetails page={page} visit={visit} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function Summary({
  page: { texts },
  visit: { start, time, guest, guests, parts, status, at },
  withDate,
}: {
  page: Page;
  visit: DeskVisit;
  withDate: boolean;
}) {
  const away = parts.some(({ isStaffAway }) => isStaffAway);
  return (
    <>
      <b>{withDate ? `${start.slice(0, 10)} ${time}` : time}</b>{" "}
      {at && <strong class="mark">{at === "now" ? texts.now : texts.next}</strong>}{" "}
      <bdi>{guest ?? "–"}</bdi>
      {guests > 1 && ` (${guests})`}{" "}
      <span class={status === "PENDING" ? "warn" : "faint"}>{texts.status[status]}</span>
      <br />
      <span class="faint">
        {parts
          .map(({ what, staff, place }) => [what, staff, place].filter(Boolean).join(" · "))
          .join(" + ")}
      </span>
      {away && <strong class="bad"> {texts.away}</strong>}
    </>
  );
}

function VisitDetails({ page, visit }: { page: Page; visit: DeskVisit }) {
  const { texts } = page;
  const { id, actions, contact, start } = visit;
  const about = `${visit.guest ?? ""} ${visit.time}`;
  const isOnly = (action: DeskVisitAction): boolean => action !== "reschedule";
  return (
    <div class="details">
      {contact && (
        <p>
          {contact.phone !== null && <a href={`tel:${contact.phone}`}>{contact.phone}</a>}{" "}
          {contact.email !== null && <a href={`mailto:${contact.email}`}>{contact.email}</a>}
          {contact.notes !== null && <bdi class="notes">{contact.notes}</bdi>}
        </p>
      )}
      {actions.some((action) => TELLING.includes(action)) && <p class="faint">{texts.tells}</p>}
      <div class="actions">
        {actions.filter(isOnly).map((action) => (
          <Form
            key={action}
            page={page}
            action={action}
            fields={{ id }}
            button={texts.actions[action]}
            about={about}
          />
        ))}
      </div>
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
      {contact && (
        <Form page={page} action="note" fields={{ id }} button={texts.save} about={about}>
          <label>
            {texts.note}
            <textarea name="note" rows={2} maxLength={2000} defaultValue={contact.notes ?? ""} />
          </label>
        </Form>
      )}
    </div>
  );
}

/** The actions of which whoever made the booking is told at once. */
const TELLING: readonly DeskVisitAction[] = ["approve", "decline", "cancel", "reschedule"];
