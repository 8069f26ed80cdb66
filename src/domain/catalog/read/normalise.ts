import { readMenuCategory, readMenuItem, readModifierGroup } from "./menu.ts";
import { readPromotion } from "./promotions.ts";
import { readPublicEvent } from "./public-events.ts";
import {
  readAddon,
  readResource,
  readService,
  readServiceCategory,
  readStaff,
  readTable,
} from "./services.ts";
import {
  addContradiction,
  addMissing,
  readCommon,
  readException,
  readFields,
  readHoursRule,
  readText,
  type ReadContext,
  unique,
} from "./values.ts";
import type {
  BusinessDoc,
  Catalog,
  CatalogObjects,
  Closure,
  DocOf,
  Kind,
  ScheduleDoc,
} from "../catalog.ts";
import { type CatalogIssue, itemPath, type Path } from "../catalog-issue.ts";
import type { Unchanged } from "../change/unchanged-items.ts";
import {
  type AuthoredBusiness,
  type AuthoredClosure,
  type AuthoredFile,
  BOOKING_POLICY_DEFAULTS,
  BUSINESS_DEFAULTS,
  DEFAULT_LOCALE,
} from "../file/schema.ts";
import { KIND_NAMES } from "../kind-names.ts";
import { objectRef } from "../references.ts";
import { deepEqual } from "../../equality.ts";
import { quote } from "../../text.ts";

/** The contents of files as documents. Sections that are in no file are absent. */
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
};

export type Normalised = {
  patch: CatalogPatch;
  current: Catalog | null;
  issues: CatalogIssue[];
  /** The path of an object in the files. */
  pathOf: (kind: Kind, key: string) => Path | undefined;
  /** References to the objects that were skipped. */
  unreadableKeys: ReadonlySet<string>;
};

type WithPath<T> = { value: T; path: Path };

/**
 * Joins files and converts their contents to documents.
 * @returns a single issue if the files do not describe exactly one business
 */
