import type { AuthoredMenuItem } from "../../domain/catalog/file/menu.ts";
import type { AuthoredService } from "../../domain/catalog/file/services.ts";
import { isoCurrency, formatMoney } from "../../domain/money.ts";
import { categoryIds } from "./categories.ts";
import { labelOf, type MappingContext, priceOf, OBJECT_FIELDS } from "./mapping.ts";
import type { SquareItem, SquareObject, Variation } from "./objects.ts";

/** The keys of the categories and modifier groups of an item. */
export type Links = { categories: string[]; modifierGroups: string[] };

const MS_PER_MINUTE = 60_000;

/** The fields of an item that are read, and therefore not reported as left out. */
const ITEM_FIELDS = [
  "name",
  "productType",
  "categoryId",
  "categories",
  "imageIds",
  "isAlcoholic",
  "isArchived",
  "modifierListInfo",
  "variations",
];
const VARIATION_FIELDS = ["itemId", "name", "ordinal", "pricingType", "priceMoney"];

/** Returns a service with a variant for each variation. */
export function mapService(
  object: SquareObject,
  item: SquareItem,
  links: Links,
  context: MappingContext,
): AuthoredService | undefined {
  const { skipped } = context;
  const what = `service ${labelOf(item.name, object.id)}`;
  const { priced, hasVariablePrice } = readVariations(item, what, context);
  const skip = (part: string, why: string) => skipped.add(`${part} of ${what}`, why);
  const timed = priced.filter(({ variation }) => {
    const hasDuration = variation.itemVariationData.serviceDuration !== undefined;
    if (!hasDuration) skip(`variation ${variationLabel(variation)}`, "it has no duration");
    return hasDuration;
  });
  const variants = timed.map(({ variation, price }, at) => ({
    key: variation.id,
    name: variationName(variation, item),
    durationMin: wholeMinutes(variation, what, context),
    price,
    ...(at === 0 && { default: true }),
  }));
  const [first] = variants;
  if (first === undefined) {
    skipped.add(
      what,
      "none of its variations could be imported, so it has no duration and no price",
    );
    return undefined;
  }
  const closed = timed.filter(
    ({ variation }) => variation.itemVariationData.availableForBooking === false,
  );
  if (closed.length < timed.length)
    for (const { variation } of closed)
      skip(
        `availableForBooking=false on variation ${variationLabel(variation)}`,
        "only a whole service can be closed for booking",
      );
  for (const category of links.categories.slice(1))
    skip(`category ${category}`, "a service has only one category; the first one was imported");
  for (const group of links.modifierGroups)
    skip(`modifier list ${group}`, "services have no modifiers: add an add-on under 'addons'");
  addUnreadFields(object, item, ["serviceDuration", "availableForBooking"], context);
  return {
    key: object.id,
    name: item.name,
    ...readDescription(item),
    ...(links.categories[0] !== undefined && { category: links.categories[0] }),
    durationMin: first.durationMin,
    ...(hasVariablePrice ? { priceType: "ON_REQUEST" } : { price: first.price }),
    ...(closed.length === timed.length && { bookable: false }),
    variants,
    ...statusAndImages(object, item, context),
  };
}

/**
 * Returns a dish with a size for each variation. A single variation becomes a size too, to keep its
 * name and ID. The dish has no price, because its sizes have prices.
 */
export function mapDish(
  object: SquareObject,
  item: SquareItem,
  links: Links,
  context: MappingContext,
): AuthoredMenuItem | undefined {
  const what = `item ${labelOf(item.name, object.id)}`;
  const { priced, hasVariablePrice } = readVariations(item, what, context);
  const [first] = priced;
  if (first === undefined) {
    context.skipped.add(what, "none of its variations could be imported, so it has no price");
    return undefined;
  }
  const sku = priced.length === 1 ? first.variation.itemVariationData.sku : undefined;
  addUnreadFields(object, item, typeof sku === "string" ? ["sku"] : [], context);
  return {
    key: object.id,
    name: item.name,
    ...readDescription(item),
    ...(links.categories.length > 0 && { categories: links.categories }),
    ...(hasVariablePrice && { priceType: "MARKET" }),
    sizes: priced.map(({ variation, price }) => ({
      key: variation.id,
      name: variationName(variation, item),
      price,
    })),
    ...(links.modifierGroups.length > 0 && { modifierGroups: links.modifierGroups }),
    ...(item.isAlcoholic && { containsAlcohol: true }),
    ...(typeof sku === "string" && { sku }),
    ...statusAndImages(object, item, context),
  };
}

