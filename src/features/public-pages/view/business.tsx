/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import type { PublicStaff } from "../../../domain/public/service.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import { WEEK } from "../../../domain/catalog/common.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Dishes, Events, Services, Shop } from "../content.ts";
import { dateIn } from "../format.ts";
import { pathsOf } from "../paths.ts";
import { EventList, mapUrl } from "./events.tsx";
import { Image, Jump, LongText, Outside } from "./frame.tsx";
import { DishList } from "./menu.tsx";
import { ServiceList } from "./services.tsx";

export type BusinessContent = {
  services: Services;
  dishes: Dishes;
  events: Events;
  staff: readonly PublicStaff[];
  promotions: readonly PublicPromotion[];
  /** Returns the name of an add-on that a promotion gives; undefined if it is not public. */
  nameOfAddon: (id: string) => string | undefined;
};

type Props = { shop: Shop; content: BusinessContent };

/** The first page of a business. */
export const BusinessPage = ({ shop, content }: Props) => {
  const { texts, profile, path, counts, bookUrl } = shop;
  const paths = pathsOf(path);
  const { services, dishes, events, staff, promotions } = content;
  const [first, ...others] = profile.images;
  return (
    <>
      <div class={first ? "hero with-picture" : "hero"}>
        {first && <Image image={first} alt={profile.name} isFirst />}
        <div class="intro">
          <h1>
            <Outside shop={shop} text={profile.name} />
          </h1>
          <OpenState shop={shop} />
          <LongText shop={shop} text={profile.description} />
          <QuickFacts shop={shop} />
          {bookUrl !== null && (
            <p class="actions">
              {counts.services > 0 && (
                <a class="button primary" href={bookUrl}>
                  {texts.book}
                </a>
              )}
              {shop.hasTables && (
                <a class="button primary" href={`${bookUrl}?table=1`}>
                  {texts.bookTable}
                </a>
              )}
            </p>
          )}
        </div>
      </div>
      <div class="columns">
        <div>
          {events.total > 0 && (
            <section>
              <h2>{texts.events}</h2>
              <EventList shop={shop} events={events} />
              <AllLink href={paths.events} text={texts.allEvents} listing={events} />
            </section>
          )}
          {dishes.total > 0 && (
            <section>
              <h2>{texts.menu}</h2>
              <Jump shop={shop} name={texts.menu} sections={dishes.sections} />
              <DishList shop={shop} dishes={dishes} level={3} />
              <AllLink href={paths.menu} text={texts.allDishes} listing={dishes} />
            </section>
          )}
          {services.total > 0 && (
            <section>
              <h2>{texts.services}</h2>
              <Jump shop={shop} name={texts.services} sections={services.sections} />
              <ServiceList shop={shop} services={services} level={3} />
              <AllLink href={paths.services} text={texts.allServices} listing={services} />
            </section>
          )}
          {promotions.length > 0 && (
            <section>
              <h2>{texts.offers}</h2>
              <ul class="offers">
                {promotions.map((promotion) => (
                  <Promotion shop={shop} promotion={promotion} nameOfAddon={content.nameOfAddon} />
                ))}
              </ul>
            </section>
          )}
          {staff.length > 0 && (
            <section>
              <h2>{texts.team}</h2>
              <ul class="team">
                {staff.map((person) => (
                  <Person shop={shop} person={person} />
                ))}
              </ul>
            </section>
          )}
          {others.length > 0 && (
            <div class="gallery">
              {others.map((image) => (
                <Image image={image} />
              ))}
            </div>
          )}
        </div>
        <aside>
          <Hours shop={shop} />
          <Contact shop={shop} />
        </aside>
      </div>
      {profile.legal.imprintUrl === null && profile.legal.imprint !== null && (
        <section id="imprint">
          <h2>{texts.imprint}</h2>
          <LongText shop={shop} text={profile.legal.imprint} />
        </section>
      )}
    </>
  );
};

type Counted = { sections: readonly { items: readonly unknown[] }[]; total: number };

/** A link to the whole list, if the page shows only a part. */
const AllLink = ({ href, text, listing }: { href: string; text: string; listing: Counted }) => {
  const shown = listing.sections.reduce((sum, { items }) => sum + items.length, 0);
  return shown >= listing.total ? null : (
    <p>
      <a class="button" href={href}>
        {fillText(text, { count: listing.total })}
      </a>
    </p>
  );
};

