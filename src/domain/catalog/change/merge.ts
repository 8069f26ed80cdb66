import {
  ALL_KINDS,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  emptySchedule,
  type Kind,
} from "../catalog.ts";
import { originalKey } from "../object-id.ts";
import { objectRef } from "../validation-issue.ts";
import type { CatalogPatch } from "../read/normalise.ts";
import { shallowEqual } from "../../equality.ts";
import { followRenames, ticketTypeKeys } from "../references.ts";

type Identified = { key: string; previousKeys: string[] };

export type MergedCatalog = {
  catalog: Catalog;
  /** The documents in it that the files list. */
  listed: ReadonlySet<DocOf[Kind]>;
};

/**
 * What the box has after the files: the sections that they name, in their order, then what they do not list, unless `prune`
 * drops it. A section that they do not name stays as it is.
 */
export function mergeCatalog(
  current: Catalog | null,
  patch: CatalogPatch,
  prune: boolean,
): MergedCatalog {
  const before = current?.objects ?? emptyObjects();
  const renamed = new Map<string, string>();
  const listed: Partial<CatalogObjects> = {};
  const unlisted = emptyObjects();

  function mergeKind<K extends Kind>(kind: K): void {
    const docs: DocOf[K][] | undefined = patch.objects[kind];
    if (docs === undefined) {
      unlisted[kind] = before[kind];
      return;
    }
    if (shallowEqual(docs, before[kind])) {
      listed[kind] = before[kind];
      return;
    }
    const find = finder<DocOf[K]>(before[kind]);
    const taken = new Set<DocOf[K]>();
    listed[kind] = docs.map((doc) => {
      const old = find(doc);
      if (old === undefined) return doc;
      taken.add(old);
      const kept = keepIdentity(kind, old, doc);
      noteRenames(renamed, kind, old, kept);
      return kept;
    }) as CatalogObjects[K];
    if (!prune) unlisted[kind] = before[kind].filter((doc) => !taken.has(doc)) as CatalogObjects[K];
  }
  ALL_KINDS.forEach(mergeKind);

  const objects = emptyObjects();
  function join<K extends Kind>(kind: K): void {
    const rest = unlisted[kind].map((doc) => followRenames(kind, doc, renamed));
    objects[kind] = [...(listed[kind] ?? []), ...rest] as CatalogObjects[K];
  }
  ALL_KINDS.forEach(join);
  return {
    catalog: {
      business: patch.business,
      schedule: { ...(current?.schedule ?? emptySchedule()), ...patch.schedule },
      objects,
    },
    listed: new Set(Object.values(listed).flat()),
  };
}

/** Finds the object that a listed one was: by its key, now or at first, else by any key that it says it had. */
function finder<D extends Identified>(before: readonly D[]): (doc: Identified) => D | undefined {
  const byKey = new Map(before.map((doc) => [doc.key, doc]));
  const byOriginalKey = new Map(before.map((doc) => [originalKey(doc), doc]));
  const byFormerKey = new Map(before.flatMap((doc) => doc.previousKeys.map((key) => [key, doc])));
  return ({ key, previousKeys }) =>
    byKey.get(key) ??
    byOriginalKey.get(key) ??
    previousKeys
      .map((former) => byKey.get(former) ?? byFormerKey.get(former))
      .find((doc) => doc !== undefined);
}

const PARTS = {
  service: "variants",
  menu_item: "sizes",
  modifier_group: "options",
  public_event: "ticketTypes",
} as const satisfies {
  [K in Kind]?: keyof DocOf[K];
};

const partsOf = (kind: Kind, doc: DocOf[Kind]): Identified[] =>
  kind in PARTS
    ? ((doc as unknown as Record<string, Identified[]>)[PARTS[kind as keyof typeof PARTS]] ?? [])
    : [];

/** Ids are made of the first key that an object had: a file that forgot it must not give the object a new one. */
function keepIdentity<K extends Kind>(kind: K, old: DocOf[K], doc: DocOf[K]): DocOf[K] {
  const kept = withKeysOf(old, doc);
  if (!(kind in PARTS)) return kept;
  const find = finder(partsOf(kind, old));
  return {
    ...kept,
    [PARTS[kind as keyof typeof PARTS]]: partsOf(kind, doc).map((part) =>
      withKeysOf(find(part), part),
    ),
  };
}

const withKeysOf = <D extends Identified>(old: Identified | undefined, doc: D): D =>
  old === undefined || old.previousKeys.length === 0
    ? doc
    : { ...doc, previousKeys: [...new Set([...old.previousKeys, ...doc.previousKeys])] };

function noteRenames<K extends Kind>(
  renamed: Map<string, string>,
  kind: K,
  old: DocOf[K],
  doc: DocOf[K],
): void {
  if (old.key !== doc.key) renamed.set(objectRef(kind, old.key), doc.key);
  if (kind !== "public_event") return;
  const [was, is] = [old, doc] as unknown as [DocOf["public_event"], DocOf["public_event"]];
  const find = finder(was.ticketTypes);
  const keys = ticketTypeKeys(is);
  for (const [index, type] of is.ticketTypes.entries()) {
    const before = find(type);
    const key = keys[index];
    if (before && key && `${was.key}/${before.key}` !== key)
      renamed.set(objectRef("ticket_type", `${was.key}/${before.key}`), key);
  }
}
