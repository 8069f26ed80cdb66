import type { Option } from "commander";
import { type CommandGroup, type CommandSpec, optionsOf } from "../../../cli/command.ts";
import { type Suggestion, suggestion } from "../../../cli/live-values.ts";

type Node = CommandSpec | CommandGroup;

/** The word to complete: its candidates, or the kind of value to look up in the data. */
export type CompletionPoint = {
  candidates: Suggestion[];
  /**
   * Names the kind of value to look up by its noun and its argument or flag, such as `keys <key>`
   * or `tickets --order`; undefined if no value is expected.
   */
  valueKind: string | undefined;
  /** The beginning of the value that the user has typed. */
  typed: string;
  /** The text before the value, such as `--event=`; "" if there is none. */
  prefix: string;
  /** The values of the options before the word, by their long names. */
  givenOptions: Map<string, string>;
};

/** Parses an incomplete command line and completes its last word, which may be empty. */
export function parseLine(
  commands: readonly Node[],
  globals: readonly Option[],
  words: readonly string[],
): CompletionPoint {
  const path: string[] = [];
  const givenOptions = new Map<string, string>();
  let node: Node | undefined;
  /** The number of arguments before the word. */
  let argumentCount = 0;
  let pendingOption: Option | undefined;
  let hasDoubleDash = false;
  let isUnknownCommand = false;

  const options = (): Option[] => {
    const own = ownOptions(node);
    const isOwn = ({ long }: Option) => own.some((option) => option.long === long);
    return [...own, ...globals.filter((option) => !isOwn(option))];
  };
  const findOption = (word: string): Option | undefined =>
    options().find(({ long, short }) => word === long || word === short);
  const children = (): readonly Node[] => (isGroup(node) ? (node?.commands ?? commands) : []);

  for (const word of words.slice(0, -1)) {
    if (pendingOption) {
      givenOptions.set(pendingOption.long ?? "", word);
      pendingOption = undefined;
    } else if (word === "--") hasDoubleDash = true;
    else if (!hasDoubleDash && word.startsWith("-")) {
      const [name = "", value] = splitOnce(word);
      const option = findOption(name);
      if (option && takesValue(option) && value === undefined) pendingOption = option;
      else if (option && value !== undefined) givenOptions.set(name, value);
    } else {
      const child = children().find(({ name }) => name === word);
      if (child) {
        node = child;
        path.push(word);
      } else if (isGroup(node)) isUnknownCommand = true;
      else argumentCount += 1;
    }
  }

  const current = words.at(-1) ?? "";
  const createPoint = (fields: Partial<CompletionPoint>): CompletionPoint => ({
    candidates: [],
    valueKind: undefined,
    typed: current,
    prefix: "",
    givenOptions,
    ...fields,
  });
  const noun = path[0] ?? "";
  if (isUnknownCommand) return createPoint({});
  if (pendingOption) return createPoint(optionValues(noun, pendingOption));
  if (!hasDoubleDash && current.startsWith("-")) {
    const [name = "", typed] = splitOnce(current);
    const option = findOption(name);
    if (option && typed !== undefined)
      return createPoint({ ...optionValues(noun, option), typed, prefix: `${name}=` });
    return createPoint({
      candidates: options().map(({ long, description }) => ({
        value: long ?? "",
        about: description,
      })),
    });
  }
  if (isGroup(node))
    return createPoint({
      candidates: children().map(({ name, about }) => ({ value: name, about })),
    });
  // The last argument of a command may repeat (`...`), so it also stands for later words.
  const argument = node.arguments[Math.min(argumentCount, node.arguments.length - 1)];
  const isSurplus = argumentCount >= node.arguments.length && !argument?.includes("...");
  if (node.values !== undefined && !isSurplus)
    return createPoint({
      candidates: Object.entries(node.values).map(([value, about]) => suggestion(value, about)),
    });
  return createPoint({
    valueKind: argument === undefined || isSurplus ? undefined : `${noun} ${argument}`,
  });
}

/** Returns the fixed choices of an option; the kind of its values if it has no choices. */
function optionValues(
  noun: string,
  option: Option,
): Pick<CompletionPoint, "candidates" | "valueKind"> {
  const candidates = (option.argChoices ?? []).map((value) => ({ value, about: "" }));
  return { candidates, valueKind: candidates.length > 0 ? undefined : `${noun} ${option.long}` };
}

const ownOptions = (node: Node | undefined): Option[] => (isGroup(node) ? [] : optionsOf(node));

/** Returns whether commands follow the node; undefined stands for the program itself. */
const isGroup = (node: Node | undefined): node is CommandGroup | undefined =>
  node === undefined || "commands" in node;

/** Commander calls an option `required` if it has `<value>`, and `optional` if it has `[value]`. */
const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Returns `["--event", "all"]` for `--event=all`. */
function splitOnce(word: string): [string, string?] {
  const equalsAt = word.indexOf("=");
  return equalsAt === -1 ? [word] : [word.slice(0, equalsAt), word.slice(equalsAt + 1)];
}
