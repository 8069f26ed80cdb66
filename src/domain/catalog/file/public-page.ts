import { z } from "zod";
import { integer, line } from "../../basic-schemas.ts";
import { BUSINESS_TYPES, COUNTRY_CODES } from "../business-types.ts";
import type { BusinessDoc } from "../catalog.ts";
import {
  choice,
  colour,
  defaultsFor,
  fields,
  flag,
  imageAddress,
  images,
  list,
  optional,
  text,
  checkedText,
  webAddress,
} from "./fields.ts";
import { type Reader, readFields, readImages, trimToNull } from "./reader.ts";
import { omitEmpty, writeFields, writeImages } from "./writer.ts";

// This file reads and writes the fields of a business that search engines ask for, and the settings
// of its public page.

const degrees = (max: number) => {
  const noun = `a number of degrees from -${max} to ${max}`;
  return z.number(noun).min(-max, noun).max(max, noun);
};

const ORIGIN = "an origin such as https://www.example.com, without a path";
/** The characters of an origin are limited: `;` would end it in a content security policy. */
const isOrigin = (value: string): boolean =>
  /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/.test(value) && URL.parse(value)?.origin === value;
const origin = checkedText(ORIGIN, isOrigin);

const link = z.union(
  [webAddress, fields({ url: webAddress, name: line(100).optional() })],
  "a web address, or the fields url and name",
);

const page = fields(
  optional({
    enabled: flag,
    booking: choice("OFF", "REQUEST", "CONFIRM"),
    embedOrigins: list(origin, 20),
    orders: fields(optional({ payWithinHours: integer(1, 720), maxQuotaPercent: integer(1, 100) })),
    theme: fields(optional({ accent: colour, logo: imageAddress })),
  }),
);

const TYPE = "a type of schema.org, such as HairSalon or Restaurant";
const COUNTRY = "a country's ISO 3166-1 code such as CH";

export const publicFields = optional({
  type: z.enum(BUSINESS_TYPES, TYPE),
  postalAddress: fields({
    street: line(200),
    locality: line(100),
    ...optional({ region: line(100), postalCode: line(20) }),
    country: checkedText(COUNTRY, (code) => COUNTRY_CODES.includes(code)),
  }),
  geo: fields({ latitude: degrees(90), longitude: degrees(180) }),
  images,
  // Search engines ignore a price range of 100 characters or more.
  priceRange: line(99),
  links: list(link, 20),
  legal: fields(optional({ privacyUrl: webAddress, imprintUrl: webAddress, imprint: text(5000) })),
  publicPage: page,
});
type AuthoredPublicFields = z.infer<z.ZodObject<typeof publicFields>>;

const DEFAULTS = defaultsFor<BusinessDoc>()({ priceRange: null });
const POSTAL_DEFAULTS = defaultsFor<NonNullable<BusinessDoc["postalAddress"]>>()({
  region: null,
  postalCode: null,
});
const LEGAL_DEFAULTS = defaultsFor<BusinessDoc["legal"]>()({ privacyUrl: null, imprintUrl: null });
const PAGE_DEFAULTS = defaultsFor<BusinessDoc["publicPage"]>()({
  enabled: false,
  booking: "OFF",
  embedOrigins: [],
});
const ORDER_DEFAULTS: BusinessDoc["publicPage"]["orders"] = {
  payWithinHours: 48,
  maxQuotaPercent: 20,
};
const THEME_DEFAULTS: BusinessDoc["publicPage"]["theme"] = { accent: null, logo: null };

type PublicFields = Pick<BusinessDoc, keyof typeof publicFields>;

export function readPublicFields(item: AuthoredPublicFields): PublicFields {
  const { type = null, postalAddress, geo = null, legal = {}, publicPage = {} } = item;
  return {
    type,
    postalAddress: postalAddress
      ? { ...postalAddress, ...readFields(postalAddress, POSTAL_DEFAULTS) }
      : null,
    geo,
    images: readImages(item.images),
    ...readFields(item, DEFAULTS),
    links: (item.links ?? []).map((entry) =>
      typeof entry === "string"
        ? { url: entry, name: null }
        : { url: entry.url, name: entry.name ?? null },
    ),
    legal: { ...readFields(legal, LEGAL_DEFAULTS), imprint: trimToNull(legal.imprint) },
    publicPage: {
      ...readFields(publicPage, PAGE_DEFAULTS),
      orders: readFields(publicPage.orders ?? {}, ORDER_DEFAULTS),
      theme: readFields(publicPage.theme ?? {}, THEME_DEFAULTS),
    },
  };
}

export function validatePublicPage(reader: Reader, { publicPage, legal }: BusinessDoc): void {
  if (!publicPage.enabled) return;
  for (const { field, noun } of findMissingLegal(legal))
    reader.at("legal").addMissing(field, `a public page needs ${noun}`);
}

/** Returns the legal texts that a public page links and that the business lacks. */
export function findMissingLegal({
  privacyUrl,
  imprintUrl,
  imprint,
}: BusinessDoc["legal"]): { field: string; noun: string }[] {
  const missing: { field: string; noun: string }[] = [];
  if (privacyUrl === null) missing.push({ field: "privacyUrl", noun: "a privacy policy" });
  if (imprintUrl === null && imprint === null)
    missing.push({ field: "imprint", noun: "an imprint" });
  return missing;
}

export function writePublicFields(doc: PublicFields): AuthoredPublicFields {
  const { postalAddress, publicPage, legal } = doc;
  return omitEmpty({
    type: doc.type,
    postalAddress: postalAddress && omitEmpty(postalAddress),
    geo: doc.geo,
    images: writeImages(doc.images),
    ...writeFields(doc, DEFAULTS),
    links: doc.links.map(({ url, name }) => (name === null ? url : { url, name })),
    legal: omitEmpty(legal),
    publicPage: omitEmpty({
      ...writeFields(publicPage, PAGE_DEFAULTS),
      orders: writeFields(publicPage.orders, ORDER_DEFAULTS),
      theme: writeFields(publicPage.theme, THEME_DEFAULTS),
    }),
  });
}
