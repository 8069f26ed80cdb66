import type { CsvReport, ImportedFile } from "./import-csv.ts";
import type { CsvSource } from "./decode.ts";
import type { Runtime } from "../../app/runtime.ts";
import { countOf } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { type Cli, dataExists } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { usageError } from "../../cli/failure.ts";
import { text, toggle } from "../../cli/flags.ts";
import { tuneForShortCommand } from "../../cli/v8-flags.ts";
import { readBytes } from "../../cli/input/catalog-files.ts";
import { businessName, noteSkipped, printImport } from "../../cli/output/import.ts";
import { noteUndo, reportChange } from "../../cli/output/change-report.ts";

const csv = command({
  name: "csv",
  about:
    "Update services and dishes from a CSV table, such as an export edited in a spreadsheet. Only the columns in the table " +
    "change, and only in its rows: nothing is deleted. A row is found by its key, or without one by its name; any other row is " +
    "created if it has the required columns. In a row with a key, as in an export, an empty cell clears a description, category, " +
    "image, tags or allergens; any other empty cell changes nothing. Columns: type, key, parent_key, name, category, price, " +
    "duration_min, description, image, status, allergens, tags, or German titles such as Bezeichnung and Preis; one row per " +
    "service, variant, dish, size, add-on or category. Accepts the encodings, separators and prices that Excel writes; an error " +
    "names the row as the spreadsheet numbers it. Shows what would change and asks; scripts pass --yes. catalog undo undoes it. " +
    "For a new business, --business-slug, --timezone and --currency convert the table to a catalog file.",
  arguments: ["<file>"],
  supportsDryRun: true,
  flags: {
    out: text(
      "file",
      "save nothing; write the resulting catalog file to this new file, or - for stdout",
    ),
    replace: toggle(
      "write a catalog file with nothing but the table: applying it resets the fields that CSV lacks, and with --prune " +
        "deletes what the table lacks",
    ),
    businessSlug: text("slug", "slug of a new business"),
    businessName,
    timezone: text("zone", "its time zone, such as Europe/Zurich"),
    currency: text("code", "its currency, such as CHF"),
  },
  examples: [
    "catalog import csv prices.csv --business salon-aurora --dry-run",
    "catalog import csv prices.csv --business-slug joes --timezone Europe/Zurich --currency CHF --out joes.yaml",
  ],
  async run(cli, { out, replace, ...described }, path) {
    tuneForShortCommand();
    const source = { name: path, bytes: readBytes(path) };
    const stored = await openStored(cli, described);
    const writesFile = out !== undefined || replace || described.businessSlug !== undefined;
    if (stored !== null && !writesFile) return updateFromCsv(cli, stored, source);
    const { report, yaml } = await convert(stored, source, { ...described, replace });
    printImport(cli, out ?? "-", { yaml, report });
    noteEncoding(cli, path, report);
  },
});

type Stored = { rt: Runtime; business: BusinessRow };
type NewBusinessFlags = {
  [K in "businessSlug" | "businessName" | "timezone" | "currency"]?: string | undefined;
};

/** Returns the business to update, or null for a new one. */
async function openStored(cli: Cli, described: NewBusinessFlags): Promise<Stored | null> {
  const { businessSlug, timezone, currency } = described;
  if (businessSlug === undefined && (timezone ?? currency ?? described.businessName) !== undefined)
    throw usageError(
      "Missing --business-slug.",
      "add it for a new business, or leave out its details",
    );
  if (businessSlug === undefined) return cli.openBusiness();
  if (!dataExists(cli.config())) return null;
  const rt = await cli.open();
  const business = rt.store.businesses.findBySlug(businessSlug);
  if (business === undefined) return null;
  const { doc } = business;
  for (const [flag, given, actual] of [
    ["--timezone", timezone, doc.timezone],
    ["--currency", currency, doc.currency],
    ["--business-name", described.businessName, doc.name],
  ])
    if (given !== undefined && given !== actual)
      throw usageError(
        `${businessSlug} exists, and its ${flag?.slice(2)} is ${actual}, not ${given}.`,
        `leave out ${flag}`,
      );
  return { rt, business };
}

async function convert(
  stored: Stored | null,
  source: CsvSource,
  {
    businessSlug = "",
    timezone,
    currency,
    businessName,
    replace,
  }: NewBusinessFlags & { replace: boolean },
): Promise<ImportedFile> {
  const { convertCsv, importCsv, planCsvImport } = await import("./import-csv.ts");
  if (stored === null) {
    if (timezone === undefined) throw usageError("Missing --timezone.", "add --timezone ZONE");
    if (currency === undefined) throw usageError("Missing --currency.", "add --currency CODE");
    return importCsv(source, { businessSlug, businessName, timezone, currency });
  }
  const { rt, business } = stored;
  if (replace) {
    const { writeBusiness } = await import("../../domain/catalog/file/business.ts");
    return convertCsv(source, writeBusiness(business.doc));
  }
  const { writeCatalogText } = await import("../../app/catalog/export-catalog.ts");
  const { replacement, report } = planCsvImport(rt, business, source);
  return { yaml: writeCatalogText(replacement.catalog, "yaml").content, report };
}

async function updateFromCsv(cli: Cli, { rt, business }: Stored, source: CsvSource): Promise<void> {
  const { planCsvImport } = await import("./import-csv.ts");
  const { planReplacement, replaceCatalog } =
    await import("../../app/catalog/changes/replace-catalog.ts");
  const { replacement, report } = planCsvImport(rt, business, source);
  const { slug } = business;
  const { json, dryRun, yes } = cli.flags;
  noteEncoding(cli, source.name, report);
  noteSkipped(cli, report);
  for (const { column, objects } of report.cleared)
    cli.note(`empty cells clear the ${column} of ${countOf(objects, "object")}.`);
  const plan = planReplacement(rt, replacement);
  if (plan.version !== plan.fromVersion) {
    // A person must see the changes before answering the question. If no question follows, the
    // changes are printed once, below.
    if (!yes && !dryRun && !json) reportChange(cli, plan, { dryRun: true });
    await cli.agree(
      `Update ${slug} from ${source.name}?`,
      usageError(`Updating ${slug} from ${source.name} needs a confirmation.`, "add --yes"),
    );
  }
  const result = dryRun ? plan : replaceCatalog(rt, replacement, { confirmed: true });
  if (json) return cli.printObject({ ...result, ...report });
  reportChange(cli, result);
  if (!dryRun && result.version !== result.fromVersion) noteUndo(cli, [result]);
}

function noteEncoding(cli: Cli, path: string, { encoding, encodingAssumed }: CsvReport): void {
  if (encodingAssumed)
    cli.note(`${path} names no encoding and was read as ${encoding}: check letters such as é.`);
}

export const subcommands = [csv];
