import type { Catalog } from "../../src/domain/catalog/catalog.ts";
import { AppError } from "../../src/domain/errors.ts";
import { type CatalogSource, readCatalog } from "../../src/app/catalog/read-catalog.ts";
import type { JudgeOptions } from "../../src/domain/catalog/judge.ts";

/** The first four lines of a catalog file; what is tested begins in the fifth. */
export const HEAD = `catalog: 1
business: {slug: salon-aurora, name: Salon Aurora, timezone: America/New_York, currency: USD}
# What follows
# is the test's own.
`;

const ALONE: JudgeOptions = { current: () => null, prune: false, seedingAt: null };

export const read = (body: string, options: Partial<JudgeOptions> = {}): Catalog =>
  readSources([{ name: "catalog.yaml", text: HEAD + body }], options);

export const readSources = (
  sources: CatalogSource[],
  options: Partial<JudgeOptions> = {},
): Catalog => readCatalog(sources, { ...ALONE, ...options }).catalog;

/** Reads a file over what an earlier one made. */
export const readOver = (
  current: Catalog,
  body: string,
  options: Partial<JudgeOptions> = {},
): Catalog =>
  read(body, { current: (slug) => (slug === current.business.slug ? current : null), ...options });

/** What is said of a file that is refused: `place detail`, one a line. */
export function mistakesIn(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_input")
      return error.items.map((item) => `${item.place} ${item.detail}`);
    throw error;
  }
  return [];
}
