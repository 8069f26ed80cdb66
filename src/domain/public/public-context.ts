import { lazy, memoized } from "../lazy.ts";
import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import type { Catalog, DocOf, Kind } from "../catalog/catalog.ts";
import type { ImageDoc, Translations } from "../catalog/common.ts";
import type { SortOrderOf } from "../catalog/change/diff.ts";
import { findById, findByKey } from "../catalog/doc-index.ts";
import { objectId } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import type * as schemas from "./schemas/values.ts";

/** The version of an object's last change; `updatedAt` is in epoch ms. */
export type ObjectVersion = { version: number; updatedAt: number };

/** Day-to-day state that affects public objects but is not part of the catalog file. */
export type Stock = {
  /**
   * When each sold-out menu item or modifier option is back (epoch ms; null if unknown), by its ID.
   */
  soldOut: ReadonlyMap<string, number | null>;
  /** The number of tickets taken (sold, or in a pending order), by the ID of the ticket type. */
  taken: Pick<ReadonlyMap<string, number>, "get">;
};

/** Everything that the public objects depend on, except the time. */
export type StoredCatalog = {
  catalog: Catalog;
  versionOf: (objectId: string) => ObjectVersion;
  /** Returns the `sortOrder` of an object in its list; the numbers ascend, with gaps. */
  sortOrderOf: SortOrderOf;
  stock: Stock;
  /**
   * Set if only some objects are loaded: the time at which the first of the other objects changes
   * without an edit (epoch ms; null if none will).
   */
  others?: { nextTransitionAt: number | null };
};

type PublicCommon = {
  [Name in keyof typeof schemas.commonFields]: z.infer<(typeof schemas.commonFields)[Name]>;
};

export type ListedObject = { id: string } & PublicCommon;

/**
 * Any public object. An add-on has no `sortOrder`, because the API lists add-ons only inside
 * services.
 */
export type PublicObject = { id: string } & Omit<PublicCommon, "sortOrder"> & {
    sortOrder?: number;
  };

export type PublicContext = ReturnType<typeof createPublicContext>;

export const isVisible = (kind: Kind, doc: DocOf[Kind]): boolean => {
  if (kind === "public_event") return doc.status !== "DRAFT";
  if (kind === "staff" && !(doc as DocOf["staff"]).public) return false;
  return doc.status === "ACTIVE";
};

export function createPublicContext(
  { catalog, versionOf, sortOrderOf, stock }: StoredCatalog,
  now: number,
) {
  const { slug, currency, timezone } = catalog.business;
  // Each kind is filtered on first use, so that a change to a menu item does not read the services.
  const visible = memoized((kind: Kind) =>
    (catalog.objects[kind] as DocOf[Kind][]).filter((doc) => isVisible(kind, doc)),
  );
  const ifVisible = <K extends Kind>(kind: K, doc: DocOf[K] | undefined) =>
    doc !== undefined && isVisible(kind, doc) ? doc : undefined;
  const findVisible = <K extends Kind>(kind: K, key: string): DocOf[K] | undefined =>
    ifVisible(kind, findByKey<K>(catalog.objects[kind], key));
  const visibleId = (kind: Kind, key: string): string | undefined => {
    const doc = findVisible(kind, key);
    return doc && objectId(kind, slug, doc);
  };
  const servicesByStaff = lazy(() => {
    const services = new Map<string, string[]>();
    for (const doc of visible("service") as DocOf["service"][])
      for (const person of doc.staff)
        services.getOrInsert(person, []).push(objectId("service", slug, doc));
    return services;
  });
  return {
    slug,
    currency,
    timezone,
    now,
    versionOf,
    sortOrderOf,
    /** Returns the visible objects in order. */
    visible: <K extends Kind>(kind: K) => visible(kind) as DocOf[K][],
    /** Returns the object with a key; undefined if the object is missing or hidden. */
    findVisible,
    /** Returns the object with an ID; undefined if the object is missing or hidden. */
    findVisibleById: <K extends Kind>(kind: K, id: string): DocOf[K] | undefined =>
      ifVisible(kind, findById<K>(kind, slug, catalog.objects[kind], id)),
    /** Returns the ID of the object with a key; undefined if the object is missing or hidden. */
    visibleId,
    visibleIds: (kind: Kind, keys: readonly string[]): string[] =>
      keys.map((key) => visibleId(kind, key)).filter((id) => id !== undefined),
    /** Returns the IDs of the visible services that the person performs. */
    servicesOf: (staffKey: string): string[] => servicesByStaff().get(staffKey) ?? [],
    instant: (ms: number): string => formatInstant(ms, timezone),
    isSoldOut: (id: string): boolean => {
      const until = stock.soldOut.get(id);
      return until !== undefined && (until === null || now < until);
    },
    taken: (ticketTypeId: string): number => stock.taken.get(ticketTypeId) ?? 0,
  };
}

export const idOf = ({ slug }: PublicContext, kind: Kind, doc: DocOf[Kind]): string =>
  objectId(kind, slug, doc);

export function toPublicCommon(
  id: string,
  doc: { images: ImageDoc[]; translations: Translations },
  sortOrder: number,
  context: PublicContext,
): PublicCommon {
  const { version, updatedAt } = context.versionOf(id);
  return {
    sortOrder,
    images: toPublicImages(doc.images, context.slug),
    translations: doc.translations,
    version,
    updatedAt: context.instant(updatedAt),
  };
}

export const toPublicImages = (images: readonly ImageDoc[], slug: string): PublicCommon["images"] =>
  images.map((image) => ({ id: catalogId("img", slug, image.url), ...image }));

/**
 * Returns a copy with the texts in one locale at every depth.
 * @param keepTranslations whether the copy keeps the texts of all locales in `translations`
 */
export function localise<T>(value: T, locale: string, keepTranslations = false): T {
  if (Array.isArray(value))
    return value.map((item) => localise(item, locale, keepTranslations)) as T;
  if (typeof value !== "object" || value === null) return value;
  const { translations } = value as { translations?: Translations };
  // A custom attribute of a service can also be called `translations`; its value is a string.
  const isTranslated = typeof translations === "object";
  const texts = (isTranslated && translations[locale]) || {};
  const localised: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (name === "translations" && isTranslated) {
      if (keepTranslations) localised[name] = field;
    } else
      localised[name] = Object.hasOwn(texts, name)
        ? texts[name]
        : localise(field, locale, keepTranslations);
  }
  return localised as T;
}
