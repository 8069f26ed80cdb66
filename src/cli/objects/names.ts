import type { Runtime } from "../../app/runtime.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import { variantId } from "../../domain/public/service.ts";
import type { BusinessRow } from "../../store/businesses.ts";

/**
 * Returns a function from an ID to the name of the object, part of an object, business, key or
 * endpoint; undefined if it was deleted.
 * @param business has the variants and ticket types
 */
export function createNamer(
  { store }: Runtime,
  business: BusinessRow | undefined,
): (id: string) => string | undefined {
  let partNames: ReadonlyMap<string, string> | undefined;
  return (id) => {
    if (!/^(?:svv|ett)_/.test(id))
      return (
        store.catalog.findName(id) ??
        store.businesses.findById(id)?.slug ??
        store.keys.findById(id)?.name ??
        store.endpoints.findById(id)?.name
      );
    partNames ??= business && listPartNames(store, business);
    return partNames?.get(id);
  };
}

/** The IDs of variants and ticket types are not stored, but derived from their keys. */
const listPartNames = (store: Runtime["store"], { id, slug }: BusinessRow): Map<string, string> =>
  new Map([
    ...store.catalog
      .listByKind(id, "service")
      .flatMap((doc) =>
        doc.variants.map((part) => [variantId(slug, doc, part), part.name] as const),
      ),
    ...store.catalog
      .listByKind(id, "public_event")
      .flatMap((doc) =>
        doc.ticketTypes.map((part) => [ticketTypeId(slug, doc, part), part.name] as const),
      ),
  ]);
