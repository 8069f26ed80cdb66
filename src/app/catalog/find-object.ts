import type { Catalog, DocOf, Kind, PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { ID_PREFIXES, objectId } from "../../domain/catalog/object-id.ts";
import { KIND_NAMES, quote } from "../../domain/catalog/mistakes.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

/** An object by its id or its author's key. */
export function findObject<K extends Kind>({ business, objects }: Catalog, kind: K, keyOrId: string): DocOf[K] {
  const docs: DocOf[K][] = objects[kind];
  return findNamed(docs, `There is no ${KIND_NAMES[kind]}`, keyOrId, (doc) => objectId(kind, business.slug, doc));
}

/** @param none the beginning of the sentence that says so */
export function findNamed<Doc extends { key: string }>(
  docs: readonly Doc[],
  none: string,
  keyOrId: string,
  idOf: (doc: Doc) => string,
): Doc {
  const found = docs.find((doc) => doc.key === keyOrId || idOf(doc) === keyOrId);
  if (found) return found;
  const keys = docs.map(({ key }) => key);
  throw new AppError("resource_not_found", `${none} ${quote(keyOrId)}.${didYouMean(keyOrId, keys)}`);
}

/** An event without the rest of the catalog, which may be large. */
export const findPublicEvent = (rt: Runtime, { id, slug }: BusinessRow, keyOrId: string): PublicEventDoc =>
  findNamed(rt.store.catalog.ofKind(id, "public_event"), "There is no event", keyOrId, (doc) =>
    objectId("public_event", slug, doc),
  );

/** The id of an event, also of one that is in the catalog no more. */
export const publicEventId = (rt: Runtime, business: BusinessRow, keyOrId: string): string =>
  keyOrId.startsWith(`${ID_PREFIXES.public_event}_`)
    ? keyOrId
    : objectId("public_event", business.slug, findPublicEvent(rt, business, keyOrId));