export function normaliseCatalog(
  files: readonly AuthoredFile[],
  options: NormaliseOptions,
): Normalised | CatalogIssue {
  const businesses = files.flatMap(({ business }, file) =>
    business ? [{ value: business, path: [file, "business"] }] : [],
  );
  const [business, second] = businesses;
  if (business === undefined)
    return {
      code: "missing_field",
      path: [0],
      detail: "'business' is missing: one of the files must describe the business.",
    };
  if (second !== undefined)
    return {
      code: "repeated_key",
      path: second.path,
      detail: "The business is described twice.",
      otherPath: business.path,
    };

  const issues: CatalogIssue[] = [];
  const current = options.current(business.value.slug);
  const { currency, timezone } = business.value;
  const context: ReadContext = {
    currency,
    timezone,
    seedingAt: options.seedingAt,
    current,
    addIssue: (issue) => issues.push(issue),
  };
  const paths = new Map<string, Path>();
  const unreadableKeys = new Set<string>();

  /** The items of a section in all files; undefined if no file has it. */
  function itemsIn<T>(
    section: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
  ): WithPath<T>[] | undefined {
    const lists = files.flatMap((file, index) => {
      const items = pick(file);
      return items === undefined
        ? []
        : [items.map((value, position) => ({ value, path: [index, ...section, position] }))];
    });
    return lists.length === 0 ? undefined : lists.flat();
  }

  function readRules<T, D>(
    section: string,
    pick: (file: AuthoredFile) => readonly T[] | undefined,
    read: (context: ReadContext, item: T, path: Path) => D,
  ): D[] | undefined {
    return itemsIn([section], pick)
      ?.filter(({ path }) => !options.unreadable.has(path.join("\0")))
      .map(({ value, path }) => read(context, value, path));
  }

  function readObjects<K extends Kind, T extends { key: string }>(
    kind: K,
    section: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
    read: (context: ReadContext, item: T, path: Path) => DocOf[K],
  ): DocOf[K][] | undefined {
    const stored = new Map<string, DocOf[K]>(current?.objects[kind].map((doc) => [doc.key, doc]));
    return itemsIn(section, pick)?.flatMap(({ value, path }) => {
      const ref = objectRef(kind, value?.key);
      // An object with a missing or invalid key has an issue of its own, and is not a repeated one.
      const firstPath = typeof value?.key === "string" ? paths.get(ref) : undefined;
      if (firstPath === undefined) paths.set(ref, path);
      else
        context.addIssue({
          code: "repeated_key",
          path: [...path, "key"],
          detail: `The ${KIND_NAMES[kind]} ${quote(value.key)} is listed twice.`,
          otherPath: [...firstPath, "key"],
        });
      if (options.unreadable.has(path.join("\0"))) {
        unreadableKeys.add(ref);
        return [];
      }
      const known = options.unchanged.get(value) as DocOf[K] | undefined;
      const doc = known ?? read(context, value, path);
      if (known === undefined) validateSize(context, doc, path);
      if (firstPath !== undefined) return [];
      // Reuse the stored document if it is equal, so that the parsed copy can be freed.
      const old = stored.get(doc.key);
      return [deepEqual(old, doc) ? (old as DocOf[K]) : doc];
    });
  }

  const addons = readObjects("addon", ["addons"], (file) => file.addons, readAddon);
  const maxQuantities = new Map(
    [...(current?.objects.addon ?? []), ...(addons ?? [])].map((one) => [one.key, one.maxQuantity]),
  );
  const maxQuantityOf = (addon: string) => maxQuantities.get(addon);

  const patch: CatalogPatch = {
    business: readBusiness(business.value),
    schedule: omitUndefined({
      hours: readRules("hours", (file) => file.hours, readHoursRule),
      closures: readRules("closures", (file) => file.closures, readClosure),
      exceptions: readRules("exceptions", (file) => file.exceptions, readException),
      turnTimes: readRules(
        "turnTimes",
        (file) => file.turnTimes,
        (_context, item) => item,
      )?.sort((a, b) => a.upTo - b.upTo),
    }),
    objects: omitUndefined({
      service_category: readObjects(
        "service_category",
        ["serviceCategories"],
        (file) => file.serviceCategories,
        readServiceCategory,
      ),
      addon: addons,
      service: readObjects(
        "service",
        ["services"],
        (file) => file.services,
        (context, item, path) => readService(context, item, path, maxQuantityOf),
      ),
      resource: readObjects("resource", ["resources"], (file) => file.resources, readResource),
      staff: readObjects("staff", ["staff"], (file) => file.staff, readStaff),
      menu_category: readObjects(
        "menu_category",
        ["menu", "categories"],
        (file) => file.menu?.categories,
        readMenuCategory,
      ),
      modifier_group: readObjects(
        "modifier_group",
        ["menu", "modifierGroups"],
        (file) => file.menu?.modifierGroups,
        readModifierGroup,
      ),
      menu_item: readObjects(
        "menu_item",
        ["menu", "items"],
        (file) => file.menu?.items,
        readMenuItem,
      ),
      area: readObjects(
        "area",
        ["areas"],
        (file) => file.areas,
        (_context, item) => readCommon(item),
      ),
      table: readObjects("table", ["tables"], (file) => file.tables, readTable),
      promotion: readObjects("promotion", ["promotions"], (file) => file.promotions, readPromotion),
      public_event: readObjects("public_event", ["events"], (file) => file.events, readPublicEvent),
    }),
  };
  return {
    patch,
    current,
    issues,
    pathOf: (kind, key) => paths.get(objectRef(kind, key)),
    unreadableKeys,
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

const omitUndefined = <T extends object>(sections: T): Present<T> =>
  Object.fromEntries(
    Object.entries(sections).filter(([, section]) => section !== undefined),
  ) as Present<T>;

/**
 * The read issues without missing fields of items that have schema issues: the schema check deletes
 * invalid fields, which then appear to be missing.
 */
export function withoutFollowUpIssues(
  schemaIssues: readonly CatalogIssue[],
  readIssues: readonly CatalogIssue[],
): CatalogIssue[] {
  const invalid = new Set(schemaIssues.map(({ path }) => itemPath(path)?.join("\0")));
  return readIssues.filter(
    ({ code, path }) => code !== "missing_field" || !invalid.has(itemPath(path)?.join("\0")),
  );
}

function readBusiness(item: AuthoredBusiness): BusinessDoc {
  const { locale = DEFAULT_LOCALE, bookingPolicy = {} } = item;
  return {
    slug: item.slug,
    name: item.name,
    timezone: item.timezone,
    currency: item.currency,
    locale,
    locales: unique([locale, ...(item.locales ?? [])]),
    description: readText(item.description),
    ...readFields(item, BUSINESS_DEFAULTS),
    address: readText(item.address),
    bookingPolicy: readFields(bookingPolicy, BOOKING_POLICY_DEFAULTS),
  };
}

function readClosure(context: ReadContext, item: AuthoredClosure, path: Path): Closure {
  const { name = null, date, from, to, yearly } = item;
  const forms = [date, from ?? to, yearly].filter((form) => form !== undefined).length;
  const detail = "A closure needs exactly one of: 'date'; 'from' and 'to'; 'yearly'.";
  if (forms !== 1)
    context.addIssue({ code: forms === 0 ? "missing_field" : "contradiction", path, detail });
  if (yearly !== undefined) return { name, yearly };
  if (date !== undefined) return { name, from: date, to: date };
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? "from" : "to";
    if (from !== to)
      addMissing(context, path, missing, "a closure over several days has 'from' and 'to'");
    return { name, from: from ?? "", to: to ?? "" };
  }
  if (to < from) addContradiction(context, [...path, "to"], `'to' ${to} is before 'from' ${from}.`);
  return { name, from, to };
}

const MAX_DOC_KB = 200;

function validateSize(context: ReadContext, doc: unknown, path: Path): void {
  const text = JSON.stringify(doc);
  // A UTF-16 code unit takes at most three bytes in UTF-8, so most documents need no encoding.
  if (text.length * 3 <= MAX_DOC_KB * 1000) return;
  const kb = Math.ceil(new TextEncoder().encode(text).length / 1000);
  if (kb > MAX_DOC_KB)
    addContradiction(context, path, `This object is ${kb} KB; the maximum is ${MAX_DOC_KB} KB.`);
}
