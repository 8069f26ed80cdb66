import { catalogFileSchema } from "../catalog/file/schema.ts";
import { AppError } from "../errors.ts";
import {
  type ImportedSections,
  type ImportReport,
  summarizeSections,
  withoutEmpty,
} from "../catalog/import-report.ts";
import { categoryIds, mapCategories, splitCategories } from "./categories.ts";
import { type Links, mapDish, mapService } from "./items.ts";
import { labelOf, type Mapping, sound } from "./mapping.ts";
import { mapModifierLists } from "./modifiers.ts";
import { dataOf, isRead, type SquareItem, type SquareObject } from "./objects.ts";
import { pictureFinder } from "./images.ts";
import { createSkippedLog, type SkippedLog, typeName } from "./skipped.ts";

type Sold = { object: SquareObject; item: SquareItem };

const schemas = catalogFileSchema.shape;
const menuSchemas = schemas.menu.unwrap().shape;

/** What of a Square catalog a catalog file can hold, and a line for all that it cannot. */
export function mapSquareCatalog(
  found: SquareObject[],
  currency: string,
): { sections: ImportedSections; report: ImportReport } {
  const left = createSkippedLog();
  const objects = living(found, left);
  const ofType = (wanted: string) => objects.filter(({ type }) => type === wanted);
  const { picturesOf, noteUnused } = pictureFinder(objects, left);
  const m: Mapping = { currency, left, foreign: new Set(), picturesOf };

  const { dishes, services } = splitItems(ofType("ITEM"), left);
  const { ofDishes, ofServices } = splitCategories(
    ofType("CATEGORY"),
    dishes.map(({ item }) => item),
    services.map(({ item }) => item),
  );
  const menuCategories = mapCategories(ofDishes, menuSchemas.categories.unwrap().element, m);
  const serviceCategories = mapCategories(
    ofServices,
    schemas.serviceCategories.unwrap().element,
    m,
  );
  const uses = dishes.flatMap(({ item }) =>
    item.modifierListInfo.map((info) => ({ info, item: item.name })),
  );
  const modifierGroups = mapModifierLists(
    ofType("MODIFIER_LIST"),
    uses,
    menuSchemas.modifierGroups.unwrap().element,
    m,
  );

  const mapped = {
    serviceCategories,
    services: services.flatMap((sold) => {
      const doc = mapService(
        sold.object,
        sold.item,
        linksOf(sold, serviceCategories, modifierGroups, left),
        m,
      );
      return doc === undefined
        ? []
        : sound(schemas.services.unwrap().element, doc, what(sold), left);
    }),
    menu: {
      categories: menuCategories,
      modifierGroups,
      items: dishes.flatMap((sold) => {
        const doc = mapDish(
          sold.object,
          sold.item,
          linksOf(sold, menuCategories, modifierGroups, left),
          m,
        );
        return doc === undefined
          ? []
          : sound(menuSchemas.items.unwrap().element, doc, what(sold), left);
      }),
    },
  };
  noteUnused();
  refuseForeign(m.foreign, currency);
  return {
    sections: refuseNothing(withoutEmpty(mapped)),
    report: { taken: summarizeSections(mapped), left: left.all() },
  };
}

const what = ({ object, item }: Sold): string => `item ${labelOf(item.name, object.id)}`;

/** The objects to map: what is deleted, doubled or of a kind unknown here is reported. */
function living(found: SquareObject[], left: SkippedLog): SquareObject[] {
  const seen = new Set<string>();
  return found.filter((object) => {
    const label = labelOf(nameIn(object), object.id);
    const isRepeated = seen.has(object.id);
    seen.add(object.id);
    if (object.isDeleted) left.one(`${typeName(object.type)} ${label}`, "it is deleted in Square");
    else if (isRepeated)
      left.one(`${typeName(object.type)} ${label}`, "an object before it has the same id");
    else if (isRead(object.type)) return true;
    else left.object(object.type, label);
    return false;
  });
}

/** A tax's name is in its `taxData`, and so on. */
function nameIn(object: SquareObject): string {
  const [, data] = Object.entries(object.fields).find(([field]) => field.endsWith("Data")) ?? [];
  const { name } = (data ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : "";
}

function splitItems(
  objects: SquareObject[],
  left: SkippedLog,
): { dishes: Sold[]; services: Sold[] } {
  const split: { dishes: Sold[]; services: Sold[] } = { dishes: [], services: [] };
  for (const object of objects) {
    const sold = { object, item: dataOf("ITEM", object) };
    const { productType } = sold.item;
    if (productType === "APPOINTMENTS_SERVICE") split.services.push(sold);
    else if (productType === "REGULAR" || productType === "FOOD_AND_BEV") split.dishes.push(sold);
    else left.one(what(sold), `${typeName(productType)} is neither a dish nor a service`);
  }
  return split;
}

/** An item's references to what was taken; the others are reported. */
function linksOf(
  sold: Sold,
  categories: { key: string }[],
  groups: { key: string }[],
  left: SkippedLog,
): Links {
  const known = (kind: string, ids: string[], taken: { key: string }[]) =>
    ids.filter((id) => {
      const isKnown = taken.some(({ key }) => key === id);
      if (!isKnown)
        left.one(`${kind} ${id} of ${what(sold)}`, "it is not in the file, or was not taken");
      return isKnown;
    });
  const enabled = sold.item.modifierListInfo.filter(({ enabled, modifierListId }) => {
    if (!enabled)
      left.one(`modifier list ${modifierListId} of ${what(sold)}`, "it is switched off there");
    return enabled;
  });
  return {
    categories: known("category", categoryIds(sold.item), categories),
    modifierGroups: known(
      "modifier list",
      [...new Set(enabled.map((info) => info.modifierListId))],
      groups,
    ),
  };
}

function refuseForeign(foreign: Set<string>, currency: string): void {
  if (foreign.size === 0) return;
  throw new AppError(
    "invalid_input",
    `Prices in this file are in ${[...foreign].sort().join(", ")}, not ${currency}.`,
    {
      fix: "Name the file's currency as the business's: money is not converted.",
    },
  );
}

function refuseNothing(sections: ImportedSections): ImportedSections {
  if (Object.keys(sections).length > 0) return sections;
  throw new AppError(
    "invalid_input",
    "There is no item, category or modifier list in this file that could be taken.",
    {
      fix: "Ask Square's ListCatalog for types=ITEM,CATEGORY,MODIFIER_LIST,IMAGE and import its answer.",
    },
  );
}
