import { askOtherVisits } from "../../app/bookings/other-visits.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import { FEATURES } from "../../features/index.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { usageError } from "../failure.ts";
import { resolveVisitId } from "./visit-commands.ts";

/**
 * Returns the ID of the visit of any kind with the given ID, short ID or code; undefined if the
 * business has none.
 * @throws AppError usage if several visits have the short ID
 */
export function findVisitId(rt: Runtime, business: BusinessRow, given: string): string | undefined {
  const { bookings, reservations } = rt.store;
  const [found, another] = [
    bookings.findById(business.id, resolveVisitId(bookings, business, given)),
    reservations.findById(business.id, resolveVisitId(reservations, business, given)),
    askOtherVisits(({ find }) => find(rt, business.id, given)),
  ].flatMap((visit) => visit?.id ?? []);
  if (another === undefined) return found;
  throw usageError(
    `Several visits are named '${safe(given)}'.`,
    `use an ID: ${found} or ${another}`,
  );
}

/** @param slug the business whose visits the fix lists; the reader replaces the default */
export function unknownVisitError(rt: Runtime, given: string, slug = "SLUG"): AppError {
  const ofFeatures = FEATURES.flatMap(({ visitNouns = {} }) => Object.values(visitNouns));
  const nouns = ["booking", "reservation", ...ofFeatures];
  const businessFlag = rt.store.businesses.listSlugs().length > 1 ? ` --business ${slug}` : "";
  const commands = nouns.map(
    (noun) => `deskbell ${noun.replaceAll(" ", "-")}s list${businessFlag}`,
  );
  return new AppError("resource_not_found", `There is no ${oneOf(nouns)} '${safe(given)}'.`, {
    fix: oneOf(commands),
  });
}

/** Joins names as `a, b or c`. */
const oneOf = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
