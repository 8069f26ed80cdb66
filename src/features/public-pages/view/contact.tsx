/** @jsxImportSource preact */
import { telUrl } from "../../../pages/call-button.tsx";
import type { ComponentChildren } from "preact";
import { addressLines } from "../content/address.ts";
import type { Shop } from "../content/content.ts";
import { Outside } from "./frame.tsx";
import { hasHours } from "../content/weekly-hours.ts";

/**
 * The address, the telephone number and a link to the hours. Readers on a phone look for these
 * facts first, and would otherwise scroll past a long menu.
 */
export const QuickFacts = ({ shop }: { shop: Shop }) => {
  const { phone } = shop.profile;
  const lines = addressLines(shop.profile);
  return lines.length === 0 && phone === null && !hasHours(shop) ? null : (
    <p class="quick">
      {lines.length > 0 && (
        <a href={mapUrlOfBusiness(shop, lines)} rel="noreferrer">
          <Outside shop={shop} text={lines.join(", ")} />
        </a>
      )}
      {phone !== null && (
        <a href={telUrl(phone)}>
          <Outside shop={shop} text={phone} />
        </a>
      )}
      {hasHours(shop) && <a href="#hours">{shop.texts.hours}</a>}
    </p>
  );
};

/** Every way to reach the business. */
export const Contact = ({ shop }: { shop: Shop }) => {
  const { texts, profile, format } = shop;
  const { postalAddress, phone, email, websiteUrl, links, priceRange } = profile;
  const lines = addressLines(shop.profile);
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
          <a href={mapUrlOfBusiness(shop, lines)} rel="noreferrer">
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

/** Returns the URL of a map. The page links to the map, and loads nothing from there. */
export const mapUrlOfAddress = (address: string): string =>
  `https://www.openstreetmap.org/search?query=${encodeURIComponent(address.replaceAll(/\s+/g, " "))}`;

export function mapUrlOfBusiness({ profile: { geo } }: Shop, lines: readonly string[]): string {
  if (geo === null) return mapUrlOfAddress(lines.join(", "));
  const { latitude, longitude } = geo;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
}

const hostOf = (url: string): string => (URL.parse(url)?.host ?? url).replace(/^www\./, "");
