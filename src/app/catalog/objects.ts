import type { Catalog, DocOf, Kind, PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { ID_PREFIXES, objectId } from "../../domain/catalog/object-id.ts";
import { KIND_NAMES } from "../../domain/catalog/kind-names.ts";
import { quote } from "../../domain/safe-text.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

/** An object by its id or its author's key. */
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

/** The command that tells which objects of a kind there are. */
export const listCommandFor = (kind: Kind): string =>
  NOUNS[kind] === undefined ? "deskbell catalog export" : `deskbell ${NOUNS[kind]} list`;

/**
 * @param none the beginning of the sentence that says so
 * @param fix the command that tells which there are
 */
export function getByKeyOrId<Doc extends { key: string }>(
  docs: readonly Doc[],
  none: string,
  keyOrId: string,
  idOf: (doc: Doc) => string,
  fix: string,
): Doc {
  const found = docs.find((doc) => doc.key === keyOrId || idOf(doc) === keyOrId);
  if (found) return found;
  const keys = docs.map(({ key }) => key);
  throw new AppError(
    "resource_not_found",
    `${none} ${quote(keyOrId)}.${didYouMean(keyOrId, keys)}`,
    { fix },
  );
}

/** An event without the rest of the catalog, which may be large. */
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

/** The id of an event, also of one that is in the catalog no more. */
export const getPublicEventId = (rt: Runtime, business: BusinessRow, keyOrId: string): string =>
  keyOrId.startsWith(`${ID_PREFIXES.public_event}_`)
    ? keyOrId
    : objectId("public_event", business.slug, getPublicEvent(rt, business, keyOrId));
