import type { CatalogDiff, ObjectChange } from "./diff.ts";
import {
  ALL_KINDS,
  type BusinessDoc,
  type Catalog,
  type DocOf,
  type Kind,
  type ScheduleDoc,
} from "../catalog.ts";
import { objectId } from "../object-id.ts";
import { deepEqual, differingFields } from "../../equality.ts";

type Doc = DocOf[Kind];

/**
 * The objects that commands edited since the last catalog file, by ID. Each value is the document
 * as that file had it.
 */
export type LocalEdits = ReadonlyMap<string, Doc>;

/** Stands for the file's document of an object that a command has created. */
const NOT_IN_FILE = {} as Doc;

/** What made a change; "local" is a command. */
export type ChangeOrigin =
  /** Catalog files, with the documents and sections that they list. */
  | { listed: ReadonlySet<object> }
  /** An undo: the objects (by ID) and fields that it restores, and whether they had local edits. */
  | { restored: ReadonlyMap<string, boolean>; restoredFields: ReadonlyMap<string, boolean> }
  | "local";

/** Adds `overwrittenEdits` to each change: the local edits that it overwrites. */
export function withOverwrittenEdits(
  changes: readonly ObjectChange[],
  edits: LocalEdits,
  before: Catalog,
  after: Catalog,
): ObjectChange[] {
  if (edits.size === 0) return [...changes];
  const [docsBefore, docsAfter] = [findDocs(before, edits), findDocs(after, edits)];
  return changes.map((change) => {
    const [authored, stored] = [edits.get(change.id), docsBefore.get(change.id)];
    if (authored === undefined || stored === undefined) return change;
    const next = docsAfter.get(change.id) as Record<string, unknown> | undefined;
    const current = stored as unknown as Record<string, unknown>;
    const editedFields = differingFields(authored, stored);
    const overwrittenEdits = editedFields.filter(
      (field) => !deepEqual(next?.[field], current[field]),
    );
    return { ...change, overwrittenEdits };
  });
}

function findDocs(
  { business, objects }: Catalog,
  wanted: ReadonlyMap<string, unknown>,
): Map<string, Doc> {
  const docs = new Map<string, Doc>();
  if (wanted.size === 0) return docs;
  for (const kind of ALL_KINDS)
    for (const doc of objects[kind]) {
      const id = objectId(kind, business.slug, doc);
      if (wanted.has(id)) docs.set(id, doc);
    }
  return docs;
}

/**
 * Returns the local edits to store after a change; null deletes the entry of an object. A deleted
 * object is left out, because its entry is deleted with it.
 */
export function nextLocalEdits(
  edits: LocalEdits,
  { rows }: CatalogDiff,
  before: Catalog | null,
  after: Catalog,
  origin: ChangeOrigin,
): Map<string, Doc | null> {
  if (origin !== "local" && "restored" in origin)
    return restoredLocalEdits(edits, before, after, origin.restored);
  if (origin !== "local") {
    // An object that the files list has no edits any more; other objects keep theirs.
    const docs = findDocs(after, edits);
    return new Map(
      [...edits]
        .filter(([id]) => docs.has(id))
        .map(([id, authored]) => [id, origin.listed.has(docs.get(id) as Doc) ? null : authored]),
    );
  }
  if (before === null) return new Map();
  return new Map(
    rows.written.map(({ id, kind, doc }) => {
      const docs: Doc[] = before.objects[kind];
      const stored = docs.find((old) => objectId(kind, before.business.slug, old) === id);
      const authored = edits.get(id) ?? stored ?? NOT_IN_FILE;
      return [id, deepEqual(authored, doc) ? null : authored];
    }),
  );
}

/**
 * Returns the local edits to store after an undo; null deletes the entry of an object. A restored
 * object that had local edits counts as edited again, and its entry keeps the document that the
 * catalog file has. If the object has no entry, the document before the undo counts as the file's.
 */
function restoredLocalEdits(
  edits: LocalEdits,
  before: Catalog | null,
  after: Catalog,
  restored: ReadonlyMap<string, boolean>,
): Map<string, Doc | null> {
  const docsBefore = before ? findDocs(before, restored) : new Map<string, Doc>();
  const docsAfter = findDocs(after, restored);
  return new Map(
    [...docsAfter].map(([id, doc]) => {
      if (restored.get(id) !== true) return [id, null];
      const authored = edits.get(id) ?? docsBefore.get(id) ?? NOT_IN_FILE;
      return [id, deepEqual(authored, doc) ? null : authored];
    }),
  );
}

/**
 * The sections of a catalog file that have no keyed objects, and whose local edits are stored.
 * Commands edit all of these sections but `turnTimes`.
 */
type Sections = ScheduleDoc & Pick<BusinessDoc, "legal" | "publicPage">;
type Section = keyof Sections;

/** The sections that commands edited since the last catalog file, each as that file had it. */
export type SectionEdits = Partial<Sections>;

type Fields = Pick<Catalog, "business" | "schedule">;

const sectionsOf = ({ business: { legal, publicPage }, schedule }: Fields): Sections => ({
  ...schedule,
  legal,
  publicPage,
});

/** Returns the edited sections that a change overwrites. */
export function findOverwrittenSections(
  edits: SectionEdits,
  before: Fields,
  after: Fields,
): string[] {
  const [old, next] = [sectionsOf(before), sectionsOf(after)];
  return (Object.keys(next) as Section[]).filter(
    (section) => section in edits && !deepEqual(old[section], next[section]),
  );
}

/**
 * Returns the edits to store after a change. If an undo restores a section that had local edits,
 * the section counts as edited again.
 */
export function nextSectionEdits(
  edits: SectionEdits,
  before: Fields,
  after: Fields,
  origin: ChangeOrigin,
): SectionEdits {
  const [old, next] = [sectionsOf(before), sectionsOf(after)];
  /** Returns false if a file lists the section, or an undo restores it without local edits. */
  const mayStayEdited = (section: Section): boolean => {
    if (origin === "local") return true;
    if ("listed" in origin) return !origin.listed.has(next[section]);
    return origin.restoredFields.get(section) !== false;
  };
  return Object.fromEntries(
    (Object.keys(next) as Section[]).flatMap((section) => {
      if (!mayStayEdited(section)) return [];
      const isChanged = !deepEqual(old[section], next[section]);
      const authored = edits[section] ?? (isChanged ? old[section] : undefined);
      const isEdited = authored !== undefined && !deepEqual(authored, next[section]);
      return isEdited ? [[section, authored]] : [];
    }),
  );
}
