import { type HoursRule, WEEK } from "../../domain/catalog/catalog.ts";
import { isRegular } from "../../domain/catalog/change/weekly-hours.ts";
import { command } from "../command.ts";
import { texts, toggle } from "../flags.ts";
import { usageError } from "../failure.ts";
import { namingFlags } from "../objects/edits.ts";
import { reportChange } from "../output/change-report.ts";

const list = command({
  name: "list",
  about: "List the opening hours of the business by weekday.",
  examples: ["hours list --business salon-aurora", "hours list --json"],
  async run(cli) {
    const { business } = await cli.openBusiness();
    const rows = WEEK.flatMap((day) => {
      const rules = business.schedule.hours.filter(({ days }) => days.includes(day));
      const periods = Map.groupBy(rules, ({ validFrom, validTo }) => `${validFrom} ${validTo}`);
      const closed = rules.some(isRegular) ? [] : [{ ...NO_PERIOD, day, open: [] }];
      return [
        ...closed,
        ...[...periods.values()].map((same) => ({
          day,
          open: same.map(interval).sort(),
          from: same[0]?.validFrom ?? null,
          to: same[0]?.validTo ?? null,
        })),
      ];
    });
    cli.printList(
      rows,
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

const interval = ({ start, end }: HoursRule): string => `${start}-${end}`;

const update = command({
  name: "update",
  about: "Update the regular opening hours of some weekdays. Hours for a season stay.",
  supportsDryRun: true,
  flags: {
    day: texts("day", "a weekday such as mon, or a range such as mon-fri (repeatable)"),
    open: texts("interval", "open in this time, such as 09:00-18:00 (repeatable)"),
    closed: toggle("closed all day"),
  },
  examples: [
    "hours update --day mon --open 09:00-18:00",
    "hours update --day tue-fri --open 09:00-12:00 --open 13:30-18:00",
    "hours update --day sat --day sun --closed",
  ],
  async run(cli, { day, open, closed }) {
    if (day.length === 0) throw usageError("Missing --day <day>.", "add --day mon, or mon-fri");
    if (closed === open.length > 0)
      throw usageError("Give either --open or --closed.", "add --open 09:00-18:00, or --closed");
    const { rt, business } = await cli.openBusiness();
    const { updateHours } = await import("../../app/catalog/schedule.ts");
    const days = day.map((name) => name.toLowerCase());
    const result = namingFlags({ days: "--day" }, () =>
      updateHours(rt, business.slug, days, open.map(parseInterval)),
    );
    reportChange(cli, result);
  },
});

function parseInterval(text: string): { start: string; end: string } {
  const [, start, end] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (start !== undefined && end !== undefined) return { start, end };
  throw usageError(`Invalid --open '${text}'.`, "use two times such as 09:00-18:00");
}

export const definition = [list, update];
