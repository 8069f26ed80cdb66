import type { Catalog } from "../../src/domain/catalog/catalog.ts";
import { AppError } from "../../src/domain/errors.ts";
import type { CatalogSource } from "../../src/domain/catalog/source/catalog-source.ts";
import { readCatalog } from "../../src/domain/catalog/source/read-catalog.ts";
import type { ValidateOptions } from "../../src/domain/catalog/validate.ts";

/** The first four lines of a catalog file. The test's own lines begin at line 5. */
export const CATALOG_HEADER = `catalog: 1
business: {slug: salon-aurora, name: Salon Aurora, timezone: America/New_York, currency: USD}
# The test's lines
# follow.
`;

const ALONE: ValidateOptions = { current: () => null, prune: false, seedingAt: null };

export const readCatalogBody = (body: string, options: Partial<ValidateOptions> = {}): Catalog =>
  readCatalogSources([{ name: "catalog.yaml", text: CATALOG_HEADER + body }], options);

export const readCatalogSources = (
  sources: CatalogSource[],
  options: Partial<ValidateOptions> = {},
): Catalog => readCatalog(sources, { ...ALONE, ...options }).catalog;

/** Reads a file as an update of the current catalog. */
export const readOverCurrent = (
  current: Catalog,
  body: string,
  options: Partial<ValidateOptions> = {},
): Catalog =>
  readCatalogBody(body, {
    current: (slug) => (slug === current.business.slug ? current : null),
    ...options,
  });

/** Returns the validation issues of a file as `place detail`; empty if it is valid. */
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
