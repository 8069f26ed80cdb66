import type { DocOf, Kind } from "../../../domain/catalog/catalog.ts";
import { assertValidObject } from "../../../domain/catalog/validate.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { withShownTexts } from "../../../domain/catalog/shown-texts.ts";
import { freePricesText } from "../../../domain/catalog/change/repricing.ts";
import type { Runtime } from "../../runtime.ts";
import { getBusiness } from "../../businesses.ts";
import { auditChange } from "./change-catalog.ts";
import { applyEdits, loadForEdits } from "../load-part.ts";
import { getStoredObject } from "../objects.ts";
import { type ChangeResult, planChange } from "./plan-change.ts";
import { publishDueTransitions } from "../publish.ts";
import { assertConfirmed, type Permissions } from "./replace-catalog.ts";

/**
 * Edits one object, with the same checks and events as a catalog file.
 * @param confirmed `true` allows any price to become 0; an `UnconfirmedChange` that the user has
 * confirmed allows it for exactly the prices in that error
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
    const edits = [{ kind, doc, edited }];
    const stored = loadForEdits(rt, business, edits);
    const { catalog } = stored;
    // `others` is set if the catalog has objects that were not loaded.
    const isPart = stored.others !== undefined;
    assertValidObject(catalog, kind, edited, isPart);
    const next = applyEdits(catalog, edits);
    // `changeCatalog` is not used: it would publish the transitions that have become due since the
    // objects were loaded, and a part of a catalog cannot be compared with a later catalog.
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
