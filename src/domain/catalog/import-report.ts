import type { AuthoredFile } from "./file/schema.ts";
import { omitEmpty } from "./file/writer.ts";
import { countOf } from "../text.ts";

export type ImportReport = { imported: string[]; skipped: SkippedPart[] };
/** A part of the imported data that is not put into the catalog, and the reason. */
export type SkippedPart = { part: string; reason: string };

export type ImportedSections = Pick<
  AuthoredFile,
  "serviceCategories" | "addons" | "services" | "menu" | "promotions"
>;

/** Returns one line for each kind of object, such as `12 dishes with 3 sizes`. */
export function summarizeSections({
  serviceCategories = [],
  addons = [],
  services = [],
  menu = {},
  promotions = [],
}: ImportedSections): string[] {
  const { categories = [], modifierGroups = [], items = [] } = menu;
  const sum = <T>(docs: T[], listIn: (doc: T) => unknown[] | undefined) =>
    docs.reduce((total, doc) => total + (listIn(doc)?.length ?? 0), 0);
  const withImages = [...serviceCategories, ...addons, ...services, ...categories, ...items];
  const rows: [n: number, noun: string, partCount?: number, part?: string][] = [
    [serviceCategories.length, "service category"],
    [addons.length, "add-on"],
    [services.length, "service", sum(services, ({ variants }) => variants), "variant"],
    [categories.length, "menu category"],
    [
      modifierGroups.length,
      "modifier group",
      sum(modifierGroups, ({ options }) => options),
      "option",
    ],
    [items.length, "dish", sum(items, ({ sizes }) => sizes), "size"],
    [promotions.length, "promotion"],
    [sum<{ images?: unknown[] | undefined }>(withImages, ({ images }) => images), "image"],
  ];
  return rows
    .filter(([n]) => n > 0)
    .map(
      ([n, noun, partCount = 0, part]) =>
        countOf(n, noun) + (part === undefined ? "" : ` with ${countOf(partCount, part)}`),
    );
}

const MAX_WITH_SAME_REASON = 3;
/** How many parts are named if more than `MAX_WITH_SAME_REASON` have the same reason. */
const NAMED_PARTS = 2;

/** Returns a line for each skipped part, or a single line for many with the same reason. */
export const summarizeSkipped = (skipped: readonly SkippedPart[]): string[] =>
  [...Map.groupBy(skipped, ({ reason }) => reason)].flatMap(([reason, skippedForIt]) => {
    const parts = skippedForIt.map(({ part }) => part);
    if (parts.length <= MAX_WITH_SAME_REASON) return parts.map((part) => `${part}: ${reason}`);
    const named = parts.slice(0, NAMED_PARTS).join(", ");
    return [`${named} and ${parts.length - NAMED_PARTS} more: ${reason}`];
  });

/**
 * Leaves out the empty sections, so that applying the file does not change the stored objects of
 * these sections.
 */
export const withoutEmpty = ({ menu = {}, ...sections }: ImportedSections): ImportedSections =>
  omitEmpty({ ...sections, menu: omitEmpty(menu) });
