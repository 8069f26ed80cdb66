import { isoCurrency } from "../../money.ts";
import {
  type BusinessDoc,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  type Kind,
  type ScheduleDoc,
  KIND_NAMES,
} from "../catalog.ts";
import type { CatalogIssue, Path } from "../catalog-issue.ts";
import { MAX_ISSUES } from "../../errors.ts";
import type { Unchanged } from "../change/unchanged-items.ts";
import { objectRef } from "../references.ts";
import { deepEqual } from "../../equality.ts";
import { quote } from "../../text.ts";
import { readBusiness, readClosure } from "./business.ts";
import { validatePublicPage } from "./public-page.ts";
import { type ReadContext, Reader, readOpeningException, readHoursRule } from "./reader.ts";
import type { AuthoredFile } from "./schema.ts";
import { PLACEHOLDER_CURRENCY, PLACEHOLDER_SLUG } from "./repair.ts";
import { listIn, SECTION_KINDS, sectionOf } from "./sections.ts";

/** The content of the files. A section that no file has is absent. */
export type CatalogPatch = {
  business: BusinessDoc;
  schedule: Partial<ScheduleDoc>;
  objects: Partial<CatalogObjects>;
};

export type NormaliseOptions = {
  current: (businessSlug: string) => Catalog | null;
  seedingAt: number | null;
  unchanged: Unchanged;
  /**
   * The paths of the items to skip, because their issues are already reported. `\0` joins the parts
   * of a path.
   */
  unreadable: ReadonlySet<string>;
  /** Whether another file, which cannot be read, may describe the business. */
  isIncomplete: boolean;
};

export type Normalised = {
  patch: CatalogPatch;
  /** The stored catalog; null if the business is new or its slug is not known. */
  current: Catalog | null;
  issues: CatalogIssue[];
  /** Returns the path of an object in the files: the first one if several objects have its key. */
  pathOf: (kind: Kind, key: string) => Path | undefined;
  /** Objects that repeat the key of an earlier object. `patch` does not contain them. */
  repeated: { kind: Kind; doc: DocOf[Kind]; path: Path }[];
  /**
   * The `objectRef` of each object that is skipped because of its issues. `patch` does not contain
   * these objects.
   */
  unreadableRefs: ReadonlySet<string>;
};

type AuthoredObject = { key: string };
type ItemWithReader<T> = { item: T; reader: Reader };

const NO_BUSINESS: CatalogIssue = {
  code: "missing_field",
  path: [0],
  detail: "'business' is missing: one of the files must describe the business.",
};

/** A placeholder for a missing business lets the rest of the files be read. */
const PLACEHOLDER_BUSINESS = {
  slug: PLACEHOLDER_SLUG,
  name: "?",
  timezone: "UTC",
  currency: PLACEHOLDER_CURRENCY,
};

/** Thrown to stop reading files that have more issues than an error lists. */
export class TooManyIssues extends Error {
  readonly issues: readonly CatalogIssue[];

  constructor(issues: readonly CatalogIssue[]) {
    super("too many issues");
    this.issues = issues;
  }
}

/**
 * Converts files to a patch of the stored catalog, with defaults filled in.
 * @returns a single issue if two files describe the business, for example if they are two versions
 * of the same file
 */
export function normaliseCatalog(
  files: readonly AuthoredFile[],
  options: NormaliseOptions,
): Normalised | CatalogIssue {
  const businesses = files.flatMap(({ business }, file) =>
    business ? [{ value: business, path: [file, "business"] }] : [],
  );
  const [business, second] = businesses;
  if (business !== undefined && second !== undefined)
    return {
      code: "repeated_key",
      path: second.path,
      detail: "The business is described twice.",
      otherPath: business.path,
    };

  const issues = business === undefined && !options.isIncomplete ? [NO_BUSINESS] : [];
  const described = business?.value ?? PLACEHOLDER_BUSINESS;
  const { slug, currency, timezone } = described;
  const current = slug === PLACEHOLDER_SLUG ? null : options.current(slug);
  const context: ReadContext = {
    currency: isoCurrency(currency),
    timezone,
    seedingAt: options.seedingAt,
    maxQuantities: new Map(
      current?.objects.addon.map(({ key, maxQuantity }) => [key, maxQuantity]),
    ),
    addIssue: (issue) => {
      issues.push(issue);
      if (issues.length > MAX_ISSUES) throw new TooManyIssues(issues);
    },
  };
  const reader = new SectionReader(files, options, current, context);
  const schedule = reader.readSchedule();
  const objects = reader.readObjects();
  const businessDoc = readBusiness(described);
  validatePublicPage(new Reader(context, business?.path ?? [0]), businessDoc);
  return {
    patch: { business: businessDoc, schedule, objects },
    current,
    issues,
    pathOf: (kind, key) => reader.firstPaths.get(objectRef(kind, key)),
    repeated: reader.repeated,
    unreadableRefs: reader.unreadableRefs,
  };
}

/** Reads each section from all files that have it. */
class SectionReader {
  /** The path at which each object first appears, by its `objectRef`. */
  readonly firstPaths = new Map<string, Path>();
  readonly repeated: Normalised["repeated"] = [];
  readonly unreadableRefs = new Set<string>();
  readonly #files: readonly AuthoredFile[];
  readonly #options: NormaliseOptions;
  readonly #current: Catalog | null;
  readonly #context: ReadContext;

