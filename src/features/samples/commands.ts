import { PRESETS, type Preset, readPreset } from "../../platform/assets.ts";
import { existsSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { tuneForShortCommand } from "../../cli/v8-flags.ts";
import { whenConfirmed } from "../../cli/input/when-confirmed.ts";
import { readSources, type Source } from "../../cli/input/catalog-files.ts";
import { reportChange } from "../../cli/output/change-report.ts";
import { command } from "../../cli/command.ts";
import type { Io } from "../../cli/io.ts";
import { count, integer, toggle } from "../../cli/flags.ts";
import { usageError } from "../../cli/failure.ts";

export const definition = command({
  supportsDryRun: true,
  arguments: ["[source]"],
  values: Object.fromEntries([...PRESETS, "all"].map((name) => [name, ""])),
  flags: {
    generate: count(1, 100_000, "generate a business with this many objects, such as 10k"),
    randomSeed: integer(
      0,
      4_294_967_295,
      "with --generate: the same number generates the same business (default 1)",
    ),
    overwrite: toggle("update an existing business to the content of the file"),
    cancelAffected: toggle(
      "with --overwrite: cancel the future bookings and ticket orders of objects that this deletes",
    ),
    acceptCurrencyChange: toggle(
      "with --overwrite: confirm that the prices are in the new currency; prices are not converted",
    ),
  },
  examples: [
    "seed all",
    "seed ./my-catalog.yaml --dry-run",
    "seed --generate 10k --random-seed 42",
  ],
  async run(cli, { generate, randomSeed, ...permissions }, source) {
    if ((generate === undefined) === (source === undefined))
      throw usageError(
        "Give either a business to load or --generate.",
        "deskbell seed all, or deskbell seed --generate 10k",
      );
    tuneForShortCommand();
    const sourcesByBusiness =
      source === undefined
        ? [[await generatedSource(generate ?? 0, randomSeed ?? 1)]]
        : await readBusinesses(source, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const [{ seedBusinesses }, { loadCancelAffected }] = await Promise.all([
      import("./seed.ts"),
      import("../../app/catalog/changes/affected-visits.ts"),
    ]);
    const cancelAffected = await loadCancelAffected(permissions.cancelAffected);
    // The flag --overwrite already allows undoing local edits and emptying lists, so the command
    // without --yes asks only about large changes of prices.
    const results = await whenConfirmed(cli, cli.flags.yes || "except prices", (confirmed) =>
      seedBusinesses(rt, sourcesByBusiness, { ...permissions, cancelAffected, confirmed }),
    );
    for (const result of results) reportChange(cli, result, { allowed: permissions });
  },
});

const presetSource = (preset: Preset): Source => ({
  name: `${preset}.yaml`,
  text: readPreset(preset),
});

const isPreset = (name: string): name is Preset => (PRESETS as readonly string[]).includes(name);

async function generatedSource(size: number, randomSeed: number): Promise<Source> {
  const { generateCatalog } = await import("./generate.ts");
  return { name: "generated.json", text: JSON.stringify(generateCatalog(size, randomSeed)) };
}

/** Returns the catalog files of each business; the files in one folder are one business. */
async function readBusinesses(name: string, stdin: Io["stdin"]): Promise<Source[][]> {
  if (name === "all") return PRESETS.map((preset) => [presetSource(preset)]);
  if (isPreset(name)) return [[presetSource(name)]];
  const hint = didYouMean(name, [...PRESETS, "all"]);
  if (hint !== "" && !existsSync(name))
    throw new AppError("resource_not_found", `There is no sample business '${name}'.${hint}`, {
      fix: "deskbell seed all, or give a catalog file",
    });
  return [await readSources([name], stdin)];
}
