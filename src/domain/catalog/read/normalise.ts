import type {
  BusinessDoc,
  Catalog,
  CatalogObjects,
  Closure,
  DocOf,
  Kind,
  ScheduleDoc,
} from "../catalog.ts";
import {
  itemPath,
  KIND_NAMES,
  type ValidationIssue,
  objectRef,
  type Path,
  quote,
} from "../validation-issue.ts";
import { readMenuCategory, readMenuItem, readModifierGroup } from "./menu.ts";
import { readPublicEvent } from "./public-events.ts";
import { readPromotion } from "./promotions.ts";
import {
  readAddon,
  readResource,
  readService,
  readServiceCategory,
  readStaff,
  readTable,
} from "./services.ts";
import {
  commonFields,
  addContradiction,
  readException,
  readHoursRule,
  readText,
  type ReadContext,
  unique,
  upper,
} from "./values.ts";
import type { Unchanged } from "../change/unchanged-items.ts";
import { deepEqual } from "../../equality.ts";
import type { AuthoredBusiness, AuthoredClosure, AuthoredFile } from "../file/schema.ts";

/** What the files say, as documents. A section that no file names is absent. */
export type CatalogPatch = {
  business: BusinessDoc;
  schedule: Partial<ScheduleDoc>;
  objects: Partial<CatalogObjects>;
};

export type NormaliseOptions = {
  current: (businessSlug: string) => Catalog | null;
  seedingAt: number | null;
  /** Items that need no reading. */
  unchanged: Unchanged;
  /** Items, as joined paths, to pass over: their mistakes are known. */
  unreadable: ReadonlySet<string>;
};

export type Normalised = {
  patch: CatalogPatch;
  current: Catalog | null;
  mistakes: ValidationIssue[];
  /** Where an object stands in the files. */
  placeOf: (kind: Kind, key: string) => Path | undefined;
  /** Keys of objects that could not be read, which may be referred to all the same. */
  unreadableKeys: ReadonlySet<string>;
};

type Placed<T> = { value: T; at: Path };

