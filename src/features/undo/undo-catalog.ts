import { AppError } from "../../domain/errors.ts";
import { getBusiness } from "../../app/businesses.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { assertKept, readEarlierCatalog } from "./catalog-history.ts";
import type { Replacement } from "../../app/catalog/changes/replace-catalog.ts";
import { planUndoByEdits } from "./undo-edits.ts";
import { createCatalogChangeStore } from "./store.ts";

/** The plan of an undo. `version` is the version of the catalog to restore. */
export type PlannedUndo = { version: number; replacement: Replacement };

/**
 * Plans to restore the catalog that the last change replaced, whether files, a command or an undo
 * made that change. `replaceCatalog` carries the plan out, with the checks and events of a catalog
 * file.
 * @param version the version to restore instead
 * @throws AppError state_refuses if there is nothing to undo; the errors of `readEarlierCatalog`
 */
export function planUndo(rt: Runtime, slug: string, version?: number): PlannedUndo {
  const wanted = version ?? findReplacedVersion(rt, slug);
  const audited = { action: "catalog.undone", details: { restored: wanted } } as const;
  return { version: wanted, replacement: { ...planRestore(rt, slug, wanted), audited } };
}

/**
 * Plans to restore a version. If only a few objects differ, the plan edits these objects.
 * Otherwise, it replaces the whole catalog.
 */
function planRestore(rt: Runtime, slug: string, version: number): Omit<Replacement, "audited"> {
  const edits = rt.read(() => {
    const business = getBusiness(rt, slug);
    assertKept(rt, business, version);
    return planUndoByEdits(rt, business, version);
  });
  if (edits !== null) return { ...edits, reload: () => planRestore(rt, slug, version) };
  const { catalog, edited, loaded } = readEarlierCatalog(rt, slug, version);
  return {
    catalog,
    origin: { restored: edited.objects, restoredFields: edited.fields },
    loaded,
  };
}

/** A dish or option that is marked as sold out. */
export type SoldOutMark = { key: string; name: string };

const MAX_MARKS = 100;

/**
 * Returns what was marked as sold out after the last catalog change, newest first. An undo keeps
 * these marks, although the operator may want to undo one of them.
 */
export function listMarksSinceChange(rt: Runtime, business: BusinessRow): SoldOutMark[] {
  const [last] = rt.openStore(createCatalogChangeStore).list(business.id, 1);
  const soldOutUntil = rt.store.soldOut.list(business.id);
  // A mark with the time null has no end.
  const isSoldOut = (id: string) =>
    soldOutUntil.has(id) && (soldOutUntil.get(id) ?? Infinity) > rt.now();
  const filter = { businessId: business.id, action: "dish.sold_out", since: last?.at } as const;
  const marks = rt.store.audit
    .list(filter, MAX_MARKS)
    .flatMap((entry) =>
      isSoldOut(entry.subjectId ?? "")
        ? [{ key: String(entry.details.key), name: entry.subjectName }]
        : [],
    );
  return [...new Map(marks.map((mark) => [mark.key, mark])).values()];
}

function findReplacedVersion(rt: Runtime, slug: string): number {
  const [last] = rt.openStore(createCatalogChangeStore).list(getBusiness(rt, slug).id, 1);
  if (last) return last.fromVersion;
  throw new AppError("state_refuses", `No change of the catalog of ${slug} is kept.`, {
    fix: "apply a catalog file that has the content you want: deskbell catalog apply FILE",
  });
}
