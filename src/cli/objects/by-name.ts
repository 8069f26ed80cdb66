import { findDish, listOptions } from "../../app/catalog/objects.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Kind } from "../../domain/catalog/catalog.ts";
import { quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { usageError } from "../failure.ts";

type Named = { key: string; name: string | null };

/**
 * Returns the key of the only candidate with this name; case is ignored. Returns the text itself if
 * it is a key or no candidate has the name: the use case then reports what is missing.
 * @throws AppError usage if several candidates have the name
 */
export function toKeyAmong(candidates: readonly Named[], given: string): string {
  if (candidates.some(({ key }) => key === given)) return given;
  const wanted = comparable(given);
  const [found, ...others] = candidates.filter(({ name }) => comparable(name ?? "") === wanted);
  if (others.length === 0 || found === undefined) return found?.key ?? given;
  throw usageError(
    `The name ${quote(given)} is ambiguous: it is that of ${[found, ...others].map(({ key }) => key).join(", ")}.`,
    "use one of these keys instead of the name",
  );
}

const comparable = (name: string): string => name.normalize().trim().toLowerCase();

/** Returns the key of the object of a kind with this name. A key or ID is returned as it is. */
export function toKey(rt: Runtime, { id }: BusinessRow, kind: Kind, given: string): string {
  if (rt.store.catalog.findByKeyOrId(id, kind, given) !== undefined) return given;
  return toKeyAmong(rt.store.catalog.listNames(id, kind), given);
}

/** Returns the key of the named object, or undefined for an option that is absent. */
export const toGivenKey = <Given extends string | undefined>(
  rt: Runtime,
  business: BusinessRow,
  kind: Kind,
  given: Given,
): Given => (given === undefined ? given : (toKey(rt, business, kind, given) as Given & string));

/**
 * Returns the staff members of a visit with keys in place of names. A staff member for one of
 * several services is given as `cut:maya`.
 */
export const toStaffKeys = (
  rt: Runtime,
  business: BusinessRow,
  given: readonly string[],
): string[] =>
  given.map((text) => {
    const colon = text.lastIndexOf(":");
    const key = toKey(rt, business, "staff", text);
    // If the key differs from the text, the whole text is a name, which may contain a colon.
    if (colon === -1 || key !== text) return key;
    const service = toKey(rt, business, "service", text.slice(0, colon));
    return `${service}:${toKey(rt, business, "staff", text.slice(colon + 1))}`;
  });

/**
 * Returns the key of the dish or modifier option with this name. The key of an option includes its
 * group, as in `milk/oat-milk`.
 */
export function toDishKey(rt: Runtime, business: BusinessRow, given: string): string {
  if (findDish(rt, business, given) !== undefined) return given;
  const dishes = rt.store.catalog.listNames(business.id, "menu_item");
  return toKeyAmong([...dishes, ...listOptions(rt, business)], given);
}
