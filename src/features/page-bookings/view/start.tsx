/** @jsxImportSource preact */
import type { BookingShop, Offer } from "../show/read-offer.ts";
import type { Fields } from "../urls.ts";
import { linkTo } from "../../public-pages/paths.ts";
import { CategoryLinks, Pager } from "../../public-pages/view/frame.tsx";
import { durationOf, priceOf } from "../../public-pages/view/services.tsx";
import { Heading, Notice, Outside, Telephone } from "./parts.tsx";

type StartProps = BookingShop & {
  offer: Offer;
  /** Returns the URL of the booking page with these fields. */
  urlOf: (fields: Fields) => string;
  /** Whether what the guest chose is no longer offered. */
  isGone: boolean;
};

/** The first step: what to book. */
export const Start = (props: StartProps) => {
  const { shop, texts, offer, urlOf, isGone, isEmbedded } = props;
  const { counts } = shop;
  const { services } = offer;
  const hasServices = services !== null && services.total > 0;
  const urlOfPage = (page: number) => urlOf(page === 1 ? [] : [["page", String(page)]]);
  const hasNothing = !hasServices && offer.maxParty === 0 && counts.events === 0;
  return (
    <>
      <Heading>{texts.title}</Heading>
      {isGone && <Notice kind="warn">{texts.gone}</Notice>}
      {hasNothing && (
        <>
          <p>{texts.nothing}</p>
          <Telephone {...props} />
        </>
      )}
      {offer.maxParty > 0 && (
        <p>
          <a class="button primary large" href={urlOf([["table", "1"]])}>
            {texts.table}
          </a>
        </p>
      )}
      {counts.events > 0 && (
        <p>
          <a
            class="button large"
            href={linkTo(shop, `${shop.path}/events`)}
            target={isEmbedded ? "_blank" : undefined}
          >
            {shop.texts.orderTickets}
          </a>
        </p>
      )}
      {hasServices && (
        <>
          <CategoryLinks shop={shop} name={texts.services} listing={services} urlOf={urlOfPage} />
          {services.sections.map(({ group, items }) => (
            <section id={group?.id}>
              <h2>{group === null ? texts.services : <Outside shop={shop} text={group.name} />}</h2>
              <ul class="choices">
                {items.map((service) => (
                  <li>
                    <a href={urlOf([["service", service.id]])}>
                      <strong>
                        <Outside shop={shop} text={service.name} />
                      </strong>
                      <span class="facts">
                        <span>{durationOf(shop, service)}</span>
                        <span class="price">{priceOf(shop, service)}</span>
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <Pager texts={shop.texts} page={services.page} pages={services.pages} urlOf={urlOfPage} />
        </>
      )}
    </>
  );
};
