import { hasBookableTable } from "../../../app/catalog/bookable-tables.ts";
import { editObject } from "../../../app/catalog/changes/edit-object.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import type { ServiceDoc, VariantDoc } from "../../../domain/catalog/catalog.ts";
import { assertFound } from "../../../domain/errors.ts";
import { variantId } from "../../../domain/public/service.ts";
import { modifierOptionId } from "../../../domain/public/menu.ts";
import type { PageLanguage } from "../../../pages/languages.ts";
import { formatOf } from "../../public-pages/format.ts";
import { textsOf } from "../../public-pages/texts.ts";
import { priceText } from "../../public-pages/view/services.tsx";
import type { DeskSession } from "../desks.ts";
import type { Choice, DeskView } from "../rules.ts";

type FormatOfPrices = Parameters<typeof priceText>[0];

const isActive = ({ status }: { status: string }): boolean => status === "ACTIVE";

/**
 * Lists the services, variants and staff members for walk-ins. `hasTables` tells whether a table
 * can be reserved.
 */
export function listChoices(
  rt: Runtime,
  { business: { id, slug, doc: business }, desk }: DeskSession,
  language: PageLanguage,
): Pick<DeskView, "services" | "staff" | "hasTables"> {
  const shop = { texts: textsOf(language), format: formatOf(business, language) };
  const { service, staff } = rt.store.catalog.listObjects(id, ["service", "staff"]);
  return {
    services: service
      .filter((doc) => isActive(doc) && doc.bookable)
      .flatMap((doc) => listBookable(slug, doc, shop)),
    staff: staff
      .filter((doc) => isActive(doc) && doc.bookable)
      .map((doc) => ({ id: objectId("staff", slug, doc), name: doc.name }))
      .filter((one) => desk.staffId === null || one.id === desk.staffId),
    hasTables: desk.staffId === null && hasBookableTable(rt, id),
  };
}

/**
 * Returns a choice for each variant of a service. The service itself is a choice unless it has a
 * default variant, which a booking without a variant would get.
 */
function listBookable(slug: string, doc: ServiceDoc, shop: FormatOfPrices): Choice[] {
  const variants = doc.variants.filter(isActive);
  const factsOf = ({ durationMin, priceCents }: ServiceDoc | VariantDoc) =>
    `${shop.format.duration(durationMin)} · ${priceText(shop, doc.priceType, priceCents)}`;
  const service = { id: objectId("service", slug, doc), name: doc.name, facts: factsOf(doc) };
  return [
    ...(variants.some(({ isDefault }) => isDefault) ? [] : [service]),
    ...variants.map((variant) => ({
      ...toVariantChoice(slug, doc, variant),
      facts: factsOf(variant),
    })),
  ];
}

const toVariantChoice = (slug: string, doc: ServiceDoc, variant: VariantDoc): Choice => ({
  id: variantId(slug, doc, variant),
  name: `${doc.name}: ${variant.name}`,
});

/** Returns the fields of a request to book one of the services and variants of {@link listChoices}. */
export const toBookedService = (
  rt: Runtime,
  session: DeskSession,
  id: string,
): { service: string } | { variant: string } =>
  listItems(rt, session).some((one) => one.id === id && one.variant !== null)
    ? { variant: id }
    : { service: id };

/** Lists the dishes and options of dishes that are offered, and those that are sold out. */
export function listDishes(
  rt: Runtime,
  { business: { id, slug } }: DeskSession,
): Pick<DeskView, "dishes" | "soldOut"> {
  const { menu_item, modifier_group } = rt.store.catalog.listObjects(id, [
    "menu_item",
    "modifier_group",
  ]);
  const items: Choice[] = [
    ...menu_item.map((doc) => ({ id: objectId("menu_item", slug, doc), name: doc.name })),
    ...modifier_group.flatMap((group) =>
      group.options.map((option) => ({
        id: modifierOptionId(slug, group, option),
        name: `${group.name}: ${option.name}`,
      })),
    ),
  ];
  const soldOutUntil = rt.store.soldOut.list(id);
  const isSoldOut = (one: Choice) => {
    // The value null means that the dish is sold out until somebody offers it again.
    const until = soldOutUntil.get(one.id);
    return until !== undefined && (until === null || until > rt.now());
  };
  return {
    // The dishes are sorted by name, because people look for a name in this long list.
    dishes: items.filter((one) => !isSoldOut(one)).toSorted((a, b) => a.name.localeCompare(b.name)),
    soldOut: items.filter(isSoldOut),
  };
}

/** A service or variant. `service` and `variant` are keys; a service has the variant null. */
type ServiceItem = Choice &
  Pick<ServiceDoc, "status"> & { service: string; variant: string | null };

/** Returns the services and variants that are not archived, in catalog order. */
function listItems(rt: Runtime, { business: { id, slug } }: DeskSession): ServiceItem[] {
  const { service } = rt.store.catalog.listObjects(id, ["service"]);
  return service
    .flatMap((doc): ServiceItem[] => [
      {
        id: objectId("service", slug, doc),
        service: doc.key,
        variant: null,
        name: doc.name,
        status: doc.status,
      },
      ...doc.variants.map((variant) => ({
        ...toVariantChoice(slug, doc, variant),
        service: doc.key,
        variant: variant.key,
        status: variant.status,
      })),
    ])
    .filter(({ status }) => status !== "ARCHIVED");
}

/** Lists the services and variants that are offered, and those that are hidden. */
export function listServices(
  rt: Runtime,
  session: DeskSession,
): Pick<DeskView, "offered" | "hidden"> {
  const items = listItems(rt, session);
  const listOf = (wanted: ServiceDoc["status"]): Choice[] =>
    items.filter(({ status }) => status === wanted).map(({ id, name }) => ({ id, name }));
  return { offered: listOf("ACTIVE"), hidden: listOf("INACTIVE") };
}

/**
 * Sets the status of a service or variant, as `services update --status` does. Guests do not see
 * inactive services and variants; visits that are already booked stay.
 * @throws AppError resource_not_found
 */
export function setOfferStatus(
  rt: Runtime,
  session: DeskSession,
  id: string,
  status: "ACTIVE" | "INACTIVE",
): void {
  const item = assertFound(
    listItems(rt, session).find((one) => one.id === id),
    "This desk has no such service.",
    "deskbell services list",
  );
  editObject(rt, session.business.slug, "service", item.service, (doc) =>
    item.variant === null
      ? { ...doc, status }
      : {
          ...doc,
          variants: doc.variants.map((one) =>
            one.key === item.variant ? { ...one, status } : one,
          ),
        },
  );
}
