import { explainGaps } from "../../../domain/bookings/start-time.ts";
import { expandDay } from "../../../domain/local-time.ts";
import { shellQuote } from "../../../domain/text.ts";
import { usageError } from "../../failure.ts";
import { reportChange } from "../../output/change-report.ts";
import { command, type CommandGroup } from "../../command.ts";
import { hasHoursFlags, hoursFlags, parseHoursEdit } from "../../objects/hours-flags.ts";
import { choice, requiredText, text, texts, toggle } from "../../flags.ts";
import { editFlags, keyFromName, namingFlags, parseTexts, withGiven } from "../../objects/edits.ts";
import { toKey } from "../../objects/by-name.ts";
import { objectCommands, resolveObject } from "../../objects/objects.ts";
import { notePast, noteStaffLimits } from "../../objects/without-effect.ts";
import { type Clock, parseDay } from "../../typed-times.ts";

const listAndShow = objectCommands({
  kind: "staff",
  noun: "staff",
  example: { business: "salon-aurora", key: "maya" },
  about: {
    list: "List staff members, including those without a public profile.",
    show: "Show a staff member with hours, breaks and the time off from the catalog file.",
  },
  columns: () => [
    "title",
    { title: "PROFILE", value: (person) => (person.public ? "public" : "hidden") },
    { title: "BOOKABLE", value: ({ bookable }) => (bookable ? "yes" : "no") },
  ],
  withTimes: (doc, time) => ({
    ...doc,
    timeOff: doc.timeOff.map(({ from, to }) => ({ from: time(from), to: time(to) })),
  }),
});

const YES_NO = ["yes", "no"] as const;

const profileFlags = {
  title: text("text", "role that guests see, such as 'Senior stylist'"),
  bio: text("text", "text of the public profile"),
  public: choice(YES_NO, "whether partners see the profile; bookings are possible either way"),
  bookable: choice(YES_NO, "whether visits can be booked"),
};

type Profile = { public: "yes" | "no" | undefined; bookable: "yes" | "no" | undefined };

const withBooleans = <Given extends Profile>(given: Given) => ({
  ...given,
  public: given.public && given.public === "yes",
  bookable: given.bookable && given.bookable === "yes",
});

/** Maps each field name in errors about a catalog file to the flag that sets the field. */
const FLAG_OF = { key: "--key", name: "--name", title: "--title", bio: "--bio" };

const create = command({
  name: "create",
  about: "Create a staff member who works in the hours of the business.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "name of the person"),
    ...profileFlags,
    service: texts("key", "a service that the person performs (repeatable)"),
    key: text("key", "key for commands and catalog files (default: from the name)"),
  },
  examples: [
    "staff create --name 'Nadia Rossi' --title 'Junior stylist' --service cut --service blowout",
    "staff create --name 'Nadia Rossi' --key nadia --public no",
  ],
  async run(cli, { service, ...given }) {
    const { rt, business } = await cli.openBusiness();
    const { createStaffMember } = await import("../../../app/catalog/staff.ts");
    const services = service.map((name) => toKey(rt, business, "service", name));
    const item = { ...withBooleans(given), key: given.key ?? keyFromName(given.name) };
    const result = namingFlags(FLAG_OF, () => createStaffMember(rt, business.slug, item, services));
    reportChange(cli, result);
    if (service.length === 0)
      cli.note(
        `No service is linked yet: ${cli.program} staff update ${shellQuote(item.key)} --add-service KEY --business ${business.slug}`,
      );
  },
});

const update = command({
  name: "update",
  about: "Update a staff member, and the services that the person performs.",
  supportsDryRun: true,
  arguments: ["<staff>"],
  flags: {
    name: editFlags.name,
    ...profileFlags,
    status: editFlags.status,
    addService: texts("key", "a service that the person performs from now on (repeatable)"),
    removeService: texts("key", "a service that the person no longer performs (repeatable)"),
  },
  examples: [
    "staff update maya --title 'Founder' --public yes",
    "staff update hana --add-service updo --remove-service kids-cut",
  ],
  async run(cli, { addService, removeService, ...given }, staff) {
    const changesLinks = addService.length + removeService.length > 0;
    // `parseTexts` throws if there is no field. An update that only adds or removes services is
    // allowed.
    const fields = changesLinks && isEmpty(given) ? {} : parseTexts(withBooleans(given));
    const { rt, business } = await cli.openBusiness();
    const toKeys = (names: string[]) => names.map((name) => toKey(rt, business, "service", name));
    const links = { add: toKeys(addService), remove: toKeys(removeService) };
    const key = toKey(rt, business, "staff", staff);
    const { updateStaffMember } = await import("../../../app/catalog/staff.ts");
    const result = namingFlags(FLAG_OF, () =>
      updateStaffMember(rt, business.slug, key, (doc) => withGiven(doc, fields), links),
    );
    reportChange(cli, result);
  },
});

const isEmpty = (given: object): boolean =>
  Object.values(given).every((value) => value === undefined);

