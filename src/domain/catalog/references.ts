import {
  ALL_KINDS,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  type Kind,
  KIND_NAMES,
  type PromotionDoc,
  type PublicEventDoc,
  type ServiceDoc,
} from "./catalog.ts";
import type { Keyed } from "./common.ts";
import { originalKey } from "./object-id.ts";
import { KINDS_WITH_PARTS, PARTS, partsOf } from "./parts.ts";
import { limitedSuggestions, type Path } from "./catalog-issue.ts";
import { MAX_ISSUES } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { quote } from "../text.ts";

/**
 * What a reference can name. Promotions alone refer to ticket types, as `eventKey/ticketTypeKey`.
 */
type Target = Kind | "ticket_type";

export const objectRef = (kind: Target, key: string): string => `${kind}\0${key}`;

/**
 * Keys that begin with this character replace missing or invalid keys, for which issues are already
 * reported.
 */
export const PLACEHOLDER_KEY = "\ufffd";

type Reference = { to: Target; key: string; path: Path };

/** An issue between objects that are each valid on their own. `path` starts at the object `key`. */
export type ReferenceIssue = {
  code: "unknown_reference" | "repeated_key" | "contradiction";
  kind: Kind;
  key: string;
  path: Path;
  detail: string;
};

const singleReference = (to: Target, field: string, key: string | null): Reference[] =>
  key === null ? [] : [{ to, key, path: [field] }];

const listedReferences = (to: Target, path: Path, keys: readonly string[]): Reference[] =>
  keys.map((key, index) => ({ to, key, path: [...path, index] }));

/** Returns the reference in each item of a list. */
const referencesOfItems = <F extends string>(
  to: Target,
  list: string,
  field: F,
  items: readonly Record<F, string>[],
): Reference[] =>
  items.map((item, index) => ({ to, key: item[field], path: [list, index, field] }));

const serviceReferences = (doc: ServiceDoc): Reference[] => [
  ...singleReference("service_category", "category", doc.category),
  ...listedReferences("staff", ["staff"], doc.staff),
  ...referencesOfItems("resource", "resources", "resource", doc.resources),
  ...referencesOfItems("addon", "addons", "addon", doc.addons),
  ...doc.variants.flatMap(({ staff }, index) =>
    listedReferences("staff", ["variants", index, "staff"], staff ?? []),
  ),
];

const promotionReferences = ({ appliesTo, benefit }: PromotionDoc): Reference[] => [
  ...(benefit.type === "FREE_ADDON"
    ? [{ to: "addon" as const, key: benefit.addon, path: ["benefit", "addon"] }]
    : []),
  ...listedReferences("service", ["appliesTo", "services"], appliesTo.services),
  ...listedReferences(
    "service_category",
    ["appliesTo", "serviceCategories"],
    appliesTo.serviceCategories,
  ),
  ...listedReferences("menu_item", ["appliesTo", "menuItems"], appliesTo.menuItems),
  ...listedReferences("menu_category", ["appliesTo", "menuCategories"], appliesTo.menuCategories),
  ...listedReferences("public_event", ["appliesTo", "events"], appliesTo.events),
  ...listedReferences("ticket_type", ["appliesTo", "ticketTypes"], appliesTo.ticketTypes),
];

const REFERENCES: { [K in Kind]?: (doc: DocOf[K]) => Reference[] } = {
  service_category: (doc) => singleReference("service_category", "parent", doc.parent),
  service: serviceReferences,
  staff: (doc) => referencesOfItems("service", "serviceOverrides", "service", doc.serviceOverrides),
  menu_category: (doc) => singleReference("menu_category", "parent", doc.parent),
  menu_item: (doc) => [
    ...listedReferences("menu_category", ["categories"], doc.categories),
    ...listedReferences("modifier_group", ["modifierGroups"], doc.modifierGroups),
  ],
  table: (doc) => singleReference("area", "area", doc.area),
  promotion: promotionReferences,
};

const referencesOf = <K extends Kind>(kind: K, doc: DocOf[K]): Reference[] =>
  REFERENCES[kind]?.(doc) ?? [];

/**
 * Returns the keys of the objects to which a document refers, without repetitions. A reference to a
 * ticket type counts as a reference to each public event that may have this ticket type.
 */
export function referredKeys<K extends Kind>(kind: K, doc: DocOf[K]): Map<Kind, Set<string>> {
  const keys = new Map<Kind, Set<string>>();
  for (const { to, key } of referencesOf(kind, doc)) {
    const target = to === "ticket_type" ? "public_event" : to;
    const targetKeys = to === "ticket_type" ? eventKeysIn(key) : [key];
    keys.set(target, (keys.get(target) ?? new Set()).union(new Set(targetKeys)));
  }
  return keys;
}

