import type { Catalog, DocOf } from "../../domain/catalog/catalog.ts";
import type { Keyed } from "../../domain/catalog/common.ts";
import { createWriteContext } from "../../domain/catalog/file/writer.ts";
import { sectionOf } from "../../domain/catalog/file/sections.ts";
import { csvRowsOf } from "./export.ts";
import { CSV_KINDS, CSV_PARENTS, type CsvCells, type CsvKind, type CsvType } from "./format.ts";

/** The fields of an object as in a catalog file. The cells of the table change them. */
export type Draft = Record<string, unknown> & { key: string };

/** What a row can describe: a catalog object, or a variant or size of one. */
export type Entry = {
  type: CsvType;
  draft: Draft;
  /** The object that a variant or size belongs to. */
  parent?: Entry;
  /** The variants or sizes of the object. */
  parts: Entry[];
  /** Earlier keys of the object, by which a row still finds it. */
  formerKeys: readonly string[];
  /** The cells of the object in an export; absent for an object that the catalog does not have. */
  exported?: CsvCells;
  /** The first row that describes the object. */
  row?: number;
};

/** The key or name by which a row names its object. */
export type Wanted = { key?: string | undefined; name?: string | undefined };

/** The entries of a catalog, found by key or by name. */
export class Entries {
  readonly #lists = new Map<CsvType, Entry[]>();
  readonly #byKey = new Map<string, Entry[]>();
  readonly #byFormerKey = new Map<string, Entry[]>();
  readonly #byName = new Map<string, Entry[]>();
  /** The results of `namesToSuggest`. */
  readonly #suggested = new Map<string, readonly string[]>();

  constructor(catalog: Catalog) {
    const context = createWriteContext(catalog);
    for (const kind of CSV_KINDS)
      for (const doc of catalog.objects[kind])
        this.#addStored(kind, doc, sectionOf(kind).write(context, doc) as Draft, catalog);
  }

  #addStored(kind: CsvKind, doc: DocOf[CsvKind], draft: Draft, { business }: Catalog): void {
    const [exported = {}, ...partRows] = csvRowsOf(kind, doc as never, business);
    const entry = this.add({
      type: kind,
      draft,
      parts: [],
      formerKeys: doc.previousKeys,
      exported,
    });
    const part = PART_OF[kind];
    if (part === undefined) return;
    // `drafts` has the parts as in a catalog file, `docs` as they are stored, in the same order.
    const drafts = (draft[part.list] ?? []) as Draft[];
    const docs = (doc as unknown as Record<string, Keyed[]>)[part.list] ?? [];
    for (const [index, partDraft] of drafts.entries())
      this.add({
        type: part.type,
        draft: partDraft,
        parent: entry,
        parts: [],
        formerKeys: docs[index]?.previousKeys ?? [],
        exported: partRows[index] ?? {},
      });
  }

  /** Adds an entry. The entry of a variant or size is also added to the `parts` of its parent. */
  add(entry: Entry): Entry {
    const { type, draft, parent, formerKeys } = entry;
    append(this.#lists, type, entry);
    if (parent !== undefined) parent.parts.push(entry);
    const scopes = [scopeOf(type), ...(parent === undefined ? [] : [scopeOf(type, parent)])];
    for (const scope of scopes) {
      append(this.#byKey, scope + draft.key, entry);
      for (const key of formerKeys) append(this.#byFormerKey, scope + key, entry);
      if (typeof draft.name === "string")
        append(this.#byName, scope + normaliseName(draft.name), entry);
    }
    return entry;
  }

  ofType = (type: CsvType): readonly Entry[] => this.#lists.get(type) ?? [];

  /**
   * Returns the keys or names to suggest for an unknown one. They are taken from the stored
   * objects, or from the table if the business is new. The list is cached, because a table can have
   * 100,000 unknown rows.
   */
  namesToSuggest(types: readonly CsvType[], field: "key" | "name"): readonly string[] {
    const id = `${field} ${types.join(" ")}`;
    const listed = this.#suggested.get(id);
    if (listed !== undefined) return listed;
    const all = types.flatMap((type) => this.ofType(type));
    const stored = all.filter(({ exported }) => exported !== undefined);
    const known = (stored.length > 0 ? stored : all).map(({ draft }) => String(draft[field]));
    this.#suggested.set(id, known);
    return known;
  }

  /**
   * Finds entries by their current or former key. If no key is given, finds entries by their name.
   */
  find(type: CsvType, { key, name }: Wanted, parent?: Entry): readonly Entry[] {
    const scope = scopeOf(type, parent);
    if (key !== undefined)
      return this.#byKey.get(scope + key) ?? this.#byFormerKey.get(scope + key) ?? [];
    return name === undefined ? [] : (this.#byName.get(scope + normaliseName(name)) ?? []);
  }

  /** Finds entries by their key, or if there are none, by their name. */
  findAny(type: CsvType, text: string): readonly Entry[] {
    const byKey = this.find(type, { key: text });
    return byKey.length > 0 ? byKey : this.find(type, { name: text });
  }
}

/** The type of the parts of a kind, and the field that lists them. */
const PART_OF = Object.fromEntries(
  Object.entries(CSV_PARENTS).map(([type, parent]) => [parent.type, { type, list: parent.list }]),
) as { [K in CsvKind]?: { type: CsvType; list: string } };

/** Returns the prefix of a key in the maps: the type, and the key of the parent if it is given. */
const scopeOf = (type: CsvType, parent?: Entry): string =>
  `${type}\0${parent === undefined ? "" : `${parent.draft.key}\0`}`;

/**
 * Returns a name in one form, because people vary its capitals, spaces and composed letters. The
 * form begins with a NUL. Otherwise the name `a\0b` would be found as the part `b` of a parent `a`,
 * because `scopeOf` ends the key of a parent with a NUL.
 */
const normaliseName = (name: string): string =>
  `\0${name.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase()}`;

function append<K>(map: Map<K, Entry[]>, key: K, entry: Entry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}
