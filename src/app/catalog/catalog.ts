import { dirname } from "node:path";
import { describesBusiness, slugIn } from "../../domain/catalog/validate.ts";
import type { CatalogFile, CatalogSource } from "../../domain/catalog/source/catalog-source.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { loadCatalog } from "./load-catalog.ts";
import type { ChangeResult, LoadedCatalog } from "./changes/plan-change.ts";
import { parseSources, readCatalogs } from "../../domain/catalog/source/read-catalog.ts";
import {
  assertAllowed,
  type Permissions,
  planReplacement,
  replaceCatalog,
  type Replacement,
} from "./changes/replace-catalog.ts";

/**
 * Returns the files of each business. If there is only one business, all files belong to it. Else a
 * file that does not describe a business belongs to the only business in its folder. If its folder
 * has no business or several, the file is a group of its own.
 */
export function groupByBusiness(files: readonly CatalogFile[]): CatalogFile[][] {
  if (ownersIn(files).length <= 1) return [[...files]];
  const folders = Map.groupBy(files, ({ name }) => dirname(name));
  const ownersByFolder = new Map(
    [...folders].map(([folder, inside]) => [folder, ownersIn(inside)]),
  );
  const groups = Map.groupBy(files, (file) => {
    const owners = ownersByFolder.get(dirname(file.name)) ?? [];
    const onlyOwner = owners.length === 1 ? owners[0] : undefined;
    return ownerOf(file) ?? onlyOwner ?? file.name;
  });
  return [...groups.values()];
}

const ownersIn = (files: readonly CatalogFile[]): string[] => [
  ...new Set(files.map(ownerOf).filter((owner) => owner !== undefined)),
];

/**
 * Returns the slug of the business that a file describes, or the file's name if the slug is
 * missing. The missing slug is reported later.
 */
function ownerOf({ name, content }: CatalogFile): string | undefined {
  return describesBusiness(content) ? (slugIn(content) ?? name) : undefined;
}

export type ApplyOptions = Permissions & {
  /** Whether to delete objects that are missing from the sections in the files. */
  prune?: boolean;
  /** The slug of the only business that the files may describe; if undefined, they may describe any. */
  onlySlug?: string | undefined;
  onStep?: (step: string) => void;
  /** Epoch ms from which `startsIn` of a public event counts; if absent, `startsIn` is refused. */
  seedingAt?: number;
};

/**
 * Applies the files of one business.
 * @throws AppError invalid_input with all issues of the files; conflict if another process
 *   changed the catalog in the meantime
 */
export function applyCatalog(
  rt: Runtime,
  sources: CatalogSource[],
  options: ApplyOptions = {},
): ChangeResult {
  const [replacement] = readBusinesses(rt, () => [parseSources(sources)], options);
  return replaceCatalog(rt, replacement as Replacement, options);
}

export type RejectedBusiness = { slug: string; error: AppError };

/**
 * Applies the files of one or several businesses, each business in its own transaction.
 * @throws AppError before anything is written: invalid_input with all issues of all files;
 *   state_refuses if a change needs an option. The errors of a single business are those of
 *   `applyCatalog`
 */
export function* applyCatalogs(
  rt: Runtime,
  sources: CatalogSource[],
  options: ApplyOptions = {},
): Generator<ChangeResult | RejectedBusiness> {
  const replacements = readBusinesses(rt, () => groupByBusiness(parseSources(sources)), options);
  if (replacements.length === 1)
    return yield replaceCatalog(rt, replacements[0] as Replacement, options);
  // All changes are checked before any is written, because a mistake is often in all of them.
  if (!rt.isDryRun())
    assertAllowed(
      replacements.map((replacement) => planReplacement(rt, replacement)),
      options,
    );
  // The losses of all businesses together have been confirmed above.
  const confirmedOptions = { ...options, confirmed: true, onStep: () => {} };
  for (const replacement of replacements)
    yield tryReplaceCatalog(rt, replacement, confirmedOptions);
}

/**
 * Replaces the catalog of a business and returns the result. An error is returned, not thrown, so
 * that the catalogs of the other businesses are still replaced.
 */
function tryReplaceCatalog(
  rt: Runtime,
  replacement: Replacement,
  options: ApplyOptions,
): ChangeResult | RejectedBusiness {
  try {
    return replaceCatalog(rt, replacement, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { slug: replacement.catalog.business.slug, error };
  }
}

/**
 * @param parse returns the files of each business. It is a function so that no caller keeps the
 * files in memory.
 */
function readBusinesses(
  rt: Runtime,
  parse: () => CatalogFile[][],
  { prune = false, onlySlug, seedingAt, onStep = () => {} }: ApplyOptions,
): Replacement[] {
  onStep("reading the files");
  const loaded = new Map<string, LoadedCatalog>();
  const groups = parse();
  const catalogs = readCatalogs(groups, {
    prune,
    seedingAt: seedingAt ?? null,
    current: (slug) => {
      const business = rt.store.businesses.findBySlug(slug) ?? null;
      const stored = business && loadCatalog(rt, business);
      loaded.set(slug, { business, stored });
      return stored && stored.catalog;
    },
  });
  for (const [index, { catalog }] of catalogs.entries())
    assertOfBusiness(catalog.business.slug, groups[index] ?? [], onlySlug, catalogs.length === 1);
  return catalogs.map(({ catalog, listed }, index) => ({
    catalog,
    origin: { listed },
    loaded: loaded.get(catalog.business.slug) ?? { business: null, stored: null },
    audited: {
      action: "catalog.applied",
      details: { files: groups[index]?.map(({ name }) => name) ?? [] },
    },
  }));
}

/**
 * Asserts that the files describe the business that the user named, if the user named one. A wrong
 * slug in the files would otherwise replace the catalog of another business.
 */
function assertOfBusiness(
  slug: string,
  files: readonly CatalogFile[],
  onlySlug: string | undefined,
  isOnly: boolean,
): void {
  if (onlySlug === undefined || slug === onlySlug) return;
  const names = files.map(({ name }) => name).join(", ");
  throw new AppError(
    "invalid_input",
    `The business in ${names} is '${slug}', but --business is '${onlySlug}'.`,
    {
      fix: isOnly
        ? `use --business ${slug}, or leave it out`
        : `leave out --business, or name only the files of '${onlySlug}'`,
    },
  );
}
