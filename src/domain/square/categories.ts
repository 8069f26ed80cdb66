import type { z } from "zod";
import type { AuthoredMenuCategory } from "../catalog/file/schema.ts";
import { labelOf, type Mapping, READ_OF_OBJECT, sound } from "./mapping.ts";
import { dataOf, type SquareItem, type SquareObject } from "./objects.ts";

/** Square's categories serve goods and services alike; here each goes where its items go, its parents with it. */
export function splitCategories(
  categories: SquareObject[],
  dishes: SquareItem[],
  services: SquareItem[],
) {
  const ofDishes = withParents(dishes.flatMap(categoryIds), categories);
  const ofServices = withParents(services.flatMap(categoryIds), categories);
  const unused = dishes.length > 0 || services.length === 0 ? ofDishes : ofServices;
  for (const { id } of categories) if (!ofDishes.has(id) && !ofServices.has(id)) unused.add(id);
  return {
    ofDishes: categories.filter(({ id }) => ofDishes.has(id)),
    ofServices: categories.filter(({ id }) => ofServices.has(id)),
  };
}

/** The reporting category counts only where an item names no other. */
export function categoryIds(item: SquareItem): string[] {
  const listed = [item.categoryId, ...item.categories.map(({ id }) => id)].filter(
    (id) => id !== undefined,
  );
  return [
    ...new Set(
      listed.length > 0 || item.reportingCategory === undefined
        ? listed
        : [item.reportingCategory.id],
    ),
  ];
}

export function mapCategories(
  categories: SquareObject[],
  schema: z.ZodType<AuthoredMenuCategory>,
  m: Mapping,
): AuthoredMenuCategory[] {
  const docs = categories.flatMap((object) => {
    const { name, imageIds, parentCategory, ...unread } = dataOf("CATEGORY", object);
    m.left.unread("category", object.fields, READ_OF_OBJECT);
    m.left.unread("category", unread, []);
    const doc: AuthoredMenuCategory = { key: object.id, name, ...m.picturesOf(object, imageIds) };
    if (parentCategory?.id !== undefined) doc.parent = parentCategory.id;
    return sound(schema, doc, `category ${labelOf(name, object.id)}`, m.left);
  });
  const byKey = new Map(docs.map((doc) => [doc.key, doc]));
  for (const doc of docs) {
    if (doc.parent === undefined) continue;
    const parent = `parent ${doc.parent} of category ${labelOf(doc.name, doc.key)}`;
    if (!byKey.has(doc.parent)) m.left.one(parent, "it is not in the file, or was not taken");
    else if (isAbove(doc, byKey)) m.left.one(parent, "the categories go round in a ring");
    else continue;
    delete doc.parent;
  }
  return docs;
}

/** Whether a category is found again among those above it. */
function isAbove(doc: AuthoredMenuCategory, byKey: Map<string, AuthoredMenuCategory>): boolean {
  const above = new Set<string>();
  for (let key = doc.parent; key !== undefined && !above.has(key); key = byKey.get(key)?.parent)
    above.add(key);
  return above.has(doc.key);
}

function withParents(ids: string[], categories: SquareObject[]): Set<string> {
  const parentOf = new Map(
    categories.map((one) => [one.id, dataOf("CATEGORY", one).parentCategory?.id]),
  );
  const all = new Set(ids);
  // A set hands out what is added during the walk, each once: a ring of parents ends it too.
  for (const id of all) {
    const parent = parentOf.get(id);
    if (parent !== undefined) all.add(parent);
  }
  return all;
}
