import type { Runtime } from "../../app/runtime.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import { variantId } from "../../domain/public/service.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { findSampleCommand } from "../../app/businesses.ts";
import { AppError } from "../../domain/errors.ts";
import { usageError } from "../failure.ts";

/** Matches the IDs of variants and ticket types. */
const PART_ID = /^(?:svv|ett)_/;

/**
 * Returns a function that returns the name for the ID of an object, part of an object, business,
 * key or endpoint; undefined if it was deleted.
 * @param business the business whose variants and ticket types can be named
 */
export function createNamer(
  { store }: Runtime,
  business: BusinessRow | undefined,
): (id: string) => string | undefined {
  let partNames: ReadonlyMap<string, string> | undefined;
  return (id) => {
    if (!PART_ID.test(id))
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

/**
 * Returns the names of variants and ticket types by ID. The IDs are not stored, but derived from
 * the keys.
 */
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

/** Returns the fix for a server that has no data. */
export function howToBegin(): string {
  const sample = findSampleCommand();
  return `write a catalog with deskbell init and load it with deskbell catalog apply FILE, or restore a backup: deskbell restore FILE${
    sample === undefined ? "" : `; to begin with sample data: ${sample}`
  }`;
}

/**
 * Returns the only business.
 * @throws AppError business_not_found if there is none; usage if there are several
 */
export function getOnlyBusiness(rt: Runtime): BusinessRow {
  const [only, another] = rt.store.businesses.list(2);
  if (!only)
    throw new AppError("business_not_found", "There is no business yet.", { fix: howToBegin() });
  if (another === undefined) return only;
  throw usageError(
    "There are several businesses; choose one.",
    `add --business ${rt.store.businesses.listSlugs().join(" or ")}`,
  );
}
