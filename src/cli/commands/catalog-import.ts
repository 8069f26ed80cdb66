import type { ImportReport } from "../../domain/catalog/import-report.ts";
import { safe } from "../../domain/safe-text.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { readText } from "../input/catalog-files.ts";
import { writeNewFile } from "../input/new-file.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandGroup } from "../command.ts";
import { requiredText, text } from "../flags.ts";
import { safeLines } from "../output/table.ts";

const flags = {
  businessSlug: requiredText("slug", "slug of the business"),
  businessName: text("name", "its name; the slug if not given"),
  timezone: requiredText("zone", "its time zone, such as Europe/Zurich"),
  currency: requiredText("code", "its currency, such as CHF"),
  out: text("file", "write the catalog there instead of stdout; - is stdout"),
};

const square = command({
  name: "square",
  about:
    "Turn a catalog that Square has published into a catalog file, with a report of what was left out.",
  arguments: ["<file>"],
  flags,
  examples: [
    "catalog import square items.json --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import square items.json --business-slug joes --timezone America/New_York --currency USD | less",
  ],
  async run(cli, { out = "-", ...business }, path) {
    const { importSquare } = await import("../../app/catalog/import-square.ts");
    finish(cli, out, importSquare(readText(path), business));
  },
});

const csv = command({
  name: "csv",
  about:
    "Turn a table of services and dishes into a catalog file. Columns: type, key, parent_key, name, category, price, " +
    "duration_min, description, image, status, allergens, tags; one row a service, variant, dish or size.",
  arguments: ["<file>"],
  flags,
  examples: [
    "catalog import csv prices.csv --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import csv services.csv --business-slug joes --timezone America/New_York --currency USD --json",
  ],
  async run(cli, { out = "-", ...business }, path) {
    const { importCsv } = await import("../../app/catalog/import-csv.ts");
    finish(cli, out, importCsv({ name: path, text: readText(path) }, business));
  },
});

/** The catalog to its file or to stdout, the report to stderr. */
function finish(
  cli: Cli,
  out: string,
  { yaml, report }: { yaml: string; report: ImportReport },
): void {
  const isFile = out !== "-";
  if (isFile) writeNewFile(out, yaml);
  if (cli.flags.json) cli.printObject({ ...(isFile ? { file: out } : { yaml }), ...report });
  else if (!isFile) cli.io.stdout.write(cli.io.stdout.isTTY ? safeLines(yaml) : yaml);
  for (const line of report.taken) cli.note(`taken: ${safe(line)}`);
  for (const { what, why } of report.left) cli.note(`left:  ${safe(what)}: ${safe(why)}`);
  if (isFile) cli.note(`next:  ${cli.program} catalog apply ${shellQuote(out)} --dry-run`);
}

export const catalogImport: CommandGroup = {
  name: "import",
  about: "Make a catalog file from another system's export.",
  commands: [square, csv],
};
