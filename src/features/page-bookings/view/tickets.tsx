/** @jsxImportSource preact */
import { fillText } from "../../../pages/languages.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import type { TicketItem } from "../post/orders.ts";
import { hasTime } from "../../public-pages/content/event-time.ts";
import type { BookedAmount } from "../../public-pages/format.ts";
import type { BookingShop } from "../show/read-offer.ts";
import { type GuestForm, ticketField } from "../rules.ts";
import { CALLED_OFF } from "../texts.ts";
import { Fact, Heading, Hidden, Notice, Outside, VisitTime } from "./parts.tsx";

type TicketsProps = BookingShop & {
  event: PublicEvent;
  path: string;
  kept: readonly (readonly [string, string])[];
  chosen: readonly TicketItem[];
  /** Why the guest must choose again; null at first. */
  notice: string | null;
  /** What the guest has already written; null if nothing. */
  written: { form: GuestForm; action: string } | null;
};

type TicketType = PublicEvent["ticketTypes"][number];

const isOnSale = ({ availability: { state } }: TicketType): boolean =>
  state === "ON_SALE" || state === "FEW_LEFT";

/** The most quantities that a list offers. */
const MAX_CHOICES = 50;

const mostOf = ({ maxPerOrder, availability }: TicketType): number =>
  Math.min(maxPerOrder, availability.remaining ?? maxPerOrder);

/**
 * Returns the quantities that a guest can choose for a ticket type: 0, and the numbers from
 * `minPerOrder` to the largest possible quantity.
 */
function quantitiesOf(type: TicketType): number[] {
  const { minPerOrder } = type;
  const count = Math.max(0, Math.min(mostOf(type) - minPerOrder + 1, MAX_CHOICES));
  return [0, ...Array.from({ length: count }, (_, i) => minPerOrder + i)];
}

/** The tickets of an event, from which a guest chooses. */
export const TicketChoice = (props: TicketsProps) => {
  const { shop, texts, event, path, kept, chosen, notice, written } = props;
  const canBuy = event.status === "PUBLISHED" && event.ticketTypes.some(isOnSale);
  // Until the guest chooses, the page proposes the smallest possible order of the first ticket
  // type.
  const isUnchosen = chosen.length === 0;
  const wantedOf = ({ id, minPerOrder }: TicketType, i: number): number =>
    chosen.find(({ ticketTypeId }) => ticketTypeId === id)?.quantity ??
    (isUnchosen && i === 0 ? minPerOrder : 0);
  const quantityOf = (type: TicketType, i: number): number =>
    Math.min(wantedOf(type, i), mostOf(type));
  return (
    <>
      <Heading>
        <Outside shop={shop} text={event.name} />
      </Heading>
      <CalledOff texts={texts} event={event} />
      {notice !== null && <Notice kind="warn">{notice}</Notice>}
      {hasTime(event) && (
        <p>
          <EventTime {...props} />
        </p>
      )}
      {/* What the guest has written must not be in a URL. */}
      <form method={written === null ? "get" : "post"} action={written?.action ?? path}>
        <Hidden
          fields={
            written === null
              ? [...kept, ["event", event.id]]
              : [["change", "1"], ...Object.entries(written.form)]
          }
        />
        <fieldset class="options">
          <legend>{texts.ticketsOf}</legend>
          {event.ticketTypes.map((type, i) => (
            <div class="option">
              {isOnSale(type) && (
                <select name={ticketField(type.id)} id={type.id}>
                  {quantitiesOf(type).map((count) => (
                    <option value={count} selected={count === quantityOf(type, i)}>
                      {count}
                    </option>
                  ))}
                </select>
              )}
              <span>
                {isOnSale(type) ? (
                  <label for={type.id}>
                    <Outside shop={shop} text={type.name} />
                  </label>
                ) : (
                  <span class="faint">
                    <Outside shop={shop} text={type.name} />
                  </span>
                )}
                <span class="price faint">
                  {isOnSale(type)
                    ? priceOf(props, type)
                    : type.availability.state === "SOLD_OUT"
                      ? texts.soldOut
                      : texts.notOnSale}
                </span>
              </span>
            </div>
          ))}
        </fieldset>
        {canBuy && (
          <button class="primary large" type="submit">
            {texts.continue}
          </button>
        )}
      </form>
    </>
  );
};

const priceOf = ({ shop, texts }: BookingShop, { priceCents }: TicketType): string =>
  priceCents === 0 ? texts.free : shop.format.money(priceCents);

/** Says that an event is cancelled or postponed. */
export const CalledOff = ({ texts, event }: Pick<TicketsProps, "texts" | "event">) => {
  const calledOff = CALLED_OFF[event.status];
  if (calledOff === undefined) return null;
  return <Notice kind={calledOff === "eventCancelled" ? "bad" : "warn"}>{texts[calledOff]}</Notice>;
};

/** The time of an event, which is shown only if `hasTime` says so. */
const EventTime = ({ event, ...page }: BookingShop & { event: PublicEvent }) => (
  <VisitTime {...page} at={Date.parse(event.startsAt)} until={Date.parse(event.endsAt)} />
);

type SummaryProps = BookingShop & {
  event: PublicEvent;
  items: readonly TicketItem[];
  total: BookedAmount;
};

/** The tickets that a guest has chosen. */
export const TicketSummary = (props: SummaryProps) => {
  const { shop, texts, event, items, total } = props;
  return (
    <div class="card summary">
      <dl>
        <Fact about={texts.what}>
          <Outside shop={shop} text={event.name} />
        </Fact>
        {hasTime(event) && (
          <Fact about={texts.when}>
            <EventTime {...props} />
          </Fact>
        )}
        <Fact about={texts.tickets}>
          {items.map(({ ticketTypeId, quantity }) => (
            <span class="line">
              {fillText("{count} × ", { count: quantity })}
              <Outside
                shop={shop}
                text={event.ticketTypes.find(({ id }) => id === ticketTypeId)?.name ?? ""}
              />
            </span>
          ))}
        </Fact>
        <Fact about={texts.total}>
          <strong class="price">
            {total.cents === 0 ? texts.free : shop.format.bookedMoney(total)}
          </strong>
        </Fact>
      </dl>
    </div>
  );
};
