import { AppError } from "../../domain/errors.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { readEarlierCatalog } from "./catalog-history.ts";
import type { Replacement } from "./replace-catalog.ts";

/** `version`: the one that it restores. */
export type PlannedUndo = { version: number; replacement: Replacement };

/**
 * Plans to restore the catalog that the last change replaced: of catalog files, a command or an
 * undo. `replaceCatalog` carries it out, with the same checks and events as a catalog file.
 * @param version the version to restore instead
 * @throws AppError state_refuses if there is nothing to undo; those of `readEarlierCatalog`
 */
export function planUndo(rt: Runtime, slug: string, version?: number): PlannedUndo {
  const wanted = version ?? findReplacedVersion(rt, slug);
  const { catalog, edited, loaded } = readEarlierCatalog(rt, slug, wanted);
  return {
    version: wanted,
    replacement: {
      catalog,
      origin: { restored: edited.objects, restoredFields: edited.fields },
      loaded,
      cause: { action: "catalog.undone", details: { restored: wanted } },
    },
  };
}

function findReplacedVersion(rt: Runtime, slug: string): number {
  const [last] = rt.store.catalogChanges.list(getBusiness(rt, slug).id, 1);
  if (last) return last.fromVersion;
  throw new AppError("state_refuses", `No change of the catalog of ${slug} is kept.`, {
    fix: "apply a catalog file that has the content you want: deskbell catalog apply FILE",
  });
}
