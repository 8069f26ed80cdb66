import type { ExportedCatalog, ExportFormat } from "../../app/catalog/export-catalog.ts";
import { shellQuote } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { writeNewFile } from "../input/new-file.ts";

export const EXPORT_FORMATS = ["yaml", "json", "csv"] as const satisfies readonly ExportFormat[];

/** Writes an exported catalog to a new file, or to stdout if `out` is -. */
export function printCatalogFile(
  cli: Cli,
  { out, format, content, skipped }: ExportedCatalog & { out: string; format: ExportFormat },
): void {
  if (out !== "-") writeNewFile(out, content);
  if (cli.flags.json)
    cli.printObject({ format, skipped, ...(out === "-" ? { content } : { file: out }) });
  else if (out === "-") cli.printContent(content);
  if (skipped.length > 0)
    cli.note(`Left out, because CSV cannot contain them: ${skipped.join(", ")}.`);
  const next = format === "csv" ? "import csv" : "diff";
  if (out !== "-") cli.note(`next: ${cli.program} catalog ${next} ${shellQuote(out)}`);
}
