import type { Db } from "../../store/database/db.ts";

/** A business that has a public page. */
export type PublishedBusiness = {
  slug: string;
  name: string;
  type: string | null;
  description: string | null;
  address: string | null;
  timezone: string;
};

const IS_PUBLISHED = "doc ->> '$.publicPage.enabled'";

export function createPublishedStore(db: Db) {
  const selectAll = db.prepare(`
    SELECT slug, doc ->> '$.name' AS name, doc ->> '$.type' AS type,
      doc ->> '$.description' AS description, doc ->> '$.address' AS address,
      doc ->> '$.timezone' AS timezone
    FROM business WHERE ${IS_PUBLISHED} AND slug > ? ORDER BY slug`);
  const selectOne = db.prepare(`SELECT 1 FROM business WHERE slug = ? AND ${IS_PUBLISHED}`).pluck();
  const selectAny = db.prepare(`SELECT 1 FROM business WHERE ${IS_PUBLISHED} LIMIT 1`).pluck();
  return {
    /** Reads published businesses one by one, in the order of their slugs, after a slug. */
    readAfter: (slug: string) => selectAll.iterate(slug) as IterableIterator<PublishedBusiness>,
    has: (slug: string): boolean => selectOne.get(slug) !== undefined,
    hasAny: (): boolean => selectAny.get() !== undefined,
  };
}