/** Joins the files and turns what they say into documents. null: there is not exactly one business. */
export function normaliseCatalog(
  files: readonly AuthoredFile[],
  options: NormaliseOptions,
): Normalised | ValidationIssue {
  const businesses = files.flatMap(({ business }, file) =>
    business ? [{ value: business, at: [file, "business"] }] : [],
  );
  const [business, second] = businesses;
  if (business === undefined)
    return {
      code: "missing_field",
      at: [0],
      detail: "'business' is missing: one file has to say which business this is.",
    };
  if (second !== undefined)
    return {
      code: "repeated_key",
      at: second.at,
      detail: "The business is described twice.",
      first: business.at,
    };

  const mistakes: ValidationIssue[] = [];
  const current = options.current(business.value.slug);
  const { currency, timezone } = business.value;
  const reader: ReadContext = {
    currency,
    timezone,
    seedingAt: options.seedingAt,
    current,
    addIssue: (one) => mistakes.push(one),
  };
  const places = new Map<string, Path>();
  const unreadableKeys = new Set<string>();

  function gather<T>(
    path: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
  ): Placed<T>[] | undefined {
    const named = files.flatMap((file, index) => {
      const items = pick(file);
      return items === undefined
        ? []
        : [items.map((value, position) => ({ value, at: [index, ...path, position] }))];
    });
    return named.length === 0 ? undefined : named.flat();
  }

  function readRules<T, D>(
    field: string,
    pick: (file: AuthoredFile) => readonly T[] | undefined,
    read: (reader: ReadContext, item: T, at: Path) => D,
  ): D[] | undefined {
    return gather([field], pick)
      ?.filter(({ at }) => !options.unreadable.has(at.join("\0")))
      .map(({ value, at }) => read(reader, value, at));
  }

  function readObjects<K extends Kind, T extends { key: string }>(
    kind: K,
    path: readonly string[],
    pick: (file: AuthoredFile) => readonly T[] | undefined,
    read: (reader: ReadContext, item: T, at: Path) => DocOf[K],
  ): DocOf[K][] | undefined {
    const before = new Map<string, DocOf[K]>(current?.objects[kind].map((doc) => [doc.key, doc]));
    return gather(path, pick)?.flatMap(({ value, at }) => {
      const place = objectRef(kind, value?.key);
      const first = places.get(place);
      if (first === undefined) places.set(place, at);
      else
        reader.addIssue({
          code: "repeated_key",
          at: [...at, "key"],
          detail: `The ${KIND_NAMES[kind]} ${quote(value.key)} is listed twice.`,
          first: [...first, "key"],
        });
      if (options.unreadable.has(at.join("\0"))) {
        unreadableKeys.add(place);
        return [];
      }
      const known = options.unchanged.get(value) as DocOf[K] | undefined;
      const doc = known ?? read(reader, value, at);
      if (known === undefined) refuseBulk(reader, doc, at);
      if (first !== undefined) return [];
      // The very document that the box has: nothing after this looks into it again, and ten thousand copies can go at once.
      const old = before.get(doc.key);
      return [deepEqual(old, doc) ? (old as DocOf[K]) : doc];
    });
  }

  const addons = readObjects("addon", ["addons"], (file) => file.addons, readAddon);
  const maxQuantities = new Map(
    [...(current?.objects.addon ?? []), ...(addons ?? [])].map((one) => [one.key, one.maxQuantity]),
  );
  const maxQuantityOf = (addon: string) => maxQuantities.get(addon);

  const patch: CatalogPatch = {
    business: readBusiness(reader, business.value),
    schedule: named({
      hours: readRules("hours", (file) => file.hours, readHoursRule),
      closures: readRules("closures", (file) => file.closures, readClosure),
      exceptions: readRules("exceptions", (file) => file.exceptions, readException),
      turnTimes: readRules(
        "turnTimes",
        (file) => file.turnTimes,
        (_reader, item) => item,
      )?.sort((a, b) => a.upTo - b.upTo),
    }),
    objects: named({
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
        (reader, item, at) => readService(reader, item, at, maxQuantityOf),
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
        (_reader, item) => commonFields(item),
      ),
      table: readObjects("table", ["tables"], (file) => file.tables, readTable),
      promotion: readObjects("promotion", ["promotions"], (file) => file.promotions, readPromotion),
      public_event: readObjects("public_event", ["events"], (file) => file.events, readPublicEvent),
    }),
  };
  return {
    patch,
    current,
    mistakes,
    placeOf: (kind, key) => places.get(objectRef(kind, key)),
    unreadableKeys,
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

const named = <T extends object>(sections: T): Present<T> =>
  Object.fromEntries(
    Object.entries(sections).filter(([, section]) => section !== undefined),
  ) as Present<T>;

/** Mistakes without those that only follow from a field having been struck out of the same item. */
export function withoutFollowUpIssues(
  shape: readonly ValidationIssue[],
  further: readonly ValidationIssue[],
): ValidationIssue[] {
  const struck = new Set(shape.map(({ at }) => itemPath(at)?.join("\0")));
  return further.filter(
    ({ code, at }) => code !== "missing_field" || !struck.has(itemPath(at)?.join("\0")),
  );
}

function readBusiness(reader: ReadContext, item: AuthoredBusiness): BusinessDoc {
  const { bookingPolicy: policy = {}, locale = "en" } = item;
  return {
    slug: item.slug,
    name: item.name,
    timezone: reader.timezone,
    currency: reader.currency,
    locale,
    locales: unique([locale, ...(item.locales ?? [])]),
    description: readText(item.description),
    phone: item.phone ?? null,
    email: item.email ?? null,
    websiteUrl: item.websiteUrl ?? null,
    address: readText(item.address),
    bookingPolicy: {
      slotIntervalMin: policy.slotIntervalMin ?? 15,
      minNoticeMin: policy.minNoticeMin ?? 60,
      maxAdvanceDays: policy.maxAdvanceDays ?? 90,
      bufferPolicy: upper(policy.bufferPolicy ?? "MAX"),
      grid: upper(policy.grid ?? "CLOCK"),
      maxGapMin: policy.maxGapMin ?? 0,
    },
  };
}

function readClosure(reader: ReadContext, item: AuthoredClosure, at: Path): Closure {
  const { name = null, date, from, to, yearly } = item;
  const forms = [date, from ?? to, yearly].filter((form) => form !== undefined).length;
  const detail = "A closure has one of: 'date'; 'from' and 'to'; 'yearly'.";
  if (forms !== 1)
    reader.addIssue({ code: forms === 0 ? "missing_field" : "contradiction", at, detail });
  if (yearly !== undefined) return { name, yearly };
  if (date !== undefined) return { name, from: date, to: date };
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? "from" : "to";
    if (from !== to)
      reader.addIssue({
        code: "missing_field",
        at: [...at, missing],
        detail: `'${missing}' is missing: a closure over several days has 'from' and 'to'.`,
      });
    return { name, from: from ?? "", to: to ?? "" };
  }
  if (to < from) addContradiction(reader, [...at, "to"], `'to' ${to} is before 'from' ${from}.`);
  return { name, from, to };
}

const MAX_DOC_KB = 200;

function refuseBulk(reader: ReadContext, doc: unknown, at: Path): void {
  const text = JSON.stringify(doc);
  // No character takes more than three bytes for each of its code units.
  if (text.length * 3 <= MAX_DOC_KB * 1000) return;
  const kb = Math.ceil(new TextEncoder().encode(text).length / 1000);
  if (kb > MAX_DOC_KB)
    addContradiction(reader, at, `This object is ${kb} KB; one may have at most ${MAX_DOC_KB} KB.`);
}
