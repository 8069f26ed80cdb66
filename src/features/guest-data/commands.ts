import { countOf } from "../../domain/text.ts";
import type { Config } from "../../config.ts";
import type { GuestQuery } from "./find-guests.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { EXIT, usageError } from "../../cli/failure.ts";
import { text } from "../../cli/flags.ts";
import { noteRemains } from "../../cli/output/remains.ts";

const query = {
  email: text("address", "bookings, reservations and ticket orders with this email address"),
  phone: text("number", "those with this phone number; only digits are compared"),
  customerRef: text("ref", "those with this customer reference"),
};

function assertNamed({ email, phone, customerRef }: GuestQuery): void {
  if ((email ?? phone ?? customerRef) === undefined)
    throw usageError("Name the guest.", "add --email, --phone or --customer-ref");
}

function noteUndecryptable(cli: Cli, { masterKeyPath }: Config, count: number): void {
  if (count === 0) return;
  cli.note(
    `Not compared: the email address and phone number of the guests of ${countOf(count, "visit")}, which ${masterKeyPath} does not decrypt.`,
  );
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
  flags: query,
  examples: [
    "guests export --email ana@example.com",
    "guests export --phone '+1 718 555 0142' --customer-ref web-812",
  ],
  async run(cli, flags) {
    assertNamed(flags);
    const { rt, business } = await cli.openBusiness();
    const { exportGuests } = await import("./export-guests.ts");
    const { loadGuestRecords } = await import("../../app/feature-hooks.ts");
    const readers = await loadGuestRecords();
    const { visits, undecryptable } = exportGuests(rt, business, flags, readers);
    cli.printJson({ data: visits, undecryptable });
    noteUndecryptable(cli, rt.config, undecryptable);
    return exitCodeOf(undecryptable);
  },
});

const erase = command({
  name: "erase",
  about: `Erase the name, contact details, notes and customer reference of a guest. The bookings stay. ${INCOMPLETE}`,
  supportsDryRun: true,
  flags: query,
  examples: [
    "guests erase --email ana@example.com --dry-run",
    "guests erase --customer-ref web-812 --yes",
  ],
  async run(cli, flags) {
    assertNamed(flags);
    const { rt, business } = await cli.openBusiness();
    await cli.confirm("Erasing a guest", business.slug);
    const { eraseGuests } = await import("./erase-guests.ts");
    const { loadErasedGuests } = await import("../../app/feature-hooks.ts");
    const reporters = await loadErasedGuests();
    const { guests, undecryptable, remains } = eraseGuests(rt, business, flags);
    const reports = reporters.map((report) => report(rt));
    const elsewhere = Object.assign({}, ...reports.map(({ fields }) => fields));
    const visits = guests.map(({ visitId }) => visitId);
    const verb = cli.verb("Erased", "erase");
    cli.report(
      { visits, undecryptable, ...elsewhere, remains },
      `${verb} the guest's data in ${countOf(visits.length, "visit")}.`,
    );
    noteUndecryptable(cli, rt.config, undecryptable);
    if (visits.length > 0) {
      noteRemains(cli, rt.config, remains);
      for (const note of reports.flatMap(({ notes }) => notes)) cli.note(note);
    }
    return exitCodeOf(undecryptable);
  },
});

export const definition = [exportCommand, erase];
