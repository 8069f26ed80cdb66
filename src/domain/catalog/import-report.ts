import type { AuthoredFile } from "./file/schema.ts";

/** For a person: what the file now holds, and what it could not. */
export type ImportReport = { taken: string[]; left: SkippedPart[] };
export type SkippedPart = { what: string; why: string };

/** The sections that an import fills. */
export type ImportedSections = Pick<
  AuthoredFile,
  "serviceCategories" | "addons" | "services" | "menu"
>;

/** `12 dishes with 3 sizes`, a line for each kind that there is. */
export function summarizeSections({
  serviceCategories = [],
  addons = [],
  services = [],
  menu = {},
}: ImportedSections): string[] {
  const { categories = [], modifierGroups = [], items = [] } = menu;
  const sum = <T>(docs: T[], parts: (doc: T) => unknown[] | undefined) =>
    docs.reduce((total, doc) => total + (parts(doc)?.length ?? 0), 0);
  const pictured = [...serviceCategories, ...addons, ...services, ...categories, ...items];
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
    [sum<{ images?: unknown[] | undefined }>(pictured, ({ images }) => images), "image"],
  ];
  return rows
    .filter(([n]) => n > 0)
    .map(
      ([n, noun, parts = 0, part]) =>
        countOf(n, noun) + (part === undefined ? "" : ` with ${countOf(parts, part)}`),
    );
}

/** `1 dish`, `12 dishes`, `2 menu categories`. */
export function countOf(n: number, noun: string): string {
  if (n === 1) return `1 ${noun}`;
  if (noun.endsWith("y")) return `${n} ${noun.slice(0, -1)}ies`;
  return `${n} ${noun}${/(?:s|sh|x)$/.test(noun) ? "es" : "s"}`;
}

/** Sections that the source fills: one that is not named is left alone when the file is applied. */
export function withoutEmpty({ menu = {}, ...sections }: ImportedSections): ImportedSections {
  const filled = <T extends object>(parts: T): Partial<T> =>
    Object.fromEntries(
      Object.entries(parts).filter(([, docs]) => Object.keys(docs ?? {}).length > 0),
    ) as Partial<T>;
  return filled<ImportedSections>({ ...sections, menu: filled(menu) });
}
