import type { Kind } from "../../domain/catalog/catalog.ts";
import type { VisitStatus } from "../../domain/bookings/booking.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { VisitFilter } from "../../store/bookings.ts";
import { command, type CommandSpec } from "../command.ts";
import { choice } from "../flags.ts";
import { listObjects } from "./objects.ts";
import { pageFlags, printPage } from "../output/page.ts";
import type { Column } from "../output/table.ts";

const STATUSES = [
  "PENDING",
  "CONFIRMED",
  "CANCELLED",
  "COMPLETED",
  "NO_SHOW",
] as const satisfies VisitStatus[];

/** Bookings or reservations: what is kept, and how it is shown. */
type Visits<Row, Shown> = {
  one: string;
  exampleId: string;
  /** What a cancelled one gives back. */
  freed: string;
  read: (rt: Runtime, filter: VisitFilter, limit: number) => Row[];
  represent: (row: Row, timezone: string) => Shown;
  /** What is named by its author's key in a list. */
  kinds: readonly Kind[];
  columns: (keyOf: (id: string | null) => string) => Column<Shown>[];
  /** Loaded by the command that needs them. */
  useCases: () => Promise<{
    cancel: (rt: Runtime, slug: string, id: string) => Shown;
    require: (rt: Runtime, businessId: string, id: string) => Row;
  }>;
};

/** What is done with a visit once it is made. */
export function visitCommands<Row, Shown extends { id: string }>(
  visits: Visits<Row, Shown>,
): CommandSpec[] {
  const { one, exampleId, represent } = visits;
  const group = `${one}s`;

  const cancel = command({
    name: "cancel",
    about: `Cancel a ${one}; ${visits.freed} is free again.`,
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
    about: `List ${group}, the newest first.`,
    flags: { status: choice(STATUSES, "only those in this state"), ...pageFlags },
    examples: [`${group} list --status CONFIRMED`, `${group} list --limit 500 --json`],
    async run(cli, { limit, ...filter }) {
      const rt = await cli.open();
      const business = cli.business(rt);
      const { id: businessId, doc, slug } = business;
      const read = (most: number) =>
        visits.read(rt, { businessId, ...filter }, most).map((row) => represent(row, doc.timezone));
      const objects = visits.kinds.flatMap((kind) => listObjects(rt, business, kind));
      const keys = new Map(objects.map(({ id, key }) => [id, key]));
      const columns = visits.columns((id) => (id === null ? "-" : (keys.get(id) ?? id)));
      printPage(cli, limit, read, columns, `${slug} has no ${group}.`);
    },
  });

  const show = command({
    name: "show",
    about: `Show a ${one}.`,
    arguments: ["<id>"],
    examples: [`${group} show ${exampleId}`, `${group} show ${exampleId} --json`],
    async run(cli, _flags, id) {
      const rt = await cli.open();
      const business = cli.business(rt);
      const useCases = await visits.useCases();
      cli.printObject(represent(useCases.require(rt, business.id, id), business.doc.timezone));
    },
  });

  return [cancel, list, show];
}
