import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { applyCatalog } from "../../app/catalog/catalog.ts";
import type { ChangeResult } from "../../app/catalog/changes/plan-change.ts";
import type { CatalogSource } from "../../domain/catalog/source/catalog-source.ts";
import type { Permissions } from "../../app/catalog/changes/replace-catalog.ts";

type SeedPermissions = Required<Pick<Permissions, "confirmed">> &
  Pick<Permissions, "cancelAffected" | "acceptCurrencyChange"> & { overwrite: boolean };

/**
 * Loads businesses from their catalog files in one transaction: if one is rejected, none is loaded.
 * @throws AppError as `applyCatalog`; state_refuses if a business exists, unless `overwrite`
 */
export function seedBusinesses(
  rt: Runtime,
  businesses: readonly CatalogSource[][],
  { overwrite, ...permissions }: SeedPermissions,
): ChangeResult[] {
  const seed = (sources: CatalogSource[]): ChangeResult => {
    const result = applyCatalog(rt, sources, { seedingAt: rt.now(), ...permissions });
    if (result.isNew || overwrite) return result;
    throw new AppError(
      "state_refuses",
      `The business ${result.slug} already exists; seeding would undo its local edits.`,
      { fix: "preview the changes with --overwrite --dry-run, then run it with --overwrite" },
    );
  };
  return rt.tx(() => businesses.map(seed));
}
