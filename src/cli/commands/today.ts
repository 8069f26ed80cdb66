import { formatInstant, toLocalMinute } from "../../domain/local-time.ts";
import { command } from "../command.ts";
import { text } from "../flags.ts";
import { parseDay } from "../typed-times.ts";
import { resolveObject } from "../objects/objects.ts";

export const definition = command({
  flags: {
    date: text("date", "another day, such as tomorrow, yesterday or 2026-12-24"),
    staff: text("key", "only what this staff member does"),
  },
  examples: ["today", "today --date tomorrow", "today --date 2026-12-24 --staff maya"],
  async run(cli, { date: wanted, staff }) {
    const { rt, business } = await cli.openBusiness();
    const { timezone } = business.doc;
    const date = parseDay("--date", wanted ?? "today", { timezone, now: rt.now() });
    const staffId =
      staff === undefined ? undefined : resolveObject(rt, business, "staff", staff).id;
    const { describeDay, describeGuest, describeStaff, listDay } =
      await import("../../app/bookings/day-sheet.ts");
    const entries = listDay(rt, business, date, staffId);
    cli.printList(
      entries.map(({ startsAt, endsAt, ...entry }) => ({
        ...entry,
        startsAt: formatInstant(startsAt, timezone),
        endsAt: formatInstant(endsAt, timezone),
      })),
      [
        {
          title: "TIME",
          value: ({ startsAt, endsAt }) =>
            [startsAt, endsAt].map((at) => toLocalMinute(at, timezone).slice(11)).join("-"),
          noTruncate: true,
        },
        { title: "GUEST", value: describeGuest },
        "service",
        { title: "STAFF", value: describeStaff },
        "place",
        { title: "STATUS", value: "status", noTruncate: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ],
      `${business.slug} has no visits on ${date}.`,
    );
    if (entries.length > 0) cli.note(`${describeDay(date, entries)}.`);
  },
});
