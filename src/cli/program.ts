import { Command, Option } from "commander";
import { readVersion } from "../platform/assets.ts";
import { isEnvEnabled } from "../config.ts";
import { Cli } from "./cli.ts";
import type { GlobalFlags } from "./terminal.ts";
import { addCommand, type CommandSpec, type CommandGroup } from "./command.ts";
import type { CommandEntry } from "./command-entry.ts";
import { loadCommand } from "./load-command.ts";
import { COMMANDS, HIDDEN_COMMANDS } from "./command-table.ts";
import { assertNoMissingValue, getSubcommand, mapUsageErrors } from "./usage-errors.ts";
import { wantsJson } from "./failure.ts";
import { type Io, widthOf } from "./io.ts";
import { ABOUT, GLOBAL_OPTIONS, HELP_COMMAND, rootHelp, VERSION_OPTION } from "./root-help.ts";

/**
 * Builds the program for one command line: commands that the line may name are loaded, the others
 * have only their summary.
 * @param onExit called with the exit code of the command that ran
 */
export async function createProgram(
  program: string,
  io: Io,
  args: readonly string[],
  onExit: (exitCode: number) => void,
): Promise<Command> {
  const asJson = wantsJson(args);
  const root = new Command(program)
    .description(ABOUT)
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // Commander writes the help of a group without a subcommand. With --json, an error is thrown.
      writeErr: (text) => void (asJson || io.stderr.write(text)),
      // Errors are thrown, and `run` prints them.
      outputError: () => {},
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .configureHelp({ showGlobalOptions: true });
  // Commander itself keeps only the last value of a repeated option.
  const businesses: string[] = [];
  for (const { flags, about, env } of GLOBAL_OPTIONS) {
    const option = new Option(flags, about);
    if (option.attributeName() === "business")
      option.argParser((slug: string) => {
        businesses.push(slug);
        return slug;
      });
    root.addOption(env ? option.env(env) : option);
  }
  root.helpInformation = (context) =>
    rootHelp(program, widthOf(context?.error ? io.stderr : io.stdout));

  const start = async (run: (cli: Cli) => ReturnType<CommandSpec["run"]>, dryRun: boolean) => {
    const flags = readGlobalFlags(root);
    const named = flags.business === undefined ? [] : businesses;
    const cli = new Cli(program, io, { ...flags, businesses: named, dryRun });
    try {
      onExit((await run(cli)) ?? 0);
      if (dryRun) cli.note("Dry run: nothing was saved.");
    } catch (error) {
      throw cli.explain(error);
    } finally {
      cli.close();
    }
  };
  const isNamed = ({ name }: CommandEntry) => args.includes(name);
  const entries = [...COMMANDS, ...HIDDEN_COMMANDS.filter(isNamed)];
  const specs = await Promise.all(
    entries.map(async (entry) => (isNamed(entry) ? loadCommand(entry) : entry)),
  );
  // A command may have a flag --version of its own. Commander would print the version of the
  // program instead, wherever the flag is on the line.
  const hasOwnVersion = (spec: CommandSpec | CommandGroup): boolean =>
    "commands" in spec
      ? spec.commands.some(hasOwnVersion)
      : "version" in spec.flags && args.includes(spec.name);
  if (!specs.filter(isLoaded).some(hasOwnVersion))
    root.version(readVersion(), VERSION_OPTION.flags, VERSION_OPTION.about);
  for (const spec of specs)
    if (isLoaded(spec)) addCommand(root, spec, start);
    else root.command(spec.name).description(spec.about);
  addHelpCommand(root);
  mapUsageErrors(root, args, asJson);
  checkValuesBeforeParsing(root, args);
  return root;
}

/**
 * Adds the command `help` to a group and to the groups in it. The `help` command of commander
 * itself reads only one word, and prints the help of the group if no command has this name.
 */
function addHelpCommand(group: Command): void {
  if (group.commands.length === 0) return;
  group.commands.forEach(addHelpCommand);
  group
    .helpCommand(false)
    .command(HELP_COMMAND.name)
    .argument("[command...]")
    .description(HELP_COMMAND.about)
    .action((names: string[]) => names.reduce(getSubcommand, group).help());
}

/**
 * Checks that no option lacks its value, before commander parses the command that the line names.
 */
function checkValuesBeforeParsing(group: Command, args: readonly string[]): void {
  if (group.commands.length === 0) return;
  group.hook("preSubcommand", (_, named) => assertNoMissingValue(named, args));
  for (const child of group.commands) checkValuesBeforeParsing(child, args);
}

function readGlobalFlags(root: Command): Omit<GlobalFlags, "businesses" | "dryRun"> {
  const given = root.opts();
  // An empty environment variable counts as unset.
  const text = (name: string) =>
    root.getOptionValueSource(name) === "env" && given[name] === ""
      ? undefined
      : (given[name] as string | undefined);
  const isOn = (name: string, variable: string) => given[name] === true || isEnvEnabled(variable);
  return {
    dataDir: text("dataDir"),
    business: text("business"),
    typedBusiness: root.getOptionValueSource("business") === "cli" ? text("business") : undefined,
    json: isOn("json", "DESKBELL_JSON"),
    quiet: isOn("quiet", "DESKBELL_QUIET"),
    verbose: isOn("verbose", "DESKBELL_VERBOSE"),
    yes: isOn("yes", "DESKBELL_YES"),
    // Commander stores --no-color as `color` and --no-prompt as `prompt`, both true by default.
    color: given.color === true,
    prompt: given.prompt === true && !isEnvEnabled("DESKBELL_NO_PROMPT"),
  };
}

const isLoaded = (
  spec: CommandEntry | CommandSpec | CommandGroup,
): spec is CommandSpec | CommandGroup => !("load" in spec);
