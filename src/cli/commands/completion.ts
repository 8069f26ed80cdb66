import type { Option } from "commander";
import { readCompletion, SHELLS } from "../../assets.ts";
import { readConfig } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandSpec, type CommandGroup } from "../command.ts";
import type { Candidate } from "../completion/complete.ts";
import { toggle } from "../flags.ts";

export const completion = command({
  name: "completion",
  about: `Print what makes a shell complete commands, ids and keys: ${SHELLS.join(", ")}.`,
  arguments: ["<shell>"],
  examples: [
    "completion bash >> ~/.bashrc",
    "completion fish > ~/.config/fish/completions/deskbell.fish",
  ],
  run(cli, _flags, shell) {
    const known = SHELLS.find((name) => name === shell);
    if (known === undefined)
      throw new AppError("usage", `There is no completion for '${shell}'.`, {
        fix: `deskbell completion ${SHELLS.join(" or ")}`,
      });
    const script = readCompletion(known);
    if (cli.flags.json) return cli.printObject({ shell, script });
    cli.io.stdout.write(script);
  },
});

/** What the shells ask. It never fails and never says anything else: somebody is in the middle of a line. */
export const complete = (
  commands: readonly (CommandSpec | CommandGroup)[],
  globals: readonly Option[],
): CommandSpec =>
  command({
    name: "__complete",
    about: "Say what could be the last of the words, a line each.",
    arguments: ["[words...]"],
    isHidden: true,
    flags: { next: toggle("a new word begins after these") },
    examples: ["__complete -- keys cr", "__complete --next -- keys show"],
    async run(cli, { next }, words) {
      const { parseLine } = await import("../completion/complete.ts");
      const { candidates, asked, typed, head, given } = parseLine(
        commands,
        globals,
        next ? [...words, ""] : words,
      );
      const all = asked === undefined ? candidates : await valuesFor(cli, asked, given);
      const fitting = all.filter(({ value }) => value.startsWith(typed));
      const lines = fitting.map(({ value, about }) => `${head}${value}\t${safe(about, 80)}\n`);
      cli.io.stdout.write(lines.join(""));
    },
  });

const BUSY_TIMEOUT_MS = 500;
/** It is put into somebody's command line as it stands: nothing for a shell to run, and no option. */
const isHarmless = ({ value }: Candidate): boolean => /^\w[\w./:*-]*$/.test(value);

async function valuesFor(
  cli: Cli,
  asked: string,
  given: ReadonlyMap<string, string>,
): Promise<Candidate[]> {
  const { fixedValues, listerFor } = await import("../completion/completion-values.ts");
  const lister = listerFor(asked);
  if (lister === undefined) return fixedValues(asked);
  try {
    const config = readConfig({ dataDir: given.get("--data-dir") ?? cli.flags.dataDir });
    const [{ openRuntime }, { hasCurrentSchema }] = await Promise.all([
      import("../../app/runtime.ts"),
      import("../../store/database-facts.ts"),
    ]);
    // A key pressed in a shell makes no data, and brings none to another schema.
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
