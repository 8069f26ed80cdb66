import type { Away } from "../../app/bookings/staff-away.ts";
import { visitLine } from "../../domain/bookings/affected-visits.ts";
import { formatInstant, formatLocalMinute } from "../../domain/local-time.ts";
import { countOf, shellQuote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Cli } from "../cli.ts";

/**
 * Prints the visits of a staff member who is away, and what can be done about them.
 * @param moved the names of the colleagues who took visits, by the ID of the visit; null if no
 * visit was to be moved
 */
export function printAway(
  cli: Cli,
  { slug, doc: { timezone } }: BusinessRow,
  person: { key: string; name: string },
  { timeOff, visits }: Away,
  moved: ReadonlyMap<string, string[]> | null,
): void {
  const rows = visits.map((visit) => ({ ...visit, movedTo: moved?.get(visit.id) ?? [] }));
  const { id, staffId, startsAt, endsAt, reason } = timeOff;
  if (cli.flags.json) {
    const times = { from: formatInstant(startsAt, timezone), to: formatInstant(endsAt, timezone) };
    return cli.printJson({ data: { timeOff: { id, staffId, ...times, reason }, visits: rows } });
  }
  const movedText = ({ movedTo }: (typeof rows)[number]) => movedTo.join(", ");
  const movedTitle = cli.flags.dryRun ? "WOULD MOVE TO" : "MOVED TO";
  cli.printList(
    rows,
    [
      {
        title: "VISIT",
        value: (visit) => visitLine({ ...visit, staff: null }, { withGuest: true }),
        noTruncate: true,
      },
      { title: "COULD TAKE IT", value: ({ couldTake }) => couldTake.join(", "), wraps: true },
      ...(moved === null ? [] : [{ title: movedTitle, value: movedText, wraps: true as const }]),
    ],
    `${person.name} has no visits then.`,
  );
  const [from, to] = [startsAt, endsAt].map((at) => formatLocalMinute(at, timezone));
  const away = cli.flags.dryRun ? "would be away" : `is away (${id})`;
  cli.note(`${slug}: ${person.name} ${away} from ${from} to ${to}.`);
  const unmoved = rows.filter((row) => row.movedTo.length === 0);
  const canMove = unmoved.filter(({ couldTake }) => couldTake.length > 0);
  if (moved === null && canMove.length > 0)
    cli.note(
      `${countOf(canMove.length, "visit")} can be moved to colleagues: ` +
        `${cli.program} staff away ${shellQuote(person.key)} --from ${from} --to ${to} --reassign --business ${slug}`,
    );
  // A visit that a reassignment did not move counts as stuck, even if a colleague could take it.
  const stuck = unmoved.length - (moved === null ? canMove.length : 0);
  if (stuck > 0)
    cli.note(
      `Nobody is free for ${countOf(stuck, "visit")}. Call the guest, then: ` +
        `${cli.program} bookings reschedule ID --start TIME --business ${slug}, or bookings cancel ID`,
    );
}
