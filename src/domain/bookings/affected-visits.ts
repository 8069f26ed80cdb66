import { FEATURES } from "../../features/index.ts";
import { countOf } from "../text.ts";

/** IDs of future visits that a change affects. Features add the lists of their own visits. */
export type AffectedVisits = { bookings: string[]; reservations: string[] } & {
  [name: string]: string[];
};

/** Returns the noun for the visits of each list. */
const visitNouns = (): Record<string, string> =>
  Object.assign(
    { bookings: "future booking", reservations: "future reservation" },
    ...FEATURES.map((feature) => feature.visitNouns),
  );

export const noVisits = (): AffectedVisits => ({
  bookings: [],
  reservations: [],
  ...Object.fromEntries(Object.keys(visitNouns()).map((name) => [name, []])),
});

export const idsOf = (affected: AffectedVisits): string[] => Object.values(affected).flat();

/** What a person needs to find a visit again and to call its guest. */
export type VisitSummary = {
  id: string;
  /** What commands accept in place of the ID. */
  shortId: string;
  /** The time has the offset of the business's time zone. */
  startsAt: string;
  /** Name or customer reference; null if neither is known. */
  guest: string | null;
  /** The service, table or public event. */
  service: string | null;
  staff: string | null;
};

/** The maximum number of visits that a text names; the others are counted. */
export const MAX_NAMED_VISITS = 10;

const ENDING_LENGTH = 6;

/** Returns the end of an ID, such as `…9qx7km`. */
export const shortIdOf = (id: string): string => `…${id.slice(-ENDING_LENGTH)}`;

/** Returns the end of an ID that {@link shortIdOf} has shortened; undefined for another text. */
export const idEndingOf = (text: string): string | undefined => /^…?([0-9a-z]{6})$/.exec(text)?.[1];

/**
 * Returns `2026-12-01 18:00 · Ana Bauer · Cut · Maya · …9qx7km`. Errors leave out the guest,
 * because they are logged.
 */
export function visitLine(visit: VisitSummary, { withGuest }: { withGuest: boolean }): string {
  const { shortId, startsAt, guest, service, staff } = visit;
  return [
    startsAt.slice(0, 16).replace("T", " "),
    ...(withGuest ? [guest ?? "-"] : []),
    ...[service, staff].filter((part) => part !== null),
    shortId,
  ].join(" · ");
}

/**
 * Returns `2 future visits are affected and stay as they are: …`, for a change that cancels no
 * visit.
 */
export const affectedVisitsText = (named: readonly VisitSummary[], total: number): string =>
  `${countOf(total, "future visit")} ${total === 1 ? "is" : "are"} affected and ` +
  `${total === 1 ? "stays as it is" : "stay as they are"}: ${listVisits(named, total, { withGuest: true })}`;

function listVisits(
  named: readonly VisitSummary[],
  total: number,
  options: { withGuest: boolean },
): string {
  const shown = named.slice(0, MAX_NAMED_VISITS);
  const more = total - shown.length;
  const lines = shown.map((visit) => visitLine(visit, options)).join("; ");
  return more > 0 ? `${lines}; and ${more} more` : lines;
}

/** Returns `1 future booking, 2 ticket orders: …` without guests; null if no visit is affected. */
export function deletedVisitsText(
  affected: AffectedVisits,
  named: readonly VisitSummary[],
): string | null {
  const ids = idsOf(affected);
  if (ids.length === 0) return null;
  const parts = Object.entries(visitNouns()).flatMap(([name, noun]) => {
    const { length } = affected[name] ?? [];
    return length > 0 ? [countOf(length, noun)] : [];
  });
  return `${parts.join(", ")}: ${listVisits(named, ids.length, { withGuest: false })}`;
}
