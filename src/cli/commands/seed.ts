import { PRESETS, type Preset } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { presetSource, readSources, type Source } from "../input/catalog-files.ts";
import { reportChange } from "../output/change-report.ts";
import { command } from "../command.ts";
import type { Io } from "../io.ts";
import { keepHeapSmall } from "../running/small-heap.ts";
import { count, integer, toggle } from "../flags.ts";

export const seed = command({
  name: "seed",
  about: `Fill the box with a business: ${PRESETS.join(", ")}, all of them, or a catalog file of yours.`,
  supportsDryRun: true,
  arguments: ["[what]"],
  flags: {
    size: count(
      1,
      100_000,
      "in place of a business that exists, generate one with so many objects, such as 10k",
    ),
    randomSeed: integer(
      0,
      4_294_967_295,
      "which generated business: the same number gives the same (default: 1)",
    ),
    again: toggle("also when the business exists: bring it back to what the file says"),
  },
  examples: ["seed all", "seed ./my-catalog.yaml --dry-run", "seed --size 10k --random-seed 42"],
  async run(cli, { size, randomSeed, again }, what) {
    if ((size === undefined) === (what === undefined))
      throw new AppError("usage", "Name what to seed, or a --size to generate.", {
        fix: "deskbell seed --help",
      });
    keepHeapSmall();
    const businesses =
      what === undefined
        ? [[await generatedSource(size ?? 0, randomSeed ?? 1)]]
        : await sourcesOf(what, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const { applyCatalog } = await import("../../app/catalog/catalog.ts");
    // All of them or none: a refusal leaves nothing half done.
    const results = rt.tx(() =>
      businesses.map((sources) => {
        const result = applyCatalog(rt, sources, { seedingAt: rt.now() });
        if (result.isNew || again) return result;
        throw new AppError(
          "state_refuses",
          `The business ${result.slug} exists; seeding would undo what was edited since.`,
          {
            fix: "look at what the same command says with --again --dry-run, then leave --dry-run out",
          },
        );
      }),
    );
    for (const result of results) reportChange(cli, result);
  },
});

const isPreset = (name: string): name is Preset => (PRESETS as readonly string[]).includes(name);

async function generatedSource(size: number, randomSeed: number): Promise<Source> {
  const { generateCatalog } = await import("../../app/sample-catalog/generate.ts");
  return { name: "generated.json", text: JSON.stringify(generateCatalog(size, randomSeed)) };
}

/** The files of each business: a folder of several is one. */
async function sourcesOf(what: string, stdin: Io["stdin"]): Promise<Source[][]> {
  if (what === "all") return PRESETS.map((preset) => [presetSource(preset)]);
  return [isPreset(what) ? [presetSource(what)] : await readSources([what], stdin)];
}
