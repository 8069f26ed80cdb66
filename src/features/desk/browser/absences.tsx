/** @jsxImportSource preact */
import { fillText } from "../../../pages/languages.ts";
import type { DeskAway, DeskView } from "../rules.ts";
import { Form, momentText, type Page, rangeText, Section } from "./parts.tsx";

/** Buttons that enter or end the time off of a staff member, for example of one who is ill. */
export const SomebodyAway = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section id="away" title={page.texts.somebodyAway}>
    {view.absences.map((absence) => (
      <div key={absence.id} class="line">
        <span>
          <b>{absence.staff}</b>{" "}
          <span class="faint">{rangeText(page, absence.from, absence.to)}</span>
        </span>
        <Form
          page={page}
          action="back"
          fields={{ id: absence.id }}
          button={page.texts.isBack}
          about={absence.staff}
        />
      </div>
    ))}
    {view.staff.map(({ id, name }) => (
      <div key={id} class="line">
        <b>{name}</b>
        <div class="actions">
          {(["today", "tomorrow"] as const).map((day) => (
            <Form
              key={day}
              page={page}
              action="away"
              fields={{ staff: id, day }}
              button={day === "today" ? page.texts.awayToday : page.texts.awayTomorrow}
              about={name}
            />
          ))}
        </div>
      </div>
    ))}
  </Section>
);

/** The visits within a time off, each with the colleagues who could take it. */
export function Away({ page, away }: { page: Page; away: DeskAway }) {
  const { texts } = page;
  return (
    <section class="card" aria-labelledby="away-visits">
      <h2 id="away-visits" tabIndex={-1}>
        {away.staff} <span class="faint">{rangeText(page, away.from, away.to)}</span>
      </h2>
      {away.visits.length === 0 && <p>{texts.noVisits}</p>}
      <ul class="affected">
        {away.visits.map(({ id, start, guest, what, couldTake }) => (
          <li key={id}>
            <b>
              {start.slice(0, 10) === away.from.slice(0, 10)
                ? page.times.time(start)
                : momentText(page, start)}
            </b>{" "}
            <bdi>{guest ?? texts.noName}</bdi> · {what}
            <br />
            {couldTake.length === 0 ? (
              <span class="bad">{texts.nobody}</span>
            ) : (
              <span class="good">{fillText(texts.couldTake, { names: couldTake.join(", ") })}</span>
            )}
          </li>
        ))}
      </ul>
      {away.visits.some(({ couldTake }) => couldTake.length > 0) && (
        <Form
          page={page}
          action="reassign"
          fields={{ id: away.id }}
          button={texts.giveToColleagues}
          look="primary"
        />
      )}
    </section>
  );
}
