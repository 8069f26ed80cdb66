import { columns, type Db } from "../../store/database/db.ts";

/**
 * The state of a business that decides whether one of its pages, or a cached copy of the page, may
 * be sent.
 */
export type PageState = {
  id: string;
  revision: number;
  stockRevision: number;
  /** The languages of the catalog, the main language first. */
  locales: string[];
};

export type PublishedBusiness = { slug: string; name: string; locale: string };

/** A published business, and which of its lists are not empty (1) or empty (0). */
export type MappedBusiness = {
  slug: string;
  updatedAt: number;
  hasDishes: 0 | 1;
  hasServices: 0 | 1;
  hasEvents: 0 | 1;
};

/** A part of the published businesses in the order of their slugs. */
type Part = { limit: number; offset: number };

// The index business_published has this condition, so queries with it read published businesses
// only.
const IS_PUBLISHED = "doc ->> '$.publicPage.enabled'";
const PART = `WHERE ${IS_PUBLISHED} ORDER BY slug LIMIT :limit OFFSET :offset`;

const hasObject = (kind: string): string =>
  `EXISTS (SELECT 1 FROM catalog_object WHERE business_id = business.id AND kind = '${kind}')`;

export function createPublicPageStore(db: Db) {
  const selectState = db.prepare(`
    SELECT ${columns("id, revision, stock_revision")}, doc -> '$.locales' AS locales
    FROM business WHERE slug = ? AND ${IS_PUBLISHED}`);
  const countPublished = db.prepare(`SELECT count(*) FROM business WHERE ${IS_PUBLISHED}`).pluck();
  const selectSlugs = db
    .prepare(`SELECT slug FROM business WHERE ${IS_PUBLISHED} ORDER BY slug`)
    .pluck();
  const selectPublished = db.prepare(
    `SELECT slug, doc ->> '$.name' AS name, doc ->> '$.locale' AS locale FROM business ${PART}`,
  );
  const selectMapped = db.prepare(`
    SELECT slug, updated_at AS updatedAt, ${hasObject("menu_item")} AS hasDishes,
      ${hasObject("service")} AS hasServices, ${hasObject("public_event")} AS hasEvents
    FROM business ${PART}`);
  return {
    /** Returns undefined for an unknown business, and for one without a public page. */
    findState(slug: string): PageState | undefined {
      const row = selectState.get(slug) as (PageState & { locales: string }) | undefined;
      return row && { ...row, locales: JSON.parse(row.locales) as string[] };
    },
    countPublished: () => countPublished.get() as number,
    listPublishedSlugs: () => selectSlugs.all() as string[],
    listPublished: (part: Part) => selectPublished.all(part) as PublishedBusiness[],
    /** Lists published businesses as a sitemap needs them. */
    listMapped: (part: Part) => selectMapped.all(part) as MappedBusiness[],
  };
}
