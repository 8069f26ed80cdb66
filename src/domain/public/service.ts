import type { z } from "zod";
import type {
  AddonDoc,
  AddonLinkDoc,
  ServiceCategoryDoc,
  ServiceDoc,
  VariantDoc,
} from "../catalog/catalog.ts";
import { originalKey } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import { commonFields, idOf, type PublicContext } from "./public-context.ts";
import type * as schemas from "./schemas/service.ts";

export type PublicService = z.infer<typeof schemas.service>;
export type PublicVariant = z.infer<typeof schemas.serviceVariant>;
export type PublicAddon = z.infer<typeof schemas.addon>;
export type PublicAddonLink = z.infer<typeof schemas.addonLink>;
export type PublicServiceCategory = z.infer<typeof schemas.serviceCategory>;

/** @param addons the visible add-ons by key */
export function toPublicService(
  doc: ServiceDoc,
  sortOrder: number,
  addons: Map<string, PublicAddon>,
  lens: PublicContext,
): PublicService {
  const id = idOf(lens, "service", doc);
  const variants = doc.variants
    .filter((variant) => variant.status === "ACTIVE")
    .map((variant, i) => representVariant(variant, i, id, doc, lens));
  const choices = variants.length > 0 ? variants : [doc];
  return {
    id,
    name: doc.name,
    durationMin: doc.durationMin,
    priceCents: doc.priceCents,
    currency: lens.currency,
    status: "ACTIVE",
    variants,
    addonLinks: representAddonLinks(doc, addons, lens),
    description: doc.description,
    categoryId: (doc.category && lens.visibleId("service_category", doc.category)) ?? null,
    priceType: doc.priceType,
    priceFromCents: Math.min(...choices.map((choice) => choice.priceCents)),
    durationFromMin: Math.min(...choices.map((choice) => choice.durationMin)),
    bookable: doc.bookable,
    capacity: doc.capacity,
    staffIds: lens.visibleIds("staff", doc.staff),
    locationType: doc.locationType,
    depositCents: doc.depositCents,
    bookingRules: doc.bookingRules,
    tags: doc.tags,
    ...commonFields(id, doc, sortOrder, lens),
  };
}

export const variantId = (slug: string, service: ServiceDoc, variant: VariantDoc): string =>
  catalogId("svv", slug, originalKey(service), originalKey(variant));

function representVariant(
  doc: VariantDoc,
  sortOrder: number,
  serviceId: string,
  service: ServiceDoc,
  lens: PublicContext,
): PublicVariant {
  const id = variantId(lens.slug, service, doc);
  return {
    id,
    serviceId,
    name: doc.name,
    description: doc.description,
    durationMin: doc.durationMin,
    priceCents: doc.priceCents,
    currency: lens.currency,
    status: "ACTIVE",
    isDefault: doc.isDefault,
    staffIds: doc.staff && lens.visibleIds("staff", doc.staff),
    attributes: doc.attributes,
    ...commonFields(id, doc, sortOrder, lens),
  };
}

const representAddonLinks = (
  service: ServiceDoc,
  addons: Map<string, PublicAddon>,
  lens: PublicContext,
): PublicAddonLink[] =>
  service.addons
    .flatMap((link) => {
      const addon = addons.get(link.addon);
      return addon ? [{ link, addon }] : [];
    })
    .map(({ link, addon }, i) => representAddonLink(link, i, service, addon, lens));

function representAddonLink(
  doc: AddonLinkDoc,
  sortOrder: number,
  service: ServiceDoc,
  addon: PublicAddon,
  lens: PublicContext,
): PublicAddonLink {
  // By the add-on's id, not its key: renaming an add-on keeps the link.
  const id = catalogId("adl", lens.slug, originalKey(service), addon.id);
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
    ...commonFields(id, { images: [], translations: {} }, sortOrder, lens),
  };
}

export function toPublicAddon(doc: AddonDoc, lens: PublicContext): PublicAddon {
  const id = idOf(lens, "addon", doc);
  const { sortOrder: _noList, ...shared } = commonFields(id, doc, 0, lens);
  return {
    id,
    name: doc.name,
    description: doc.description,
    priceCents: doc.priceCents,
    currency: lens.currency,
    durationMin: doc.durationMin,
    maxQuantity: doc.maxQuantity,
    status: "ACTIVE",
    ...shared,
  };
}

export function toPublicServiceCategory(
  doc: ServiceCategoryDoc,
  sortOrder: number,
  lens: PublicContext,
): PublicServiceCategory {
  const id = idOf(lens, "service_category", doc);
  return {
    id,
    name: doc.name,
    description: doc.description,
    color: doc.color,
    parentId: (doc.parent && lens.visibleId("service_category", doc.parent)) ?? null,
    status: "ACTIVE",
    ...commonFields(id, doc, sortOrder, lens),
  };
}
