import { VISIT_STATUSES } from "../../domain/bookings/visit.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { VisitFilter } from "../../store/bookings.ts";
import { command, type CommandSpec } from "../command.ts";
import { choice, pageFlags } from "../flags.ts";
import { keyOf } from "./objects.ts";
import type { Column } from "../output/table.ts";

/** Describes bookings or reservations. */
type Visits<Row, Shown> = {
  /** The singular, which forms the texts. */
  noun: string;
  exampleId: string;
  /** The noun for the thing that a cancellation makes available. */
  freed: string;
  read: (rt: Runtime, filter: VisitFilter, limit: number) => Row[];
  toPublic: (row: Row, timezone: string) => Shown;
  columns: (keyOf: (id: string | null) => string) => Column<Shown>[];
  /** Imported only when a command runs. */
  useCases: () => Promise<{
    cancel: (rt: Runtime, slug: string, id: string) => object;
    get: (rt: Runtime, businessId: string, id: string) => Row;
  }>;
};

/** Returns the commands `cancel`, `list` and `show`. */
export function visitCommands<Row, Shown extends { id: string }>(
  visits: Visits<Row, Shown>,
): CommandSpec[] {
  const { noun, exampleId, toPublic } = visits;
  const group = `${noun}s`;

  const cancel = command({
    name: "cancel",
    about: `Cancel a ${noun}, which makes ${visits.freed} available again.`,
    supportsDryRun: true,
    arguments: ["<id>"],
    examples: [`${group} cancel ${exampleId}`, `${group} cancel ${exampleId} --json`],
    async run(cli, _flags, id) {
      const rt = await cli.open();
      const useCases = await visits.useCases();
      cli.printObject(useCases.cancel(rt, cli.business(rt).slug, id));
    },
  });

  const list = command({
    name: "list",
    about: `List ${group}, newest first.`,
    flags: { status: choice(VISIT_STATUSES, `only ${group} with this status`), ...pageFlags },
    examples: [`${group} list --status CONFIRMED`, `${group} list --limit 500 --json`],
    async run(cli, { limit, ...filter }) {
      const { rt, business } = await cli.openBusiness();
      const { id: businessId, doc, slug } = business;
      const read = (maximum: number) =>
        visits
          .read(rt, { businessId, ...filter }, maximum)
          .map((row) => toPublic(row, doc.timezone));
      const columns = visits.columns((id) => (id === null ? "-" : keyOf(rt, id)));
      cli.printPage(limit, read, columns, `${slug} has no ${group}.`);
    },
  });

  const show = command({
    name: "show",
    about: `Show a ${noun}.`,
    arguments: ["<id>"],
    examples: [`${group} show ${exampleId}`, `${group} show ${exampleId} --json`],
    async run(cli, _flags, id) {
      const { rt, business } = await cli.openBusiness();
      const useCases = await visits.useCases();
      cli.printObject(toPublic(useCases.get(rt, business.id, id), business.doc.timezone));
    },
  });

  return [cancel, list, show];
}
