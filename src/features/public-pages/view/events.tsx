/** @jsxImportSource preact */
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import { fillPlural, fillText } from "../../../pages/languages.ts";
import type { Events, Shop } from "../content/content.ts";
import { MAX_PARTS } from "../layout.ts";
import { hasTime } from "../content/event-time.ts";
import { linkTo, pathsOf } from "../paths.ts";
import { mapUrlOfAddress } from "./contact.tsx";
import { Image, LongText, Outside } from "./frame.tsx";

export const EventList = ({ shop, events }: { shop: Shop; events: Events }) => (
  <ul class="events">
    {events.sections.flatMap(({ items }) =>
      items.map((event) => <EventCard shop={shop} event={event} />),
    )}
  </ul>
);

const DAY_MS = 86_400_000;
/**
 * An event this far away or farther is shown with its year, because readers could take it for an
 * earlier year.
 */
const FAR_MS = 300 * DAY_MS;

const EventCard = ({ shop, event }: { shop: Shop; event: PublicEvent }) => {
  const { format, path } = shop;
  const startsAt = Date.parse(event.startsAt);
  const isFar = startsAt - shop.now >= FAR_MS;
  const paidTypes = event.ticketTypes.filter(({ kind }) => kind === "PAID");
  return (
    <li id={event.id} class={isGone(event) ? "event gone" : "event"}>
      <div class="date" aria-hidden="true">
        {hasTime(event) ? (
          <>
            <span>{format.dayOfMonth(startsAt)}</span>
            <span>{format.month(startsAt)}</span>
          </>
        ) : (
          <span>–</span>
        )}
      </div>
      <div class="body">
        <strong>
          <a href={linkTo(shop, pathsOf(path).event(event.slug))}>
            <Outside shop={shop} text={event.name} />
          </a>
        </strong>
        <p class="facts">
          {hasTime(event) && (
            <time dateTime={event.startsAt}>
              {isFar ? format.longDate(startsAt) : format.shortDate(startsAt)},{" "}
              {format.time(startsAt)}
            </time>
          )}
          {event.venue && (
            <span>
              <Outside shop={shop} text={event.venue.name} />
            </span>
          )}
          {paidTypes.length > 0 && (
            <span>
              {fillText(shop.texts.fromPrice, {
                price: format.money(Math.min(...paidTypes.map(({ priceCents }) => priceCents))),
              })}
            </span>
          )}
        </p>
      </div>
      <EventState shop={shop} event={event} />
    </li>
  );
};

/** Returns whether an event does not take place as it was announced. */
const isCalledOff = ({ status }: PublicEvent): boolean =>
  status === "CANCELLED" || status === "POSTPONED";

/** Returns whether a list shows an event in grey: it is sold out, over, cancelled or postponed. */
const isGone = ({ status, availability }: PublicEvent): boolean =>
  status !== "PUBLISHED" || availability.state === "SOLD_OUT";

/** Says that an event is cancelled or postponed, or else whether it has tickets left. */
const EventState = ({ shop, event }: { shop: Shop; event: PublicEvent }) => {
  const { texts } = shop;
  if (event.status === "CANCELLED") return <span class="tag bad">{texts.cancelled}</span>;
  if (event.status === "POSTPONED") return <span class="tag warn">{texts.postponed}</span>;
  return event.ticketTypes.length === 0 ? null : (
    <Availability shop={shop} availability={event.availability} salesStartAt={null} />
  );
};

type AvailabilityProps = {
  shop: Shop;
  availability: PublicEvent["availability"];
  /**
   * When a ticket type goes on sale; null for a type without such a time, and for a whole event.
   */
  salesStartAt: string | null;
};

