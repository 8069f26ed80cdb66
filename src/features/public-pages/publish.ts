import { getBusiness } from "../../app/businesses.ts";
import { editCatalog } from "../../app/catalog/changes/edit-catalog.ts";
import type { ChangeResult } from "../../app/catalog/changes/plan-change.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessDoc } from "../../domain/catalog/catalog.ts";
import { findMissingLegal } from "../../domain/catalog/file/public-page.ts";
import { AppError } from "../../domain/errors.ts";

/** What `publish` sets besides making the page public; undefined fields stay as they are. */
type PublishedFields = {
  booking?: BusinessDoc["publicPage"]["booking"] | undefined;
  privacyUrl?: string | undefined;
  imprintUrl?: string | undefined;
};

/**
 * Makes the page of a business public, as a local edit of its catalog.
 * @throws AppError state_refuses if the privacy policy or the imprint is missing: every page links
 * to both
 */
export function publishPage(
  rt: Runtime,
  slug: string,
  { booking, privacyUrl, imprintUrl }: PublishedFields = {},
): ChangeResult {
  const { name, legal: stored } = getBusiness(rt, slug).doc;
  const legal = {
    ...stored,
    ...(privacyUrl !== undefined && { privacyUrl }),
    ...(imprintUrl !== undefined && { imprintUrl }),
  };
  const missing = findMissingLegal(legal);
  if (missing.length > 0)
    throw new AppError(
      "state_refuses",
      `The page of ${name} needs ${missing.map(({ noun }) => noun).join(" and ")}, which guests must be able to read.`,
      {
        fix: `name the pages that have them: deskbell businesses publish ${slug} --privacy-url URL --imprint-url URL`,
      },
    );
  return editPage(rt, slug, ({ publicPage }) => ({
    legal,
    publicPage: { ...publicPage, enabled: true, ...(booking && { booking }) },
  }));
}

/** Ends the page of a business. Its settings stay for the next `publish`. */
export const unpublishPage = (rt: Runtime, slug: string): ChangeResult =>
  editPage(rt, slug, ({ publicPage }) => ({ publicPage: { ...publicPage, enabled: false } }));

const editPage = (
  rt: Runtime,
  slug: string,
  edit: (business: BusinessDoc) => Partial<BusinessDoc>,
): ChangeResult =>
  editCatalog(rt, slug, (catalog) => ({
    catalog: { ...catalog, business: { ...catalog.business, ...edit(catalog.business) } },
    target: { section: "publicPage" },
  }));
