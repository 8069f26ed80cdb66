import type { Cli } from "../cli.ts";
import { integer, text } from "../flags.ts";
import type { Column } from "./table.ts";

const USUAL_LIMIT = 50;

/** What a list of what only grows is asked with. */
export const pageFlags = {
  before: text("id", "only those older than this one"),
  limit: integer(1, 10_000, `how many (${USUAL_LIMIT})`),
};

/** Prints the newest of a list and says how to see the rest. */
export function printPage<Row extends { id: string }>(
  cli: Cli,
  limit: number | undefined,
  read: (limit: number) => Row[],
  columns: readonly Column<Row>[],
  empty: string,
): void {
  const most = limit ?? USUAL_LIMIT;
  const rows = read(most + 1);
  const shown = rows.slice(0, most);
  cli.printList(shown, columns, empty);
  if (rows.length > most)
    cli.note(`There are older ones: --before ${shown.at(-1)?.id}, or a larger --limit.`);
}
