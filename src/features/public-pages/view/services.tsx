/** @jsxImportSource preact */
import type { PublicService } from "../../../domain/public/service.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Services, Shop } from "../content/content.ts";
import { MAX_PARTS } from "../layout.ts";
import { linkTo } from "../paths.ts";
import { Image, LongText, Outside } from "./frame.tsx";

type ListProps = { shop: Shop; services: Services; level: 2 | 3 };

/**
 * Services below their categories.
 * @param level the level of the categories' headings
 */
export const ServiceList = ({ shop, services, level }: ListProps) => (
  <>
    {services.sections.map(({ group, items }) => {
      const Heading = `h${level}` as const;
      const name = group?.name ?? (services.sections.length > 1 ? shop.texts.more : null);
      return (
        <section class="group" id={group?.id}>
          {name !== null && (
            <Heading>{group === null ? name : <Outside shop={shop} text={name} />}</Heading>
          )}
          <LongText shop={shop} text={group?.description ?? null} className="faint" />
          <ul class="items">
            {items.map((service) => (
              <Service shop={shop} service={service} />
            ))}
          </ul>
        </section>
      );
    })}
  </>
);

const Service = ({ shop, service }: { shop: Shop; service: PublicService }) => {
  const { texts, format } = shop;
  const { variants, addonLinks, depositCents, images } = service;
  const bookUrl = service.bookable ? shop.bookUrl : null;
  return (
    <li id={service.id} class="item">
      {images[0] && <Image image={images[0]} className="thumb" />}
      <div class="body">
        <div class="head">
          <strong>
            <Outside shop={shop} text={service.name} />
          </strong>
          <span class="price">{priceOf(shop, service)}</span>
        </div>
        <LongText shop={shop} text={service.description} />
        <p class="facts">
          <span>{durationOf(shop, service)}</span>
          {service.locationType === "ONLINE" && <span>{texts.online}</span>}
          {service.locationType === "AT_CUSTOMER" && <span>{texts.atCustomer}</span>}
          {depositCents !== null && (
            <span>{fillText(texts.deposit, { price: format.money(depositCents) })}</span>
          )}
        </p>
        {variants.length > 0 && (
          <ul class="parts">
            {variants.slice(0, MAX_PARTS).map((variant) => (
              <li id={variant.id}>
                <span>
                  <Outside shop={shop} text={variant.name} />{" "}
                  <span class="faint">{format.duration(variant.durationMin)}</span>
                </span>
                <span class="price">{priceText(shop, service.priceType, variant.priceCents)}</span>
              </li>
            ))}
          </ul>
        )}
        {addonLinks.length > 0 && (
          <details>
            <summary>{texts.addons}</summary>
            <ul class="parts">
              {addonLinks.slice(0, MAX_PARTS).map(({ addon, priceCents }) => (
                <li>
                  <Outside shop={shop} text={addon.name} />
                  <span class="price">
                    {fillText(texts.extra, { price: format.money(priceCents ?? addon.priceCents) })}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        )}
        {bookUrl !== null && (
          <p class="actions">
            <a class="button" href={linkTo(shop, `${bookUrl}?service=${service.id}`)}>
              {texts.book}
              <span class="visually-hidden">
                {": "}
                <Outside shop={shop} text={service.name} />
              </span>
            </a>
          </p>
        )}
      </div>
    </li>
  );
};

/** Returns how long a service takes: a range if its variants differ. */
export function durationOf(
  { format }: Pick<Shop, "format">,
  { durationFromMin, variants }: PublicService,
): string {
  const longest = Math.max(durationFromMin, ...variants.map(({ durationMin }) => durationMin));
  const shortest = format.duration(durationFromMin);
  return longest === durationFromMin ? shortest : `${shortest} – ${format.duration(longest)}`;
}

/** Returns the price of a service; if the prices of its variants differ, the lowest one. */
export function priceOf(shop: Shop, service: PublicService): string {
  const { priceType, variants, priceFromCents } = service;
  const pricesDiffer = variants.some(({ priceCents }) => priceCents !== priceFromCents);
  const shownType = pricesDiffer && priceType === "FIXED" ? "FROM" : priceType;
  return priceText(shop, shownType, priceFromCents);
}

/** Returns a price as guests read it: exact, from an amount on, or without an amount. */
export function priceText(
  { texts, format }: Pick<Shop, "texts" | "format">,
  priceType: PublicService["priceType"],
  priceCents: number,
): string {
  if (priceType === "FREE") return texts.free;
  if (priceType === "ON_REQUEST") return texts.onRequest;
  const price = format.money(priceCents);
  return priceType === "FROM" ? fillText(texts.fromPrice, { price }) : price;
}
