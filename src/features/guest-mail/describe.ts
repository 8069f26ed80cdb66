import type { Runtime } from "../../app/runtime.ts";
import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import { fillText } from "../../pages/languages.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { keptUntil } from "../page-bookings/rules.ts";
import type { BookingTexts } from "../page-bookings/texts.ts";
import { describeContent, type VisitContent } from "../page-bookings/visit-view.ts";
import type { Format } from "../public-pages/format.ts";
import type { TicketOrder } from "../tickets/rules.ts";
import { createOrderStore } from "../tickets/store.ts";

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
  /** The area of a table or the venue of an event; null for the address of the business. */
  place: string | null;
  /** Whether the guest's page shows the admission codes of an order. */
  hasCodes: boolean;
  /** Until when nobody else can take the time of a hold (epoch ms); null if others can. */
  keptUntil: number | null;
  rows: (texts: BookingTexts, format: Format) => Row[];
};

/** Returns the content of a mail about a visit, order or hold; undefined if it is deleted. */
export function describeVisit(
  rt: Runtime,
  business: BusinessRow,
  id: string,
): VisitDescription | undefined {
  const visit =
    rt.store.bookings.findById(business.id, id) ?? rt.store.reservations.findById(business.id, id);
  if (visit !== undefined) return describeVisitContent(describeContent(rt, business, visit), null);
  const hold = rt.store.holds.findById(business.id, id, null);
  if (hold !== undefined)
    return describeVisitContent(describeContent(rt, business, hold), keptUntil(hold, rt.now()));
  const orders = rt.openStore(createOrderStore);
  const order = orders.findById(business.id, id);
  const event = order && rt.store.catalog.findByKeyOrId(business.id, "public_event", order.eventId);
  const hasCodes = order?.status === "CONFIRMED" && orders.keepsCodes(order.id);
  return order && describeOrder(business, order, event, hasCodes);
}

const describeVisitContent = (content: VisitContent, until: number | null): VisitDescription => ({
  event: null,
  titles: content.services ?? [],
  place: content.area,
  hasCodes: false,
  keptUntil: until,
  rows: (texts, format) => {
    const { services, staff, guests, totalCents } = content;
    const table = fillText(texts.tableFor, { count: guests });
    return [
      { about: texts.what, lines: services ?? [table] },
      ...(staff.length > 0 ? [{ about: texts.who, lines: [format.list(staff)] }] : []),
      ...(services !== null && guests > 1
        ? [{ about: texts.people, lines: [String(guests)] }]
        : []),
      ...(totalCents !== null && totalCents > 0
        ? [{ about: texts.total, lines: [format.money(totalCents)] }]
        : []),
    ];
  },
});

function describeOrder(
  { slug }: BusinessRow,
  { code, items, totalCents }: TicketOrder,
  event: PublicEventDoc | undefined,
  hasCodes: boolean,
): VisitDescription {
  const names = new Map(
    event?.ticketTypes.map((type) => [ticketTypeId(slug, event, type), type.name]),
  );
  return {
    event: event?.name ?? code,
    titles: [],
    place: event?.venue?.name ?? null,
    hasCodes,
    keptUntil: null,
    rows: (texts, format) => [
      { about: texts.what, lines: [event?.name ?? code] },
      {
        about: texts.tickets,
        lines: items.map(
          ({ ticketTypeId: typeId, quantity }) => `${quantity} × ${names.get(typeId) ?? ""}`,
        ),
      },
      { about: texts.total, lines: [totalCents === 0 ? texts.free : format.money(totalCents)] },
      // The order's code would not admit anybody, so it is left out once each ticket has its own
      // code.
      ...(hasCodes ? [] : [{ about: texts.code, lines: [code] }]),
    ],
  };
}
