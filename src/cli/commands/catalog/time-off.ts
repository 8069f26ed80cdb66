import { explainGaps } from "../../../domain/bookings/start-time.ts";
import { affectedVisitsText } from "../../../domain/bookings/affected-visits.ts";
import { expandDay, formatInstant, toLocalMinute } from "../../../domain/local-time.ts";
import { quote } from "../../../domain/text.ts";
import type { TimeOffRow } from "../../../store/bookings/time-off.ts";
import { command } from "../../command.ts";
import { requiredText, text, toggle } from "../../flags.ts";
import { usageError } from "../../failure.ts";
import { toKey } from "../../objects/by-name.ts";
import { keyOf } from "../../objects/objects.ts";
import { notePast } from "../../objects/without-effect.ts";

const create = command({
  name: "create",
  about: "Add time off for a staff member. Existing bookings stay.",
  supportsDryRun: true,
  arguments: ["[staff]"],
  flags: {
    staff: text("key", "the staff member, instead of the argument"),
    from: requiredText(
      "time",
      "local date, or date and time, such as 2026-12-24 or 2026-12-24T13:00",
    ),
    to: requiredText("time", "end, in the same format; a date includes that whole day"),
    reason: text("text", "internal note; partners never see it"),
  },
  examples: [
    "time-off create maya --from 2026-12-24 --to 2026-12-31 --reason holidays",
    "time-off create --staff maya --from 2026-12-01T13:00 --to 2026-12-01T15:30",
  ],
  async run(cli, { from, to, reason, ...flags }, argument) {
    const staff = flags.staff ?? argument;
    const namesTwo = argument !== undefined && argument !== staff;
    if (staff === undefined || namesTwo)
      throw usageError(
        staff === undefined
          ? "Missing --staff."
          : `Two staff members: ${quote(argument ?? "")} and ${quote(staff)}.`,
        "name one staff member, such as --staff maya",
      );
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const { createTimeOff } = await import("../../../app/bookings/time-off.ts");
    const range = {
      from: expandDay(from, doc.timezone, rt.now()),
      to: expandDay(to, doc.timezone, rt.now()),
    };
    const { booked, visits, ...row } = createTimeOff(rt, slug, {
      staff: toKey(rt, business, "staff", staff),
      ...range,
      reason: reason ?? null,
    });
    cli.printObject(toOutput(row, doc.timezone));
    for (const gap of explainGaps([range.from, range.to], doc.timezone)) cli.note(gap);
    notePast(cli, business, rt.now(), { time: `--to ${to}`, end: row.endsAt });
    if (booked.length > 0) cli.note(`${slug}: ${affectedVisitsText(visits, booked.length)}.`);
  },
});

const deleteCommand = command({
  name: "delete",
  about: "Delete time off.",
  supportsDryRun: true,
  arguments: ["<id>"],
  examples: ["time-off delete tof_06f…", "time-off delete tof_06f… --business salon-aurora"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { deleteTimeOff } = await import("../../../app/bookings/time-off.ts");
    deleteTimeOff(rt, cli.business(rt).slug, id);
    if (cli.flags.json) return cli.printObject({ id });
    cli.note(`${cli.verb("Deleted", "delete")} ${id}.`);
  },
});

const list = command({
  name: "list",
  about: "List time off, soonest first. Time off from the catalog file is not included.",
  flags: { past: toggle("also show past time off") },
  examples: ["time-off list", "time-off list --past --json"],
  async run(cli, { past }) {
    const { rt, business } = await cli.openBusiness();
    const { timezone } = business.doc;
    const rows = rt.store.timeOff.listEndingAfter(business.id, past ? 0 : rt.now());
    cli.printList(
      rows.map((row) => toOutput(row, timezone)),
      [
        "id",
        { title: "STAFF", value: ({ staffId }) => keyOf(rt, staffId) },
        { title: "FROM", value: ({ from }) => toLocalMinute(from, timezone), noTruncate: true },
        { title: "TO", value: ({ to }) => toLocalMinute(to, timezone), noTruncate: true },
        "reason",
      ],
      `${business.slug} has no ${past ? "" : "current or future "}time off.`,
    );
  },
});

const toOutput = ({ id, staffId, startsAt, endsAt, reason }: TimeOffRow, timezone: string) => ({
  id,
  staffId,
  from: formatInstant(startsAt, timezone),
  to: formatInstant(endsAt, timezone),
  reason,
});

export const definition = [create, list, deleteCommand];
