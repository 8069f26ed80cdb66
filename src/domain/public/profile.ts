import type { z } from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { businessId } from "../catalog/object-id.ts";
import { formatInstant } from "../local-time.ts";
import { type StoredCatalog, toPublicImages } from "./public-context.ts";
import type { profile } from "./schemas/profile.ts";

export type PublicProfile = z.infer<typeof profile>;

/** Returns all that a business tells its guests about itself. */
export function toPublicProfile({ catalog, versionOf }: StoredCatalog): PublicProfile {
  const id = businessId(catalog.business.slug);
  const { version, updatedAt } = versionOf(id);
  return {
    id,
    ...profileFields(catalog),
    version,
    updatedAt: formatInstant(updatedAt, catalog.business.timezone),
  };
}

/** Returns the fields whose change makes a new version of the profile. */
export function profileFields({
  business,
  schedule,
}: Pick<Catalog, "business" | "schedule">): Omit<PublicProfile, "id" | "version" | "updatedAt"> {
  // Partners read the slots and not the rules that arrange them, so these rules are left out.
  const { bufferPolicy, grid, maxGapMin, ...bookingPolicy } = business.bookingPolicy;
  return {
    slug: business.slug,
    name: business.name,
    description: business.description,
    address: business.address,
    phone: business.phone,
    email: business.email,
    websiteUrl: business.websiteUrl,
    timezone: business.timezone,
    currency: business.currency,
    currencyDigits: business.currencyDigits,
    locale: business.locale,
    locales: business.locales,
    openingHours: {
      regular: schedule.hours.map(({ days, start, end, validFrom, validTo }) => ({
        days,
        start,
        end,
        validFrom,
        validTo,
      })),
      exceptions: schedule.exceptions.map((exception) => ({
        ...exception,
        // ONLY sets the opening hours of a day, as REPLACE does. It additionally limits the hours
        // of staff, which matters to availability alone.
        mode: exception.mode === "ONLY" ? "REPLACE" : exception.mode,
      })),
      closures: schedule.closures.map((closure) => ({
        name: closure.name,
        ...("yearly" in closure
          ? { from: null, to: null, yearly: closure.yearly }
          : { from: closure.from, to: closure.to, yearly: null }),
      })),
    },
    bookingPolicy,
    guestRetentionDays: business.guestRetentionDays,
    type: business.type,
    postalAddress: business.postalAddress,
    geo: business.geo,
    images: toPublicImages(business.images, business.slug),
    priceRange: business.priceRange,
    links: business.links,
    legal: business.legal,
    publicPage: business.publicPage.enabled ? { booking: business.publicPage.booking } : null,
  };
}