/** Where the business is and how to call it, which readers on a phone look for first. */
const QuickFacts = ({ shop }: { shop: Shop }) => {
  const { phone } = shop.profile;
  const lines = addressLines(shop);
  return lines.length === 0 && phone === null ? null : (
    <p class="quick">
      {lines.length > 0 && (
        <a href={mapUrlOf(shop, lines)} rel="noreferrer">
          <Outside shop={shop} text={lines.join(", ")} />
        </a>
      )}
      {phone !== null && (
        <a href={telUrl(phone)}>
          <Outside shop={shop} text={phone} />
        </a>
      )}
    </p>
  );
};

const telUrl = (phone: string): string => `tel:${phone.replaceAll(/[^\d+]/g, "")}`;

const OpenState = ({ shop }: { shop: Shop }) => {
  const { texts, format, opening, now } = shop;
  const { isOpen, changesAt } = opening;
  if (isOpen === null) return null;
  const time = changesAt === null ? "" : format.time(changesAt);
  if (isOpen)
    return (
      <p class="state is-open">
        {changesAt === null ? texts.open : fillText(texts.openUntil, { time })}
      </p>
    );
  const isToday = changesAt !== null && format.longDate(changesAt) === format.longDate(now);
  return (
    <p class="state">
      {changesAt === null
        ? texts.closed
        : isToday
          ? fillText(texts.opensAt, { time })
          : fillText(texts.opensOn, { day: format.shortDate(changesAt), time })}
    </p>
  );
};

