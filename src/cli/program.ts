import { Command, Option } from "commander";
import { readVersion } from "../assets.ts";
import { isEnvEnabled } from "../config.ts";
import { createCli, type Cli, type GlobalFlags } from "./cli.ts";
import { addCommand, type CommandSpec, type CommandGroup, mapUsageErrors } from "./command.ts";
import { COMMANDS, type CommandEntry } from "./command-table.ts";
import { type Io, widthOf } from "./io.ts";
import { ABOUT, GLOBAL_OPTIONS, rootHelp, VERSION_OPTION } from "./root-help.ts";

const COMPLETE = "__complete";

/**
 * The program with those commands whole that a line may name, and the others by name.
 * @param ended is told the exit code of the command that ran
 */
export async function createProgram(
  program: string,
  io: Io,
  args: readonly string[],
  ended: (exitCode: number) => void,
): Promise<Command> {
  const root = new Command(program)
    .description(ABOUT)
    .version(readVersion(), VERSION_OPTION.flags, VERSION_OPTION.about)
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .configureHelp({ showGlobalOptions: true });
  for (const { flags, about, env } of GLOBAL_OPTIONS) {
    const option = new Option(flags, about);
    root.addOption(env ? option.env(env) : option);
  }
  root.helpInformation = (context) =>
    rootHelp(program, widthOf(context?.error ? io.stderr : io.stdout));
  mapUsageErrors(root);

  const start = async (run: (cli: Cli) => ReturnType<CommandSpec["run"]>, dryRun: boolean) => {
    const cli = createCli(program, io, { ...readGlobalFlags(root), dryRun });
    try {
      ended((await run(cli)) ?? 0);
      if (dryRun) cli.note("That was a dry run: nothing was changed.");
    } finally {
      cli.close();
    }
  };
  const isCompletion = args.includes(COMPLETE);
  const isWanted = ({ name }: CommandEntry) => isCompletion || args.includes(name);
  const specs = await Promise.all(
    COMMANDS.map(async (entry) => (isWanted(entry) ? entry.load() : entry)),
  );
  for (const spec of specs)
    if (isWhole(spec)) addCommand(root, spec, start);
    else root.command(spec.name).description(spec.about);
  if (isCompletion) {
    const { complete } = await import("./commands/completion.ts");
    addCommand(root, complete(specs.filter(isWhole), root.options), start);
  }
  return root;
}

function readGlobalFlags(root: Command): Omit<GlobalFlags, "dryRun"> {
  const given = root.opts();
  // A variable that is empty says as little as one that is not set.
  const text = (name: string) =>
    root.getOptionValueSource(name) === "env" && given[name] === ""
      ? undefined
      : (given[name] as string | undefined);
  const on = (name: string, variable: string) => given[name] === true || isEnvEnabled(variable);
  return {
    dataDir: text("dataDir"),
    business: text("business"),
    json: on("json", "DESKBELL_JSON"),
    quiet: on("quiet", "DESKBELL_QUIET"),
    verbose: on("verbose", "DESKBELL_VERBOSE"),
    yes: on("yes", "DESKBELL_YES"),
    color: given.color === true,
    input: given.input === true && !isEnvEnabled("DESKBELL_NO_INPUT"),
  };
}

const isWhole = (
  spec: CommandEntry | CommandSpec | CommandGroup,
): spec is CommandSpec | CommandGroup => !("load" in spec);
