import { columns, type Db } from "../../store/database/db.ts";

/** What decides whether a page of a business, and a cached copy of it, may be sent. */
export type PageState = {
  id: string;
  revision: number;
  stockRevision: number;
  /** The languages of the catalog, the main language first. */
  locales: string[];
};

export type PublishedBusiness = { slug: string; name: string; locale: string; updatedAt: number };

export function createPublicPageStore(db: Db) {
  const selectState = db.prepare(`
    SELECT ${columns("id, revision, stock_revision")}, doc -> '$.locales' AS locales
    FROM business WHERE slug = ? AND doc ->> '$.publicPage.enabled'`);
  const selectPublished = db.prepare(`
    SELECT slug, doc ->> '$.name' AS name, doc ->> '$.locale' AS locale, updated_at AS updatedAt
    FROM business WHERE doc ->> '$.publicPage.enabled' ORDER BY slug`);
  return {
    /** Returns undefined for an unknown business, and for one without a public page. */
    findState(slug: string): PageState | undefined {
      const row = selectState.get(slug) as (PageState & { locales: string }) | undefined;
      return row && { ...row, locales: JSON.parse(row.locales) as string[] };
    },
    listPublished: () => selectPublished.all() as PublishedBusiness[],
  };
}
