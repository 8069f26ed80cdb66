import { ALL_KINDS, type Catalog, type Kind } from "../catalog.ts";
import type { ObjectChange } from "./diff.ts";

export type MassDelete = { kind: Kind; removed: number; of: number };

const MAX_SHARE = 0.2;
// Of three rooms one may go without a word; a file that lost half of its lines shows in the larger kinds.
const SMALLEST = 5;

/** The kinds of which a change would remove so much that a mistake is likelier than the wish. */
export function findMassDeletes(changes: readonly ObjectChange[], before: Catalog): MassDelete[] {
  const removed = Map.groupBy(
    changes.filter(({ action }) => action === "delete"),
    ({ kind }) => kind,
  );
  return ALL_KINDS.map((kind) => ({
    kind,
    removed: removed.get(kind)?.length ?? 0,
    of: before.objects[kind].length,
  })).filter(({ removed, of }) => of >= SMALLEST && removed > of * MAX_SHARE);
}