const Hours = ({ shop }: { shop: Shop }) => {
  const { texts, format, profile, specialDays, now } = shop;
  const today = dateIn(profile.timezone, now);
  const rules = profile.openingHours.regular.filter(
    ({ validFrom, validTo }) =>
      (validFrom === null || validFrom <= today.date) &&
      (validTo === null || today.date <= validTo),
  );
  if (rules.length === 0 && specialDays.length === 0) return null;
  return (
    <section class="card">
      <h2>{texts.hours}</h2>
      <table class="hours">
        <tbody>
          {WEEK.map((day) => {
            const hours = rules
              .filter(({ days }) => days.includes(day))
              .map(({ start, end }) => ({ start: minutesOf(start), end: minutesOf(end) }))
              .sort((a, b) => a.start - b.start)
              .map(({ start, end }) => format.hours(start, end));
            return (
              <tr class={day === today.weekday ? "today" : undefined}>
                <th scope="row">{format.weekday(day)}</th>
                <td>{hours.length === 0 ? texts.closed : hours.map((one) => <div>{one}</div>)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {specialDays.length > 0 && (
        <>
          <h3>{texts.specialHours}</h3>
          <ul class="special">
            {specialDays.map(({ from, to, name, hours }) => (
              <li>
                <span>
                  {from === to
                    ? format.plainDate(from)
                    : fillText(texts.to, {
                        from: format.plainDate(from),
                        to: format.plainDate(to),
                      })}
                  {name !== null && (
                    <>
                      {" · "}
                      <Outside shop={shop} text={name} />
                    </>
                  )}
                </span>{" "}
                <span class="faint">
                  {hours.length === 0
                    ? texts.closed
                    : hours.map(({ start, end }) => format.hours(start, end)).join(", ")}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};

const Contact = ({ shop }: { shop: Shop }) => {
  const { texts, profile, format } = shop;
  const { postalAddress, phone, email, websiteUrl, links, priceRange } = profile;
  const lines = addressLines(shop);
  return (
    <section class="card">
      <h2>{texts.contact}</h2>
      {lines.length > 0 && (
        <address>
          {lines.map((line) => (
            <div>
              <Outside shop={shop} text={line} />
            </div>
          ))}
          {postalAddress && <div>{format.region(postalAddress.country)}</div>}
          <a href={mapUrlOf(shop, lines)} rel="noreferrer">
            {texts.map}
          </a>
        </address>
      )}
      <dl>
        {phone !== null && (
          <Row name={texts.phone}>
            <a href={telUrl(phone)}>
              <Outside shop={shop} text={phone} />
            </a>
          </Row>
        )}
        {email !== null && (
          <Row name={texts.email}>
            <a href={`mailto:${email}`}>
              <Outside shop={shop} text={email} />
            </a>
          </Row>
        )}
        {websiteUrl !== null && (
          <Row name={texts.website}>
            <a href={websiteUrl}>
              <Outside shop={shop} text={hostOf(websiteUrl)} />
            </a>
          </Row>
        )}
        {priceRange !== null && (
          <Row name={texts.priceRange}>
            <Outside shop={shop} text={priceRange} />
          </Row>
        )}
      </dl>
      {links.length > 0 && (
        <ul class="links">
          {links.map(({ url, name }) => (
            <li>
              <a href={url} rel="me">
                <Outside shop={shop} text={name ?? hostOf(url)} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const Row = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The countries where the postal code stands after the town. */
const CODE_LAST = new Set(["AU", "CA", "GB", "IE", "IN", "JP", "NZ", "US"]);

/** Returns the lines of the address without the country. */
export function addressLines({ profile: { postalAddress, address } }: Shop): string[] {
  if (postalAddress === null)
    return (address ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const { street, locality, region, postalCode, country } = postalAddress;
  const town = region === null ? locality : `${locality}, ${region}`;
  const parts = CODE_LAST.has(country) ? [town, postalCode] : [postalCode, town];
  return [street, parts.filter((part) => part !== null).join(" ")];
}

function mapUrlOf({ profile: { geo } }: Shop, lines: readonly string[]): string {
  if (geo === null) return mapUrl(lines.join(", "));
  const { latitude, longitude } = geo;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
}

const hostOf = (url: string): string => (URL.parse(url)?.host ?? url).replace(/^www\./, "");

const Person = ({ shop, person }: { shop: Shop; person: PublicStaff }) => {
  const { texts, format } = shop;
  return (
    <li id={person.id}>
      {person.images[0] ? (
        <Image image={person.images[0]} className="portrait" />
      ) : (
        <span class="portrait" aria-hidden="true">
          {initialsOf(person.name)}
        </span>
      )}
      <div class="body">
        <strong>
          <Outside shop={shop} text={person.name} />
        </strong>
        {person.title !== null && (
          <div class="faint">
            <Outside shop={shop} text={person.title} />
          </div>
        )}
        <LongText shop={shop} text={person.bio} />
        {person.languages.length > 0 && (
          <p class="facts">
            {fillText(texts.speaks, { list: format.list(person.languages.map(format.language)) })}
          </p>
        )}
      </div>
    </li>
  );
};

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((part) => /\p{L}/u.exec(part)?.[0] ?? "")
    .slice(0, 2)
    .join("");

type PromotionProps = {
  shop: Shop;
  promotion: PublicPromotion;
  nameOfAddon: BusinessContent["nameOfAddon"];
};

const Promotion = ({ shop, promotion, nameOfAddon }: PromotionProps) => {
  const { texts, format } = shop;
  const { conditions, schedule } = promotion;
  const facts = [
    ...(conditions.minSubtotalCents === null
      ? []
      : [fillText(texts.fromAmount, { price: format.money(conditions.minSubtotalCents) })]),
    ...(conditions.minQuantity === null
      ? []
      : [fillText(texts.fromQuantity, { count: conditions.minQuantity })]),
    ...(conditions.firstVisitOnly ? [texts.firstVisit] : []),
    ...(promotion.requiresCode ? [texts.withCode] : []),
    ...schedule.weekly.map(format.window),
    ...(schedule.endsAt === null
      ? []
      : [fillText(texts.until, { date: format.shortDate(Date.parse(schedule.endsAt)) })]),
  ];
  const benefit = benefitOf(shop, promotion.benefit, nameOfAddon);
  return (
    <li id={promotion.id} class="card">
      <div class="head">
        <strong>
          <Outside shop={shop} text={promotion.name} />
        </strong>
        {benefit !== null && (
          <span class="tag good">
            <Outside shop={shop} text={benefit} />
          </span>
        )}
      </div>
      <LongText shop={shop} text={promotion.description} />
      {facts.length > 0 && (
        <p class="facts">
          {facts.map((fact) => (
            <span>{fact}</span>
          ))}
        </p>
      )}
    </li>
  );
};

function benefitOf(
  { texts, format }: Shop,
  benefit: PublicPromotion["benefit"],
  nameOfAddon: BusinessContent["nameOfAddon"],
): string | null {
  switch (benefit.type) {
    case "PERCENT_OFF": {
      const text = fillText(texts.percentOff, { percent: format.percent(benefit.percentBps) });
      if (benefit.maxAmountCents === null) return text;
      return `${text}, ${fillText(texts.atMost, { price: format.money(benefit.maxAmountCents) })}`;
    }
    case "AMOUNT_OFF":
      return fillText(texts.amountOff, { price: format.money(benefit.amountCents) });
    case "FIXED_PRICE":
      return fillText(texts.fixedPrice, { price: format.money(benefit.amountCents) });
    case "BUY_X_GET_Y": {
      const { buyQuantity: buy, getQuantity: get, percentBps } = benefit;
      return percentBps === 10_000
        ? fillText(texts.buyGetFree, { buy, get })
        : fillText(texts.buyGetOff, { buy, get, percent: format.percent(percentBps) });
    }
    case "FREE_ADDON": {
      const name = benefit.addonId === null ? undefined : nameOfAddon(benefit.addonId);
      return name === undefined ? null : fillText(texts.freeAddon, { name });
    }
  }
}
