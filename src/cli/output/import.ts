import type { ImportReport } from "../../domain/catalog/import-report.ts";
import { shellQuote } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { text } from "../flags.ts";
import { assertNewFile, writeNewFile } from "../input/new-file.ts";

// The commands that convert another format to a catalog file share this code.

export const businessName = text("name", "name of the business (default: the slug)");

export function noteSkipped(cli: Cli, { skipped }: ImportReport): void {
  for (const { part, reason } of skipped) cli.note(`left out: ${part}: ${reason}`);
}

/** Prints or writes the catalog file, and says what was imported and left out. */
export function printImport(
  cli: Cli,
  out: string,
  { yaml, report }: { yaml: string; report: ImportReport },
): void {
  const isFile = out !== "-";
  if (isFile)
    if (cli.flags.dryRun) assertNewFile(out);
    else writeNewFile(out, yaml);
  if (cli.flags.json) cli.printObject({ ...(isFile ? { file: out } : { yaml }), ...report });
  else if (!isFile) cli.printContent(yaml);
  for (const line of report.imported) cli.note(`imported: ${line}`);
  noteSkipped(cli, report);
  if (isFile && !cli.flags.dryRun)
    cli.note(`next: ${cli.program} catalog apply ${shellQuote(out)} --dry-run`);
}
