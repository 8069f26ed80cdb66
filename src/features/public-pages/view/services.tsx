/** @jsxImportSource preact */
import type { PublicService } from "../../../domain/public/service.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Services, Shop } from "../content.ts";
import { MAX_PARTS } from "../layout.ts";
import { pathsOf } from "../paths.ts";
import { Image, LongText, Outside } from "./frame.tsx";

type ListProps = { shop: Shop; hasBooking: boolean; services: Services; level: 2 | 3 };

/** Services below their categories. @param level that of the headings of categories */
export const ServiceList = ({ shop, hasBooking, services, level }: ListProps) => (
  <>
    {services.sections.map(({ group, items }) => {
      const Heading = `h${level}` as const;
      const name = group?.name ?? (services.sections.length > 1 ? shop.texts.more : null);
      return (
        <section class="group">
          {name !== null && (
            <Heading>{group === null ? name : <Outside shop={shop} text={name} />}</Heading>
          )}
          <LongText shop={shop} text={group?.description ?? null} className="faint" />
          <ul class="items">
            {items.map((service) => (
              <Service shop={shop} hasBooking={hasBooking} service={service} />
            ))}
          </ul>
        </section>
      );
    })}
  </>
);

const Service = ({
  shop,
  hasBooking,
  service,
}: {
  shop: Shop;
  hasBooking: boolean;
  service: PublicService;
}) => {
  const { texts, format, path } = shop;
  const { variants, addonLinks, depositCents, images } = service;
  const isBookable = hasBooking && service.bookable;
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
          <span>
            {variants.length > 0 && service.durationFromMin !== longestOf(service)
              ? fillText(texts.fromPrice, { price: format.duration(service.durationFromMin) })
              : format.duration(service.durationFromMin)}
          </span>
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
        {isBookable && (
          <p class="actions">
            <a class="button" href={`${pathsOf(path).book}?service=${service.id}`}>
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

const longestOf = ({ variants }: PublicService): number =>
  Math.max(...variants.map(({ durationMin }) => durationMin));

/** Returns the price of a service, which is the lowest one of its variants. */
export function priceOf(shop: Shop, service: PublicService): string {
  const { priceType, variants, priceFromCents } = service;
  const differ = variants.some(({ priceCents }) => priceCents !== priceFromCents);
  return priceText(shop, differ && priceType === "FIXED" ? "FROM" : priceType, priceFromCents);
}

function priceText(
  { texts, format }: Shop,
  priceType: PublicService["priceType"],
  priceCents: number,
): string {
  if (priceType === "FREE") return texts.free;
  if (priceType === "ON_REQUEST") return texts.onRequest;
  const price = format.money(priceCents);
  return priceType === "FROM" ? fillText(texts.fromPrice, { price }) : price;
}
