import type { BeforeCatalogWrite } from "../../app/catalog/changes/catalog-write.ts";
import { findReplaced } from "./rules.ts";
import { createCatalogChangeStore } from "./store.ts";

/** Stores what a catalog change replaces, so that it can be undone. */
export const recordChange: BeforeCatalogWrite = (rt, change) => {
  const { stored, edits, sectionEdits, next, origin, diff } = change;
  // If a command made the change, `edits` lacks the objects of which only the position changed, so
  // `hasEdits` reads the store.
  const hasEdits = (id: string): boolean =>
    origin === "local" ? rt.store.catalog.findLocalEdit(id) !== undefined : edits.has(id);
  const isEdited = (idOrField: string) => idOrField in sectionEdits || hasEdits(idOrField);
  // A new business has no stored catalog.
  const { catalog = null, sortOrderOf = () => 0 } = stored ?? {};
  const { businessId, version, fromVersion, auditId } = change;
  rt.openStore(createCatalogChangeStore).insert({
    businessId,
    version,
    fromVersion,
    at: rt.now(),
    auditId,
    replaced: findReplaced(catalog, next, diff, sortOrderOf, isEdited),
  });
};