const Availability = ({ shop, availability, salesStartAt }: AvailabilityProps) => {
  const { texts, language, format } = shop;
  const { state, remaining } = availability;
  const left = remaining === null ? null : fillPlural(language, texts.left, remaining);
  if (state === "SOLD_OUT") return <span class="tag bad">{texts.soldOut}</span>;
  if (state === "ENDED") return <span class="tag">{texts.salesEnded}</span>;
  if (state === "FEW_LEFT") return <span class="tag warn">{left ?? texts.fewLeft}</span>;
  if (state === "ON_SALE") return <span class="tag good">{left ?? texts.onSale}</span>;
  // The sales have not started.
  if (salesStartAt === null) return null;
  const saleAt = Date.parse(salesStartAt);
  return (
    <span class="tag">
      {fillText(texts.salesFrom, { date: format.shortDate(saleAt), time: format.time(saleAt) })}
    </span>
  );
};

type EventPageProps = { shop: Shop; event: PublicEvent };

export const EventPage = ({ shop, event }: EventPageProps) => {
  const { texts, format, path, bookUrl } = shop;
  const paths = pathsOf(path);
  const startsAt = Date.parse(event.startsAt);
  const endsAt = Date.parse(event.endsAt);
  // An end without its date would be read as a time on the first day.
  const needsEndDate = endsAt - startsAt >= DAY_MS;
  const doorsAt = event.doorsAt === null || !hasTime(event) ? null : Date.parse(event.doorsAt);
  const isOnSale = ["ON_SALE", "FEW_LEFT"].includes(event.availability.state);
  return (
    <article class="one">
      <p>
        <a href={linkTo(shop, paths.events)}>{texts.events}</a>
      </p>
      <h1>
        <Outside shop={shop} text={event.name} />
      </h1>
      {hasTime(event) && (
        <p class="when">
          <time dateTime={event.startsAt} data-zone={event.timezone}>
            {format.longDate(startsAt)}, {format.time(startsAt)}
          </time>
          {" – "}
          <time dateTime={event.endsAt}>
            {needsEndDate && `${format.longDate(endsAt)}, `}
            {format.time(endsAt)}
          </time>
        </p>
      )}
      <p class="facts">
        <EventState shop={shop} event={event} />
        {doorsAt !== null && <span>{fillText(texts.doors, { time: format.time(doorsAt) })}</span>}
        {event.attendanceMode === "ONLINE" && <span>{texts.online}</span>}
        {event.attendanceMode === "MIXED" && <span>{texts.alsoOnline}</span>}
      </p>
      {event.images[0] && <Image image={event.images[0]} className="wide" isFirst />}
      <LongText shop={shop} text={event.description} />
      {event.venue && (
        <p>
          <strong>
            <Outside shop={shop} text={event.venue.name} />
          </strong>
          {event.venue.address !== null && (
            <>
              <br />
              <a href={mapUrlOfAddress(event.venue.address)} rel="noreferrer">
                <Outside shop={shop} text={event.venue.address} />
              </a>
            </>
          )}
        </p>
      )}
      {event.ticketTypes.length > 0 && (
        <section>
          <h2>{texts.tickets}</h2>
          <ul class="parts tickets">
            {event.ticketTypes.slice(0, MAX_PARTS).map((type) => (
              <li id={type.id}>
                <span>
                  <Outside shop={shop} text={type.name} />
                  <LongText shop={shop} text={type.description} className="faint" />
                </span>
                <span class="end">
                  <span class="price">{ticketPrice(shop, type)}</span>
                  {event.status === "PUBLISHED" && (
                    <Availability
                      shop={shop}
                      availability={type.availability}
                      salesStartAt={type.salesStartAt}
                    />
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!isCalledOff(event) && (
        <p class="actions">
          {isOnSale && bookUrl !== null && (
            <a class="button primary" href={linkTo(shop, `${bookUrl}?event=${event.id}`)}>
              {texts.orderTickets}
            </a>
          )}
          <a
            class="button"
            href={linkTo(shop, `${paths.calendar}?event=${encodeURIComponent(event.slug)}`)}
          >
            {texts.addToCalendar}
          </a>
        </p>
      )}
    </article>
  );
};

function ticketPrice(
  { texts, format }: Shop,
  { kind, priceCents }: PublicEvent["ticketTypes"][number],
): string {
  if (kind === "FREE") return texts.free;
  const price = format.money(priceCents);
  return kind === "DONATION" ? fillText(texts.donation, { price }) : price;
}