  constructor(
    files: readonly AuthoredFile[],
    options: NormaliseOptions,
    current: Catalog | null,
    context: ReadContext,
  ) {
    this.#files = files;
    this.#options = options;
    this.#current = current;
    this.#context = context;
  }

  readSchedule(): Partial<ScheduleDoc> {
    return omitUndefined({
      hours: this.#readRules("hours", readHoursRule),
      closures: this.#readRules("closures", readClosure),
      exceptions: this.#readRules("exceptions", readOpeningException),
      turnTimes: this.#readRules("turnTimes", (_reader, item) => item)?.sort(
        (a, b) => a.upTo - b.upTo,
      ),
    });
  }

  readObjects(): Partial<CatalogObjects> {
    const objects: { [K in Kind]?: DocOf[Kind][] | undefined } = {};
    for (const kind of SECTION_KINDS) {
      objects[kind] = this.#readKind(kind);
      // Services are read after the add-ons, because the maximum quantity of an add-on is the
      // default in the services that link to it.
      if (kind === "addon")
        for (const { key, maxQuantity } of (objects.addon ?? []) as DocOf["addon"][])
          this.#context.maxQuantities.set(key, maxQuantity);
    }
    return omitUndefined(objects) as Partial<CatalogObjects>;
  }

  /**
   * Returns the items of a section whose items have no keys; undefined if no file has the section.
   */
  #readRules<N extends keyof ScheduleDoc, D>(
    section: N,
    read: (reader: Reader, item: NonNullable<AuthoredFile[N]>[number]) => D,
  ): D[] | undefined {
    return this.#itemsIn<NonNullable<AuthoredFile[N]>[number]>([section], (file) => file[section])
      ?.filter(({ reader }) => !this.#isUnreadable(reader))
      .map(({ item, reader }) => read(reader, item));
  }

  /** Returns the objects of a kind; undefined if no file has its section. */
  #readKind(kind: Kind): DocOf[Kind][] | undefined {
    const stored = new Map<string, DocOf[Kind]>(
      this.#current?.objects[kind].map((doc) => [doc.key, doc]),
    );
    const items = this.#itemsIn(
      sectionOf(kind).path,
      (file) => listIn(file, kind) as AuthoredObject[] | undefined,
    );
    return items?.flatMap(({ item, reader }) => {
      const doc = this.#readObject(kind, item, reader);
      if (doc === undefined) return [];
      // The stored document is reused if it is equal, so that the parsed copy can be freed.
      const old = stored.get(doc.key);
      return [old !== undefined && deepEqual(old, doc) ? old : doc];
    });
  }

  /**
   * Returns undefined if the object is repeated or unreadable. An unreadable `item` can be null, in
   * spite of its type.
   */
  #readObject(kind: Kind, item: AuthoredObject, reader: Reader): DocOf[Kind] | undefined {
    const isRepeated = this.#isRepeated(kind, item, reader);
    if (this.#isUnreadable(reader)) {
      this.unreadableRefs.add(objectRef(kind, item?.key));
      return undefined;
    }
    const unchangedDoc = this.#options.unchanged.get(item);
    const doc = unchangedDoc ?? sectionOf(kind).read(reader, item as never);
    if (unchangedDoc === undefined) validateSize(reader, doc);
    if (!isRepeated) return doc;
    this.repeated.push({ kind, doc, path: reader.path });
    return undefined;
  }

  /** Returns whether an earlier object has the same key, and adds an issue if so. */
  #isRepeated(kind: Kind, item: AuthoredObject, reader: Reader): boolean {
    const ref = objectRef(kind, item?.key);
    // An object with a missing or invalid key has an issue of its own, and is not a repeated one.
    const firstPath = typeof item?.key === "string" ? this.firstPaths.get(ref) : undefined;
    if (firstPath === undefined) {
      this.firstPaths.set(ref, reader.path);
      return false;
    }
    this.#context.addIssue({
      code: "repeated_key",
      path: [...reader.path, "key"],
      detail: `The ${KIND_NAMES[kind]} ${quote(item.key)} is listed twice.`,
      otherPath: [...firstPath, "key"],
    });
    return true;
  }

  #isUnreadable({ path }: Reader): boolean {
    const { unreadable } = this.#options;
    return unreadable.size > 0 && unreadable.has(path.join("\0"));
  }

  /** Returns the items of a section in all files; undefined if no file has it. */
  #itemsIn<T>(
    section: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
  ): ItemWithReader<T>[] | undefined {
    const lists = this.#files.flatMap((file, index) => {
      const items = pick(file);
      if (items === undefined) return [];
      const readerAt = (position: number) =>
        new Reader(this.#context, [index, ...section, position]);
      return [items.map((item, position) => ({ item, reader: readerAt(position) }))];
    });
    return lists.length === 0 ? undefined : lists.flat();
  }
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

const omitUndefined = <T extends object>(sections: T): Present<T> =>
  Object.fromEntries(
    Object.entries(sections).filter(([, section]) => section !== undefined),
  ) as Present<T>;

const MAX_DOC_KB = 200;

function validateSize(reader: Reader, doc: unknown): void {
  const kb = Math.ceil(Buffer.byteLength(JSON.stringify(doc)) / 1000);
  if (kb > MAX_DOC_KB)
    reader.addIssue("contradiction", `This object is ${kb} KB; the maximum is ${MAX_DOC_KB} KB.`);
}