const deleteCommand = command({
  name: "delete",
  about: "Delete a staff member. To keep the profile, use staff update --status INACTIVE instead.",
  supportsDryRun: true,
  arguments: ["<staff>"],
  flags: {
    cancelAffected: toggle(
      "cancel the person's future bookings, which otherwise prevent the deletion",
    ),
  },
  examples: ["staff delete sofia --dry-run", "staff delete sofia --cancel-affected --yes"],
  async run(cli, flags, name) {
    const { rt, business } = await cli.openBusiness();
    const [{ deleteStaffMember }, { loadCancelAffected }] = await Promise.all([
      import("../../../app/catalog/staff.ts"),
      import("../../../app/catalog/changes/affected-visits.ts"),
    ]);
    const { key } = resolveObject(rt, business, "staff", name);
    // `catalog undo` restores the staff member but not the cancelled bookings, so the user must
    // confirm.
    if (flags.cancelAffected) await cli.confirm(`Cancelling the bookings of ${key}`, key);
    const cancelAffected = await loadCancelAffected(flags.cancelAffected);
    const result = deleteStaffMember(rt, business.slug, key, { cancelAffected });
    reportChange(cli, result, { allowed: flags });
  },
});

const updateHours = command({
  name: "update",
  about:
    "Update the hours of a staff member on some weekdays or one date. They replace those of the business.",
  supportsDryRun: true,
  arguments: ["<staff>"],
  flags: {
    ...hoursFlags,
    likeBusiness: toggle("work in the hours of the business again, instead"),
  },
  examples: [
    "staff hours update maya --day wed --open 10:00-14:00",
    "staff hours update maya --date 2026-12-24 --closed",
    "staff hours update maya --like-business",
  ],
  async run(cli, { likeBusiness, ...given }, staff) {
    if (likeBusiness && hasHoursFlags(given))
      throw usageError(
        "--like-business cannot be combined with --day, --date, --open, --closed or --usual.",
        "leave out --like-business to change some days, or the others to drop all hours of the person",
      );
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const edit = likeBusiness
      ? null
      : parseHoursEdit(given, { timezone: doc.timezone, now: rt.now() });
    const { updateStaffHours } = await import("../../../app/catalog/schedule.ts");
    const person = resolveObject(rt, business, "staff", staff);
    const result = namingFlags({ days: "--day", date: "--date", end: "--open" }, () =>
      updateStaffHours(rt, slug, person.key, edit),
    );
    reportChange(cli, result);
    if (edit === null || !("date" in edit)) return;
    notePast(cli, business, rt.now(), { time: edit.date, end: edit.date });
    noteStaffLimits(cli, rt, business, person, edit);
  },
});

const hours: CommandGroup = {
  name: "hours",
  about: "Update the hours of a staff member; staff show prints them.",
  commands: [updateHours],
};

const away = command({
  name: "away",
  about:
    "Enter time off of a staff member, such as a sick day, and show the visits in it and who could take each.",
  supportsDryRun: true,
  arguments: ["<staff>"],
  flags: {
    date: text("date", "the whole day, such as today, tomorrow or 2026-12-24"),
    from: text("time", "instead of --date: local date, or date and time, such as 2026-12-24T13:00"),
    to: text("time", "end, in the same format; a date includes that whole day"),
    reason: text("text", "internal note; partners never see it"),
    reassign: toggle("give the visits to those who can take them; times and prices stay"),
  },
  examples: [
    "staff away maya --date tomorrow",
    "staff away maya --date tomorrow --reassign --dry-run",
    "staff away maya --from 2026-12-01T13:00 --to 2026-12-02 --reason migraine --reassign",
  ],
  async run(cli, { reason = null, reassign, ...given }, staff) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const range = parseAway(given, { timezone: doc.timezone, now: rt.now() });
    const { markAway, reassignVisits } = await import("../../../app/bookings/staff-away.ts");
    const person = resolveObject(rt, business, "staff", staff);
    const absence = markAway(rt, slug, { staff: person.key, reason, ...range });
    const moved = reassign ? reassignVisits(rt, slug, absence) : null;
    const { printAway } = await import("../../output/away.ts");
    printAway(cli, business, person, absence, moved);
    for (const gap of explainGaps([range.from, range.to], doc.timezone)) cli.note(gap);
  },
});

/** Returns the period of `staff away`, with dates in place of days such as `tomorrow`. */
function parseAway(
  { date, from, to }: { [name in "date" | "from" | "to"]: string | undefined },
  clock: Clock,
): { from: string; to: string } {
  if (date !== undefined && from === undefined && to === undefined) {
    const day = parseDay("--date", date, clock);
    return { from: day, to: day };
  }
  if (date === undefined && from !== undefined && to !== undefined)
    return {
      from: expandDay(from, clock.timezone, clock.now),
      to: expandDay(to, clock.timezone, clock.now),
    };
  throw usageError(
    date === undefined
      ? "Missing --date, or --from and --to."
      : "--date is a whole day, and cannot be combined with --from or --to.",
    "use --date tomorrow, or --from 2026-12-01T13:00 --to 2026-12-01T18:00",
  );
}

export const definition = [...listAndShow, create, update, away, hours, deleteCommand];
