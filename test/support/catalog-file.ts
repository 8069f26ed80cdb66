import type { Catalog } from "../../src/domain/catalog/catalog.ts";
import { AppError } from "../../src/domain/errors.ts";
import { type CatalogSource, readCatalog } from "../../src/app/catalog/read-catalog.ts";
import type { ValidateOptions } from "../../src/domain/catalog/validate.ts";

/** The first four lines of a catalog file; what is tested begins in the fifth. */
export const CATALOG_HEADER = `catalog: 1
business: {slug: salon-aurora, name: Salon Aurora, timezone: America/New_York, currency: USD}
# What follows
# is the test's own.
`;

const ALONE: ValidateOptions = { current: () => null, prune: false, seedingAt: null };

export const readCatalogBody = (body: string, options: Partial<ValidateOptions> = {}): Catalog =>
  readCatalogSources([{ name: "catalog.yaml", text: CATALOG_HEADER + body }], options);

export const readCatalogSources = (
  sources: CatalogSource[],
  options: Partial<ValidateOptions> = {},
): Catalog => readCatalog(sources, { ...ALONE, ...options }).catalog;

/** Reads a file over what an earlier one made. */
export const readOverCurrent = (
  current: Catalog,
  body: string,
  options: Partial<ValidateOptions> = {},
): Catalog =>
  readCatalogBody(body, {
    current: (slug) => (slug === current.business.slug ? current : null),
    ...options,
  });

/** What is said of a file that is refused: `place detail`, one a line. */
export function collectIssues(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_input")
      return error.issues.map((item) => `${item.place} ${item.detail}`);
    throw error;
  }
  return [];
}
