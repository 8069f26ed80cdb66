import type { z } from "zod";
import type { AuthoredModifierGroup } from "../../domain/catalog/file/menu.ts";
import { labelOf, type MappingContext, priceOf, OBJECT_FIELDS, validOrSkipped } from "./mapping.ts";
import { dataOf, type SquareItem, type ModifierList, type SquareObject } from "./objects.ts";

type ItemLink = { info: SquareItem["modifierListInfo"][number]; item: string };

/** How many options a guest can choose; undefined if not set. */
type Limits = { min: number | undefined; max: number | undefined };

export function mapModifierLists(
  lists: SquareObject[],
  links: ItemLink[],
  schema: z.ZodType<AuthoredModifierGroup>,
  context: MappingContext,
): AuthoredModifierGroup[] {
  const { skipped } = context;
  for (const { info } of links)
    skipped.addUnread("use of a modifier list", info, [
      "modifierListId",
      "enabled",
      "minSelectedModifiers",
      "maxSelectedModifiers",
    ]);
  return lists.flatMap((object) => {
    const list = dataOf("MODIFIER_LIST", object);
    const what = `modifier list ${labelOf(list.name, object.id)}`;
    const skip = (part: string, why: string) => skipped.add(`${part} of ${what}`, why);
    const options = mapOptions(list, what, context);
    if (list.modifierType === "TEXT") skipped.add(what, "text modifiers are not supported");
    else if (options.length === 0) skipped.add(what, "it has no options");
    if (list.modifierType === "TEXT" || options.length === 0) return [];
    addUnreadFields(object, list, context);
    const limits = limitsOf(
      list,
      links.filter(({ info }) => info.modifierListId === object.id),
      what,
      context,
    );
    const defaultMax = list.selectionType === "SINGLE" ? 1 : options.length;
    const max = Math.min(limits.max ?? defaultMax, options.length);
    const min = Math.min(limits.min ?? 0, max);
    if (limits.min !== undefined && min < limits.min)
      skip(`minimum of ${limits.min} choices`, `only ${max} can be chosen`);
    for (const option of options.filter((one) => one.default).slice(max)) {
      skip(`onByDefault of ${labelOf(option.name, option.key)}`, `only ${max} can be chosen`);
      delete option.default;
    }
    return validOrSkipped(
      schema,
      { key: object.id, name: list.name, min, max, options },
      what,
      context.skipped,
    );
  });
}

type Option = AuthoredModifierGroup["options"][number];

function mapOptions(list: ModifierList, what: string, context: MappingContext): Option[] {
  return list.modifiers
    .toSorted((a, b) => (a.modifierData.ordinal ?? 0) - (b.modifierData.ordinal ?? 0))
    .flatMap(({ id, isDeleted, modifierData: { name, priceMoney, onByDefault } }): Option[] => {
      const option = `modifier ${labelOf(name, id)} of ${what}`;
      // An option without a price is free.
      const price = priceOf(priceMoney ?? { amount: 0 }, context) ?? "0";
      if (isDeleted) context.skipped.add(option, "it is deleted in Square");
      else if (price.startsWith("-"))
        context.skipped.add(option, "an option cannot have a negative price");
      else return [{ key: id, name, price, ...(onByDefault && { default: true }) }];
      return [];
    });
}

/**
 * Returns the limits of a modifier group. Square can set limits for each dish, but a modifier group
 * has only one minimum and maximum. If the limits of all dishes are equal, the group gets these.
 * Otherwise it gets the list's limits, and the dishes with other limits are reported.
 */
function limitsOf(
  list: ModifierList,
  links: ItemLink[],
  what: string,
  context: MappingContext,
): Limits {
  const limitsOfList = readLimits(list);
  const perDish = links.map(({ info, item }) => ({
    item,
    limits: { ...limitsOfList, ...defined(readLimits(info)) },
  }));
  const [first] = perDish;
  if (first !== undefined && perDish.every(({ limits }) => isSame(limits, first.limits)))
    return first.limits;
  for (const { item, limits } of perDish)
    if (!isSame(limits, limitsOfList))
      context.skipped.add(
        `${limits.min ?? 0} to ${limits.max ?? "any number of"} choices of ${what} with '${item}'`,
        "the dishes have different limits, but a modifier group has only one minimum and maximum",
      );
  return limitsOfList;
}

/**
 * Returns the limits that are set. Square writes -1 for "same as the list". A maximum of 0 counts
 * as not set, because no option could be chosen.
 */
const readLimits = (from: {
  minSelectedModifiers?: number | undefined;
  maxSelectedModifiers?: number | undefined;
}): Limits => ({
  min: (from.minSelectedModifiers ?? -1) >= 0 ? from.minSelectedModifiers : undefined,
  max: (from.maxSelectedModifiers ?? -1) > 0 ? from.maxSelectedModifiers : undefined,
});

const defined = (limits: Limits): Partial<Limits> =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
const isSame = (a: Limits, b: Limits): boolean => a.min === b.min && a.max === b.max;

/** Reports the filled fields except those listed here, which are read or have no meaning. */
function addUnreadFields(object: SquareObject, list: ModifierList, context: MappingContext): void {
  context.skipped.addUnread("modifier list", object.fields, OBJECT_FIELDS);
  context.skipped.addUnread("modifier list", list, [
    "name",
    "modifierType",
    "selectionType",
    "minSelectedModifiers",
    "maxSelectedModifiers",
    "modifiers",
  ]);
  for (const modifier of list.modifiers.filter(({ isDeleted }) => !isDeleted)) {
    context.skipped.addUnread("modifier", modifier, ["type", "id", "isDeleted", "modifierData"]);
    context.skipped.addUnread("modifier", modifier.modifierData, [
      "name",
      "ordinal",
      "priceMoney",
      "onByDefault",
      "modifierListId",
    ]);
  }
}
