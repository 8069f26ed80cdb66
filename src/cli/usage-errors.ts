import type { Command, Option, CommanderError } from "commander";
import { usageError } from "./failure.ts";
import { didYouMean } from "../domain/nearest.ts";

/**
 * Throws if the word after an option that takes a value is itself an option. Commander takes this
 * word as the value, so an empty variable in `--name $NAME --dry-run` would make `--dry-run` the
 * name and the change real. A text that looks like an option is accepted as `--name=--dry-run`.
 * @param target the command that the line names
 * @param line the words of the command line
 * @throws AppError usage
 */
export function assertNoMissingValue(target: Command, line: readonly string[]): void {
  const options = optionsOf(target);
  // The words after `--` are arguments.
  const optionsEnd = line.includes("--") ? line.indexOf("--") : line.length;
  for (let i = 0; i < optionsEnd; i++) {
    const word = line[i] ?? "";
    const value = line[i + 1];
    if (value === undefined || !takesNextWord(word, options)) continue;
    if (value === "--" || isOption(value, options))
      throw usageError(
        `${word} needs a value: '${value}' is read as an option.`,
        `write a value after ${word}; to use '${value}' as text, write ${asText(word, value)}`,
      );
    // The next word is the value of this option, so it is not checked as an option.
    i += 1;
  }
}

/** Returns the options that the command accepts: its own and those of its parents. */
const optionsOf = (target: Command): readonly Option[] => [
  ...target.options,
  ...(target.parent ? optionsOf(target.parent) : []),
];

const takesNextWord = (word: string, options: readonly Option[]): boolean =>
  options.some(({ required, long, short }) => required && (word === long || word === short));

/**
 * Returns whether a word looks like an option, even an unknown one; `-1` and `-- a note` do not.
 */
const isOption = (value: string, options: readonly Option[]): boolean =>
  /^--[a-z][\w-]*(=.*)?$/is.test(value) || isShortOptions(value, options);

/**
 * Returns whether a word consists of short options, such as `-y` or `-qy`. Commander adds `-h`,
 * which is not in `options`.
 */
const isShortOptions = (value: string, options: readonly Option[]): boolean =>
  /^-[a-z]+$/i.test(value) &&
  value
    .slice(1)
    .split("")
    .every((letter) => letter === "h" || options.some(({ short }) => short === `-${letter}`));

const asText = (word: string, value: string): string =>
  word.startsWith("--") ? `${word}=${value}` : `${word}${value}`;

/**
 * Turns commander's errors in a program and all of its commands into usage errors with our words.
 * Commander's own handler would end the process with 1.
 * @param line the words of the command line
 * @param asJson whether a group without a subcommand is an error instead of a request for help
 */
export function mapUsageErrors(target: Command, line: readonly string[], asJson: boolean): void {
  target.exitOverride((exit) => {
    // Commander throws after it has printed the help or the version, which is not an error.
    if (exit.exitCode === 0) throw exit;
    if (exit.code === "commander.help")
      throw asJson ? usageError("The command is missing.", helpOf(target)) : exit;
    const describe = DESCRIPTIONS[exit.code];
    if (describe === undefined) throw new Error(exit.message, { cause: exit });
    throw usageError(describe(target, line), helpOf(target));
  });
  for (const option of target.options) mapInvalidValue(option, target, line);
  for (const child of target.commands) mapUsageErrors(child, line, asJson);
}

/** Functions that describe an error of the command `target`, by commander's error code. */
const DESCRIPTIONS: Record<string, (target: Command, line: readonly string[]) => string> = {
  "commander.unknownCommand": (target) => describeUnknownCommand(target, target.args[0]),
  "commander.unknownOption": (target) => {
    const flag = target.args.find((word) => isUnknownOption(word, target)) ?? "";
    return `Unknown option '${flag}'.${didYouMean(withoutDashes(flag), optionNames(target), (found) => `--${found}`)}`;
  },
  "commander.missingArgument": ({ registeredArguments, args }) => {
    const missing = registeredArguments.find(
      ({ required }, i) => required && args[i] === undefined,
    );
    return `Missing argument <${missing?.name()}>.`;
  },
  "commander.excessArguments": ({ args }) => `Too many arguments: ${args.join(", ")}.`,
  "commander.missingMandatoryOptionValue": (target) => {
    const missing = target.options.find(
      (option) => option.mandatory && target.getOptionValue(option.attributeName()) === undefined,
    );
    return `Missing ${missing?.flags}.`;
  },
  "commander.optionMissingArgument": ({ options }, line) => {
    // An option that lacks its value is the last one, because an earlier one would take the next
    // word.
    const [option] = line.toReversed().flatMap((word) => findValueOption(word, options) ?? []);
    return `${option?.long} needs a value.`;
  },
};

function describeUnknownCommand(target: Command, name = ""): string {
  const commands = target.createHelp().visibleCommands(target);
  const names = commands.map((found) => found.name());
  return `Unknown command '${name}'.${didYouMean(withoutDashes(name), names, (found) => found)}`;
}

/**
 * Returns the command with a name in a group.
 * @throws AppError usage if there is none
 */
export function getSubcommand(group: Command, name: string): Command {
  const found = group.commands.find((child) => child.name() === name);
  if (found !== undefined) return found;
  throw usageError(describeUnknownCommand(group, name), helpOf(group));
}

const withoutDashes = (word: string): string => word.replace(/^--/, "");

/**
 * Returns whether a word is an unknown option: commander has removed the known ones. A negative
 * number is an argument, except after a group, which takes no arguments.
 */
const isUnknownOption = (word: string, { commands }: Command): boolean =>
  /^-./s.test(word) && (commands.length > 0 || !/^-(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/i.test(word));

/**
 * Returns the option that a word names, if the option requires a value. The word is `--name`, `-n`,
 * or letters such as `-qn`, of which the last one counts.
 */
const findValueOption = (word: string, options: readonly Option[]): Option | undefined =>
  options.find(
    ({ required, long, short }) =>
      required && (word === long || (/^-\w+$/.test(word) && short === `-${word.at(-1)}`)),
  );

/**
 * Replaces the error of commander about a wrong value by a usage error, which names the option or
 * the environment variable that the value comes from.
 */
function mapInvalidValue(option: Option, target: Command, line: readonly string[]): void {
  const parse = option.parseArg;
  if (parse === undefined) return;
  option.argParser((value, before) => {
    try {
      return parse<unknown>(value, before);
    } catch (error) {
      if ((error as CommanderError).code !== "commander.invalidArgument") throw error;
      const { message } = error as CommanderError;
      throw usageError(`Invalid ${sourceOf(option, line)} '${value}'. ${message}`, helpOf(target));
    }
  });
}

/**
 * Returns where a value comes from: the option if it is on the command line, else its environment
 * variable.
 */
function sourceOf({ long = "", envVar }: Option, line: readonly string[]): string {
  const isGiven = line.some((word) => word === long || word.startsWith(`${long}=`));
  return isGiven || envVar === undefined ? long : envVar;
}

const optionNames = (target: Command): string[] => [
  ...target
    .createHelp()
    .visibleOptions(target)
    .flatMap(({ long }) => (long ? [long.slice("--".length)] : [])),
  ...(target.parent ? optionNames(target.parent) : []),
];

const helpOf = (target: Command): string => `${["deskbell", ...pathOf(target)].join(" ")} --help`;

const pathOf = (target: Command): string[] =>
  target.parent ? [...pathOf(target.parent), target.name()] : [];
