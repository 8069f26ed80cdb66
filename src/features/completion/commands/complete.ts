import { Option } from "commander";
import { readConfig } from "../../../config.ts";
import { safe } from "../../../domain/text.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { COMMANDS } from "../../../cli/command-table.ts";
import { toggle } from "../../../cli/flags.ts";
import type { Suggestion } from "../../../cli/live-values.ts";
import { loadCommand } from "../../../cli/load-command.ts";
import { GLOBAL_OPTIONS, VERSION_OPTION } from "../../../cli/root-help.ts";
import { parseLine } from "./parse-line.ts";
import { fixedValues, loadLister } from "./values.ts";

/** Completes a line for the shell scripts. Prints no errors, because the user is still typing. */
export const definition = command({
  arguments: ["[words...]"],
  flags: { next: toggle("complete a new, empty word after these") },
  examples: ["__complete -- keys cr", "__complete --next -- keys show"],
  async run(cli, { next }, words) {
    const commands = await Promise.all(COMMANDS.map(loadCommand));
    const globals = [...GLOBAL_OPTIONS, VERSION_OPTION].map(
      ({ flags, about }) => new Option(flags, about),
    );
    const { candidates, valueKind, typed, prefix, givenOptions } = parseLine(
      commands,
      globals,
      next ? [...words, ""] : words,
    );
    const suggestions =
      valueKind === undefined ? candidates : await valuesFor(cli, valueKind, givenOptions);
    const matching = suggestions.filter(({ value }) => value.startsWith(typed));
    const lines = matching.map(({ value, about }) => `${prefix}${value}\t${safe(about, 80)}\n`);
    cli.io.stdout.write(lines.join(""));
  },
});

/** A short wait for a locked database: the user has pressed Tab and waits for the candidates. */
const BUSY_TIMEOUT_MS = 500;
/**
 * Returns whether a shell can insert a value without quotes. The value must contain no shell
 * syntax, and must not look like a flag.
 */
const isSafeUnquoted = ({ value }: Suggestion): boolean => /^\w[\w./:*-]*$/.test(value);

async function valuesFor(
  cli: Cli,
  valueKind: string,
  givenOptions: ReadonlyMap<string, string>,
): Promise<Suggestion[]> {
  const lister = await loadLister(valueKind);
  if (lister === undefined) return fixedValues(valueKind);
  try {
    const config = readConfig({ dataDir: givenOptions.get("--data-dir") ?? cli.flags.dataDir });
    const [{ openRuntime }, { hasCurrentSchema }] = await Promise.all([
      import("../../../app/runtime.ts"),
      import("../../../store/database/read-only-database.ts"),
    ]);
    // Pressing Tab must neither create nor migrate a database.
    if (!hasCurrentSchema(config.databasePath)) return [];
    const rt = openRuntime(config, BUSY_TIMEOUT_MS);
    try {
      const slug = givenOptions.get("--business") ?? cli.flags.business;
      return lister(
        rt,
        slug === undefined ? undefined : rt.store.businesses.findBySlug(slug),
      ).filter(isSafeUnquoted);
    } finally {
      rt.close();
    }
  } catch {
    return [];
  }
}
