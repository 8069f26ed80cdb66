import type { z } from "zod";
import { catalogFileSchema } from "../../domain/catalog/file/schema.ts";
import { AppError, MAX_ISSUES } from "../../domain/errors.ts";
import {
  type ImportedSections,
  type ImportReport,
  summarizeSections,
  summarizeSkipped,
  withoutEmpty,
} from "../../domain/catalog/import-report.ts";
import { categoryIds, mapCategories, splitCategories } from "./categories.ts";
import { mapDiscounts } from "./discounts.ts";
import { type Links, mapDish, mapService } from "./items.ts";
import { labelOf, type MappingContext, validOrSkipped, type AuthoredImages } from "./mapping.ts";
import { mapModifierLists } from "./modifiers.ts";
import { dataOf, isRead, type SquareItem, type SquareObject, type Image } from "./objects.ts";
import { createSkippedLog, type SkippedLog, typeName } from "./skipped.ts";
import { line } from "../../domain/basic-schemas.ts";
import { webAddress } from "../../domain/catalog/file/fields.ts";

type ItemObject = { object: SquareObject; item: SquareItem };

const schemas = catalogFileSchema.shape;
const menuSchemas = schemas.menu.unwrap().shape;

/**
 * Returns the sections of a catalog file, and a report of what was imported and what was left out.
 * @throws AppError invalid_input if prices are in another currency, or nothing can be imported
 */
export function mapSquareCatalog(
  foundObjects: SquareObject[],
  currency: string,
): { sections: ImportedSections; report: ImportReport } {
  const skipped = createSkippedLog();
  const objects = selectImportable(foundObjects, skipped);
  const ofType = (wanted: string) => objects.filter(({ type }) => type === wanted);
  const { imagesOf, addUnusedImages } = createImageFinder(objects, skipped);
  const context: MappingContext = { currency, skipped, foreignCurrencies: new Set(), imagesOf };

  const { dishes, services } = splitItems(ofType("ITEM"), skipped);
  const { ofDishes, ofServices } = splitCategories(
    ofType("CATEGORY"),
    dishes.map(({ item }) => item),
    services.map(({ item }) => item),
  );
  const menuCategories = mapCategories(ofDishes, menuSchemas.categories.unwrap().element, context);
  const serviceCategories = mapCategories(
    ofServices,
    schemas.serviceCategories.unwrap().element,
    context,
  );
  const modifierGroups = mapModifierLists(
    ofType("MODIFIER_LIST"),
    dishes.flatMap(({ item }) => item.modifierListInfo.map((info) => ({ info, item: item.name }))),
    menuSchemas.modifierGroups.unwrap().element,
    context,
  );
  const mapItems = <T>(
    items: ItemObject[],
    categories: { key: string }[],
    schema: z.ZodType<T>,
    map: typeof mapDish | typeof mapService,
  ): T[] =>
    items.flatMap((itemObject) => {
      const { object, item } = itemObject;
      const doc = map(
        object,
        item,
        linksOf(itemObject, categories, modifierGroups, skipped),
        context,
      );
      return doc === undefined
        ? []
        : validOrSkipped(schema, doc as T, itemLabel(itemObject), skipped);
    });

  const mapped = {
    serviceCategories,
    services: mapItems(services, serviceCategories, schemas.services.unwrap().element, mapService),
    menu: {
      categories: menuCategories,
      modifierGroups,
      items: mapItems(dishes, menuCategories, menuSchemas.items.unwrap().element, mapDish),
    },
    promotions: mapDiscounts(ofType("DISCOUNT"), schemas.promotions.unwrap().element, context),
  };
  addUnusedImages();
  assertOneCurrency(context.foreignCurrencies, currency);
  return {
    sections: assertNotEmpty(withoutEmpty(mapped), skipped),
    report: { imported: summarizeSections(mapped), skipped: skipped.list() },
  };
}

const itemLabel = ({ object, item }: ItemObject): string => `item ${labelOf(item.name, object.id)}`;

/** Returns the objects to import: neither deleted nor repeated, and of a type that is read. */
function selectImportable(foundObjects: SquareObject[], skipped: SkippedLog): SquareObject[] {
  const seen = new Set<string>();
  return foundObjects.filter((object) => {
    const label = labelOf(nameIn(object), object.id);
    const isRepeated = seen.has(object.id);
    seen.add(object.id);
    if (object.isDeleted)
      skipped.add(`${typeName(object.type)} ${label}`, "it is deleted in Square");
    else if (isRepeated)
      skipped.add(`${typeName(object.type)} ${label}`, "an earlier object has the same ID");
    else if (isRead(object.type)) return true;
    else skipped.addObject(object.type, label);
    return false;
  });
}

