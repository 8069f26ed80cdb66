import type { z } from "zod";
import type { AuthoredModifierGroup } from "../catalog/file/schema.ts";
import { labelOf, type Mapping, priceOf, READ_OF_OBJECT, sound } from "./mapping.ts";
import { dataOf, type SquareItem, type ModifierList, type SquareObject } from "./objects.ts";

/** A dish's use of a list. */
export type ItemLink = { info: SquareItem["modifierListInfo"][number]; item: string };

type Rule = { min: number | undefined; max: number | undefined };

export function mapModifierLists(
  lists: SquareObject[],
  links: ItemLink[],
  schema: z.ZodType<AuthoredModifierGroup>,
  m: Mapping,
): AuthoredModifierGroup[] {
  for (const { info } of links)
    m.left.unread("use of a modifier list", info, [
      "modifierListId",
      "enabled",
      "minSelectedModifiers",
      "maxSelectedModifiers",
    ]);
  return lists.flatMap((object) => {
    const list = dataOf("MODIFIER_LIST", object);
    const what = `modifier list ${labelOf(list.name, object.id)}`;
    const options = mapOptions(list, what, m);
    if (list.modifierType === "TEXT")
      m.left.one(what, "guests choose from options here and write no text");
    else if (options.length === 0) m.left.one(what, "it has no option");
    if (list.modifierType === "TEXT" || options.length === 0) return [];
    noteUnread(object, list, m);
    const rule = ruleOf(
      list,
      links.filter(({ info }) => info.modifierListId === object.id),
      what,
      m,
    );
    const widest = list.selectionType === "SINGLE" ? 1 : options.length;
    const max = Math.min(rule.max ?? widest, options.length);
    const min = Math.min(rule.min ?? 0, max);
    if (rule.min !== undefined && min < rule.min)
      m.left.one(`the least of ${rule.min} choices of ${what}`, `no more than ${max} can be made`);
    for (const option of options.filter((one) => one.default).slice(max)) {
      m.left.one(
        `onByDefault of ${labelOf(option.name, option.key)} of ${what}`,
        `no more than ${max} can be chosen`,
      );
      delete option.default;
    }
    return sound(schema, { key: object.id, name: list.name, min, max, options }, what, m.left);
  });
}

type Option = AuthoredModifierGroup["options"][number];

function mapOptions(list: ModifierList, what: string, m: Mapping): Option[] {
  return list.modifiers
    .toSorted((a, b) => (a.modifierData.ordinal ?? 0) - (b.modifierData.ordinal ?? 0))
    .flatMap(({ id, isDeleted, modifierData: { name, priceMoney, onByDefault } }): Option[] => {
      const option = `modifier ${labelOf(name, id)} of ${what}`;
      const price = priceOf(priceMoney ?? { amount: 0 }, m) ?? "0";
      if (isDeleted) m.left.one(option, "it is deleted in Square");
      else if (price.startsWith("-")) m.left.one(option, "an option cannot lower the price");
      else return [{ key: id, name, price, ...(onByDefault && { default: true }) }];
      return [];
    });
}

/**
 * Square lets each dish set how many to choose, a group here has one rule. Where all dishes agree theirs is taken, or else the
 * list's own, and the dishes that differ are reported.
 */
function ruleOf(list: ModifierList, links: ItemLink[], what: string, m: Mapping): Rule {
  const own = readRule(list);
  const rules = links.map(({ info, item }) => ({
    item,
    rule: { ...own, ...defined(readRule(info)) },
  }));
  const [first] = rules;
  if (first !== undefined && rules.every(({ rule }) => isSame(rule, first.rule))) return first.rule;
  for (const { item, rule } of rules)
    if (!isSame(rule, own))
      m.left.one(
        `${rule.min ?? 0} to ${rule.max ?? "any number"} choices of ${what} with '${item}'`,
        "the dishes disagree, and a group has one rule",
      );
  return own;
}

/** Square writes -1 for "as the list says". */
const readRule = (from: {
  minSelectedModifiers?: number | undefined;
  maxSelectedModifiers?: number | undefined;
}): Rule => ({
  min: (from.minSelectedModifiers ?? -1) >= 0 ? from.minSelectedModifiers : undefined,
  max: (from.maxSelectedModifiers ?? -1) > 0 ? from.maxSelectedModifiers : undefined,
});

const defined = (rule: Rule): Partial<Rule> =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
const isSame = (a: Rule, b: Rule): boolean => a.min === b.min && a.max === b.max;

function noteUnread(object: SquareObject, list: ModifierList, m: Mapping): void {
  m.left.unread("modifier list", object.fields, READ_OF_OBJECT);
  m.left.unread("modifier list", list, [
    "name",
    "modifierType",
    "selectionType",
    "minSelectedModifiers",
    "maxSelectedModifiers",
    "modifiers",
  ]);
  for (const modifier of list.modifiers.filter(({ isDeleted }) => !isDeleted)) {
    m.left.unread("modifier", modifier, ["type", "id", "isDeleted", "modifierData"]);
    m.left.unread("modifier", modifier.modifierData, [
      "name",
      "ordinal",
      "priceMoney",
      "onByDefault",
      "modifierListId",
    ]);
  }
}
