import { totalBytes, readSources } from "../input/catalog-files.ts";
import { writeNewFile } from "../input/new-file.ts";
import { shellQuote } from "../../domain/text.ts";
import { reportChange } from "../output/change-report.ts";
import { command, type CommandGroup } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { choice, text, toggle } from "../flags.ts";
import { createStepReporter } from "../output/step-reporter.ts";
import { keepHeapSmall } from "../running/small-heap.ts";
import { safeLines } from "../output/table.ts";
import { catalogImport } from "./catalog-import.ts";

const FILES = "FILES are catalog files, folders of .yaml, .yml and .json files, or - for stdin.";

const apply = command({
  name: "apply",
  about: `Apply catalog files to a business and send webhooks for what changed. ${FILES}`,
  arguments: ["<files...>"],
  supportsDryRun: true,
  flags: {
    prune: toggle("delete objects that the sections of the files do not list"),
    allowMassDelete: toggle("allow --prune to delete more than a fifth of a kind"),
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
  about: `Show what an apply would change. Exits with ${EXIT.differences} if there are differences. ${FILES}`,
  arguments: ["<files...>"],
  flags: { prune: toggle("also show objects that --prune would delete") },
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
    "Export a business's catalog as a catalog file, without bookings, orders and sold-out marks.",
  flags: {
    out: text("file", "write to this new file (default -, which is stdout)"),
    format: choice(FORMATS, "file format; csv contains only services and dishes (default yaml)"),
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
    const { content, skipped } = exportCatalogText(rt, business, format);
    if (out !== "-") writeNewFile(out, content);
    if (cli.flags.json)
      cli.printObject({ format, skipped, ...(out === "-" ? { content } : { file: out }) });
    else if (out === "-") cli.io.stdout.write(cli.io.stdout.isTTY ? safeLines(content) : content);
    if (skipped.length > 0)
      cli.note(`Left out, because CSV cannot contain them: ${skipped.join(", ")}.`);
    if (out !== "-" && format !== "csv")
      cli.note(`next: ${cli.program} catalog diff ${shellQuote(out)}`);
  },
});

const schema = command({
  name: "schema",
  about: "Print the JSON Schema of catalog files, for completion and checks in an editor.",
  examples: ["catalog schema > catalog.schema.json", "catalog schema | jq .properties.business"],
  async run(cli) {
    const { catalogJsonSchema } = await import("../../domain/catalog/file/json-schema.ts");
    cli.io.stdout.write(`${JSON.stringify(catalogJsonSchema(), null, 2)}\n`);
  },
});

export const catalog: CommandGroup = {
  name: "catalog",
  about: "Apply, compare, export and import catalog files.",
  commands: [apply, diff, exporting, schema, catalogImport],
};
