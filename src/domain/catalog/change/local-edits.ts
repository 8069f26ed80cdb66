import { ALL_KINDS, type Catalog, type DocOf, type Kind } from "../catalog.ts";
import { objectId } from "../object-id.ts";
import { type CatalogDiff, differingFields, type ObjectChange } from "./diff.ts";
import { deepEqual } from "../../equality.ts";

type Doc = DocOf[Kind];

/** What was edited on the box since the last catalog file: by id, the document as that file said it. */
export type LocalEdits = ReadonlyMap<string, Doc>;

/** Where a change comes from: a file, with the documents that it lists, or an edit on the box. */
export type ChangeOrigin = { listed: ReadonlySet<Doc> } | "box";

/** The changes with the fields that were edited on the box and that they would set back. */
export function withOverwrittenEdits(
  changes: readonly ObjectChange[],
  edits: LocalEdits,
  before: Catalog,
  next: Catalog,
): ObjectChange[] {
  if (edits.size === 0) return [...changes];
  const [was, willBe] = [docsById(before, edits), docsById(next, edits)];
  return changes.map((change) => {
    const [authored, current] = [edits.get(change.id), was.get(change.id)];
    if (authored === undefined || current === undefined) return change;
    const later = willBe.get(change.id) as Record<string, unknown> | undefined;
    const now = current as unknown as Record<string, unknown>;
    const undoes = differingFields(authored, current).filter(
      (field) => !deepEqual(later?.[field], now[field]),
    );
    return { ...change, undoes };
  });
}

function docsById({ business, objects }: Catalog, wanted: LocalEdits): Map<string, Doc> {
  const ids = ALL_KINDS.flatMap((kind) =>
    objects[kind].map((doc) => [objectId(kind, business.slug, doc), doc] as const),
  );
  return new Map(ids.filter(([id]) => wanted.has(id)));
}

/** What to keep beside each object after a change; null: nothing, because it is what a file says. */
export function nextLocalEdits(
  edits: LocalEdits,
  { rows }: CatalogDiff,
  before: Catalog | null,
  next: Catalog,
  origin: ChangeOrigin,
): Map<string, Doc | null> {
  if (origin !== "box") {
    const docs = docsById(next, edits);
    const after = (id: string, authored: Doc) =>
      origin.listed.has(docs.get(id) as Doc) ? null : authored;
    return new Map(
      [...edits].filter(([id]) => docs.has(id)).map(([id, authored]) => [id, after(id, authored)]),
    );
  }
  return new Map(
    rows.written.flatMap(({ id, kind, doc }) => {
      const { slug } = next.business;
      const docs: Doc[] = before?.objects[kind] ?? [];
      const authored = edits.get(id) ?? docs.find((one) => objectId(kind, slug, one) === id);
      return authored === undefined ? [] : [[id, deepEqual(authored, doc) ? null : authored]];
    }),
  );
}
