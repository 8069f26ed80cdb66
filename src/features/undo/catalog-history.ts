import type { Catalog } from "../../domain/catalog/catalog.ts";
import { revertChanges, type Reverted } from "./rules.ts";
import { validateCatalog } from "../../domain/catalog/validate.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { loadCatalog } from "../../app/catalog/load-catalog.ts";
import type { LoadedCatalog } from "../../app/catalog/changes/plan-change.ts";
import { getBusiness } from "../../app/businesses.ts";
import { createCatalogChangeStore } from "./store.ts";

/** The catalog of a business as it was at an earlier version. */
export type EarlierCatalog = {
  catalog: Catalog;
  /** Whether each object or field that has changed since had local edits at that version. */
  edited: Reverted["edited"];
  /** The catalog that is stored now. */
  loaded: LoadedCatalog;
};

/**
 * Returns the catalog of a business at a version.
 * @throws AppError resource_not_found if the history no longer has the version
 */
export function readEarlierCatalog(rt: Runtime, slug: string, version: number): EarlierCatalog {
  const { business, stored, reverted } = rt.read(() => {
    const row = getBusiness(rt, slug);
    assertKept(rt, row, version);
    const stored = loadCatalog(rt, row);
    const changes = rt.openStore(createCatalogChangeStore).iterateReplacedAfter(row.id, version);
    const reverted = revertChanges(stored.catalog, stored.sortOrderOf, changes);
    return { business: row, stored, reverted };
  });
  if (reverted === null)
    throw new AppError(
      "resource_not_found",
      `${slug} was created after version ${version}, so it had no catalog then.`,
      { fix: `to delete the business: deskbell businesses delete ${slug}` },
    );
  const { merged, issues } = validateCatalog([reverted.file], {
    current: () => null,
    prune: false,
    seedingAt: null,
    isRestored: true,
  });
  if (merged === null || issues.length > 0)
    throw new AppError(
      "state_refuses",
      `This version of deskbell does not accept version ${version} of ${slug}, which an earlier one accepted.`,
      {
        issues: issues.map(({ code, detail }) => ({ code, detail })),
        fix: "apply a catalog file that has the content you want: deskbell catalog apply FILE",
      },
    );
  return {
    catalog: merged.catalog,
    edited: reverted.edited,
    loaded: { business, stored },
  };
}

/** @throws AppError resource_not_found if the history does not have the version */
export function assertKept(
  rt: Runtime,
  { id, slug, catalogVersion }: BusinessRow,
  version: number,
): void {
  if (version > catalogVersion)
    throw notKeptError(slug, `${slug} has no version ${version}: the newest is ${catalogVersion}.`);
  const oldest = rt.openStore(createCatalogChangeStore).findOldestFromVersion(id) ?? catalogVersion;
  if (version < oldest)
    throw notKeptError(slug, `Version ${version} of ${slug} is not kept: the oldest is ${oldest}.`);
}

const notKeptError = (slug: string, message: string): AppError =>
  new AppError("resource_not_found", message, {
    fix: `choose a version from deskbell catalog history ${slug}`,
  });
