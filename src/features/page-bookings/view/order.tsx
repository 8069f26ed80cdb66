/** @jsxImportSource preact */
import { fillText } from "../../../pages/languages.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import { linkTo, pathsOf } from "../../public-pages/paths.ts";
import type { TicketOrder } from "../../tickets/rules.ts";
import type { BookingShop } from "../show/read-offer.ts";
import { CALLED_OFF } from "../texts.ts";
import { writeShortDateTime } from "../when.ts";
import { Heading, KeepLink, Telephone } from "./parts.tsx";
import { type GuestTicket, TicketCodes } from "./ticket-codes.tsx";
import { CalledOff, TicketSummary } from "./tickets.tsx";

type OrderProps = BookingShop & {
  order: TicketOrder;
  /** The status of the order now: EXPIRED even before an overdue order has been ended. */
  status: TicketOrder["status"];
  /** Null if the event has left the catalog. */
  event: PublicEvent | null;
  /** The tickets whose admission codes are kept. */
  tickets: readonly GuestTicket[];
  path: string;
  keptQuery: string;
};

const TITLES = {
  PENDING: "orderPending",
  CONFIRMED: "orderConfirmed",
  CANCELLED: "cancelled",
  EXPIRED: "orderExpired",
} as const;

export const OrderPage = (props: OrderProps) => {
  const { shop, business, texts, order, status, event, tickets, path, keptQuery } = props;
  const time = writeShortDateTime(shop, business.doc.timezone, order.expiresAt);
  const isOpen = status === "PENDING" || status === "CONFIRMED";
  const calledOff = event === null ? undefined : CALLED_OFF[event.status];
  return (
    <>
      <Heading>{texts[TITLES[status]]}</Heading>
      {event !== null && <CalledOff texts={texts} event={event} />}
      {status === "PENDING" && calledOff === undefined && (
        <p>{fillText(texts.orderPendingText, { business: shop.profile.name, time })}</p>
      )}
      {status === "CONFIRMED" && calledOff !== "eventCancelled" && (
        <p>{tickets.length > 0 ? texts.showCodes : texts.orderConfirmedText}</p>
      )}
      {tickets.length > 0 && <TicketCodes {...props} />}
      {isOpen && tickets.length === 0 && (
        <p class="code" aria-label={texts.code}>
          {order.code}
        </p>
      )}
      {event !== null && (
        <TicketSummary
          {...props}
          event={event}
          items={order.items}
          total={{ ...order, cents: order.totalCents }}
        />
      )}
      {isOpen && event !== null && calledOff === undefined && (
        <p>
          <a
            class="button"
            href={linkTo(
              shop,
              `${pathsOf(shop.path).calendar}?event=${encodeURIComponent(event.slug)}`,
            )}
          >
            {texts.addToCalendar}
          </a>
        </p>
      )}
      {status === "PENDING" && (
        <details class="cancel">
          <summary>{texts.cancel}</summary>
          <p>{texts.cancelOrderSure}</p>
          <form method="post" action={`${path}/cancel${keptQuery && `?${keptQuery}`}`} data-once>
            <button class="danger" type="submit" data-busy={texts.sending}>
              {texts.cancelYes}
            </button>
          </form>
        </details>
      )}
      {isOpen && (
        <KeepLink {...props} risk={status === "PENDING" ? "linkChanges" : "linkHasTickets"} />
      )}
      {(status === "CONFIRMED" || calledOff !== undefined) && <Telephone {...props} />}
    </>
  );
};
