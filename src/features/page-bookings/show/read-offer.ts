import { readAhead } from "../../../app/catalog/cached-lists.ts";
import { type CatalogView, readCatalogView } from "../../../app/catalog/catalog-view.ts";
import { createTableCheck } from "../../../domain/availability/segments.ts";
import { AppError } from "../../../domain/errors.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { ALL_LISTS, kindsAffecting } from "../../../domain/public/public-catalog.ts";
import { localise } from "../../../domain/public/public-context.ts";
import type { PublicService, PublicStaff } from "../../../domain/public/service.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { getHeader } from "../../../http/pipeline/request-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import {
  readServices,
  readShop,
  type Services,
  type Shop,
  type Variant,
} from "../../public-pages/content/content.ts";
import { chooseVariant } from "../../public-pages/variants.ts";
import { type BookingTexts, textsOf } from "../texts.ts";
import { isEmbedded } from "../urls.ts";

/** What a booking page shows around its content, and its fixed texts. */
export type BookingShop = {
  business: BusinessRow;
  shop: Shop;
  texts: BookingTexts;
  /** Whether the page is in a frame of another website. */
  isEmbedded: boolean;
};

/** What guests can book. */
export type Offer = {
  /** One page of the list of services; null if the list is not needed. */
  services: Services | null;
  /** The largest party that a table seats; 0 without tables. */
  maxParty: number;
  areas: { id: string; name: string }[];
};

const KINDS = kindsAffecting(ALL_LISTS);

/**
 * Reads what a page of a business shows, in the language of the query or of the reader.
 * @param ownLanguage the language in which the guest of a visit has booked
 * @returns undefined for an unknown business
 */
export async function openShop<T>(
  request: PageRequest,
  ownLanguage: string | null,
  read: (view: CatalogView, variant: Variant) => T,
): Promise<(BookingShop & { content: T }) | undefined> {
  const { rt, slug, base, context } = request;
  const found = rt.store.businesses.findBySlug(slug);
  if (found === undefined) return undefined;
  await readAhead(rt, found, KINDS);
  const getBusiness = (): BusinessRow => {
    const business = rt.store.businesses.findBySlug(slug);
    if (business !== undefined) return business;
    throw new AppError("resource_not_found", "There is no page here.");
  };
  const wanted = new URLSearchParams(context.request.search).get("lang") ?? ownLanguage;
  const acceptLanguage = getHeader(context.request, "accept-language");
  return readCatalogView(
    rt,
    ALL_LISTS,
    getBusiness,
    // Partners already know the state at `publishedUntil`, so no page shows an earlier state.
    ({ publishedUntil }) => Math.max(context.now, publishedUntil),
    (view) => {
      const { business } = view;
      const variant = chooseVariant(wanted, acceptLanguage, business.doc.locales);
      const path = `${base}/b/${encodeURIComponent(slug)}`;
      return {
        business,
        // The buttons that lead from a public page to the booking page are left out here.
        shop: readShop(view, variant, { path, origin: "", hasTables: false, bookUrl: null }),
        texts: textsOf(variant.language),
        isEmbedded: isEmbedded(request),
        content: read(view, variant),
      };
    },
  );
}

/**
 * Returns what guests can book.
 * @param page the page of the list of services; the first page is read if the list has no such
 * page. Null leaves the list out
 */
export function readOffer(
  { rt }: PageRequest,
  view: CatalogView,
  variant: Variant,
  page: number | null,
): Offer {
  const readPage = (wanted: number) =>
    readServices(view, variant, { page: wanted }, { onlyBookable: true });
  const { id, slug } = view.business;
  const areas = rt.store.catalog.listByKind(id, "area");
  const tables = rt.store.catalog.listByKind(id, "table").filter(createTableCheck(areas));
  const areasWithTables = new Set(tables.flatMap(({ area }) => area ?? []));
  return {
    services: page === null ? null : (readPage(page) ?? readPage(1)),
    maxParty: Math.max(0, ...tables.map(({ maxSeats }) => maxSeats)),
    areas: areas
      .filter(({ key }) => areasWithTables.has(key))
      .map((area) => ({
        id: objectId("area", slug, area),
        name: localise(area, variant.locale).name,
      })),
  };
}

/** A service, and the people who perform it or one of its variants. */
export type ServiceDetails = { service: PublicService; staff: PublicStaff[] };

/** Returns a service that guests can book; undefined for others. */
export function readService(
  view: CatalogView,
  { locale }: Variant,
  id: string,
): ServiceDetails | undefined {
  const [doc] = view.select("service", { ids: [id], matches: ({ bookable }) => bookable }).docs;
  if (doc === undefined) return undefined;
  const service = localise(view.forms.services(doc), locale);
  const ids = [...service.staffIds, ...service.variants.flatMap(({ staffIds }) => staffIds ?? [])];
  const staff = view
    .select("staff", { ids, matches: ({ bookable }) => bookable })
    .docs.map((person) => localise(view.forms.staff(person), locale));
  return { service, staff };
}
