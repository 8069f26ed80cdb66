import type { Runtime } from "../../app/runtime.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import { type PriceType, priceTypeOfAll } from "../../domain/catalog/price-type.ts";
import { lazy, memoized } from "../../domain/lazy.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { PublicMenuItem } from "../../domain/public/menu.ts";
import type { PublicContext } from "../../domain/public/public-context.ts";
import type { PublicEvent } from "../../domain/public/public-event.ts";
import type { PublicService } from "../../domain/public/service.ts";
import type { BusinessRow } from "../../store/businesses.ts";

// Converts objects of the API into the forms that agents read. A name replaces each ID that no tool
// takes. Fields that have the same value in each object, such as the currency, are left out.

/** One formatter for all dates, because creating one takes most of the time. */
const weekdays = lazy(() => new Intl.DateTimeFormat("en", { weekday: "long" }));

export const weekdayOf = (date: LocalDate): string =>
  weekdays().format(Temporal.PlainDate.from(date));

const DATE_LENGTH = "2026-12-01".length;
/** Returns the date with which a time of the API begins. */
export const dateOf = (time: string): LocalDate => time.slice(0, DATE_LENGTH);

/**
 * Returns what a result says about its business, with the local date, which an agent may not know.
 */
export const toBusiness = ({ slug, doc }: BusinessRow, now: number) => {
  const { name, timezone, currency, currencyDigits } = doc;
  const today = localDateOf(now, timezone);
  return { slug, name, timezone, today: `${weekdayOf(today)} ${today}`, currency, currencyDigits };
};

/**
 * Returns `priceType` if the total of the services is not exact, and no field if it is exact. A
 * price on request counts as 0 in the total, so an agent that does not see the field would say that
 * the visit is free.
 */
export function describeTotal(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  segments: readonly { serviceId?: string }[],
): { priceType?: PriceType } {
  const priceType = priceTypeOfAll(
    segments.flatMap(({ serviceId = "" }) => {
      const service = rt.store.catalog.findByKeyOrId(businessId, "service", serviceId);
      return service?.priceType ?? [];
    }),
  );
  return priceType === "FIXED" ? {} : { priceType };
}

/**
 * Returns functions that convert services and dishes into the forms that agents read, with the
 * names of categories in the language `locale`.
 */
export function createForms(context: PublicContext, locale: string) {
  const categoryName = memoized((id: string): string | undefined => {
    const doc =
      context.findVisibleById("menu_category", id) ??
      context.findVisibleById("service_category", id);
    return doc && (doc.translations[locale]?.name ?? doc.name);
  });
  return {
    service({ categoryId, addonLinks, variants, capacity, locationType, ...rest }: PublicService) {
      return {
        ...rest,
        category: categoryId && categoryName(categoryId),
        variants: variants.map(({ serviceId: _id, currency: _currency, ...variant }) => variant),
        addons: addonLinks.map(toAddon),
        ...(capacity > 1 && { capacity }),
        ...(locationType !== "ON_SITE" && { locationType }),
      };
    },
    dish: ({ categoryIds, modifierGroupIds: _ids, ...rest }: PublicMenuItem) => ({
      ...rest,
      categories: categoryIds.map(categoryName),
    }),
  };
}

/**
 * Returns an add-on with the price, duration and quantities that apply when it is added to its
 * service.
 */
function toAddon({ addon, ...link }: PublicService["addonLinks"][number]) {
  const { currency: _currency, ...rest } = addon;
  return {
    ...rest,
    priceCents: link.priceCents ?? addon.priceCents,
    durationMin: link.durationMin ?? addon.durationMin,
    ...(link.required && { required: true }),
    ...(link.minQuantity > 0 && { minQuantity: link.minQuantity }),
    maxQuantity: link.maxQuantity,
  };
}

/**
 * Returns a public event as an agent reads it. Ticket types that cannot be ordered have no
 * `remaining`.
 */
export function toEvent({ ticketTypes, slug: _slug, timezone: _zone, ...rest }: PublicEvent) {
  return {
    ...rest,
    weekday: weekdayOf(dateOf(rest.startsAt)),
    availability: toAvailability(rest.availability),
    ticketTypes: ticketTypes.map(({ eventId: _id, currency: _currency, ...type }) => ({
      ...type,
      availability: toAvailability(type.availability),
    })),
  };
}

const toAvailability = ({ state, remaining }: PublicEvent["availability"]) =>
  state === "ON_SALE" || state === "FEW_LEFT" ? { state, remaining } : { state };
