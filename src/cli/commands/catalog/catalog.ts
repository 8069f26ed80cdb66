import { tuneForShortCommand } from "../../v8-flags.ts";
import { totalBytes, readSources } from "../../input/catalog-files.ts";
import { noteUndo, reportChanges } from "../../output/change-report.ts";
import { command, type CommandGroup } from "../../command.ts";
import { EXIT } from "../../failure.ts";
import { text, toggle } from "../../flags.ts";
import { formatFlag, printCatalogFile } from "../../output/catalog-file.ts";
import { whenConfirmed } from "../../input/when-confirmed.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Cli } from "../../cli.ts";

const FILES =
  "FILES are catalog files, folders of .yaml, .yml and .json files, or - for stdin; a folder without such files stands for its " +
  "subfolders. They may describe several businesses: a file without 'business' belongs to the only business in its folder. With --business, files of another business are refused.";

const apply = command({
  name: "apply",
  about:
    `Apply catalog files to their businesses and send webhooks for what changed. ${FILES} All files are checked first: if one is ` +
    "rejected, nothing is saved. Files that undo edits made by commands, remove all links of an object (such as the staff of a " +
    "service), empty a section, set a price to 0 or change a fifth of all prices by more than half need a confirmation, or " +
    "--yes. Then each business is saved by itself. Exits with " +
    `${EXIT.someFailed} if some could not be saved. --verbose lists every changed object.`,
  arguments: ["<files...>"],
  supportsDryRun: true,
  flags: {
    prune: toggle("delete objects that the sections of the files do not list"),
    allowMassDelete: toggle("allow --prune to delete more than a fifth of a kind"),
    cancelAffected: toggle(
      "cancel the future bookings and ticket orders of objects that this deletes",
    ),
    acceptCurrencyChange: toggle(
      "confirm that the prices in the files are in the new currency; prices are not converted",
    ),
  },
  examples: [
    "catalog apply salon.yaml --dry-run",
    "catalog apply salon.yaml prices.yaml --prune",
    "catalog apply locations/ --dry-run",
  ],
  async run(cli, flags, names) {
    tuneForShortCommand();
    const sources = await readSources(names, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const [{ applyCatalogs }, { loadCancelAffected }] = await Promise.all([
      import("../../../app/catalog/catalog.ts"),
      import("../../../app/catalog/changes/affected-visits.ts"),
    ]);
    const cancelAffected = await loadCancelAffected(flags.cancelAffected);
    return whenConfirmed(cli, cli.flags.yes, (confirmed) => {
      const onStep = createStepReporter(cli, rt, totalBytes(sources));
      const results = applyCatalogs(rt, sources, {
        ...flags,
        onlySlug: cli.flags.typedBusiness,
        cancelAffected,
        confirmed,
        onStep,
      });
      const { exitCode, changed } = reportChanges(cli, results, { allowed: flags });
      if (!cli.flags.dryRun) noteUndo(cli, changed);
      return exitCode;
    });
  },
});

const diff = command({
  name: "diff",
  about: `Show what an apply would change. Exits with ${EXIT.differences} if there are differences. ${FILES}`,
  arguments: ["<files...>"],
  flags: { prune: toggle("also show objects that --prune would delete") },
  examples: ["catalog diff salon.yaml", "catalog diff ./catalog --prune --json"],
  async run(cli, { prune }, names) {
    tuneForShortCommand();
    const sources = await readSources(names, cli.io.stdin);
    const rt = await cli.open();
    rt.startDryRun();
    const { applyCatalogs } = await import("../../../app/catalog/catalog.ts");
    const onStep = createStepReporter(cli, rt, totalBytes(sources));
    const onlySlug = cli.flags.typedBusiness;
    const results = applyCatalogs(rt, sources, { onlySlug, prune, onStep });
    const { changed } = reportChanges(cli, results, { dryRun: true });
    return changed.length > 0 ? EXIT.differences : EXIT.ok;
  },
});

const exporting = command({
  name: "export",
  about:
    "Export a business's catalog as a catalog file, without bookings, orders and sold-out marks.",
  flags: {
    out: text("file", "write to this new file (default -, which is stdout)"),
    format: formatFlag,
  },
  examples: [
    "catalog export --business salon-aurora --out salon.yaml",
    "catalog export --format json > salon.json",
  ],
  async run(cli, { out, format }) {
    tuneForShortCommand();
    const { rt, business } = await cli.openBusiness();
    const { readStoredCatalog } = await import("../../../app/catalog/export-catalog.ts");
    await printCatalogFile(cli, readStoredCatalog(rt, business), { out, format });
  },
});

const schema = command({
  name: "schema",
  about: "Print the JSON Schema of catalog files, for completion and checks in an editor.",
  examples: ["catalog schema > catalog.schema.json", "catalog schema | jq .properties.business"],
  async run(cli) {
    const { catalogJsonSchema } = await import("../../../domain/catalog/file/schema.ts");
    cli.printJson(catalogJsonSchema());
  },
});

/** The group to which features add a command for each format that they convert. */
const catalogImport: CommandGroup = {
  name: "import",
  about: "Update a catalog from a spreadsheet, or convert another system's export.",
  commands: [],
};

export const definition = [apply, diff, exporting, schema, catalogImport];

const QUIET_MS = 1000;
// The first step reads and parses the files, which takes longer than a second above this size.
const LONG_READ_BYTES = 8_000_000;

/** Returns a function that prints the steps of work that takes longer than a second. */
export function createStepReporter(
  cli: Cli,
  rt: Pick<Runtime, "monotonic">,
  bytes: number,
): (step: string) => void {
  const startedAt = rt.monotonic();
  let isFirst = true;
  return (step) => {
    if (isFirst ? bytes > LONG_READ_BYTES : rt.monotonic() - startedAt > QUIET_MS)
      cli.note(`${step} …`);
    isFirst = false;
  };
}
