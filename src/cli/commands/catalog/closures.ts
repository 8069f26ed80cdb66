import type { Closure } from "../../../domain/catalog/catalog.ts";
import { expandDay, localDateOf } from "../../../domain/local-time.ts";
import { quote } from "../../../domain/text.ts";
import { command } from "../../command.ts";
import { text, toggle } from "../../flags.ts";
import { parseDays } from "../../typed-times.ts";
import { usageError } from "../../failure.ts";
import { toKeyAmong } from "../../objects/by-name.ts";
import { namingFlags } from "../../objects/edits.ts";
import { noteNights, notePast } from "../../objects/without-effect.ts";
import { reportChange } from "../../output/change-report.ts";

const list = command({
  name: "list",
  about: "List closures: days on which the business is closed all day.",
  flags: { past: toggle("also show past closures") },
  examples: ["closures list --business salon-aurora", "closures list --past --json"],
  async run(cli, { past }) {
    const { rt, business } = await cli.openBusiness();
    const today = localDateOf(rt.now(), business.doc.timezone);
    const rows = business.schedule.closures
      .map(toRow)
      .filter(({ to }) => past || to === null || to >= today)
      .sort((a, b) => a.from.localeCompare(b.from));
    cli.printList(
      rows,
      [
        { title: "FROM", value: "from", noTruncate: true },
        { title: "TO", value: "to", noTruncate: true },
        { title: "EVERY YEAR", value: ({ yearly }) => (yearly ? "yes" : "") },
        "name",
      ],
      `${business.slug} has no closures.`,
    );
  },
});

/** Returns the closure as a row; `from` is a month and day if the closure is yearly. */
const toRow = (closure: Closure) =>
  "yearly" in closure
    ? { from: closure.yearly, to: null, yearly: true, name: closure.name }
    : { from: closure.from, to: closure.to, yearly: false, name: closure.name };

const create = command({
  name: "create",
  about: "Close the business on a day or several. Existing bookings stay.",
  supportsDryRun: true,
  flags: {
    date: text("date", "a single day, such as 2026-12-24"),
    from: text("date", "first day of several"),
    to: text("date", "last day of several"),
    yearly: text("month-day", "the same day every year, such as 01-01"),
    name: text("name", "name that partners see, such as 'Company holidays'"),
  },
  examples: [
    "closures create --date 2026-12-24 --name 'Christmas Eve'",
    "closures create --from 2027-02-08 --to 2027-02-14",
    "closures create --yearly 08-01 --name 'National holiday'",
  ],
  async run(cli, given) {
    const { rt, business } = await cli.openBusiness();
    const clock = { timezone: business.doc.timezone, now: rt.now() };
    const days = parseDays({ date: given.date, from: given.from, to: given.to }, clock);
    const { createClosure } = await import("../../../app/catalog/schedule.ts");
    const flags = {
      date: "--date",
      from: "--from",
      to: "--to",
      yearly: "--yearly",
      name: "--name",
    };
    reportChange(
      cli,
      namingFlags(flags, () => createClosure(rt, business.slug, { ...given, ...days })),
    );
    const lastDay = days.date ?? days.to;
    if (lastDay !== undefined) notePast(cli, business, rt.now(), { time: lastDay, end: lastDay });
    const name = null;
    if (given.yearly !== undefined) noteNights(cli, rt, business, { yearly: given.yearly, name });
    else if (lastDay !== undefined)
      noteNights(cli, rt, business, { from: days.from ?? lastDay, to: lastDay, name });
  },
});

const deleteCommand = command({
  name: "delete",
  about:
    "Delete a closure by its first day, such as 2027-01-24, 12-25 or tomorrow, or by its name.",
  supportsDryRun: true,
  arguments: ["<date>"],
  examples: ["closures delete 12-25", "closures delete 2027-01-24 --business salon-aurora"],
  async run(cli, _flags, given) {
    const { rt, business } = await cli.openBusiness();
    const named = business.schedule.closures.map((one) => ({
      key: toRow(one).from,
      name: one.name,
    }));
    const firstDay = toKeyAmong(named, expandDay(given, business.doc.timezone, rt.now()));
    // `toKeyAmong` returns an unknown name unchanged, so a text that is not a date names no
    // closure.
    if (!/^(?:\d{4}-)?\d\d-\d\d$/.test(firstDay))
      throw usageError(
        `There is no closure with the first day or name ${quote(given)}.`,
        "deskbell closures list",
      );
    const { deleteClosure } = await import("../../../app/catalog/schedule.ts");
    reportChange(cli, deleteClosure(rt, business.slug, firstDay));
  },
});

export const definition = [list, create, deleteCommand];
