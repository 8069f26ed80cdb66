import type { Command, Option } from "commander";
import { usageError } from "./failure.ts";

/**
 * Throws if the word after an option that takes a value is itself an option. Commander takes it as
 * the value, so an empty shell variable would turn `--name $NAME --dry-run` into a name and a real
 * change. A text that looks like an option is accepted as `--name=--dry-run`.
 * @param line the words of the command line
 * @throws AppError usage
 */
export function assertNoMissingValue(target: Command, line: readonly string[]): void {
  const options = optionsOf(target);
  const end = line.includes("--") ? line.indexOf("--") : line.length;
  for (let at = 0; at < end; at++) {
    const word = line[at] ?? "";
    const value = line[at + 1];
    if (value === undefined || !takesNextWord(word, options)) continue;
    if (value === "--" || isOption(value, options))
      throw usageError(
        `${word} needs a value: '${value}' is read as an option.`,
        `write a value after ${word}; to use '${value}' as text, write ${asText(word, value)}`,
      );
    at += 1;
  }
}

/** The options of the command, and those that are accepted anywhere. */
const optionsOf = (target: Command): readonly Option[] => [
  ...target.options,
  ...(target.parent ? optionsOf(target.parent) : []),
];

const takesNextWord = (word: string, options: readonly Option[]): boolean =>
  options.some(({ required, long, short }) => required && (word === long || word === short));

/** Options of other commands and misspelled ones count too, unlike `-1` and `-- a note`. */
const isOption = (value: string, options: readonly Option[]): boolean =>
  /^--[a-z][\w-]*(=.*)?$/is.test(value) || isShortOptions(value, options);

/** `-y`, `-qy` */
const isShortOptions = (value: string, options: readonly Option[]): boolean =>
  /^-[a-z]+$/i.test(value) &&
  value
    .slice(1)
    .split("")
    .every((letter) => letter === "h" || options.some(({ short }) => short === `-${letter}`));

const asText = (word: string, value: string): string =>
  word.startsWith("--") ? `${word}=${value}` : `${word}${value}`;
