import type { z } from "zod";
import type { PromotionDoc } from "../catalog/catalog.ts";
import { toPublicCommon, idOf, type PublicContext } from "./public-context.ts";
import { ticketTypeId } from "./public-event.ts";
import type { promotion } from "./schemas/promotion.ts";

export type PublicPromotion = z.infer<typeof promotion>;

export function toPublicPromotion(doc: PromotionDoc, context: PublicContext): PublicPromotion {
  const id = idOf(context, "promotion", doc);
  const { benefit, appliesTo, schedule } = doc;
  const { startsAt, endsAt } = schedule;
  return {
    id,
    name: doc.name,
    description: doc.description,
    requiresCode: doc.code !== null,
    benefit:
      benefit.type === "FREE_ADDON"
        ? { type: "FREE_ADDON", addonId: context.visibleId("addon", benefit.addon) ?? null }
        : benefit,
    appliesTo: {
      all: appliesTo.all,
      serviceIds: context.visibleIds("service", appliesTo.services),
      serviceCategoryIds: context.visibleIds("service_category", appliesTo.serviceCategories),
      menuItemIds: context.visibleIds("menu_item", appliesTo.menuItems),
      menuCategoryIds: context.visibleIds("menu_category", appliesTo.menuCategories),
      eventIds: context.visibleIds("public_event", appliesTo.events),
      ticketTypeIds: ticketTypeIdsOf(appliesTo.ticketTypes, context),
    },
    conditions: doc.conditions,
    schedule: {
      startsAt: startsAt === null ? null : context.instant(startsAt),
      endsAt: endsAt === null ? null : context.instant(endsAt),
      weekly: schedule.weekly,
      excludeDates: schedule.excludeDates,
    },
    stackable: doc.stackable,
    priority: doc.priority,
    active:
      (startsAt === null || startsAt <= context.now) && (endsAt === null || context.now < endsAt),
    status: "ACTIVE",
    ...toPublicCommon(id, doc, context.sortOrderOf(id), context),
  };
}

/**
 * Returns the IDs of ticket types in the order of `names`, each of which is
 * `eventKey/ticketTypeKey`.
 */
function ticketTypeIdsOf(names: string[], context: PublicContext): string[] {
  if (names.length === 0) return [];
  const ids = new Map<string, string>(
    context
      .visible("public_event")
      .flatMap((event) =>
        event.ticketTypes
          .filter((type) => type.status === "ACTIVE")
          .map(
            (type) =>
              [`${event.key}/${type.key}`, ticketTypeId(context.slug, event, type)] as const,
          ),
      ),
  );
  return names.flatMap((name) => ids.get(name) ?? []);
}