/**
 * Returns the variations that can be imported, in their order. If all prices are entered at the
 * time of sale, `hasVariablePrice` is set and each variation has the price 0, because a size needs
 * a price; the price type of the service or dish then says that the price varies.
 */
function readVariations(item: SquareItem, what: string, context: MappingContext) {
  const skip = (variation: Variation, why: string) =>
    context.skipped.add(`variation ${variationLabel(variation)} of ${what}`, why);
  const sellable = item.variations
    .filter((variation) => {
      const { amount = 0 } = variation.itemVariationData.priceMoney ?? {};
      if (variation.isDeleted) skip(variation, "it is deleted in Square");
      else if (amount < 0) skip(variation, "its price is negative");
      return !variation.isDeleted && amount >= 0;
    })
    .sort((a, b) => (a.itemVariationData.ordinal ?? 0) - (b.itemVariationData.ordinal ?? 0))
    .map((variation) => {
      const { pricingType, priceMoney } = variation.itemVariationData;
      return {
        variation,
        price: pricingType === "VARIABLE_PRICING" ? undefined : priceOf(priceMoney, context),
      };
    });
  const hasVariablePrice = sellable.every(({ price }) => price === undefined);
  const priced = sellable.flatMap(({ variation, price }) => {
    if (price !== undefined) return [{ variation, price }];
    if (hasVariablePrice)
      return [{ variation, price: formatMoney(0, isoCurrency(context.currency)) }];
    skip(
      variation,
      "its price is entered at the time of sale, but other variations have fixed prices",
    );
    return [];
  });
  return { priced, hasVariablePrice };
}

function wholeMinutes(variation: Variation, what: string, context: MappingContext): number {
  const ms = variation.itemVariationData.serviceDuration ?? 0;
  const minutes = Math.ceil(ms / MS_PER_MINUTE);
  if (minutes * MS_PER_MINUTE !== ms)
    context.skipped.add(
      `seconds of the duration of ${variationLabel(variation)} of ${what}`,
      `rounded up to ${minutes} minutes`,
    );
  return minutes;
}

const variationLabel = (variation: Variation): string =>
  labelOf(variation.itemVariationData.name, variation.id);

/** Returns the name of a variation, or that of the item: a single variation may have no name. */
const variationName = (variation: Variation, item: SquareItem): string =>
  variation.itemVariationData.name || item.name;

function readDescription(item: SquareItem): { description?: string } {
  const description = item.descriptionPlaintext ?? item.description;
  return description === undefined || description === "" ? {} : { description };
}

const statusAndImages = (object: SquareObject, item: SquareItem, context: MappingContext) => ({
  ...(item.isArchived && { status: "ARCHIVED" as const }),
  ...context.imagesOf(object, item.imageIds),
});

/**
 * Reports the fields that are not imported.
 * @param readVariationFields the fields of variations that are imported besides `VARIATION_FIELDS`
 */
function addUnreadFields(
  object: SquareObject,
  item: SquareItem,
  readVariationFields: readonly string[],
  { skipped }: MappingContext,
): void {
  const { description = "" } = readDescription(item);
  // Square may send the description with and without markup, and only one of the two is imported.
  // The other is reported as left out if its text differs.
  const read = ["description", "descriptionPlaintext"].filter(
    (field) => item[field] === description,
  );
  const { reportingCategory } = item;
  if (reportingCategory && categoryIds(item).includes(reportingCategory.id))
    read.push("reportingCategory");
  skipped.addUnread("item", object.fields, OBJECT_FIELDS);
  skipped.addUnread("item", item, [...ITEM_FIELDS, ...read]);
  for (const variation of item.variations.filter((one) => !one.isDeleted)) {
    const { itemVariationData, ...otherFields } = variation;
    skipped.addUnread("variation", otherFields, ["type", "id", "isDeleted"]);
    skipped.addUnread("variation", itemVariationData, [
      ...VARIATION_FIELDS,
      ...readVariationFields,
    ]);
  }
}
