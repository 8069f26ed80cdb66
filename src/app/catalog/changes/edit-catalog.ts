import {
  type Catalog,
  type CatalogObjects,
  type DocOf,
  type Kind,
  KIND_NAMES,
} from "../../../domain/catalog/catalog.ts";
import type { AuthoredFile } from "../../../domain/catalog/file/schema.ts";
import { SECTIONS, setAt } from "../../../domain/catalog/file/sections.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { assertValidEdit, readEdit } from "../../../domain/catalog/validate.ts";
import { AppError } from "../../../domain/errors.ts";
import { quote } from "../../../domain/text.ts";
import { getBusiness } from "../../businesses.ts";
import type { Runtime } from "../../runtime.ts";
import {
  assertNoAffectedVisits,
  type CancelAffected,
  withCancellations,
} from "./affected-visits.ts";
import { auditChange } from "./change-catalog.ts";
import { loadCatalog } from "../load-catalog.ts";
import { listCommandFor } from "../objects.ts";
import { type ChangeResult, planChange } from "./plan-change.ts";
import { publishDueTransitions } from "../publish.ts";
import type { AuthoredService } from "../../../domain/catalog/file/services.ts";

/** The part that a command edits: an object and those that refer to it, or a whole section. */
type EditTarget =
  | { kind: Kind; doc: DocOf[Kind] }
  | { section: "hours" | "closures" | "exceptions" | "publicPage" };

export type EditOptions = {
  /** Cancels the future visits of deleted objects. */
  cancelAffected?: CancelAffected | undefined;
};

/**
 * Edits any part of a catalog, with the same checks and events as a catalog file. `editObject`
 * edits one object without loading the others.
 * @throws AppError validation_failed; state_refuses if it deletes objects that are booked
 */
export function editCatalog(
  rt: Runtime,
  slug: string,
  edit: (catalog: Catalog) => { catalog: Catalog; target: EditTarget },
  { cancelAffected }: EditOptions = {},
): ChangeResult {
  function plan() {
    const business = publishDueTransitions(rt, getBusiness(rt, slug));
    const stored = loadCatalog(rt, business);
    const { catalog, target } = edit(stored.catalog);
    assertValidEdit(stored.catalog, catalog, labelOf(target));
    return { target, ...planChange(rt, catalog, "local", { business, stored }) };
  }
  function change(): ChangeResult {
    const { target, result, write } = plan();
    if (rt.isDryRun()) return result;
    assertNoAffectedVisits(result);
    const [subject, details] = toAuditEntry(slug, target, result);
    write(auditChange(rt, "catalog.edited", subject, result, details));
    return result;
  }
  return rt.tx(() => withCancellations(rt, cancelAffected, () => plan().result, change));
}

const labelOf = (target: EditTarget): string =>
  "kind" in target ? `${KIND_NAMES[target.kind]} ${quote(target.doc.key)}` : target.section;

const toAuditEntry = (
  slug: string,
  target: EditTarget,
  { businessId }: ChangeResult,
): [subject: { id: string; name: string }, details: Record<string, unknown>] =>
  "kind" in target
    ? [
        { id: objectId(target.kind, slug, target.doc), name: target.doc.name },
        { kind: target.kind, key: target.doc.key },
      ]
    : [{ id: businessId, name: slug }, { section: target.section }];

/** The fields of an object as in a catalog file, with at least its key. */
type AuthoredObject = { key: string } & Record<string, unknown>;

/**
 * Returns the catalog with a new object after the others of its kind.
 * @throws AppError conflict if there is an object with this key; validation_failed
 */
export function withNewObject<K extends Kind>(
  catalog: Catalog,
  kind: K,
  item: AuthoredObject,
): { catalog: Catalog; doc: DocOf[K] } {
  const { key } = item;
  const noun = KIND_NAMES[kind];
  if (catalog.objects[kind].some((one) => one.key === key))
    throw new AppError("conflict", `There is already a ${noun} ${quote(key)}.`, {
      fix: `choose another --key, or see ${listCommandFor(kind)}`,
    });
  const file: Partial<AuthoredFile> = {};
  setAt(file, SECTIONS[kind].path, [item]);
  const read = readEdit(catalog, file, `${noun} ${quote(key)}`);
  const doc = read.objects[kind].find((one) => one.key === key) as DocOf[K];
  return { doc, catalog: withObjects(catalog, kind, (docs) => [...docs, doc]) };
}

/** Returns the catalog with changed objects of one kind. */
export const withObjects = <K extends Kind>(
  catalog: Catalog,
  kind: K,
  change: (docs: DocOf[K][]) => DocOf[K][],
): Catalog => ({
  ...catalog,
  objects: {
    ...catalog.objects,
    [kind]: change(catalog.objects[kind] as DocOf[K][]),
  } as CatalogObjects,
});

/**
 * Creates a service.
 * @param staff keys, or `everyone` for every bookable staff member
 * @returns the change, and the keys of the staff who perform the service
 */
export function createService(
  rt: Runtime,
  slug: string,
  item: AuthoredService,
  staff: string[] | "everyone",
): { result: ChangeResult; staff: string[] } {
  let performers: string[] = [];
  const result = editCatalog(rt, slug, (before) => {
    const bookable = before.objects.staff.filter((one) => one.bookable && one.status === "ACTIVE");
    performers = staff === "everyone" ? bookable.map(({ key }) => key) : staff;
    const { catalog, doc } = withNewObject(before, "service", { ...item, staff: performers });
    return { catalog, target: { kind: "service", doc } };
  });
  return { result, staff: performers };
}
