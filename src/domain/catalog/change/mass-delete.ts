import type { ObjectChange } from "./diff.ts";
import { ALL_KINDS, type Catalog, type Kind } from "../catalog.ts";

export type MassDelete = { kind: Kind; deleted: number; total: number };

const MAX_SHARE = 0.2;
/** Kinds with fewer objects are not checked: deleting one of three rooms is usually intended. */
const MIN_OBJECTS = 5;

/** A change that deletes more than a fifth is probably a mistake. */
export function findMassDeletes(changes: readonly ObjectChange[], before: Catalog): MassDelete[] {
  const deletes = Map.groupBy(
    changes.filter(({ action }) => action === "delete"),
    ({ kind }) => kind,
  );
  return ALL_KINDS.map((kind) => ({
    kind,
    deleted: deletes.get(kind)?.length ?? 0,
    total: before.objects[kind].length,
  })).filter(({ deleted, total }) => total >= MIN_OBJECTS && deleted > total * MAX_SHARE);
}
