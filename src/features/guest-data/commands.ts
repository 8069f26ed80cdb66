import { countOf } from "../../domain/text.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Config } from "../../config.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { GuestQuery, VisitQuery } from "./find-guests.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { EXIT, usageError } from "../../cli/failure.ts";
import { text } from "../../cli/flags.ts";
import { noteRemains } from "../../cli/output/remains.ts";

const guestFlags = {
  email: text("address", "bookings, reservations and ticket orders with this email address"),
  phone: text("number", "those with this phone number; only digits are compared"),
  customerRef: text("ref", "those with this customer reference"),
  visit: text("id", "this one alone, by its ID or code; also if the guest left only a name"),
};

type Named = GuestQuery & { visit?: string | undefined };

/** @throws AppError usage unless either a guest or a visit is named */
function assertNamed({ email, phone, customerRef, visit }: Named): void {
  const isGuestNamed = (email ?? phone ?? customerRef) !== undefined;
  if (!isGuestNamed && visit === undefined)
    throw usageError("Name the guest.", "add --email, --phone, --customer-ref or --visit");
  if (isGuestNamed && visit !== undefined)
    throw usageError(
      "--visit cannot be combined with another name of the guest.",
      "leave out --visit to find all visits of the guest, or the other flags for one visit",
    );
}

/** @throws AppError resource_not_found if the business has no such visit */
async function toQuery(
  rt: Runtime,
  business: BusinessRow,
  { visit, ...guest }: Named,
): Promise<GuestQuery | VisitQuery> {
  if (visit === undefined) return guest;
  const { findVisitId, unknownVisitError } = await import("../../cli/objects/any-visit.ts");
  const visitId = findVisitId(rt, business, visit);
  if (visitId !== undefined) return { visitId };
  // A hold is no visit, but has guest data, too.
  const { businessId } = rt.store.guests.findByVisit(visit) ?? {};
  if (businessId === business.id) return { visitId: visit };
  throw unknownVisitError(rt, visit, business.slug);
}

/** @param visit the visit that the user has named; undefined if guests were compared */
function noteUndecryptable(
  cli: Cli,
  { masterKeyPath }: Config,
  count: number,
  visit: string | undefined,
): void {
  if (count === 0) return;
  const what =
    visit === undefined
      ? `Not compared: the email address and phone number of the guests of ${countOf(count, "visit")}`
      : "Not printed: the guest data of this visit";
  cli.note(`${what}, which ${masterKeyPath} does not decrypt.`);
  cli.note("fix: copy the right key file there, then run this command again");
}

const INCOMPLETE = `Exits with ${EXIT.someFailed} if some guest data cannot be decrypted: data of this guest may be among them.`;

/**
 * Returns the exit code. If the data of some visits could not be decrypted, the guest may have more
 * visits than were found, so the code is not 0.
 * @param undecryptable the number of visits whose guest data could not be compared
 */
const exitCodeOf = (undecryptable: number): number =>
  undecryptable > 0 ? EXIT.someFailed : EXIT.ok;

const exportCommand = command({
  name: "export",
  about: `Print all stored data of a guest, as JSON. ${INCOMPLETE}`,
  flags: guestFlags,
  examples: [
    "guests export --email ana@example.com",
    "guests export --phone '+1 718 555 0142' --customer-ref web-812",
    "guests export --visit bkg_06f…",
  ],
  async run(cli, flags) {
    assertNamed(flags);
    const { rt, business } = await cli.openBusiness();
    const { exportGuests } = await import("./export-guests.ts");
    const { loadGuestRecords } = await import("../../app/feature-hooks.ts");
    const readers = await loadGuestRecords();
    const { visits, undecryptable } = exportGuests(
      rt,
      business,
      await toQuery(rt, business, flags),
      readers,
    );
    cli.printJson({ data: visits, undecryptable });
    noteUndecryptable(cli, rt.config, undecryptable, flags.visit);
    return exitCodeOf(undecryptable);
  },
});

const erase = command({
  name: "erase",
  about: `Erase the name, contact details, notes and customer reference of a guest. The bookings stay. ${INCOMPLETE}`,
  supportsDryRun: true,
  flags: guestFlags,
  examples: [
    "guests erase --email ana@example.com --dry-run",
    "guests erase --customer-ref web-812 --yes",
    "guests erase --visit bkg_06f… --yes",
  ],
  async run(cli, flags) {
    assertNamed(flags);
    const { rt, business } = await cli.openBusiness();
    await cli.confirm("Erasing a guest", business.slug);
    const { eraseGuests } = await import("./erase-guests.ts");
    const { loadErasedGuests } = await import("../../app/feature-hooks.ts");
    const reporters = await loadErasedGuests();
    const { guests, undecryptable, remains } = eraseGuests(
      rt,
      business,
      await toQuery(rt, business, flags),
    );
    const reports = reporters.map((report) => report(rt));
    const elsewhere = Object.assign({}, ...reports.map(({ fields }) => fields));
    const visits = guests.map(({ visitId }) => visitId);
    const verb = cli.verb("Erased", "erase");
    cli.report(
      { visits, undecryptable, ...elsewhere, remains },
      `${verb} the guest's data in ${countOf(visits.length, "visit")}.`,
    );
    noteUndecryptable(cli, rt.config, undecryptable, flags.visit);
    if (visits.length > 0) {
      noteRemains(cli, rt.config, remains);
      for (const note of reports.flatMap(({ notes }) => notes)) cli.note(note);
    }
    return exitCodeOf(undecryptable);
  },
});

export const definition = [exportCommand, erase];
