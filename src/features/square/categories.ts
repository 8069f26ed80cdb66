import type { z } from "zod";
import type { AuthoredMenuCategory } from "../../domain/catalog/file/menu.ts";
import { labelOf, type MappingContext, OBJECT_FIELDS, validOrSkipped } from "./mapping.ts";
import { dataOf, type SquareItem, type SquareObject } from "./objects.ts";

/**
 * Divides Square's categories, which services and dishes share, into those of the menu and those of
 * the services. A category and its parents go to where its items are, perhaps to both. A category
 * without items joins the menu unless all items are services.
 */
export function splitCategories(
  categories: SquareObject[],
  dishes: SquareItem[],
  services: SquareItem[],
) {
  const ofDishes = withParents(dishes.flatMap(categoryIds), categories);
  const ofServices = withParents(services.flatMap(categoryIds), categories);
  const forUnused = dishes.length > 0 || services.length === 0 ? ofDishes : ofServices;
  for (const { id } of categories) if (!ofDishes.has(id) && !ofServices.has(id)) forUnused.add(id);
  return {
    ofDishes: categories.filter(({ id }) => ofDishes.has(id)),
    ofServices: categories.filter(({ id }) => ofServices.has(id)),
  };
}

/** Returns the categories of an item. The reporting category counts only if there is no other. */
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
  context: MappingContext,
): AuthoredMenuCategory[] {
  const docs = categories.flatMap((object) => {
    const { name, imageIds, parentCategory, ...unread } = dataOf("CATEGORY", object);
    context.skipped.addUnread("category", object.fields, OBJECT_FIELDS);
    context.skipped.addUnread("category", unread, []);
    const doc: AuthoredMenuCategory = {
      key: object.id,
      name,
      ...context.imagesOf(object, imageIds),
    };
    if (parentCategory?.id !== undefined) doc.parent = parentCategory.id;
    return validOrSkipped(schema, doc, `category ${labelOf(name, object.id)}`, context.skipped);
  });
  const byKey = new Map(docs.map((doc) => [doc.key, doc]));
  for (const doc of docs) {
    if (doc.parent === undefined) continue;
    const parent = `parent ${doc.parent} of category ${labelOf(doc.name, doc.key)}`;
    if (!byKey.has(doc.parent))
      context.skipped.add(parent, "it is not in the file, or was not imported");
    else if (isOwnAncestor(doc, byKey)) context.skipped.add(parent, "the categories form a cycle");
    else continue;
    delete doc.parent;
  }
  return docs;
}

function isOwnAncestor(
  doc: AuthoredMenuCategory,
  byKey: Map<string, AuthoredMenuCategory>,
): boolean {
  const ancestors = new Set<string>();
  for (let key = doc.parent; key !== undefined && !ancestors.has(key); key = byKey.get(key)?.parent)
    ancestors.add(key);
  return ancestors.has(doc.key);
}

/** Returns the IDs of categories with those of their parents, grandparents and so on. */
function withParents(ids: string[], categories: SquareObject[]): Set<string> {
  const parentOf = new Map(
    categories.map((one) => [one.id, dataOf("CATEGORY", one).parentCategory?.id]),
  );
  const idsWithParents = new Set(ids);
  // The loop also visits the IDs that it adds, each once, so that a cycle of parents ends.
  for (const id of idsWithParents) {
    const parent = parentOf.get(id);
    if (parent !== undefined) idsWithParents.add(parent);
  }
  return idsWithParents;
}
