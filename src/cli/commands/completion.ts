import type { Option } from "commander";
import { readCompletion, SHELLS } from "../../platform/assets.ts";
import { readConfig } from "../../config.ts";
import { safe } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandSpec, type CommandGroup } from "../command.ts";
import type { Candidate } from "../completion/complete.ts";
import { toggle } from "../flags.ts";
import { usageError } from "../failure.ts";

export const definition = command({
  arguments: ["<shell>"],
  examples: [
    "completion bash >> ~/.bashrc",
    "completion fish > ~/.config/fish/completions/deskbell.fish",
  ],
  run(cli, _flags, shell) {
    const known = SHELLS.find((name) => name === shell);
    if (known === undefined)
      throw usageError(
        `There is no completion for the shell '${shell}'.`,
        `deskbell completion bash, or one of ${SHELLS.slice(1).join(", ")}`,
      );
    const script = readCompletion(known);
    if (cli.flags.json) return cli.printObject({ shell, script });
    cli.io.stdout.write(script);
  },
});

/** Called by the completion scripts. It never prints an error: the user is typing a line. */
export const complete = (
  commands: readonly (CommandSpec | CommandGroup)[],
  globals: readonly Option[],
): CommandSpec =>
  command({
    name: "__complete",
    about: "Print the completions of the last word, one per line.",
    arguments: ["[words...]"],
    isHidden: true,
    flags: { next: toggle("complete a new, empty word after these") },
    examples: ["__complete -- keys cr", "__complete --next -- keys show"],
    async run(cli, { next }, words) {
      const { parseLine } = await import("../completion/complete.ts");
      const { candidates, valueKind, typed, head, given } = parseLine(
        commands,
        globals,
        next ? [...words, ""] : words,
      );
      const all = valueKind === undefined ? candidates : await valuesFor(cli, valueKind, given);
      const matching = all.filter(({ value }) => value.startsWith(typed));
      const lines = matching.map(({ value, about }) => `${head}${value}\t${safe(about, 80)}\n`);
      cli.io.stdout.write(lines.join(""));
    },
  });

const BUSY_TIMEOUT_MS = 500;
/**
 * Shells insert the value unquoted: it must contain no shell syntax and not look like an option.
 */
const isHarmless = ({ value }: Candidate): boolean => /^\w[\w./:*-]*$/.test(value);

async function valuesFor(
  cli: Cli,
  valueKind: string,
  given: ReadonlyMap<string, string>,
): Promise<Candidate[]> {
  const { fixedValues, loadLister } = await import("../completion/complete.ts");
  const lister = await loadLister(valueKind);
  if (lister === undefined) return fixedValues(valueKind);
  try {
    const config = readConfig({ dataDir: given.get("--data-dir") ?? cli.flags.dataDir });
    const [{ openRuntime }, { hasCurrentSchema }] = await Promise.all([
      import("../../app/runtime.ts"),
      import("../../store/read-only-database.ts"),
    ]);
    // Pressing Tab must neither create nor migrate a database.
    if (!hasCurrentSchema(config.databasePath)) return [];
    const rt = openRuntime(config, BUSY_TIMEOUT_MS);
    try {
      const slug = given.get("--business") ?? cli.flags.business;
      return lister(
        rt,
        slug === undefined ? undefined : rt.store.businesses.findBySlug(slug),
      ).filter(isHarmless);
    } finally {
      rt.close();
    }
  } catch {
    return [];
  }
}
