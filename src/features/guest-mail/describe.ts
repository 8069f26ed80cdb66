import { localise } from "../../domain/public/public-context.ts";
import type { EventNames } from "../../domain/public/public-event.ts";
import type { Runtime } from "../../app/runtime.ts";
import { fillText } from "../../pages/languages.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { needsApproval } from "../page-bookings/access.ts";
import { keptUntil } from "../page-bookings/rules.ts";
import { type BookingTexts, CALLED_OFF } from "../page-bookings/texts.ts";
import { writeTotal } from "../page-bookings/total.ts";
import { describeContent, type VisitContent } from "../page-bookings/show/visit-view.ts";
import type { Format } from "../public-pages/format.ts";
import type { TicketOrder } from "../tickets/rules.ts";
import { createOrderStore } from "../tickets/store.ts";
import { namesOf } from "../tickets/orders/tell-guest.ts";

type Row = { about: string; lines: string[] };

/** The content of a mail about a visit, order or hold. All texts come from the catalog. */
export type VisitDescription = {
  /**
   * The name of the public event of an order, or the code of the order if the event was deleted;
   * null for visits and holds.
   */
  event: string | null;
  /** The services, for the description of a calendar entry. */
  titles: string[];
  /** The area of a table or the venue of an event; null for the name of the business. */
  place: string | null;
  /** Where the visit or event takes place, unless `place` says it. */
  location: VisitContent["location"];
  /** The lines of the address; null for the address of the business. */
  address: string[] | null;
  /** Whether the time of the visit or event is known. The catalog may lack the event. */
  hasTime: boolean;
  /**
   * The times of the event of an order now, which can have moved since the mail was written; null
   * if the catalog lacks the event, and for visits and holds.
   */
  times: { startsAt: number; endsAt: number } | null;
  /** Whether the guest's page shows the admission codes of an order. */
  hasCodes: boolean;
  /**
   * The key of the text for an order whose event is cancelled or postponed by now; null in all
   * other cases.
   */
  calledOff: "eventCancelled" | "eventPostponed" | null;
  /** Until when nobody else can take the time of a hold (epoch ms); null if others can. */
  keptUntil: number | null;
  /** Whether a confirmed hold becomes a request, which the business still has to approve. */
  isRequest: boolean;
  rows: (texts: BookingTexts, format: Format) => Row[];
};

/**
 * Returns the content of a mail about a visit, order or hold; undefined if it is deleted.
 * @param locale the language of the texts of the catalog
 * @param named the event of an order when the mail was written
 */
export function describeVisit(
  rt: Runtime,
  business: BusinessRow,
  id: string,
  locale: string,
  named?: EventNames,
): VisitDescription | undefined {
  const visit =
    rt.store.bookings.findById(business.id, id) ?? rt.store.reservations.findById(business.id, id);
  if (visit !== undefined)
    return describeVisitContent(describeContent(rt, business, visit, locale));
  const hold = rt.store.holds.findById(business.id, id, null);
  if (hold !== undefined)
    return {
      ...describeVisitContent(describeContent(rt, business, hold, locale)),
      keptUntil: keptUntil(hold, rt.now()),
      isRequest: needsApproval(business, hold),
    };
  const orders = rt.openStore(createOrderStore);
  const order = orders.findById(business.id, id);
  const event = order && rt.store.catalog.findByKeyOrId(business.id, "public_event", order.eventId);
  const hasCodes = order?.status === "CONFIRMED" && orders.keepsCodes(order.id);
  if (order === undefined) return undefined;
  return {
    ...describeOrder(order, event ? namesOf(business, localise(event, locale)) : named, hasCodes),
    times: event ? { startsAt: event.startsAt, endsAt: event.endsAt } : null,
    calledOff: (event && CALLED_OFF[event.status]) ?? null,
  };
}

const describeVisitContent = (content: VisitContent): VisitDescription => ({
  event: null,
  titles: content.services ?? [],
  place: content.area,
  location: content.location,
  address: content.location === "ON_SITE" ? null : [],
  hasTime: true,
  times: null,
  hasCodes: false,
  calledOff: null,
  keptUntil: null,
  isRequest: false,
  rows: (texts, format) => {
    const { services, staff, guests } = content;
    const total = content.total && writeTotal(texts, format, content.total);
    const table = fillText(texts.tableFor, { count: guests });
    return [
      { about: texts.what, lines: services ?? [table] },
      ...(staff.length > 0 ? [{ about: texts.who, lines: [format.list(staff)] }] : []),
      ...(services !== null && guests > 1
        ? [{ about: texts.people, lines: [String(guests)] }]
        : []),
      ...(total === null ? [] : [{ about: texts.total, lines: [total] }]),
    ];
  },
});

/**
 * Returns the lines of the event's address. An online event and a venue without an address have no
 * lines; null stands for the address of the business.
 */
const addressOf = ({ venue, venueAddress, isOnline }: EventNames): string[] | null =>
  venue === null && isOnline !== true ? null : (venueAddress?.split("\n") ?? []);

function describeOrder(
  { code, items, totalCents: cents, currency, currencyDigits }: TicketOrder,
  event: EventNames | undefined,
  hasCodes: boolean,
): VisitDescription {
  return {
    event: event?.name ?? code,
    titles: [],
    place: event?.venue ?? null,
    location: event?.isOnline === true ? "ONLINE" : "ON_SITE",
    address: event === undefined ? null : addressOf(event),
    hasTime: event !== undefined,
    times: null,
    hasCodes,
    calledOff: null,
    keptUntil: null,
    isRequest: false,
    rows: (texts, format) => [
      { about: texts.what, lines: [event?.name ?? code] },
      {
        about: texts.tickets,
        lines: items.map(
          ({ ticketTypeId, quantity }) =>
            `${quantity} × ${event?.ticketTypes[ticketTypeId] ?? texts.tickets}`,
        ),
      },
      {
        about: texts.total,
        lines: [cents === 0 ? texts.free : format.bookedMoney({ cents, currency, currencyDigits })],
      },
      // The order's code would not admit anybody, so it is left out once each ticket has its own
      // code.
      ...(hasCodes ? [] : [{ about: texts.code, lines: [code] }]),
    ],
  };
}
