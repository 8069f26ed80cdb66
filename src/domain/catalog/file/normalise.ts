import { isoCurrency } from "../../currency.ts";
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
import { type ReadContext, Reader, readOpeningException, readHoursRule } from "./reader.ts";
import type { AuthoredFile } from "./schema.ts";
import { PLACEHOLDER_CURRENCY, PLACEHOLDER_SLUG } from "./repair.ts";
import { listIn, SECTION_KINDS, sectionOf } from "./sections.ts";

/** Sections that are in no file are absent. */
export type CatalogPatch = {
  business: BusinessDoc;
  schedule: Partial<ScheduleDoc>;
  objects: Partial<CatalogObjects>;
};

export type NormaliseOptions = {
  current: (businessSlug: string) => Catalog | null;
  seedingAt: number | null;
  unchanged: Unchanged;
  /** Joined paths of items to skip, because they have issues already. */
  unreadable: ReadonlySet<string>;
  /** Another file, which cannot be read, may describe the business. */
  isIncomplete: boolean;
};

export type Normalised = {
  patch: CatalogPatch;
  current: Catalog | null;
  issues: CatalogIssue[];
  pathOf: (kind: Kind, key: string) => Path | undefined;
  /** Objects whose key an earlier one has. They are not in `patch`. */
  repeated: { kind: Kind; doc: DocOf[Kind]; path: Path }[];
  /** Skipped objects. */
  unreadableRefs: ReadonlySet<string>;
};

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

/** Ends the reading of files that have more issues than an error lists. */
export class TooManyIssues extends Error {
  readonly issues: readonly CatalogIssue[];

  constructor(issues: readonly CatalogIssue[]) {
    super("too many issues");
    this.issues = issues;
  }
}

/** @returns a single issue if the files describe the business twice, as two versions of it would */
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
    maxQuantities: new Map(current?.objects.addon.map((one) => [one.key, one.maxQuantity])),
    addIssue: (issue) => {
      issues.push(issue);
      if (issues.length > MAX_ISSUES) throw new TooManyIssues(issues);
    },
  };
  const paths = new Map<string, Path>();
  const unreadableRefs = new Set<string>();
  const repeated: Normalised["repeated"] = [];
  const isUnreadable = ({ path }: Reader): boolean =>
    options.unreadable.size > 0 && options.unreadable.has(path.join("\0"));

  /** The items of a section in all files; undefined if no file has it. */
  function itemsIn<T>(
    section: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
  ): ItemWithReader<T>[] | undefined {
    const lists = files.flatMap((file, index) => {
      const items = pick(file);
      return items === undefined
        ? []
        : [
            items.map((item, position) => ({
              item,
              reader: new Reader(context, [index, ...section, position]),
            })),
          ];
    });
    return lists.length === 0 ? undefined : lists.flat();
  }

  const readRules = <N extends keyof ScheduleDoc, D>(
    section: N,
    read: (reader: Reader, item: NonNullable<AuthoredFile[N]>[number]) => D,
  ): D[] | undefined =>
    itemsIn<NonNullable<AuthoredFile[N]>[number]>([section], (file) => file[section])
      ?.filter(({ reader }) => !isUnreadable(reader))
      .map(({ item, reader }) => read(reader, item));

  function readObjects(kind: Kind): DocOf[Kind][] | undefined {
    const { path: section, read } = sectionOf(kind);
    const stored = new Map<string, DocOf[Kind]>(
      current?.objects[kind].map((doc) => [doc.key, doc]),
    );
    return itemsIn(section, (file) => listIn(file, kind) as { key: string }[] | undefined)?.flatMap(
      ({ item, reader }) => {
        const ref = objectRef(kind, item?.key);
        // An object with a missing or invalid key has an issue of its own, and is not a repeated
        // one.
        const firstPath = typeof item?.key === "string" ? paths.get(ref) : undefined;
        if (firstPath === undefined) paths.set(ref, reader.path);
        else
          context.addIssue({
            code: "repeated_key",
            path: [...reader.path, "key"],
            detail: `The ${KIND_NAMES[kind]} ${quote(item.key)} is listed twice.`,
            otherPath: [...firstPath, "key"],
          });
        if (isUnreadable(reader)) {
          unreadableRefs.add(ref);
          return [];
        }
        const known = options.unchanged.get(item);
        const doc = known ?? read(reader, item as never);
        if (known === undefined) validateSize(reader, doc);
        if (firstPath !== undefined) {
          repeated.push({ kind, doc, path: reader.path });
          return [];
        }
        // Reuse the stored document if it is equal, so that the parsed copy can be freed.
        const old = stored.get(doc.key);
        return [old !== undefined && deepEqual(old, doc) ? old : doc];
      },
    );
  }

  const schedule = {
    hours: readRules("hours", readHoursRule),
    closures: readRules("closures", readClosure),
    exceptions: readRules("exceptions", readOpeningException),
    turnTimes: readRules("turnTimes", (_reader, item) => item)?.sort((a, b) => a.upTo - b.upTo),
  };
  const objects: { [K in Kind]?: DocOf[Kind][] | undefined } = {};
  for (const kind of SECTION_KINDS) {
    objects[kind] = readObjects(kind);
    if (kind === "addon")
      for (const { key, maxQuantity } of (objects.addon ?? []) as DocOf["addon"][])
        context.maxQuantities.set(key, maxQuantity);
  }
  return {
    patch: {
      business: readBusiness(described),
      schedule: omitUndefined(schedule),
      objects: omitUndefined(objects) as Partial<CatalogObjects>,
    },
    current,
    issues,
    pathOf: (kind, key) => paths.get(objectRef(kind, key)),
    repeated,
    unreadableRefs,
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

const omitUndefined = <T extends object>(sections: T): Present<T> =>
  Object.fromEntries(
    Object.entries(sections).filter(([, section]) => section !== undefined),
  ) as Present<T>;

const MAX_DOC_KB = 200;

function validateSize(reader: Reader, doc: unknown): void {
  const text = JSON.stringify(doc);
  // A UTF-16 code unit takes at most three bytes in UTF-8, so most documents need no encoding.
  if (text.length * 3 <= MAX_DOC_KB * 1000) return;
  const kb = Math.ceil(new TextEncoder().encode(text).length / 1000);
  if (kb > MAX_DOC_KB)
    reader.addIssue("contradiction", `This object is ${kb} KB; the maximum is ${MAX_DOC_KB} KB.`);
}
