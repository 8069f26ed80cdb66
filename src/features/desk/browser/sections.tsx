/** @jsxImportSource preact */
import { fillText } from "../../../pages/languages.ts";
import type { Choice, DeskAway, DeskView } from "../rules.ts";
import { Form, Options, type Page, Section } from "./parts.tsx";

const MINUTES_AGO = [5, 10, 15, 20, 30, 45, 60];

export function WalkIn({ page, view }: { page: Page; view: DeskView }) {
  const { texts } = page;
  const { services, staff, hasTables, isOfOnePerson } = view;
  const since = (
    <>
      <label>
        {texts.came}
        <select name="ago">
          <option value="0">{texts.justNow}</option>
          {MINUTES_AGO.map((minutes) => (
            <option key={minutes} value={minutes}>
              {fillText(texts.minutesAgo, { minutes })}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.name}
        <input name="name" maxLength={200} autocomplete="off" />
      </label>
    </>
  );
  return (
    <Section title={texts.walkIn}>
      {services.length > 0 && (
        <Form page={page} action="walkIn" button={texts.enter} about={texts.service}>
          <label>
            {texts.service}
            <select name="service" required>
              <Options choices={services} />
            </select>
          </label>
          {!isOfOnePerson && staff.length > 0 && (
            <label>
              {texts.staff}
              <select name="staff">
                <option value="">{texts.anyone}</option>
                <Options choices={staff} />
              </select>
            </label>
          )}
          {since}
        </Form>
      )}
      {hasTables && (
        <Form page={page} action="walkIn" button={texts.enter} about={texts.table}>
          <label>
            {texts.party}
            <input name="party" type="number" min={1} max={100} required defaultValue="2" />
          </label>
          {since}
        </Form>
      )}
    </Section>
  );
}

export const CheckIn = ({ page }: { page: Page }) => (
  <Section title={page.texts.checkIn}>
    <Form page={page} action="checkIn" button={page.texts.checkIn}>
      <label>
        {page.texts.code}
        <input name="code" required maxLength={60} autocomplete="off" autocapitalize="characters" />
      </label>
    </Form>
  </Section>
);

export const Orders = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section title={page.texts.orders}>
    <ul class="visits">
      {view.orders.map(({ code, event, tickets, total }) => (
        <li key={code}>
          <b>{code}</b> {event} · {tickets} · {total}
          <Form
            page={page}
            action="confirmOrder"
            fields={{ code }}
            button={page.texts.confirmPaid}
            about={code}
          />
        </li>
      ))}
    </ul>
  </Section>
);

export const SoldOut = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section title={page.texts.soldOut}>
    {view.soldOut.map(({ id, name }) => (
      <div key={id} class="line">
        <span>{name}</span>
        <Form
          page={page}
          action="available"
          fields={{ dish: id }}
          button={page.texts.backAgain}
          about={name}
        />
      </div>
    ))}
    {view.dishes.length > 0 && (
      <Form page={page} action="soldOut" button={page.texts.markSoldOut}>
        <label>
          {page.texts.dish}
          <select name="dish" required>
            <Options choices={view.dishes} />
          </select>
        </label>
        <label>
          {page.texts.until}
          <select name="until">
            <option value="today">{page.texts.endOfDay}</option>
            <option value="">{page.texts.noEnd}</option>
          </select>
        </label>
      </Form>
    )}
  </Section>
);

export const Closing = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section title={page.texts.closing}>
    <Form page={page} action="close" button={page.texts.close}>
      <label>
        {page.texts.closeUntil}
        <input name="until" type="time" />
      </label>
      <p class="faint">{page.texts.restOfDay}</p>
    </Form>
    {view.isHoursChanged && <Form page={page} action="reopen" button={page.texts.usualHours} />}
  </Section>
);

export const SomebodyAway = ({ page, staff }: { page: Page; staff: readonly Choice[] }) => (
  <Section title={page.texts.somebodyAway}>
    <Form page={page} action="away" button={page.texts.enter} about={page.texts.somebodyAway}>
      <label>
        {page.texts.staff}
        <select name="staff" required>
          <Options choices={staff} />
        </select>
      </label>
      <label>
        {page.texts.until}
        <select name="day">
          <option value="today">{page.texts.restOfToday}</option>
          <option value="tomorrow">{page.texts.allTomorrow}</option>
        </select>
      </label>
    </Form>
  </Section>
);

export const Away = ({ page, away }: { page: Page; away: DeskAway }) => (
  <section class="card">
    <h2>
      {away.staff} <span class="faint">{`${away.from} – ${away.to}`}</span>
    </h2>
    {away.visits.length === 0 && <p>{page.texts.noVisits}</p>}
    <ul>
      {away.visits.map(({ id, time, guest, what, couldTake }) => (
        <li key={id}>
          <b>{time}</b> <bdi>{guest ?? "–"}</bdi> {what}
          <br />
          <span class="faint">
            {couldTake.length === 0
              ? page.texts.nobody
              : fillText(page.texts.couldTake, { names: couldTake.join(", ") })}
          </span>
        </li>
      ))}
    </ul>
    {away.visits.some(({ couldTake }) => couldTake.length > 0) && (
      <Form
        page={page}
        action="reassign"
        fields={{ id: away.id }}
        button={page.texts.giveToColleagues}
      />
    )}
  </section>
);
