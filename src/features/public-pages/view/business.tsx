/** @jsxImportSource preact */
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import type { PublicStaff } from "../../../domain/public/service.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Dishes, Events, Services, Shop } from "../content/content.ts";
import { linkTo, pathsOf } from "../paths.ts";
import { Contact, QuickFacts } from "./contact.tsx";
import { EventList } from "./events.tsx";
import { Image, CategoryLinks, LongText, Outside, linksToPages } from "./frame.tsx";
import { Hours, OpenState } from "./hours.tsx";
import { DishList } from "./menu.tsx";
import { type NameOfAddon, Promotion } from "./promotions.tsx";
import { ServiceList } from "./services.tsx";
import { Person } from "./team.tsx";

export type BusinessContent = {
  services: Services;
  dishes: Dishes;
  events: Events;
  staff: readonly PublicStaff[];
  promotions: readonly PublicPromotion[];
  nameOfAddon: NameOfAddon;
};

type Props = { shop: Shop; content: BusinessContent };

/** The first page of a business. */
export const BusinessPage = ({ shop, content }: Props) => {
  const { texts, profile, path, counts, bookUrl } = shop;
  const paths = pathsOf(path);
  const { services, dishes, events, staff, promotions } = content;
  const [firstImage, ...otherImages] = profile.images;
  return (
    <>
      <div class={firstImage ? "hero with-picture" : "hero"}>
        {firstImage && <Image image={firstImage} alt={profile.name} isFirst />}
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
                <a class="button primary" href={linkTo(shop, bookUrl)}>
                  {texts.book}
                </a>
              )}
              {shop.hasTables && (
                <a class="button primary" href={linkTo(shop, `${bookUrl}?table=1`)}>
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
              <AllLink href={linkTo(shop, paths.events)} text={texts.allEvents} listing={events} />
            </section>
          )}
          {dishes.total > 0 && (
            <section>
              <h2>{texts.menu}</h2>
              <CategoryLinks
                shop={shop}
                name={texts.menu}
                listing={dishes}
                urlOf={linksToPages(shop, paths.menu)}
              />
              <DishList shop={shop} dishes={dishes} level={3} />
              <AllLink href={linkTo(shop, paths.menu)} text={texts.allDishes} listing={dishes} />
            </section>
          )}
          {services.total > 0 && (
            <section>
              <h2>{texts.services}</h2>
              <CategoryLinks
                shop={shop}
                name={texts.services}
                listing={services}
                urlOf={linksToPages(shop, paths.services)}
              />
              <ServiceList shop={shop} services={services} level={3} />
              <AllLink
                href={linkTo(shop, paths.services)}
                text={texts.allServices}
                listing={services}
              />
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
          {otherImages.length > 0 && (
            <div class="gallery">
              {otherImages.map((image) => (
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
