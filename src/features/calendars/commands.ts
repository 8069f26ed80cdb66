import { isLoopbackHost } from "../../domain/addresses.ts";
import { createCalendarStore, type CalendarRow } from "./store.ts";
import { command } from "../../cli/command.ts";
import { findServerUrl } from "../../cli/running/server-url.ts";
import { text, toggle } from "../../cli/flags.ts";
import { printSecretOnce } from "../../cli/input/new-file.ts";
import { resolveObject } from "../../cli/objects/objects.ts";
import { shortTime, withIsoTimes } from "../../cli/output/table.ts";

const create = command({
  name: "create",
  about:
    "Create a calendar feed (iCal) of a staff member, or of the whole business, and print its secret URL once.",
  supportsDryRun: true,
  flags: {
    staff: text("key", "only what this staff member does (default: the whole business)"),
    withGuests: toggle("include names, contact details and notes of guests"),
    publicUrl: text("url", "URL at which phones reach the server (default: that of serve)"),
    out: text("file", "write the URL to a new file (0600) instead of stdout"),
  },
  examples: [
    "calendars create --staff maya",
    "calendars create --business salon-aurora --with-guests --out calendar.url",
  ],
  async run(cli, { staff, withGuests, out, ...flags }) {
    const { rt, business } = await cli.openBusiness();
    const { createCalendar } = await import("./calendars.ts");
    const base = findServerUrl(cli, rt, flags);
    const staffId = staff === undefined ? null : resolveObject(rt, business, "staff", staff).id;
    printSecretOnce(
      cli,
      rt,
      out,
      () => createCalendar(rt, business, { staffId, withGuests }),
      ({ calendar, token }) => ({
        secret: `${base}/v1/businesses/${business.slug}/calendars/${token}.ics`,
        owner: toOutput(calendar),
      }),
    );
    cli.note(
      "Subscribe to this URL in a calendar app. Anyone with this URL can read the calendar. Phones update it at their own interval, some only every few hours.",
    );
    if (isLoopbackHost(new URL(base).host))
      cli.note("Only this machine can reach that address: name the public one with --public-url.");
  },
});

const list = command({
  name: "list",
  about: "List calendar feeds.",
  examples: ["calendars list", "calendars list --json"],
  async run(cli) {
    const { rt, business } = await cli.openBusiness();
    const nameOf = (staffId: string | null) =>
      staffId === null
        ? "whole business"
        : (rt.store.catalog.findByKeyOrId(business.id, "staff", staffId)?.name ?? staffId);
    cli.printList(
      rt.openStore(createCalendarStore).list(business.id).map(toOutput),
      [
        "id",
        { title: "OF", value: ({ staffId }) => nameOf(staffId) },
        { title: "GUESTS", value: ({ withGuests }) => (withGuests ? "yes" : "no") },
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), optional: true },
        { title: "REVOKED", value: ({ revokedAt }) => shortTime(revokedAt) },
      ],
      `${business.slug} has no calendar feeds.`,
    );
  },
});

const revoke = command({
  name: "revoke",
  about: "Revoke a calendar feed: its URL stops working immediately.",
  supportsDryRun: true,
  arguments: ["<id>"],
  examples: ["calendars revoke cal_06f…", "calendars revoke cal_06f… --json"],
  async run(cli, _flags, id) {
    const { rt, business } = await cli.openBusiness();
    const { revokeCalendar } = await import("./calendars.ts");
    const calendar = toOutput(revokeCalendar(rt, business.id, id));
    cli.report(calendar, `${cli.verb("Revoked", "revoke")} ${id}.`);
  },
});

const toOutput = ({ businessId: _, ...calendar }: CalendarRow) =>
  withIsoTimes(calendar, "createdAt", "revokedAt", "cutAt", "formerUrlReadAt");

export const definition = [create, list, revoke];