/**
 * Returns every key that the event can have in the reference `eventKey/ticketTypeKey`. Keys may
 * contain slashes, so the key of the event may end at any slash.
 */
export const eventKeysIn = (ticketTypeKey: string): string[] =>
  [...ticketTypeKey.matchAll(/\//g)].map(({ index }) => ticketTypeKey.slice(0, index));

/**
 * Returns the object with its references renamed; the given object if none was renamed.
 * @param renamed the new key for the `objectRef` of each old one
 */
export function followRenames<K extends Kind>(
  kind: K,
  doc: DocOf[K],
  renamed: ReadonlyMap<string, string>,
): DocOf[K] {
  const outdated = referencesOf(kind, doc).filter(({ to, key }) => renamed.has(objectRef(to, key)));
  if (outdated.length === 0) return doc;
  const copy = structuredClone(doc);
  for (const { to, key, path } of outdated) {
    // The object or list that contains the key.
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((value, part) => (value as Record<string | number, unknown>)[part], copy);
    (holder as Record<string | number, unknown>)[path.at(-1) ?? ""] = renamed.get(
      objectRef(to, key),
    );
  }
  return copy;
}

export const ticketTypeKeys = (event: PublicEventDoc): string[] =>
  event.ticketTypes.map((type) => `${event.key}/${type.key}`);

/** The objects, and the kinds of objects, that invalid parts of the files may define. */
export type Uncertain = { refs: ReadonlySet<string>; kinds: ReadonlySet<Kind> };

const NOTHING_UNCERTAIN: Uncertain = { refs: new Set(), kinds: new Set() };

/**
 * Returns the issues between the objects of a catalog. References to `uncertain` objects are
 * accepted.
 * @param referring the objects whose references are checked; all if absent
 */
export function findReferenceIssues(
  catalog: Catalog,
  uncertain: Uncertain = NOTHING_UNCERTAIN,
  referring?: ReadonlySet<object>,
): ReferenceIssue[] {
  const { objects } = catalog;
  return [
    ...findUnknownReferences(objects, uncertain, referring),
    ...findCycles("service_category", objects.service_category),
    ...findCycles("menu_category", objects.menu_category),
    ...ALL_KINDS.flatMap((kind) => findSharedIds(kind, objects[kind])),
    ...findSharedSlugs(objects.public_event),
  ];
}

function findUnknownReferences(
  objects: CatalogObjects,
  uncertain: Uncertain,
  referring?: ReadonlySet<object>,
): ReferenceIssue[] {
  const check = createReferenceCheck(objects, uncertain);
  const issues: ReferenceIssue[] = [];
  for (const kind of ALL_KINDS)
    for (const doc of objects[kind]) {
      if (issues.length > MAX_ISSUES) return issues;
      if (referring === undefined || referring.has(doc)) issues.push(...check(kind, doc));
    }
  return issues;
}

/**
 * Returns a function that finds the unknown references of a document. The function returns at most
 * `MAX_ISSUES` + 1 issues: the last one tells the caller that more issues exist than an error
 * lists.
 */
export function createReferenceCheck(
  objects: CatalogObjects,
  { refs, kinds }: Uncertain,
): <K extends Kind>(kind: K, doc: DocOf[K]) => ReferenceIssue[] {
  const known = Object.fromEntries([
    ...ALL_KINDS.map((kind) => [kind, new Set(objects[kind].map(({ key }) => key))]),
    ["ticket_type", new Set(objects.public_event.flatMap(ticketTypeKeys))],
  ]) as Record<Target, Set<string>>;
  const isUncertain = (to: Kind, key: string): boolean =>
    kinds.has(to) || refs.has(objectRef(to, key));
  const mayExist = ({ to, key }: Reference): boolean =>
    known[to].has(key) ||
    key.startsWith(PLACEHOLDER_KEY) ||
    (to === "ticket_type"
      ? eventKeysIn(key).some((eventKey) => isUncertain("public_event", eventKey))
      : isUncertain(to, key));
  const suggest = limitedSuggestions();
  const names: { [T in Target]?: string[] } = {};
  const renamed = lazy(() => renamedKeys(objects));

  return (kind, doc) =>
    referencesOf(kind, doc)
      .filter((reference) => !mayExist(reference))
      .slice(0, MAX_ISSUES + 1)
      .map(({ to, key, path }) => {
        const noun = to === "ticket_type" ? "ticket type" : KIND_NAMES[to];
        const newKey = renamed().get(objectRef(to, key));
        const hint =
          newKey === undefined
            ? suggest(key, (names[to] ??= [...known[to]]))
            : ` It was renamed to ${quote(newKey)}.`;
        const detail = `There is no ${noun} ${quote(key)}.${hint}`;
        return { code: "unknown_reference", kind, key: doc.key, path, detail };
      });
}

/** Maps the `objectRef` of each previous key to the key that the object has now. */
function renamedKeys(objects: CatalogObjects): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const kind of ALL_KINDS)
    for (const { key, previousKeys } of objects[kind])
      for (const former of previousKeys) {
        const ref = objectRef(kind, former);
        if (!renamed.has(ref)) renamed.set(ref, key);
      }
  return renamed;
}

