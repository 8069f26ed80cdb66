import { totalBytes, readSources } from "../input/catalog-files.ts";
import { writeNewFile } from "../input/new-file.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { reportChange } from "../output/change-report.ts";
import { command, type CommandGroup } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { choice, text, toggle } from "../flags.ts";
import { createStepReporter } from "../output/step-reporter.ts";
import { keepHeapSmall } from "../running/small-heap.ts";
import { safeLines } from "../output/table.ts";
import { catalogImport } from "./catalog-import.ts";

const FILES = "catalog files, folders of .yaml, .yml and .json files, or - for stdin";

const apply = command({
  name: "apply",
  about: `Bring a business to what its catalog files say, and tell its partners what changed. FILES: ${FILES}.`,
  arguments: ["<files...>"],
  supportsDryRun: true,
  flags: {
    prune: toggle("remove what the named sections do not list"),
    allowMassDelete: toggle("prune also where it is more than a fifth of a kind"),
  },
  examples: ["catalog apply salon.yaml --dry-run", "catalog apply salon.yaml prices.yaml --prune"],
  async run(cli, flags, names) {
    keepHeapSmall();
    const sources = await readSources(names, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const { applyCatalog } = await import("../../app/catalog/catalog.ts");
    const onStep = createStepReporter(cli, rt, totalBytes(sources));
    reportChange(cli, applyCatalog(rt, sources, { ...flags, onStep }));
  },
});

const diff = command({
  name: "diff",
  about: `Say what an apply would change, and exit with ${EXIT.differences} if it would. FILES: ${FILES}.`,
  arguments: ["<files...>"],
  flags: { prune: toggle("count as removed what the named sections do not list") },
  examples: ["catalog diff salon.yaml", "catalog diff ./catalog --prune --json"],
  async run(cli, { prune }, names) {
    keepHeapSmall();
    const sources = await readSources(names, cli.io.stdin);
    const rt = await cli.open();
    rt.startDryRun();
    const { applyCatalog } = await import("../../app/catalog/catalog.ts");
    const onStep = createStepReporter(cli, rt, totalBytes(sources));
    const result = applyCatalog(rt, sources, { prune, onStep });
    reportChange(cli, result, true);
    return result.fromVersion === result.version ? EXIT.ok : EXIT.differences;
  },
});

const FORMATS = ["yaml", "json", "csv"] as const;

const exporting = command({
  name: "export",
  about:
    "Write a business's catalog as a catalog file. Bookings, orders and what is sold out are no part of it.",
  flags: {
    out: text("file", "write it there instead of stdout; - is stdout"),
    format: choice(
      FORMATS,
      "yaml, json, or csv, which holds services and dishes alone (default: yaml)",
    ),
  },
  examples: [
    "catalog export --business salon-aurora --out salon.yaml",
    "catalog export --format csv > prices.csv",
  ],
  async run(cli, { out = "-", format = "yaml" }) {
    keepHeapSmall();
    const rt = await cli.open();
    const business = cli.business(rt);
    const { exportCatalogText } = await import("../../app/catalog/export-catalog.ts");
    const { content, leftOut } = exportCatalogText(rt, business, format);
    if (out !== "-") writeNewFile(out, content);
    if (cli.flags.json)
      cli.printObject({ format, leftOut, ...(out === "-" ? { content } : { file: out }) });
    else if (out === "-") cli.io.stdout.write(cli.io.stdout.isTTY ? safeLines(content) : content);
    if (leftOut.length > 0) cli.note(`A CSV file has no place for: ${leftOut.join(", ")}.`);
    if (out !== "-" && format !== "csv")
      cli.note(`next:  ${cli.program} catalog diff ${shellQuote(out)}`);
  },
});

const schema = command({
  name: "schema",
  about: "Print the JSON Schema of catalog files, with which an editor completes and checks them.",
  examples: ["catalog schema > catalog.schema.json", "catalog schema | jq .properties.business"],
  async run(cli) {
    const { catalogJsonSchema } = await import("../../domain/catalog/file/json-schema.ts");
    cli.io.stdout.write(`${JSON.stringify(catalogJsonSchema(), null, 2)}\n`);
  },
});

export const catalog: CommandGroup = {
  name: "catalog",
  about: "Catalog files: apply them, write them, or make one from another system's export.",
  commands: [apply, diff, exporting, schema, catalogImport],
};
