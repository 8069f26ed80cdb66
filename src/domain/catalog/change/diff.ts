import { ALL_KINDS, type Catalog, type DocOf, type Kind } from "../catalog.ts";
import { objectId } from "../object-id.ts";
import { deepEqual, shallowEqual } from "../../equality.ts";

/** One object of the author's catalog that differs. */
export type ObjectChange = {
  action: "create" | "update" | "delete" | "move";
  kind: Kind;
  id: string;
  key: string;
  name: string;
  /** Names of the document's fields that differ; only of an update. */
  fields: string[];
  /** Only of an update. `of` is the variant, size, option or ticket type, "" for the object itself. */
  prices: { of: string; from: number | null; to: number | null }[];
  /** Fields that were edited on the box since the last file, and that this one sets back. */
  undoes: string[];
};

/** What it takes to bring the stored rows to the new catalog. */
export type RowChanges = {
  written: { id: string; kind: Kind; key: string; position: number; doc: DocOf[Kind] }[];
  moved: { id: string; position: number }[];
  removed: string[];
};

export type CatalogDiff = {
  changes: ObjectChange[];
  rows: RowChanges;
  /** Fields of the business itself, and the sections hours, closures, exceptions, turnTimes, that differ. */
  businessFields: string[];
};

/** Compares two catalogs of the same business by id, so that a renamed key is an update. */
export function diffCatalog(before: Catalog | null, after: Catalog): CatalogDiff {
  const diff: CatalogDiff = {
    changes: [],
    rows: { written: [], moved: [], removed: [] },
    businessFields: [
      ...differingFields(before?.business ?? {}, after.business),
      ...differingFields(before?.schedule ?? {}, after.schedule),
    ],
  };
  for (const kind of ALL_KINDS) diffKind(kind, before, after, diff);
  return diff;
}

export const isEmptyDiff = ({ changes, businessFields }: CatalogDiff): boolean =>
  changes.length === 0 && businessFields.length === 0;

function diffKind(
  kind: Kind,
  before: Catalog | null,
  after: Catalog,
  { changes, rows }: CatalogDiff,
): void {
  // A reader gives the very documents that the box has where a file says the same.
  if (shallowEqual(before?.objects[kind] ?? [], after.objects[kind])) return;
  const { slug } = after.business;
  const old = new Map(
    (before?.objects[kind] ?? []).map((doc, position) => [
      objectId(kind, slug, doc),
      { doc, position },
    ]),
  );
  const note = (action: ObjectChange["action"], id: string, doc: DocOf[Kind], from?: DocOf[Kind]) =>
    changes.push({
      action,
      kind,
      id,
      key: doc.key,
      name: doc.name,
      fields: from ? differingFields(from, doc) : [],
      prices: from ? differingPrices(from, doc) : [],
      undoes: [],
    });
  const orderMoved = movedAmongThoseThatStay(
    after.objects[kind].map((doc) => objectId(kind, slug, doc)),
    old,
  );
  after.objects[kind].forEach((doc, position) => {
    const id = objectId(kind, slug, doc);
    const from = old.get(id);
    old.delete(id);
    if (from && deepEqual(from.doc, doc)) {
      if (from.position !== position) rows.moved.push({ id, position });
      if (orderMoved.has(id)) note("move", id, doc);
      return;
    }
    rows.written.push({ id, kind, key: doc.key, position, doc });
    note(from ? "update" : "create", id, doc, from?.doc);
  });
  for (const [id, { doc }] of old) {
    rows.removed.push(id);
    note("delete", id, doc);
  }
}

/** The ids whose rank among the objects on both sides differs. */
function movedAmongThoseThatStay(ids: string[], old: Map<string, unknown>): Set<string> {
  const now = ids.filter((id) => old.has(id));
  const staying = new Set(now);
  const then = [...old.keys()].filter((id) => staying.has(id));
  return new Set(now.filter((id, rank) => then[rank] !== id));
}

export function differingFields(before: object, after: object): string[] {
  const left = before as Record<string, unknown>;
  const right = after as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !deepEqual(left[name], right[name]),
  );
}

function differingPrices(before: DocOf[Kind], after: DocOf[Kind]): ObjectChange["prices"] {
  const from = pricesOf(before);
  const to = pricesOf(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((of) => ({ of, from: from.get(of) ?? null, to: to.get(of) ?? null }))
    .filter((price) => price.from !== price.to);
}

/** Every price in a document: its own, and those of the keyed parts in its lists. */
function pricesOf(doc: object): Map<string, number> {
  const prices = new Map<string, number>();
  const note = (of: string, part: unknown) => {
    const { priceCents } = part as { priceCents?: unknown };
    if (typeof priceCents === "number") prices.set(of, priceCents);
  };
  note("", doc);
  for (const list of Object.values(doc))
    if (Array.isArray(list))
      for (const part of list as { key?: string; addon?: string }[])
        if (typeof part === "object") note(part.key ?? part.addon ?? "", part);
  return prices;
}
