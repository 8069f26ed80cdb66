import type { z } from "zod";
import type {
  AddonDoc,
  AddonLinkDoc,
  ServiceCategoryDoc,
  ServiceDoc,
  VariantDoc,
  StaffDoc,
} from "../catalog/catalog.ts";
import { originalKey } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import { toPublicCommon, idOf, type PublicContext } from "./public-context.ts";
import type * as schemas from "./schemas/service.ts";
import type { staff } from "./schemas/service.ts";

export type PublicService = z.infer<typeof schemas.service>;
type PublicVariant = z.infer<typeof schemas.serviceVariant>;
export type PublicAddon = z.infer<typeof schemas.addon>;
type PublicAddonLink = z.infer<typeof schemas.addonLink>;
export type PublicServiceCategory = z.infer<typeof schemas.serviceCategory>;

/** Returns a visible add-on by its key. */
type FindAddon = (key: string) => PublicAddon | undefined;

export function toPublicService(
  doc: ServiceDoc,
  findAddon: FindAddon,
  context: PublicContext,
): PublicService {
  const id = idOf(context, "service", doc);
  const variants = doc.variants
    .filter((variant) => variant.status === "ACTIVE")
    .map((variant, i) => toPublicVariant(variant, i, id, doc, context));
  const choices = variants.length > 0 ? variants : [doc];
  return {
    id,
    name: doc.name,
    durationMin: doc.durationMin,
    priceCents: doc.priceCents,
    currency: context.currency,
    status: "ACTIVE",
    variants,
    addonLinks: toPublicAddonLinks(doc, findAddon, context),
    description: doc.description,
    categoryId: (doc.category && context.visibleId("service_category", doc.category)) ?? null,
    priceType: doc.priceType,
    priceFromCents: Math.min(...choices.map((choice) => choice.priceCents)),
    durationFromMin: Math.min(...choices.map((choice) => choice.durationMin)),
    bookable: doc.bookable,
    capacity: doc.capacity,
    staffIds: context.visibleIds("staff", doc.staff),
    locationType: doc.locationType,
    depositCents: doc.depositCents,
    bookingRules: doc.bookingRules,
    tags: doc.tags,
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

export const variantId = (slug: string, service: ServiceDoc, variant: VariantDoc): string =>
  catalogId("svv", slug, originalKey(service), originalKey(variant));

function toPublicVariant(
  doc: VariantDoc,
  sortOrder: number,
  serviceId: string,
  service: ServiceDoc,
  context: PublicContext,
): PublicVariant {
  const id = variantId(context.slug, service, doc);
  return {
    id,
    serviceId,
    name: doc.name,
    description: doc.description,
    durationMin: doc.durationMin,
    priceCents: doc.priceCents,
    currency: context.currency,
    status: "ACTIVE",
    isDefault: doc.isDefault,
    staffIds: doc.staff && context.visibleIds("staff", doc.staff),
    attributes: doc.attributes,
    ...toPublicCommon(id, doc, sortOrder, context),
  };
}

const toPublicAddonLinks = (
  service: ServiceDoc,
  findAddon: FindAddon,
  context: PublicContext,
): PublicAddonLink[] =>
  service.addons
    .flatMap((link) => {
      const addon = findAddon(link.addon);
      return addon ? [{ link, addon }] : [];
    })
    .map(({ link, addon }, i) => toPublicAddonLink(link, i, service, addon, context));

function toPublicAddonLink(
  doc: AddonLinkDoc,
  sortOrder: number,
  service: ServiceDoc,
  addon: PublicAddon,
  context: PublicContext,
): PublicAddonLink {
  // The ID is derived from the add-on's ID, not from its key, and so stays if the key is renamed.
  const id = catalogId("adl", context.slug, originalKey(service), addon.id);
  return {
    id,
    addonId: addon.id,
    required: doc.required,
    minQuantity: doc.minQuantity,
    maxQuantity: doc.maxQuantity,
    defaultQuantity: doc.defaultQuantity,
    priceCents: doc.priceCents,
    durationMin: doc.durationMin,
    addon,
    status: "ACTIVE",
    ...toPublicCommon(id, { images: [], translations: {} }, sortOrder, context),
  };
}

export function toPublicAddon(doc: AddonDoc, context: PublicContext): PublicAddon {
  const id = idOf(context, "addon", doc);
  // The API lists add-ons only inside services, so an add-on has no `sortOrder` of its own.
  const { sortOrder: _omitted, ...shared } = toPublicCommon(id, doc, 0, context);
  return {
    id,
    name: doc.name,
    description: doc.description,
    priceCents: doc.priceCents,
    currency: context.currency,
    durationMin: doc.durationMin,
    maxQuantity: doc.maxQuantity,
    status: "ACTIVE",
    ...shared,
  };
}

export function toPublicServiceCategory(
  doc: ServiceCategoryDoc,
  context: PublicContext,
): PublicServiceCategory {
  const id = idOf(context, "service_category", doc);
  return {
    id,
    name: doc.name,
    description: doc.description,
    color: doc.color,
    parentId: (doc.parent && context.visibleId("service_category", doc.parent)) ?? null,
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

export type PublicStaff = z.infer<typeof staff>;

export function toPublicStaff(doc: StaffDoc, context: PublicContext): PublicStaff {
  const id = idOf(context, "staff", doc);
  return {
    id,
    name: doc.name,
    title: doc.title,
    bio: doc.bio,
    languages: doc.languages,
    bookable: doc.bookable,
    // The IDs are sorted, so that moving a service does not change the staff member.
    serviceIds: context.servicesOf(doc.key).toSorted(),
    serviceOverrides: doc.serviceOverrides.flatMap(({ service, durationMin, priceCents }) => {
      const serviceId = context.visibleId("service", service);
      return serviceId === undefined ? [] : [{ serviceId, durationMin, priceCents }];
    }),
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}
