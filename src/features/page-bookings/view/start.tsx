/** @jsxImportSource preact */
import type { PublicService } from "../../../domain/public/service.ts";
import { fillText } from "../../../pages/languages.ts";
import type { BookingShop, Offer } from "../read-offer.ts";
import { Jump } from "../../public-pages/view/frame.tsx";
import { Heading, Notice, Outside, Telephone } from "./parts.tsx";

type StartProps = BookingShop & {
  offer: Offer;
  path: string;
  /** Whether what the guest chose is no longer offered. */
  isGone: boolean;
  keptQuery: string;
};

const idOfGroup = (i: number): string => `group-${i}`;

/** The first step: what to book. */
export const Start = (props: StartProps) => {
  const { shop, texts, offer, path, isGone, keptQuery, isEmbedded } = props;
  const { counts } = shop;
  const hasServices = offer.groups.length > 0;
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
          <a class="button primary large" href={`${path}?table=1${keptQuery}`}>
            {texts.table}
          </a>
        </p>
      )}
      {counts.events > 0 && (
        <p>
          <a
            class="button large"
            href={`${shop.path}/events`}
            target={isEmbedded ? "_blank" : undefined}
          >
            {shop.texts.orderTickets}
          </a>
        </p>
      )}
      <Jump
        shop={shop}
        name={texts.services}
        sections={offer.groups.map(({ name }, i) => ({
          group: name === null ? null : { id: idOfGroup(i), name },
        }))}
      />
      {offer.groups.map(({ name, services }, i) => (
        <section id={idOfGroup(i)}>
          <h2>{name === null ? texts.services : <Outside shop={shop} text={name} />}</h2>
          <ul class="choices">
            {services.map((service) => (
              <li>
                <a href={`${path}?service=${service.id}${keptQuery}`}>
                  <strong>
                    <Outside shop={shop} text={service.name} />
                  </strong>
                  <span class="facts">
                    <span>{shop.format.duration(service.durationFromMin)}</span>
                    <span class="price">{priceOf(props, service)}</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
};

/** Returns the price of a service as its list shows it. */
export function priceOf({ shop, texts }: BookingShop, service: PublicService): string {
  const { priceType, priceFromCents, variants = [] } = service;
  if (priceType === "FREE") return texts.free;
  if (priceType === "ON_REQUEST") return texts.onRequest;
  const price = shop.format.money(priceFromCents);
  const isFrom =
    priceType === "FROM" || variants.some(({ priceCents }) => priceCents !== priceFromCents);
  return isFrom ? fillText(texts.from, { price }) : price;
}
