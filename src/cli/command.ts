import { type Command, Option } from "commander";
import type { Cli } from "./cli.ts";
import { type Flags, type FlagValues, optionOf } from "./flags.ts";

export type CommandSpec = {
  name: string;
  about: string;
  arguments: readonly string[];
  flags: Flags;
  /** The possible values of the argument and their descriptions, for the completion in shells. */
  values?: Readonly<Record<string, string>>;
  /** The command runs if its group is named without a command. */
  isDefault?: true;
  /**
   * Adds --dry-run, which runs the command on a Runtime that saves nothing. A command or use case
   * that also changes files checks the flag, or `rt.isDryRun()`, itself. Output on stdout undoes
   * what the command has written so far, so a command reads and writes before it prints.
   */
  supportsDryRun?: true;
  examples: readonly [string, string, ...string[]];
  run: (cli: Cli, flags: never, ...args: never[]) => CommandResult;
};

export type CommandGroup = {
  name: string;
  about: string;
  commands: readonly (CommandSpec | CommandGroup)[];
};

type CommandResult = void | number | Promise<void | number>;

/**
 * Flags that a feature adds to a command, and a `run` that replaces the command's own if `isMeant`
 * returns true.
 */
export type CommandVariant = Pick<CommandSpec, "flags" | "run"> & {
  /** Arguments that replace those of the command: a flag may stand for a required argument. */
  arguments?: readonly string[];
  examples: readonly string[];
  /** Returns whether to run the variant, for example because one of its flags is given. */
  isMeant: (flags: never, ...args: never[]) => boolean;
};

/**
 * Returns the variant, with the types of its flags inferred. A variant that reads a flag of the
 * command lists that flag again.
 */
export const variant = <F extends Flags, const A extends readonly string[] = []>(
  spec: Omit<CommandVariant, "arguments" | "flags" | "isMeant" | "run"> & {
    arguments?: A;
    flags: F;
    isMeant: (flags: FlagValues<F>, ...args: ArgumentValues<A>) => boolean;
    run: (cli: Cli, flags: FlagValues<F>, ...args: ArgumentValues<A>) => CommandResult;
  },
): CommandVariant => spec as CommandVariant;

/** Returns a command that runs the first of its variants that is meant, or else itself. */
export const withVariants = (
  spec: CommandSpec,
  variants: readonly CommandVariant[],
): CommandSpec => ({
  ...spec,
  arguments: variants.find((one) => one.arguments)?.arguments ?? spec.arguments,
  flags: Object.assign({}, spec.flags, ...variants.map(({ flags }) => flags)),
  examples: [...spec.examples, ...variants.flatMap(({ examples }) => examples)],
  run: (cli, flags, ...args) =>
    (variants.find(({ isMeant }) => isMeant(flags, ...args)) ?? spec).run(cli, flags, ...args),
});

/** The types of the values of arguments: `["<key>", "[files...]"]` -> `[string, string[]]`. */
type ArgumentValues<Names extends readonly string[]> = {
  [I in keyof Names]: Names[I] extends `${string}...${string}`
    ? string[]
    : Names[I] extends `<${string}`
      ? string
      : string | undefined;
};

/**
 * Returns the command, with the types of its flags and arguments inferred. A command without a
 * group has its name and summary in the command table.
 */
export const command = <
  const A extends readonly string[] = [],
  F extends Flags = Record<never, never>,
>(
  spec: Omit<CommandSpec, "name" | "about" | "arguments" | "flags" | "run"> & {
    name?: string;
    about?: string;
    arguments?: A;
    flags?: F;
    run: (cli: Cli, flags: FlagValues<F>, ...args: ArgumentValues<A>) => CommandResult;
  },
): CommandSpec => ({ name: "", about: "", arguments: [], flags: {}, ...spec }) as CommandSpec;

/**
 * Adds a command or group to the program.
 * @param start creates the `Cli` and runs the command with it
 */
export function addCommand(
  parent: Command,
  spec: CommandSpec | CommandGroup,
  start: (run: (cli: Cli) => CommandResult, dryRun: boolean) => Promise<void>,
): void {
  const added = parent
    .command(spec.name, { isDefault: "isDefault" in spec })
    .summary(firstSentence(spec.about))
    .description(spec.about);
  if ("commands" in spec) {
    for (const child of spec.commands) addCommand(added, child, start);
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

/** Returns the first sentence of a description: the help of a group has one line per command. */
const firstSentence = (text: string): string => /^.*?[.](?= [A-Z]|$)/s.exec(text)?.[0] ?? text;

export const optionsOf = ({ flags, supportsDryRun }: CommandSpec): Option[] => [
  ...Object.entries(flags).map(([name, flag]) => optionOf(name, flag)),
  ...(supportsDryRun
    ? [new Option("--dry-run", "show what would happen without saving anything")]
    : []),
];

const rootOf = (target: Command): Command => (target.parent ? rootOf(target.parent) : target);