/**
 * Returns the name of an object, which is inside a field named after its type, such as `taxData`;
 * an empty text if there is none.
 */
function nameIn(object: SquareObject): string {
  const [, data] = Object.entries(object.fields).find(([field]) => field.endsWith("Data")) ?? [];
  const { name } = (data ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : "";
}

function splitItems(objects: SquareObject[], skipped: SkippedLog) {
  const [dishes, services]: [ItemObject[], ItemObject[]] = [[], []];
  for (const object of objects) {
    const itemObject = { object, item: dataOf("ITEM", object) };
    const { productType } = itemObject.item;
    if (productType === "APPOINTMENTS_SERVICE") services.push(itemObject);
    else if (productType === "REGULAR" || productType === "FOOD_AND_BEV") dishes.push(itemObject);
    else
      skipped.add(
        itemLabel(itemObject),
        `${typeName(productType)} is neither a dish nor a service`,
      );
  }
  return { dishes, services };
}

/** Returns the links of an item, without references to objects that are not imported. */
function linksOf(
  itemObject: ItemObject,
  categories: { key: string }[],
  groups: { key: string }[],
  skipped: SkippedLog,
): Links {
  const skip = (what: string, why: string) =>
    skipped.add(`${what} of ${itemLabel(itemObject)}`, why);
  const onlyImported = (noun: string, ids: string[], imported: { key: string }[]) =>
    ids.filter((id) => {
      const isKnown = imported.some(({ key }) => key === id);
      if (!isKnown) skip(`${noun} ${id}`, "it is not in the file, or was not imported");
      return isKnown;
    });
  const enabledLists = itemObject.item.modifierListInfo.filter(({ enabled, modifierListId }) => {
    if (!enabled) skip(`modifier list ${modifierListId}`, "it is disabled for this item");
    return enabled;
  });
  const groupIds = [...new Set(enabledLists.map((info) => info.modifierListId))];
  return {
    categories: onlyImported("category", categoryIds(itemObject.item), categories),
    modifierGroups: onlyImported("modifier list", groupIds, groups),
  };
}

function assertOneCurrency(foreign: Set<string>, currency: string): void {
  if (foreign.size === 0) return;
  throw new AppError(
    "invalid_input",
    `Prices in this file are in ${[...foreign].sort().join(", ")}, not ${currency}.`,
    {
      fix: "Set the currency of the business to that of the file; amounts are not converted.",
    },
  );
}

/** @throws AppError invalid_input, which says of each part why it was left out */
function assertNotEmpty(sections: ImportedSections, skipped: SkippedLog): ImportedSections {
  if (Object.keys(sections).length > 0) return sections;
  throw new AppError(
    "invalid_input",
    "This file has no item, category, modifier list or discount that can be imported.",
    {
      fix: "Call Square's ListCatalog with types=ITEM,CATEGORY,MODIFIER_LIST,IMAGE,DISCOUNT and import its response.",
      issues: summarizeSkipped(skipped.list())
        .slice(0, MAX_ISSUES)
        .map((detail) => ({ code: "invalid_input", detail })),
    },
  );
}

/** Finds the images of an object: those in its `imageIds`, and one next to it in the file. */
function createImageFinder(objects: SquareObject[], skipped: SkippedLog) {
  const unused = new Map(
    objects.filter(({ type }) => type === "IMAGE").map((one) => [one.id, one]),
  );
  // This copy keeps all images, whereas `unused` loses each image that an object uses.
  const images = new Map(unused);

  function read(image: Image, owner: string): NonNullable<AuthoredImages["images"]> {
    const { url = "", caption } = image;
    const what = `image ${url} of ${owner}`;
    if (!webAddress.safeParse(url).success) {
      skipped.add(what, "an image must be a web address (https://…)");
      return [];
    }
    if (caption === undefined || caption === "") return [{ url }];
    if (line(300).safeParse(caption).success) return [{ url, alt: caption }];
    skipped.add(`caption of ${what}`, "a caption must be one line of at most 300 characters");
    return [{ url }];
  }

  return {
    imagesOf(object: SquareObject, imageIds: readonly string[]): AuthoredImages {
      const found = object.image === undefined ? [] : read(object.image, object.id);
      for (const id of imageIds) {
        const image = images.get(id);
        unused.delete(id);
        if (image === undefined)
          skipped.add(`image ${id} of ${object.id}`, "the image is not in the file");
        else found.push(...read(dataOf("IMAGE", image), object.id));
      }
      return found.length === 0 ? {} : { images: found };
    },

    addUnusedImages(): void {
      for (const { id, type } of unused.values()) skipped.addObject(type, labelOf("", id));
    },
  };
}
