import type { z } from "zod";
import { formatInstant } from "../business-time.ts";
import type { Catalog, DocOf, ImageDoc, Kind, Translations } from "../catalog/catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import { catalogId } from "../ids.ts";
import type * as schemas from "./schemas/values.ts";

/** The catalogVersion and time (epoch ms) at which a representation last changed. */
export type ObjectVersion = { version: number; updatedAt: number };

/** What belongs to the day's work: no file touches it. */
export type Stock = {
  /** Id of a dish or of a modifier's option -> when it is back (epoch ms); null: when somebody says so. */
  soldOut: ReadonlyMap<string, number | null>;
  /** Ticket type id -> tickets held by the orders that count. */
  taken: ReadonlyMap<string, number>;
};

/** A business's catalog with all that its representation depends on, but the clock. */
export type StoredCatalog = {
  catalog: Catalog;
  versionOf: (objectId: string) => ObjectVersion;
  stock: Stock;
};

/** The fields that every public object ends with. */
export type PublicCommon = {
  [Name in keyof typeof schemas.commonFields]: z.infer<(typeof schemas.commonFields)[Name]>;
};

export type ListedObject = { id: string } & PublicCommon;

/** Any public object. An add-on alone has no `sortOrder`: it is served inside the links of services, in no list. */
export type PublicObject = { id: string } & Omit<PublicCommon, "sortOrder"> & {
    sortOrder?: number;
  };

/** What the representing functions need besides the document. */
export type PublicContext = {
  slug: string;
  currency: string;
  timezone: string;
  now: number;
  versionOf: (objectId: string) => ObjectVersion;
  /** Documents of a kind that partners see, in order. */
  visible: <K extends Kind>(kind: K) => DocOf[K][];
  /** Id of a visible object by its author's key; undefined when there is none or it is hidden. */
  visibleId: (kind: Kind, key: string) => string | undefined;
  /** The ids of those of the keys that are visible. */
  visibleIds: (kind: Kind, keys: readonly string[]) => string[];
  /** Ids of the visible services that a person performs, by the person's key. */
  servicesOf: (staff: string) => string[];
  instant: (ms: number) => string;
  isSoldOut: (id: string) => boolean;
  /** Tickets of a type that are held. */
  taken: (ticketTypeId: string) => number;
};

/** Whether partners see it. */
export const isVisible = (kind: Kind, doc: DocOf[Kind]): boolean => {
  if (kind === "public_event") return doc.status !== "DRAFT";
  if (kind === "staff" && !(doc as DocOf["staff"]).public) return false;
  return doc.status === "ACTIVE";
};

export function createPublicContext(
  { catalog, versionOf: mark, stock: day }: StoredCatalog,
  now: number,
): PublicContext {
  const { slug, currency, timezone } = catalog.business;
  // Each kind at its first use: a change of one dish looks at no service.
  const visible = memoized((kind: Kind) =>
    (catalog.objects[kind] as DocOf[Kind][]).filter((doc) => isVisible(kind, doc)),
  );
  const ids = memoized(
    (kind: Kind) => new Map(visible(kind).map((doc) => [doc.key, objectId(kind, slug, doc)])),
  );
  const visibleId = (kind: Kind, key: string) => ids(kind).get(key);
  const performers = memoized((kind: "service") => {
    const services = new Map<string, string[]>();
    for (const doc of visible(kind) as DocOf["service"][])
      for (const person of doc.staff) {
        const known = services.get(person);
        if (known) known.push(objectId(kind, slug, doc));
        else services.set(person, [objectId(kind, slug, doc)]);
      }
    return services;
  });
  return {
    slug,
    currency,
    timezone,
    now,
    versionOf: mark,
    visible: <K extends Kind>(kind: K) => visible(kind) as DocOf[K][],
    visibleId,
    visibleIds: (kind, keys) =>
      keys.map((key) => visibleId(kind, key)).filter((id) => id !== undefined),
    servicesOf: (staff) => performers("service").get(staff) ?? [],
    instant: (ms) => formatInstant(ms, timezone),
    isSoldOut: (id) => {
      const until = day.soldOut.get(id);
      return until !== undefined && (until === null || now < until);
    },
    taken: (ticketTypeId) => day.taken.get(ticketTypeId) ?? 0,
  };
}

function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** The id of a visible document: `lens.visible` has just given it. */
export const idOf = (lens: PublicContext, kind: Kind, doc: DocOf[Kind]): string =>
  lens.visibleId(kind, doc.key) as string;

export function commonFields(
  id: string,
  doc: { images: ImageDoc[]; translations: Translations },
  sortOrder: number,
  lens: PublicContext,
): PublicCommon {
  const { version, updatedAt } = lens.versionOf(id);
  return {
    sortOrder,
    images: doc.images.map((image) => ({ id: catalogId("img", lens.slug, image.url), ...image })),
    translations: doc.translations,
    version,
    updatedAt: lens.instant(updatedAt),
  };
}
