import type { z } from "zod";
import type { PromotionDoc } from "../catalog/catalog.ts";
import { commonFields, idOf, type PublicContext } from "./public-context.ts";
import { ticketTypeId } from "./public-event.ts";
import type { promotion } from "./schemas/promotion.ts";

export type PublicPromotion = z.infer<typeof promotion>;

export function toPublicPromotion(
  doc: PromotionDoc,
  sortOrder: number,
  lens: PublicContext,
): PublicPromotion {
  const id = idOf(lens, "promotion", doc);
  const { benefit, appliesTo, schedule } = doc;
  const { startsAt, endsAt } = schedule;
  return {
    id,
    name: doc.name,
    description: doc.description,
    requiresCode: doc.code !== null,
    benefit:
      benefit.type === "FREE_ADDON"
        ? { type: "FREE_ADDON", addonId: lens.visibleId("addon", benefit.addon) ?? null }
        : benefit,
    appliesTo: {
      all: appliesTo.all,
      serviceIds: lens.visibleIds("service", appliesTo.services),
      serviceCategoryIds: lens.visibleIds("service_category", appliesTo.serviceCategories),
      menuItemIds: lens.visibleIds("menu_item", appliesTo.menuItems),
      menuCategoryIds: lens.visibleIds("menu_category", appliesTo.menuCategories),
      eventIds: lens.visibleIds("public_event", appliesTo.events),
      ticketTypeIds: representTicketTypeIds(appliesTo.ticketTypes, lens),
    },
    conditions: doc.conditions,
    schedule: {
      startsAt: startsAt === null ? null : lens.instant(startsAt),
      endsAt: endsAt === null ? null : lens.instant(endsAt),
      weekly: schedule.weekly,
      excludeDates: schedule.excludeDates,
    },
    stackable: doc.stackable,
    priority: doc.priority,
    active: (startsAt === null || startsAt <= lens.now) && (endsAt === null || lens.now < endsAt),
    status: "ACTIVE",
    ...commonFields(id, doc, sortOrder, lens),
  };
}

/** `names` are `eventKey/ticketTypeKey`. */
const representTicketTypeIds = (names: string[], lens: PublicContext): string[] =>
  lens
    .visible("public_event")
    .flatMap((event) =>
      event.ticketTypes
        .filter((type) => type.status === "ACTIVE" && names.includes(`${event.key}/${type.key}`))
        .map((type) => ticketTypeId(lens.slug, event, type)),
    );
