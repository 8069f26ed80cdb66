import { type Command, type CommanderError, Option } from "commander";
import { AppError } from "../domain/errors.ts";
import type { Cli } from "./cli.ts";
import { type Flags, type FlagValues, optionOf } from "./flags.ts";

/** A command is what it must be told and what it then does. */
export type CommandSpec = {
  name: string;
  about: string;
  arguments: readonly string[];
  flags: Flags;
  /** Not for people: no help lists it. */
  isHidden?: true;
  /**
   * It has --dry-run, which runs the command on a Runtime that saves nothing. A command or use case
   * that also changes files checks the flag, or `rt.isDryRun()`, itself.
   */
  supportsDryRun?: true;
  /** Without the program's name. */
  examples: readonly [string, string, ...string[]];
  run: (cli: Cli, flags: never, ...args: never[]) => Ran;
};

/** Commands under one noun; `usual` is the one that the noun alone means. */
export type CommandGroup = {
  name: string;
  about: string;
  commands: readonly (CommandSpec | CommandGroup)[];
  defaultCommand?: CommandSpec;
};

/** The exit code, where it is not 0. */
type Ran = void | number | Promise<void | number>;

/** `["<key>", "[files...]"]` -> `[string, string[]]` */
type ArgumentValues<Names extends readonly string[]> = {
  [I in keyof Names]: Names[I] extends `${string}...${string}`
    ? string[]
    : Names[I] extends `<${string}`
      ? string
      : string | undefined;
};

/** Declares a command; the types of its flags and arguments follow from their declaration. */
export const command = <
  const A extends readonly string[] = [],
  F extends Flags = Record<never, never>,
>(
  spec: Omit<CommandSpec, "arguments" | "flags" | "run"> & {
    arguments?: A;
    flags?: F;
    run: (cli: Cli, flags: FlagValues<F>, ...args: ArgumentValues<A>) => Ran;
  },
): CommandSpec => ({ arguments: [], flags: {}, ...spec }) as CommandSpec;

/** Gives a command or a group of them to commander. `start` makes the context in which it runs. */
export function addCommand(
  parent: Command,
  spec: CommandSpec | CommandGroup,
  start: (run: (cli: Cli) => Ran, dryRun: boolean) => Promise<void>,
  isDefault = false,
): void {
  const added = parent
    .command(spec.name, { isDefault, hidden: "isHidden" in spec })
    .description(spec.about);
  mapUsageErrors(added);
  if ("commands" in spec) {
    for (const child of spec.commands)
      addCommand(added, child, start, child === spec.defaultCommand);
    return;
  }
  for (const argument of spec.arguments) added.argument(argument);
  for (const option of optionsOf(spec)) added.addOption(option);
  const program = rootOf(added).name();
  added.addHelpText(
    "after",
    `\nExamples:\n${spec.examples.map((line) => `  ${program} ${line}`).join("\n")}`,
  );
  added.action(async () => {
    const raw = added.opts();
    const flags = Object.fromEntries(
      Object.entries(spec.flags).map(([name, flag]) => [name, flag.read(raw[name])]),
    );
    const dryRun = spec.supportsDryRun === true && raw.dryRun === true;
    await start(
      (cli) => spec.run(cli, flags as never, ...(added.processedArgs as never[])),
      dryRun,
    );
  });
}

export const optionsOf = ({ flags, supportsDryRun }: CommandSpec): Option[] => [
  ...Object.entries(flags).map(([name, flag]) => optionOf(name, flag)),
  ...(supportsDryRun ? [new Option("--dry-run", "say what would be done, change nothing")] : []),
];

/** Commander ends the process by itself, and with 1: here what it says becomes a usage error like any other. */
export function mapUsageErrors(target: Command): void {
  target.exitOverride((exit: CommanderError) => {
    // Help and version have been printed; there is nothing to say.
    if (exit.exitCode === 0 || exit.code === "commander.help") throw exit;
    throw new AppError("usage", asSentence(exit.message), {
      fix: `${["deskbell", ...pathOf(target)].join(" ")} --help`,
    });
  });
}

/** `error: unknown command 'x'\n(Did you mean y?)` -> `unknown command 'x'. Did you mean y?` */
const asSentence = (message: string): string =>
  message
    .replace(/^error: /, "")
    .replace(/\.?\n\((.*)\)$/, ". $1")
    .replace(/([^.?])$/, "$1.");

const rootOf = (target: Command): Command => (target.parent ? rootOf(target.parent) : target);

/** The words after the program's name. */
const pathOf = (target: Command): string[] =>
  target.parent ? [...pathOf(target.parent), target.name()] : [];
