import type { AuthoredMenuItem, AuthoredService } from "../catalog/file/schema.ts";
import { formatMoney } from "../money.ts";
import { categoryIds } from "./categories.ts";
import { labelOf, type Mapping, priceOf, READ_OF_OBJECT } from "./mapping.ts";
import type { SquareItem, SquareObject, Variation } from "./objects.ts";

/** What is left of the references of an item once those to nowhere have been reported. */
export type Links = { categories: string[]; modifierGroups: string[] };

const MS_A_MINUTE = 60_000;

const READ_OF_ITEM = [
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
const READ_OF_VARIATION = ["itemId", "name", "ordinal", "pricingType", "priceMoney"];

/** An appointment service; each of its variations is a variant. */
export function mapService(
  object: SquareObject,
  item: SquareItem,
  links: Links,
  m: Mapping,
): AuthoredService | undefined {
  const what = `service ${labelOf(item.name, object.id)}`;
  const { priced, isOpen } = readVariations(item, what, m);
  const timed = priced.filter(({ variation }) => {
    const hasDuration = variation.itemVariationData.serviceDuration !== undefined;
    if (!hasDuration)
      m.left.one(`variation ${nameOf(variation)} of ${what}`, "it says no duration");
    return hasDuration;
  });
  const variants = timed.map(({ variation, price }, at) => ({
    key: variation.id,
    name: nameIn(variation, item),
    durationMin: wholeMinutes(variation, what, m),
    price,
    ...(at === 0 && { default: true }),
  }));
  const [first] = variants;
  if (first === undefined) {
    m.left.one(
      what,
      "none of its variations could be taken, so that it has no duration and no price",
    );
    return undefined;
  }
  const closed = timed.filter(
    ({ variation }) => variation.itemVariationData.availableForBooking === false,
  );
  if (closed.length < timed.length)
    for (const { variation } of closed)
      m.left.one(
        `availableForBooking: false of ${nameOf(variation)} of ${what}`,
        "a variant is booked like its service",
      );
  for (const category of links.categories.slice(1))
    m.left.one(
      `category ${category} of ${what}`,
      "a service has one category, and the first was taken",
    );
  for (const group of links.modifierGroups)
    m.left.one(
      `modifier list ${group} of ${what}`,
      "modifiers belong to dishes: write it under addons",
    );
  noteUnread(object, item, ["serviceDuration", "availableForBooking"], m);
  return {
    key: object.id,
    name: item.name,
    ...describe(item),
    ...(links.categories[0] !== undefined && { category: links.categories[0] }),
    durationMin: first.durationMin,
    ...(isOpen ? { priceType: "ON_REQUEST" } : { price: first.price }),
    ...(closed.length === timed.length && { bookable: false }),
    variants,
    ...shown(object, item, m),
  };
}

/**
 * A dish; each of its variations is a size, the only one too, so that its name and id are kept. Their prices are the
 * dish's: it needs none of its own.
 */
export function mapDish(
  object: SquareObject,
  item: SquareItem,
  links: Links,
  m: Mapping,
): AuthoredMenuItem | undefined {
  const what = `item ${labelOf(item.name, object.id)}`;
  const { priced, isOpen } = readVariations(item, what, m);
  const [first] = priced;
  if (first === undefined) {
    m.left.one(what, "none of its variations could be taken, so that it has no price");
    return undefined;
  }
  const sku = priced.length === 1 ? first.variation.itemVariationData.sku : undefined;
  noteUnread(object, item, typeof sku === "string" ? ["sku"] : [], m);
  return {
    key: object.id,
    name: item.name,
    ...describe(item),
    ...(links.categories.length > 0 && { categories: links.categories }),
    ...(isOpen && { priceType: "MARKET" }),
    sizes: priced.map(({ variation, price }) => ({
      key: variation.id,
      name: nameIn(variation, item),
      price,
    })),
    ...(links.modifierGroups.length > 0 && { modifierGroups: links.modifierGroups }),
    ...(item.isAlcoholic && { containsAlcohol: true }),
    ...(typeof sku === "string" && { sku }),
    ...shown(object, item, m),
  };
}

/** The variations with their prices. `isOpen`: none has a price of its own; the till asks for it at the sale. */
function readVariations(item: SquareItem, what: string, m: Mapping) {
  const kept = item.variations
    .filter((variation) => {
      const { amount = 0 } = variation.itemVariationData.priceMoney ?? {};
      if (variation.isDeleted)
        m.left.one(`variation ${nameOf(variation)} of ${what}`, "it is deleted in Square");
      else if (amount < 0)
        m.left.one(`variation ${nameOf(variation)} of ${what}`, "its price is negative");
      return !variation.isDeleted && amount >= 0;
    })
    .sort((a, b) => (a.itemVariationData.ordinal ?? 0) - (b.itemVariationData.ordinal ?? 0))
    .map((variation) => {
      const { pricingType, priceMoney } = variation.itemVariationData;
      return {
        variation,
        price: pricingType === "VARIABLE_PRICING" ? undefined : priceOf(priceMoney, m),
      };
    });
  const isOpen = kept.every(({ price }) => price === undefined);
  const priced = kept.flatMap(({ variation, price }) => {
    if (price !== undefined) return [{ variation, price }];
    if (isOpen) return [{ variation, price: formatMoney(0, m.currency) }];
    m.left.one(
      `variation ${nameOf(variation)} of ${what}`,
      "its price is made at the sale, but those of the others are fixed",
    );
    return [];
  });
  return { priced, isOpen };
}

function wholeMinutes(variation: Variation, what: string, m: Mapping): number {
  const ms = variation.itemVariationData.serviceDuration ?? 0;
  const minutes = Math.ceil(ms / MS_A_MINUTE);
  if (minutes * MS_A_MINUTE !== ms)
    m.left.one(
      `seconds of the duration of ${nameOf(variation)} of ${what}`,
      `rounded up to ${minutes} minutes`,
    );
  return minutes;
}

const nameOf = (variation: Variation): string =>
  labelOf(variation.itemVariationData.name, variation.id);

/** Square lets the only variation go without a name. */
const nameIn = (variation: Variation, item: SquareItem): string =>
  variation.itemVariationData.name || item.name;

function describe(item: SquareItem): { description?: string } {
  const description = item.descriptionPlaintext ?? item.description;
  return description === undefined || description === "" ? {} : { description };
}

const shown = (object: SquareObject, item: SquareItem, m: Mapping) => ({
  ...(item.isArchived && { status: "ARCHIVED" as const }),
  ...m.picturesOf(object, item.imageIds),
});

function noteUnread(
  object: SquareObject,
  item: SquareItem,
  readOfVariation: readonly string[],
  m: Mapping,
): void {
  const { description = "" } = describe(item);
  const texts = ["description", "descriptionPlaintext"].filter(
    (field) => item[field] === description,
  );
  const { reportingCategory } = item;
  const isListed =
    reportingCategory !== undefined && categoryIds(item).includes(reportingCategory.id);
  m.left.unread("item", object.fields, READ_OF_OBJECT);
  m.left.unread("item", item, [
    ...READ_OF_ITEM,
    ...texts,
    ...(isListed ? ["reportingCategory"] : []),
  ]);
  for (const variation of item.variations.filter((one) => !one.isDeleted)) {
    m.left.unread("variation", variation, ["type", "id", "isDeleted", "itemVariationData"]);
    m.left.unread("variation", variation.itemVariationData, [
      ...READ_OF_VARIATION,
      ...readOfVariation,
    ]);
  }
}
