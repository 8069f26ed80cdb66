import type { CsvReport } from "../../app/catalog/import-csv.ts";
import { type ImportReport, summarizeSkipped } from "../../domain/catalog/import-report.ts";
import { shellQuote } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandGroup } from "../command.ts";
import { requiredText, text } from "../flags.ts";
import { readBytes, readText } from "../input/catalog-files.ts";
import { writeNewFile } from "../input/new-file.ts";

const flags = {
  businessSlug: requiredText("slug", "slug of the new business"),
  businessName: text("name", "name of the business (default: the slug)"),
  timezone: requiredText("zone", "time zone, such as Europe/Zurich"),
  currency: requiredText("code", "currency, such as CHF"),
  out: text("file", "write the catalog to this new file (default -, which is stdout)"),
};

const square = command({
  name: "square",
  about: "Convert a Square catalog export to a catalog file, and report what was left out.",
  arguments: ["<file>"],
  flags,
  examples: [
    "catalog import square items.json --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import square items.json --business-slug joes --timezone America/New_York --currency USD | less",
  ],
  async run(cli, { out = "-", ...business }, path) {
    const { importSquare } = await import("../../app/catalog/import-square.ts");
    printImport(cli, out, importSquare(readText(path), business));
  },
});

const csv = command({
  name: "csv",
  about:
    "Convert a CSV table of services and dishes to a catalog file. Columns: type, key, parent_key, name, category, price, " +
    "duration_min, description, image, status, allergens, tags; one row per service, variant, dish or size. " +
    "Accepts the encodings, separators and prices that Excel writes, and German titles such as Bezeichnung and Preis.",
  arguments: ["<file>"],
  flags,
  examples: [
    "catalog import csv prices.csv --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import csv services.csv --business-slug joes --timezone America/New_York --currency USD --json",
  ],
  async run(cli, { out = "-", ...business }, path) {
    const { importCsv } = await import("../../app/catalog/import-csv.ts");
    const { yaml, report } = importCsv({ name: path, bytes: readBytes(path) }, business);
    printImport(cli, out, { yaml, report });
    noteEncoding(cli, path, report);
  },
});

function noteEncoding(cli: Cli, path: string, { encoding, encodingAssumed }: CsvReport): void {
  if (encodingAssumed)
    cli.note(`${path} names no encoding and was read as ${encoding}: check letters such as é.`);
}

function printImport(
  cli: Cli,
  out: string,
  { yaml, report }: { yaml: string; report: ImportReport },
): void {
  const isFile = out !== "-";
  if (isFile) writeNewFile(out, yaml);
  if (cli.flags.json) cli.printObject({ ...(isFile ? { file: out } : { yaml }), ...report });
  else if (!isFile) cli.printContent(yaml);
  for (const line of report.imported) cli.note(`imported: ${line}`);
  const skipped = cli.flags.verbose
    ? report.skipped.map(({ part, reason }) => `${part}: ${reason}`)
    : summarizeSkipped(report.skipped);
  for (const line of skipped) cli.note(`left out: ${line}`);
  if (isFile) cli.note(`next: ${cli.program} catalog apply ${shellQuote(out)} --dry-run`);
}

export const catalogImport: CommandGroup = {
  name: "import",
  about: "Convert another system's export to a catalog file.",
  commands: [square, csv],
};
