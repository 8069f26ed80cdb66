import {
  ALL_KINDS,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  type Kind,
} from "../../domain/catalog/catalog.ts";
import { assertValidObject } from "../../domain/catalog/validate.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { referredKeys } from "../../domain/catalog/references.ts";
import { freePricesText } from "../../domain/catalog/change/repricing.ts";
import { affectsOthers, nextTransition } from "../../domain/public/public-catalog.ts";
import type { StoredCatalog, Stock } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { loadCatalog, toStoredCatalog } from "./load-catalog.ts";
import { getBusiness } from "../businesses.ts";
import { auditChange } from "./change-catalog.ts";
import { getStoredObject } from "./objects.ts";
import { type ChangeResult, planChange } from "./plan-change.ts";
import { publishDueTransitions } from "./publish.ts";
import { assertConfirmed, type Permissions } from "./replace-catalog.ts";
import type { Translations } from "../../domain/catalog/common.ts";

/**
 * Edits one object, with the same checks and events as a catalog file.
 * @param confirmed whether prices may become 0
 * @throws AppError validation_failed, resource_not_found; state_refuses if a price is unconfirmed
 */
export function editObject<K extends Kind>(
  rt: Runtime,
  slug: string,
  kind: K,
  keyOrId: string,
  edit: (doc: DocOf[K]) => DocOf[K],
  confirmed: Permissions["confirmed"] = true,
): ChangeResult {
  return rt.tx(() => {
    const business = publishDueTransitions(rt, getBusiness(rt, slug));
    const doc = getStoredObject(rt, business, kind, keyOrId);
    const edited = withShownTexts(doc, edit(doc), business.doc.locale);
    const stored = loadForEdit(rt, business, kind, doc, edited);
    const { catalog } = stored;
    assertValidObject(catalog, kind, edited, stored.others !== undefined);
    const docs: DocOf[K][] = catalog.objects[kind].map((one) =>
      one.key === doc.key ? edited : (one as DocOf[K]),
    );
    const next = { ...catalog, objects: { ...catalog.objects, [kind]: docs } };
    // changeCatalog does not fit here: it could publish a transition that has become due since. It
    // would then compare `next`, which lacks the other objects, with the whole catalog.
    const { result, write } = planChange(rt, next, "local", { business, stored });
    if (confirmed !== true) {
      const free = freePricesText(result.repricing, result);
      assertConfirmed(free === null ? [] : [free], confirmed);
    }
    const subject = { id: objectId(kind, slug, doc), name: doc.name };
    write(auditChange(rt, "catalog.edited", subject, result, { kind, key: doc.key }));
    return result;
  });
}

/**
 * Returns the object to edit and those that it refers to. Returns the whole catalog if the edit
 * affects other objects or the time of the next transition. If the object refers to one that does
 * not exist, the whole catalog is needed, too: the error suggests other objects.
 */
function loadForEdit<K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
  doc: DocOf[K],
  edited: DocOf[K],
): StoredCatalog {
  const objects = affectsOthers(kind, doc, edited)
    ? null
    : loadReferred(rt, business, kind, doc, edited);
  if (objects === null) return loadCatalog(rt, business);
  const stock = loadStock(rt, business, kind, objectId(kind, business.slug, doc));
  const stored = toStoredCatalog(rt, business, objects, stock);
  const { nextTransitionAt } = business;
  const isOwn = nextTransitionAt !== null && nextTransition(stored, rt.now()) === nextTransitionAt;
  return isOwn ? loadCatalog(rt, business) : { ...stored, others: { nextTransitionAt } };
}

/** Returns the object and those that it refers to; null if one of them does not exist. */
function loadReferred<K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
  doc: DocOf[K],
  edited: DocOf[K],
): CatalogObjects | null {
  const [before, after] = [referredKeys(kind, doc), referredKeys(kind, edited)];
  const objects = emptyObjects();
  function load<T extends Kind>(target: T): boolean {
    const keys = new Set([...(before.get(target) ?? []), ...(after.get(target) ?? [])]);
    if ((target as Kind) === kind) keys.add(doc.key);
    if (keys.size === 0) return true;
    const found = rt.store.catalog.listByKeys(business.id, target, [...keys]);
    objects[target] = found as CatalogObjects[T];
    return found.length === keys.size;
  }
  return ALL_KINDS.every(load) ? objects : null;
}

/** Returns the sold-out marks or tickets taken that partners see of the edited object. */
function loadStock(rt: Runtime, business: BusinessRow, kind: Kind, id: string): Stock {
  const soldOut = kind === "menu_item" ? rt.store.soldOut.list(business.id) : new Map();
  return {
    soldOut: new Map([...soldOut].filter(([soldOutId]) => soldOutId === id)),
    taken: kind === "public_event" ? rt.store.takenTickets.count(business.id) : new Map(),
  };
}

type Translated = { translations?: Translations };

/**
 * Returns the edited document. A changed text also replaces its translation into the business's own
 * language, which partners show instead of the text.
 */
export function withShownTexts<Doc extends object>(before: Doc, edited: Doc, locale: string): Doc {
  const { translations } = edited as Translated;
  const texts = translations?.[locale];
  if (texts === undefined || translations !== (before as Translated).translations) return edited;
  const changed = Object.keys(texts).flatMap((field) => {
    const [old, text] = [before, edited].map((doc) => (doc as Record<string, unknown>)[field]);
    return text !== old && typeof text === "string" ? [[field, text] as const] : [];
  });
  if (changed.length === 0) return edited;
  const shown = { ...texts, ...Object.fromEntries(changed) };
  return { ...edited, translations: { ...translations, [locale]: shown } };
}
