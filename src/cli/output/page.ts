import type { Cli } from "../cli.ts";
import { integer, text } from "../flags.ts";
import type { Column } from "./table.ts";

const DEFAULT_LIMIT = 50;

/** Paging flags of append-only lists. */
export const pageFlags = {
  before: text("id", "only entries older than this ID"),
  limit: integer(1, 10_000, `maximum number of entries (default ${DEFAULT_LIMIT})`),
};

/** Prints the newest entries of a list and says how to see older ones. */
export function printPage<Row extends { id: string }>(
  cli: Cli,
  limit: number | undefined,
  read: (limit: number) => Row[],
  columns: readonly Column<Row>[],
  empty: string,
): void {
  const pageSize = limit ?? DEFAULT_LIMIT;
  const rows = read(pageSize + 1);
  const shown = rows.slice(0, pageSize);
  cli.printList(shown, columns, empty);
  if (rows.length > pageSize)
    cli.note(`There are older entries: add --before ${shown.at(-1)?.id}, or a larger --limit.`);
}
