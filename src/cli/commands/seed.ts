import { PRESETS, type Preset } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { presetSource, readSources, type Source } from "../catalog-files.ts";
import { reportChange } from "../change-report.ts";
import { command } from "../command.ts";
import type { Io } from "../io.ts";
import { toggle } from "../flags.ts";

export const seed = command({
  name: "seed",
  about: `Fill the box with a business: ${PRESETS.join(", ")}, all of them, or a catalog file of yours.`,
  arguments: ["<what>"],
  flags: {
    again: toggle("also when the business exists: bring it back to what the file says"),
    dryRun: toggle("say what would change, write nothing"),
  },
  examples: ["seed all", "seed ./my-catalog.yaml --dry-run"],
  async run(cli, { again, dryRun }, what) {
    const businesses = await sourcesOf(what, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const { applyCatalog } = await import("../../app/catalog.ts");
    // All of them or none: a refusal leaves nothing half done.
    const results = rt.tx(() =>
      businesses.map((sources) => {
        const result = applyCatalog(rt, sources, { dryRun, seedingAt: rt.now() });
        if (result.isNew || again) return result;
        throw new AppError(
          "state_refuses",
          `The business ${result.slug} exists; seeding would undo what was edited since.`,
          {
            fix: `look at what deskbell seed ${what} --again --dry-run says, then leave --dry-run out`,
          },
        );
      }),
    );
    for (const result of results) reportChange(cli, result, { dryRun });
  },
});

const isPreset = (name: string): name is Preset => (PRESETS as readonly string[]).includes(name);

/** The files of each business: a folder of several is one. */
async function sourcesOf(what: string, stdin: Io["stdin"]): Promise<Source[][]> {
  if (what === "all") return PRESETS.map((preset) => [presetSource(preset)]);
  return [isPreset(what) ? [presetSource(what)] : await readSources([what], stdin)];
}
