import type { Catalog, DocOf, Kind, ScheduleDoc } from "../catalog.ts";
import { SECTION_KINDS, sectionOf } from "../file/sections.ts";
import { objectId } from "../object-id.ts";
import { countOf } from "../../text.ts";
import type { Currency } from "../../money.ts";
import type { ObjectChange } from "./diff.ts";
import { type Repricing, repricingText } from "./repricing.ts";

/** A list that a change empties: a whole section of the file, or the links of one object. */
export type Emptied = {
  /** The section as a catalog file names it, such as `services` or `menu.items`. */
  section: string;
  /** The object that loses its links; null for a whole section. */
  key: string | null;
  /** The field with the links; null for a whole section. */
  field: string | null;
  /** How many entries the list had. */
  count: number;
};

/**
 * Fields that link an object to other objects, each with a noun for these other objects. A catalog
 * file that lacks these fields, such as one made from a CSV table, would empty them.
 */
const LINKS: { [K in Kind]?: { [field: string]: string } } = {
  service: { staff: "staff", addons: "add-ons", resources: "resources" },
  menu_item: { categories: "categories", modifierGroups: "modifier groups" },
};

/** Returns the sections and links that a change empties. */
export function findEmptied(
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): Emptied[] {
  const sectionIfEmptied = (
    name: string,
    from: readonly unknown[],
    to: readonly unknown[],
  ): Emptied[] =>
    from.length > 0 && to.length === 0
      ? [{ section: name, key: null, field: null, count: from.length }]
      : [];
  const schedule = Object.keys(before.schedule) as (keyof ScheduleDoc)[];
  return [
    ...schedule.flatMap((name) =>
      sectionIfEmptied(name, before.schedule[name], after.schedule[name]),
    ),
    ...SECTION_KINDS.flatMap((kind) => {
      const name = sectionOf(kind).path.join(".");
      const links = findEmptiedLinks(kind, before, after, changes);
      return [
        ...sectionIfEmptied(name, before.objects[kind], after.objects[kind]),
        ...links.map(({ key, field, count }) => ({ section: name, key, field, count })),
      ];
    }),
  ];
}

function findEmptiedLinks(
  kind: Kind,
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): Omit<Emptied, "section">[] {
  const fields = Object.keys(LINKS[kind] ?? {});
  const changed = changes.filter(
    (change) =>
      change.kind === kind &&
      change.action === "update" &&
      change.fields.some((field) => fields.includes(field)),
  );
  if (changed.length === 0) return [];
  const docsOf = ({ business, objects }: Catalog) =>
    new Map(
      (objects[kind] as DocOf[Kind][]).map((doc) => [objectId(kind, business.slug, doc), doc]),
    );
  const [old, next] = [docsOf(before), docsOf(after)];
  const linksIn = (doc: DocOf[Kind] | undefined, field: string): unknown[] =>
    (doc as unknown as Record<string, unknown[]> | undefined)?.[field] ?? [];
  return changed.flatMap(({ id, key }) =>
    fields.flatMap((field) => {
      const count = linksIn(old.get(id), field).length;
      return count > 0 && linksIn(next.get(id), field).length === 0 ? [{ key, field, count }] : [];
    }),
  );
}

const MAX_NAMED = 10;

const listKeys = (keys: readonly string[]): string =>
  `${keys.slice(0, MAX_NAMED).join(", ")}${keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : ""}`;

/**
 * Returns a text for each field with links, such as `remove all staff of cut, spa`, and for each
 * section, such as `empty tables (4 entries)`.
 * @param isPast whether the lists are already empty: the texts begin with `removed` or `emptied`
 */
export function emptiedTexts(emptied: readonly Emptied[], isPast = false): string[] {
  const [empty, remove] = isPast ? ["emptied", "removed"] : ["empty", "remove"];
  const links = Map.groupBy(
    emptied.filter(({ field }) => field !== null),
    ({ field }) => field ?? "",
  );
  const nouns: Record<string, string> = Object.assign({}, ...Object.values(LINKS));
  return [
    ...emptied
      .filter(({ field }) => field === null)
      .map(({ section, count }) => `${empty} ${section} (${countOf(count, "entry")})`),
    ...[...links].map(
      ([field, emptiedLinks]) =>
        `${remove} all ${nouns[field]} of ${listKeys(emptiedLinks.map(({ key }) => key ?? ""))}`,
    ),
  ];
}

/** Returns the keys of objects, and the sections, whose local edits a change overwrites. */
export const overwrittenNames = (
  changes: readonly ObjectChange[],
  sections: readonly string[],
): string[] => [
  ...changes.filter(({ overwrittenEdits }) => overwrittenEdits.length > 0).map(({ key }) => key),
  ...sections,
];

type PreviewedChange = Currency & {
  changes: readonly ObjectChange[];
  overwrittenSections: readonly string[];
  emptied: readonly Emptied[];
  repricing: Repricing | null;
};

/**
 * Returns a text about what the author of a change may not intend: local edits, links and whole
 * sections that are lost, and large changes of prices. Returns null if there are none.
 * @param areDeletesAllowed whether the author allows deleting whole sections: the text then leaves
 *   them out
 */
export function lossesText(change: PreviewedChange, areDeletesAllowed: boolean): string | null {
  const { changes, overwrittenSections, emptied, repricing } = change;
  const undone = overwrittenNames(changes, overwrittenSections);
  const texts = [
    ...(repricing === null ? [] : [repricingText(repricing, change)]),
    ...(undone.length > 0
      ? [`undo ${countOf(undone.length, "local edit")} (${listKeys(undone)})`]
      : []),
    ...emptiedTexts(emptied.filter(({ field }) => field !== null || !areDeletesAllowed)),
  ];
  return texts.length === 0 ? null : texts.join(", ");
}
