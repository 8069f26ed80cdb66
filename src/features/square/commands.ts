import { command } from "../../cli/command.ts";
import { requiredText, text } from "../../cli/flags.ts";
import { readTextFile } from "../../cli/input/catalog-files.ts";
import { businessName, printImport } from "../../cli/output/import.ts";

const square = command({
  name: "square",
  about:
    "Convert a Square catalog to a catalog file, and report what was left out. The file is the JSON response of ListCatalog " +
    "(Square's API Explorer, GET /v2/catalog/list); the table that Square Dashboard exports is a CSV file for catalog import csv.",
  arguments: ["<file>"],
  flags: {
    businessSlug: requiredText("slug", "slug of the new business"),
    businessName,
    timezone: requiredText("zone", "time zone, such as Europe/Zurich"),
    currency: requiredText("code", "currency, such as CHF"),
    out: text("file", "write the catalog to this new file (default -, which is stdout)"),
  },
  examples: [
    "catalog import square items.json --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import square items.json --business-slug joes --timezone America/New_York --currency USD | less",
  ],
  async run(cli, { out = "-", ...business }, path) {
    const { importSquare } = await import("./import-square.ts");
    printImport(cli, out, importSquare(readTextFile(path), business));
  },
});

export const subcommands = [square];
