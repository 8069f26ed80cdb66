import type { Fields } from "./objects.ts";
import type { SkippedPart } from "../../domain/catalog/import-report.ts";
import { countOf } from "../../domain/text.ts";

export type SkippedLog = ReturnType<typeof createSkippedLog>;

const TAXES = "deskbell does not calculate taxes";
const LOCATIONS = "a deskbell catalog is for a single location";
const STOCK = "deskbell does not track stock";
const SQUARE_ONLY = "only Square's point of sale and online store use it";
const INTERNAL = "it is internal to Square";
const PRICING_RULES =
  "Square's pricing rules have no direct equivalent: add a promotion under 'promotions'";

const FIELD_REASONS = new Map(
  Object.entries({
    abbreviation: SQUARE_ONLY,
    absentAtLocationIds: LOCATIONS,
    buttonColor: SQUARE_ONLY,
    channels: SQUARE_ONLY,
    descriptionHtml: "descriptions are plain text",
    internalName: SQUARE_ONLY,
    inventoryAlertThreshold: STOCK,
    inventoryAlertType: STOCK,
    isTaxable: TAXES,
    labelColor: SQUARE_ONLY,
    locationOverrides: LOCATIONS,
    ordinal: "the order in the file is used instead",
    presentAtAllLocations: LOCATIONS,
    presentAtLocationIds: LOCATIONS,
    sellable: STOCK,
    skipModifierScreen: SQUARE_ONLY,
    sortName: SQUARE_ONLY,
    stockable: STOCK,
    taxIds: TAXES,
    teamMemberIds: "Square's catalog has no names of staff: add them under 'staff'",
    trackInventory: STOCK,
    createdAt: INTERNAL,
    updatedAt: INTERNAL,
    version: INTERNAL,
  }),
);

const TYPE_REASONS = new Map(
  Object.entries({
    IMAGE: "no imported item or category uses it",
    ITEM_OPTION: "its values are imported as variations of the items",
    ITEM_OPTION_VAL: "its values are imported as variations of the items",
    ITEM_VARIATION: "variations are only read inside their item",
    MODIFIER: "modifiers are only read inside their list",
    PRICING_RULE: PRICING_RULES,
    PRODUCT_SET: PRICING_RULES,
    TAX: TAXES,
    TIME_PERIOD: PRICING_RULES,
  }),
);

/**
 * Collects what is left out. A field of many objects gets one line with the number of objects.
 */
export function createSkippedLog() {
  const lines: SkippedPart[] = [];
  const counts = new Map<string, { field: string; noun: string; n: number }>();

  return {
    add: (part: string, reason: string): void => void lines.push({ part, reason }),

    addObject: (type: string, label: string): void =>
      void lines.push({
        part: `${typeName(type)} ${label}`,
        reason: TYPE_REASONS.get(type) ?? "deskbell has no equivalent",
      }),

    /** Adds the fields that are neither empty nor in `read`. */
    addUnread(noun: string, fields: Fields, read: readonly string[]): void {
      for (const [field, value] of Object.entries(fields)) {
        if (read.includes(field) || isEmpty(value)) continue;
        const count = counts.get(`${field} ${noun}`) ?? { field, noun, n: 0 };
        counts.set(`${field} ${noun}`, { ...count, n: count.n + 1 });
      }
    },

    list: (): SkippedPart[] => [
      ...lines,
      ...[...counts.values()].map(({ field, noun, n }) => ({
        part: `${field} on ${countOf(n, noun)}`,
        reason: FIELD_REASONS.get(field) ?? "deskbell has no field for it",
      })),
    ],
  };
}

const isEmpty = (value: unknown): boolean =>
  value === "" ||
  value === undefined ||
  (typeof value === "object" && Object.keys(value ?? {}).length === 0);

/** Returns a text such as `modifier list` for MODIFIER_LIST. */
export const typeName = (type: string): string => type.toLowerCase().replaceAll("_", " ");
