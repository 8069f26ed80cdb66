import { shellQuote } from "../../../domain/text.ts";
import type { HoursRule } from "../../../domain/catalog/catalog.ts";
import { WEEK } from "../../../domain/catalog/common.ts";
import { isRegular } from "../../../app/catalog/schedule.ts";
import { command } from "../../command.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import type { FlagValues } from "../../flags.ts";
import { namingFlags } from "../../objects/edits.ts";
import { hoursFlags, parseHoursEdit } from "../../objects/hours-flags.ts";
import { noteClosures, notePast } from "../../objects/without-effect.ts";
import { reportChange } from "../../output/change-report.ts";

const list = command({
  name: "list",
  about: "List the opening hours of the business by weekday, and those of single dates.",
  examples: ["hours list --business salon-aurora", "hours list --json"],
  async run(cli) {
    const { rt, business } = await cli.openBusiness();
    const rows = WEEK.flatMap((day) => {
      const rules = business.schedule.hours.filter(({ days }) => days.includes(day));
      const periods = Map.groupBy(rules, ({ validFrom, validTo }) => `${validFrom} ${validTo}`);
      // A weekday may have hours in certain periods only. The weekday is closed outside of these
      // periods.
      const closed = rules.some(isRegular) ? [] : [{ ...NO_PERIOD, day, open: [] }];
      return [
        ...closed,
        ...[...periods.values()].map((rulesOfPeriod) => ({
          day,
          open: rulesOfPeriod.map(intervalText).sort(),
          from: rulesOfPeriod[0]?.validFrom ?? null,
          to: rulesOfPeriod[0]?.validTo ?? null,
        })),
      ];
    });
    // Exceptions with the mode REPLACE or ONLY replace the hours of a date. ONLY also replaces the
    // hours of the staff. All other modes add or remove times.
    const today = localDateOf(rt.now(), business.doc.timezone);
    const dates = business.schedule.exceptions
      .filter(({ date, mode }) => date >= today && (mode === "ONLY" || mode === "REPLACE"))
      .map(({ date, intervals }) => ({
        day: date,
        open: intervals.map(intervalText).sort(),
        from: date,
        to: date,
      }));
    cli.printList(
      [...rows, ...dates],
      [
        { title: "DAY", value: "day" },
        { title: "OPEN", value: ({ open }) => open.join(", ") || "closed", noTruncate: true },
        { title: "FROM", value: "from", noTruncate: true },
        { title: "TO", value: "to", noTruncate: true },
      ],
      "",
    );
  },
});

const NO_PERIOD = { from: null, to: null };

const intervalText = ({ start, end }: Pick<HoursRule, "start" | "end">): string =>
  `${start}-${end}`;

const update = command({
  name: "update",
  about:
    "Update the regular opening hours of some weekdays, or those of one date, which then bind all staff. Hours for a season stay.",
  supportsDryRun: true,
  flags: hoursFlags,
  examples: [
    "hours update --day mon --open 09:00-18:00",
    "hours update --day tue-fri --open 09:00-12:00 --open 13:30-18:00",
    "hours update --day sat --day sun --closed",
    "hours update --date 2026-12-24 --open 10:00-14:00",
  ],
  async run(cli, given) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const edit = parseHoursEdit(given, { timezone: doc.timezone, now: rt.now() });
    const { listStaffWithOwnHours, updateDateHours, updateHours } =
      await import("../../../app/catalog/schedule.ts");
    const result = namingFlags({ days: "--day", date: "--date", end: "--open" }, () =>
      "days" in edit
        ? updateHours(rt, slug, edit.days, edit.intervals)
        : updateDateHours(rt, slug, edit.date, edit.intervals),
    );
    reportChange(cli, result);
    if ("date" in edit) {
      notePast(cli, business, rt.now(), { time: edit.date, end: edit.date });
      noteClosures(cli, business, edit);
    }
    const withOwnHours = "days" in edit ? listStaffWithOwnHours(rt, business) : [];
    if (withOwnHours.length > 0)
      cli.note(
        `${slug}: ${withOwnHours.join(", ")} ${withOwnHours.length === 1 ? "keeps" : "keep"} hours of their own: ` +
          `${cli.program} staff hours update ${shellQuote(withOwnHours[0] ?? "")} ${writeFlags(given)} --business ${slug}`,
      );
  },
});

/** Returns the given flags as text, for a command that is suggested. */
const writeFlags = ({ day, open, closed }: FlagValues<typeof hoursFlags>): string =>
  [
    ...day.map((name) => `--day ${shellQuote(name)}`),
    ...open.map((interval) => `--open ${shellQuote(interval)}`),
    ...(closed ? ["--closed"] : []),
  ].join(" ");

export const definition = [list, update];