/** The maximum number of keys that an issue lists: a longer cycle would fill the screen. */
const MAX_SHOWN_IN_CYCLE = 10;

function findCycles(
  kind: "service_category" | "menu_category",
  docs: readonly { key: string; parent: string | null }[],
): ReferenceIssue[] {
  const parents = new Map(docs.map((doc) => [doc.key, doc.parent]));
  const visited = new Set<string>();
  const issues: ReferenceIssue[] = [];
  for (const { key: start } of docs) {
    if (issues.length > MAX_ISSUES) break;
    const chain = new Set<string>();
    let key: string | null | undefined = start;
    while (key && !visited.has(key)) {
      visited.add(key);
      chain.add(key);
      key = parents.get(key);
    }
    // The chain ended without a cycle: at a category without a parent, or at one that an earlier
    // chain visited.
    if (!key || !chain.has(key)) continue;
    const cycle = [...chain].slice([...chain].indexOf(key));
    const shown = cycle.slice(0, MAX_SHOWN_IN_CYCLE).map(quote);
    const hiddenCount = cycle.length - shown.length;
    const end = hiddenCount > 0 ? `${hiddenCount} more in ${quote(key)}` : quote(key);
    const detail =
      cycle.length === 1
        ? "A category cannot be its own parent."
        : `These categories form a cycle: ${[...shown, end].join(" in ")}.`;
    issues.push({ code: "contradiction", kind, key, path: ["parent"], detail });
  }
  return issues;
}

/**
 * Returns an issue for each object that would share its ID with an earlier one: IDs are derived
 * from original keys.
 */
const findSharedIds = (kind: Kind, docs: readonly Keyed[]): ReferenceIssue[] =>
  listSharedIds(docs).map((shared) => sharedIdIssue(kind, shared.doc.key, [], shared));

/**
 * Returns an issue for each variant, size, option and ticket type that would share its ID with an
 * earlier one of its object. Parts that share an ID in the stored object are accepted (earlier
 * versions allowed them), because an issue about them would refuse every edit of the object.
 * @param before the stored objects
 */
export const findSharedPartIds = (
  objects: CatalogObjects,
  before: CatalogObjects,
): ReferenceIssue[] =>
  KINDS_WITH_PARTS.flatMap((kind) => {
    const stored = lazy(() => new Map(before[kind].map((doc) => [originalKey(doc), doc])));
    return objects[kind].flatMap((doc) => {
      const shared = listSharedIds(partsOf(kind, doc));
      if (shared.length === 0) return [];
      const old = stored().get(originalKey(doc));
      const accepted = new Set(
        old && listSharedIds(partsOf(kind, old)).map((part) => originalKey(part.doc)),
      );
      return (
        shared
          // A key that is listed twice has an issue of its own.
          .filter(({ doc, owner }) => doc.key !== owner.key && !accepted.has(originalKey(doc)))
          .map((part) => sharedIdIssue(kind, doc.key, [PARTS[kind], part.index], part))
      );
    });
  });

/** An object or part, and the earlier one (`owner`) that has the same ID. */
type SharedId = { doc: Keyed; index: number; owner: Keyed };

function listSharedIds(docs: readonly Keyed[]): SharedId[] {
  const owners = new Map<string, Keyed>();
  return docs.flatMap((doc, index) => {
    const owner = owners.get(originalKey(doc));
    if (owner !== undefined) return [{ doc, index, owner }];
    owners.set(originalKey(doc), doc);
    return [];
  });
}

function sharedIdIssue(
  kind: Kind,
  key: string,
  path: Path,
  { doc, owner }: SharedId,
): ReferenceIssue {
  const field = doc.previousKeys.length > 0 ? "previousKeys" : "key";
  const detail = `The ID of ${quote(owner.key)} is already derived from the key ${quote(originalKey(doc))}. Choose another key.`;
  return { code: "repeated_key", kind, key, path: [...path, field], detail };
}

function findSharedSlugs(events: readonly PublicEventDoc[]): ReferenceIssue[] {
  const owners = new Map<string, string>();
  return events.flatMap(({ key, slug }) => {
    const owner = owners.get(slug);
    if (owner === undefined) {
      owners.set(slug, key);
      return [];
    }
    const detail = `The event ${quote(owner)} already has the slug ${quote(slug)}. Choose another slug.`;
    return [
      { code: "repeated_key" as const, kind: "public_event" as const, key, path: ["slug"], detail },
    ];
  });
}
