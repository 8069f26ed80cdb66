import type { ChangeOrigin } from "../../domain/catalog/change/local-edits.ts";
import type { Catalog, DocOf, Kind } from "../../domain/catalog/catalog.ts";
import { assertValidObject } from "../../domain/catalog/validate-object.ts";
import { AppError } from "../../domain/errors.ts";
import type { MassDelete } from "../../domain/catalog/change/mass-delete.ts";
import type { Runtime } from "../runtime.ts";
import { getObject } from "./objects.ts";
import { type ChangeResult, planChange, type LoadedCatalog } from "./plan-change.ts";
import { type CatalogSource, readCatalog } from "./read-catalog.ts";
import { getBusiness } from "../businesses.ts";
import { publishDueTransitions, loadCatalog } from "./publish.ts";

export type ApplyOptions = {
  /** Drop what the named sections do not list. */
  prune?: boolean;
  /** Drop it also where it is more than a fifth of a kind. */
  allowMassDelete?: boolean;
  /** Is told as a step begins. */
  onStep?: (step: string) => void;
  /** Epoch ms from which `startsIn` counts; absent: the file may not use it. */
  seedingAt?: number;
};

/**
 * Brings a business to what its files say, in one transaction with the events that tell partners of it.
 * @throws AppError invalid_input with every mistake of the files; conflict when somebody else changed the catalog meanwhile
 */
export function applyCatalog(
  rt: Runtime,
  sources: CatalogSource[],
  options: ApplyOptions = {},
): ChangeResult {
  const { onStep = () => {} } = options;
  let readAtVersion = 0;
  const seen: LoadedCatalog = { revision: rt.revision(), stored: null };
  onStep("reading the files");
  const { catalog: next, listed } = readCatalog(sources, {
    prune: options.prune ?? false,
    seedingAt: options.seedingAt ?? null,
    current: (slug) => {
      const business = rt.store.businesses.findBySlug(slug);
      readAtVersion = business?.catalogVersion ?? 0;
      seen.stored = business ? loadCatalog(rt, business) : null;
      return seen.stored && seen.stored.catalog;
    },
  });
  onStep("comparing with what is on the box");
  // Without a transaction: a large catalog would keep others from writing for seconds.
  if (rt.isDryRun()) return planChange(rt, next, { listed }, seen).result;
  return rt.tx(() => {
    const version = rt.store.businesses.findBySlug(next.business.slug)?.catalogVersion ?? 0;
    if (version !== readAtVersion)
      throw new AppError(
        "conflict",
        `The catalog of ${next.business.slug} was changed by somebody else meanwhile.`,
        {
          fix: "run the same command again",
        },
      );
    return changeCatalog(rt, next, { listed }, seen, ({ massDeletes, changes, events }) => {
      if (!options.allowMassDelete) refuseMassDeletes(massDeletes);
      if (events.length > 0)
        onStep(`writing ${changes.length} changes and ${events.length} events`);
    });
  });
}

function refuseMassDeletes(massDeletes: readonly MassDelete[]): void {
  if (massDeletes.length === 0) return;
  const parts = massDeletes.map(({ kind, removed, of }) => `${removed} of ${of} ${kind}`);
  throw new AppError(
    "state_refuses",
    `This would remove ${parts.join(", ")}. Nothing was changed.`,
    {
      fix: "look at what --dry-run lists; if it is meant, add --allow-mass-delete",
    },
  );
}

/**
 * Changes one object, named by its id or its author's key, on the same path as a file.
 * @throws AppError invalid_input when no file could say what the edit makes of it
 */
export function editObject<K extends Kind>(
  rt: Runtime,
  slug: string,
  kind: K,
  keyOrId: string,
  edit: (doc: DocOf[K]) => DocOf[K],
): ChangeResult {
  return rt.tx(() => {
    const { catalog } = loadCatalog(rt, getBusiness(rt, slug));
    const docs: DocOf[K][] = catalog.objects[kind];
    const doc = getObject(catalog, kind, keyOrId);
    const edited = edit(doc);
    const next = {
      ...catalog,
      objects: { ...catalog.objects, [kind]: docs.with(docs.indexOf(doc), edited) },
    };
    assertValidObject(catalog, kind, edited);
    return changeCatalog(rt, next, "local", null);
  });
}

/**
 * Writes the next state of a catalog with its events. A state that differs in nothing writes nothing.
 * @param approve throws when the plan must not be carried out
 */
export function changeCatalog(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  seen: LoadedCatalog | null,
  approve: (plan: ChangeResult) => void = () => {},
): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.findBySlug(next.business.slug);
    if (row) publishDueTransitions(rt, row);
    const { result, write } = planChange(rt, next, origin, seen);
    approve(result);
    write();
    return result;
  });
}
