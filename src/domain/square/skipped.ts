import { type SkippedPart } from "../catalog/import-report.ts";
import { countOf } from "../count-of.ts";
import type { Fields } from "./objects.ts";

export type SkippedLog = ReturnType<typeof createSkippedLog>;

const PRICES = "prices are served as they are written";
const ONE_PLACE = "the catalog is that of one location";
const STOCK = "stock is not counted here";
const TILL = "it is of use to Square's own till and pages only";
const BOOKKEEPING = "it is Square's own bookkeeping";
const RULES =
  "write it under promotions: Square keeps the rule in several objects that have no counterpart";

const WHY_FIELD = new Map(
  Object.entries({
    abbreviation: TILL,
    absentAtLocationIds: ONE_PLACE,
    buttonColor: TILL,
    channels: TILL,
    descriptionHtml: "descriptions are plain text",
    internalName: TILL,
    inventoryAlertThreshold: STOCK,
    inventoryAlertType: STOCK,
    isTaxable: PRICES,
    labelColor: TILL,
    locationOverrides: ONE_PLACE,
    ordinal: "the order of the file counts",
    presentAtAllLocations: ONE_PLACE,
    presentAtLocationIds: ONE_PLACE,
    sellable: STOCK,
    skipModifierScreen: TILL,
    sortName: TILL,
    stockable: STOCK,
    taxIds: PRICES,
    teamMemberIds: "Square's catalog names no people: write them under staff",
    trackInventory: STOCK,
    createdAt: BOOKKEEPING,
    updatedAt: BOOKKEEPING,
    version: BOOKKEEPING,
  }),
);

const WHY_TYPE = new Map(
  Object.entries({
    DISCOUNT: RULES,
    IMAGE: "no item or category that was taken uses it",
    ITEM_OPTION: "its choices arrive as the variations of its items",
    ITEM_OPTION_VAL: "its choices arrive as the variations of its items",
    ITEM_VARIATION: "a variation is read inside its item only",
    MODIFIER: "a modifier is read inside its list only",
    PRICING_RULE: RULES,
    PRODUCT_SET: RULES,
    TAX: PRICES,
    TIME_PERIOD: RULES,
  }),
);

/** What an import leaves behind, each with its reason. Fields are counted, so that one line speaks for a hundred items. */
export function createSkippedLog() {
  const lines: SkippedPart[] = [];
  const counts = new Map<string, { field: string; noun: string; n: number }>();

  return {
    one: (what: string, why: string): void => void lines.push({ what, why }),

    object: (type: string, label: string): void =>
      void lines.push({
        what: `${typeName(type)} ${label}`,
        why: WHY_TYPE.get(type) ?? "deskbell has nothing of this kind",
      }),

    /** Counts every field that holds something and is not among those read. */
    unread(noun: string, fields: Fields, read: readonly string[]): void {
      for (const [field, value] of Object.entries(fields)) {
        if (read.includes(field) || isEmpty(value)) continue;
        const count = counts.get(`${field} ${noun}`) ?? { field, noun, n: 0 };
        counts.set(`${field} ${noun}`, { ...count, n: count.n + 1 });
      }
    },

    all: (): SkippedPart[] => [
      ...lines,
      ...[...counts.values()].map(({ field, noun, n }) => ({
        what: `${field} on ${countOf(n, noun)}`,
        why: WHY_FIELD.get(field) ?? "deskbell has no field for it",
      })),
    ],
  };
}

const isEmpty = (value: unknown): boolean =>
  value === "" ||
  value === undefined ||
  (typeof value === "object" && Object.keys(value ?? {}).length === 0);

/** `modifier list` of MODIFIER_LIST. */
export const typeName = (type: string): string => type.toLowerCase().replaceAll("_", " ");
