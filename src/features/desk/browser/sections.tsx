/** @jsxImportSource preact */
import { fillPlural, fillText } from "../../../pages/languages.ts";
import type { Choice, DeskView } from "../rules.ts";
import { FindChoice } from "./find-choice.tsx";
import { Form, Options, type Page, Section } from "./parts.tsx";
import type { DeskTexts } from "./texts.ts";

const MINUTES_AGO = [5, 10, 15, 20, 30, 45, 60];

export function WalkIn({ page, view }: { page: Page; view: DeskView }) {
  const { texts } = page;
  const { services, staff, hasTables, isOfOnePerson } = view;
  const arrivalFields = (
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
    <Section id="walk-in" title={texts.walkIn}>
      {hasTables && services.length > 0 && <h3>{texts.service}</h3>}
      {services.length > 0 && (
        <Form page={page} action="walkIn" button={texts.enter} about={texts.service} look="primary">
          <FindChoice page={page} label={texts.service} name="service" choices={services} />
          {!isOfOnePerson && staff.length > 0 && (
            <label>
              {texts.staff}
              <select name="staff">
                <option value="">{texts.anyone}</option>
                <Options choices={staff} />
              </select>
            </label>
          )}
          {arrivalFields}
        </Form>
      )}
      {hasTables && services.length > 0 && <h3>{texts.table}</h3>}
      {hasTables && (
        <Form page={page} action="walkIn" button={texts.enter} about={texts.table} look="primary">
          <label>
            {texts.party}
            <input name="party" type="number" min={1} max={100} required defaultValue="2" />
          </label>
          {arrivalFields}
        </Form>
      )}
    </Section>
  );
}

/**
 * Returns whether the desk can check tickets in. A business without public events has no tickets.
 */
export const canCheckIn = ({ rights, hasEvents }: DeskView): boolean =>
  hasEvents && rights.includes("check-in");

export const CheckIn = ({ page }: { page: Page }) => (
  <Section id="check-in" title={page.texts.checkIn}>
    <Form page={page} action="checkIn" button={page.texts.checkIn} look="primary">
      <label>
        {page.texts.code}
        <input name="code" required maxLength={60} autocomplete="off" autocapitalize="characters" />
      </label>
    </Form>
    {page.live?.camera}
  </Section>
);

/** Returns a title with the number of items that a person still has to deal with. */
export const countedTitle = (title: string, items: readonly unknown[]): string =>
  items.length === 0 ? title : `${title} (${items.length})`;

export const soldOutTitle = (texts: DeskTexts, { soldOut, hidden }: DeskView): string =>
  countedTitle(texts.soldOut, [...soldOut, ...hidden]);

/**
 * Returns whether there may be orders to confirm. `orders` contains only the newest orders and no
 * overdue ones, so it can be empty although older orders still wait.
 */
export const hasOrders = ({ orders, hasMoreOrders }: DeskView): boolean =>
  orders.length > 0 || hasMoreOrders;

export const ordersTitle = (texts: DeskTexts, { orders, hasMoreOrders }: DeskView): string =>
  hasMoreOrders && orders.length > 0
    ? `${texts.orders} (${orders.length}+)`
    : countedTitle(texts.orders, orders);

/** The newest orders come first, because a guest at the till has most often just ordered. */
export const Orders = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section id="orders" title={ordersTitle(page.texts, view)}>
    <ul class="visits">
      {view.orders.map(({ code, event, tickets, total }) => (
        <li key={code} class="order">
          <b>{code}</b> {event} · {fillPlural(page.language, page.texts.tickets, tickets)} · {total}
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
    {view.hasMoreOrders && (
      <Form page={page} action="confirmOrder" button={page.texts.confirmPaid}>
        <p class="faint">{page.texts.moreOrders}</p>
        <label>
          {page.texts.orderCode}
          <input
            name="code"
            required
            maxLength={60}
            autocomplete="off"
            autocapitalize="characters"
          />
        </label>
      </Form>
    )}
  </Section>
);

export const hasSomethingToSell = ({ dishes, soldOut, offered, hidden }: DeskView): boolean =>
  dishes.length + soldOut.length + offered.length + hidden.length > 0;

/** Sold-out dishes and hidden services come first, so that nobody forgets to offer them again. */
export const SoldOut = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section id="sold-out" title={soldOutTitle(page.texts, view)}>
    <BackAgain page={page} action="available" field="dish" choices={view.soldOut} />
    <BackAgain page={page} action="offer" field="service" choices={view.hidden} />
    {view.dishes.length > 0 && (
      <Form page={page} action="soldOut" button={page.texts.markSoldOut} look="primary">
        <FindChoice page={page} label={page.texts.dish} name="dish" choices={view.dishes} />
        <label>
          {page.texts.until}
          <select name="until">
            <option value="today">{page.texts.endOfDay}</option>
            <option value="">{page.texts.noEnd}</option>
          </select>
        </label>
      </Form>
    )}
    {view.offered.length > 0 && (
      <Form page={page} action="hide" button={page.texts.hideService}>
        <FindChoice page={page} label={page.texts.service} name="service" choices={view.offered} />
        <p class="faint">{page.texts.untilBack}</p>
      </Form>
    )}
  </Section>
);

/** `field` is the name of the form's field with the ID of the choice. */
type BackAgainProps = { page: Page; action: string; field: string; choices: readonly Choice[] };

/** A line for each choice that is sold out or hidden, with a button that offers it again. */
const BackAgain = ({ page, action, field, choices }: BackAgainProps) => (
  <>
    {choices.map(({ id, name }) => (
      <div key={id} class="line">
        <span>
          {name} <strong class="chip away">{page.texts.soldOut}</strong>
        </span>
        <Form
          page={page}
          action={action}
          fields={{ [field]: id }}
          button={page.texts.backAgain}
          about={name}
        />
      </div>
    ))}
  </>
);

export const Closing = ({ page, view }: { page: Page; view: DeskView }) => (
  <Section id="closing" title={page.texts.closing}>
    <Form page={page} action="close" button={page.texts.close}>
      <label>
        {page.texts.closeUntil}
        <input name="until" type="time" />
      </label>
      <p class="faint">{page.texts.restOfDay}</p>
    </Form>
    {view.isHoursChanged && (
      <Form page={page} action="reopen" button={page.texts.takeBackClosing} />
    )}
  </Section>
);
