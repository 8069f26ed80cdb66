import {
  type Catalog,
  type DocOf,
  type Kind,
  type PublicEventDoc,
  KIND_NAMES,
} from "../../domain/catalog/catalog.ts";
import { ID_PREFIXES, objectId } from "../../domain/catalog/object-id.ts";
import { quote } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

export function getObject<K extends Kind>(
  { business, objects }: Catalog,
  kind: K,
  keyOrId: string,
): DocOf[K] {
  const docs: DocOf[K][] = objects[kind];
  const idOf = (doc: DocOf[K]) => objectId(kind, business.slug, doc);
  return getByKeyOrId(docs, `There is no ${KIND_NAMES[kind]}`, keyOrId, idOf, listCommandFor(kind));
}

const NOUNS: Partial<Record<Kind, string>> = {
  service: "services",
  menu_item: "menu",
  staff: "staff",
  promotion: "promotions",
  public_event: "public-events",
};

export const listCommandFor = (kind: Kind): string =>
  NOUNS[kind] === undefined ? "deskbell catalog export" : `deskbell ${NOUNS[kind]} list`;

/**
 * @param notFound the start of the error message, such as "There is no service"
 * @throws AppError resource_not_found
 */
export function getByKeyOrId<Doc extends { key: string }>(
  docs: readonly Doc[],
  notFound: string,
  keyOrId: string,
  idOf: (doc: Doc) => string,
  fix: string,
): Doc {
  const found = docs.find((doc) => doc.key === keyOrId || idOf(doc) === keyOrId);
  if (found) return found;
  const hint = didYouMean(
    keyOrId,
    docs.map(({ key }) => key),
  );
  throw new AppError("resource_not_found", `${notFound} ${quote(keyOrId)}.${hint}`, { fix });
}

/** Returns a public event without loading the rest of the catalog, which may be large. */
export const getPublicEvent = (
  rt: Runtime,
  { id, slug }: BusinessRow,
  keyOrId: string,
): PublicEventDoc =>
  getByKeyOrId(
    rt.store.catalog.listByKind(id, "public_event"),
    "There is no event",
    keyOrId,
    (doc) => objectId("public_event", slug, doc),
    listCommandFor("public_event"),
  );

/** An ID is returned as it is: the event may have been deleted. */
export const getPublicEventId = (rt: Runtime, business: BusinessRow, keyOrId: string): string =>
  keyOrId.startsWith(`${ID_PREFIXES.public_event}_`)
    ? keyOrId
    : objectId("public_event", business.slug, getPublicEvent(rt, business, keyOrId));
