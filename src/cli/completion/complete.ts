import type { Option } from "commander";
import { type CommandSpec, type CommandGroup, optionsOf } from "../command.ts";

type Node = CommandSpec | CommandGroup;

/** A word that could stand there, and what it is. */
export type Candidate = { value: string; about: string };

/** What may come next on a command line: candidates that are known from its shape, or a place where a value of the box stands. */
export type CompletionPoint = {
  candidates: Candidate[];
  /** `keys <key>`, `orders --event`; undefined: no value is asked for here. */
  asked: string | undefined;
  /** What has been typed of it, and what stands before that in the same word: `--event=`. */
  typed: string;
  head: string;
  /** Of the options that were given on the way: those that stand anywhere. */
  given: Map<string, string>;
};

/** Reads a line as far as it has been typed. Its last word is the one to complete, and may be empty. */
export function parseLine(
  commands: readonly Node[],
  globals: readonly Option[],
  words: readonly string[],
): CompletionPoint {
  const path: string[] = [];
  const given = new Map<string, string>();
  let node: Node | undefined;
  let position = 0;
  let waiting: Option | undefined;
  let onlyArguments = false;
  let isLost = false;

  const options = (): Option[] => [...ownOptions(node), ...globals];
  const named = (word: string): Option | undefined =>
    options().find(({ long, short }) => word === long || word === short);
  const children = (): readonly Node[] =>
    node === undefined ? commands : "commands" in node ? node.commands : [];

  for (const word of words.slice(0, -1)) {
    if (waiting) {
      given.set(waiting.long ?? "", word);
      waiting = undefined;
    } else if (word === "--") onlyArguments = true;
    else if (!onlyArguments && word.startsWith("-")) {
      const [name = "", value] = splitOnce(word);
      const option = named(name);
      if (option && takesValue(option) && value === undefined) waiting = option;
      else if (option && value !== undefined) given.set(name, value);
    } else {
      const child = children().find(({ name }) => name === word);
      if (child) {
        node = child;
        path.push(word);
      } else if (isBranch(node)) isLost = true;
      else position += 1;
    }
  }

  const current = words.at(-1) ?? "";
  const place = (part: Partial<CompletionPoint>): CompletionPoint => ({
    candidates: [],
    asked: undefined,
    typed: current,
    head: "",
    given,
    ...part,
  });
  const noun = path[0] ?? "";
  if (isLost) return place({});
  if (waiting) return place(valueOf(noun, waiting));
  if (!onlyArguments && current.startsWith("-")) {
    const [name = "", typed] = splitOnce(current);
    const option = named(name);
    if (option && typed !== undefined)
      return place({ ...valueOf(noun, option), typed, head: `${name}=` });
    return place({
      candidates: options().map(({ long, description }) => ({
        value: long ?? "",
        about: description,
      })),
    });
  }
  if (isBranch(node))
    return place({
      candidates: children()
        .filter(isShown)
        .map(({ name, about }) => ({ value: name, about })),
    });
  const argument = node.arguments[Math.min(position, node.arguments.length - 1)];
  const isTaken = position >= node.arguments.length && !argument?.includes("...");
  return place({ asked: argument === undefined || isTaken ? undefined : `${noun} ${argument}` });
}

function valueOf(noun: string, option: Option): Pick<CompletionPoint, "candidates" | "asked"> {
  const candidates = (option.argChoices ?? []).map((value) => ({ value, about: "" }));
  return { candidates, asked: candidates.length > 0 ? undefined : `${noun} ${option.long}` };
}

const ownOptions = (node: Node | undefined): Option[] => (isBranch(node) ? [] : optionsOf(node));

const isBranch = (node: Node | undefined): node is CommandGroup | undefined =>
  node === undefined || "commands" in node;

const isShown = (node: Node): boolean => "commands" in node || node.isHidden !== true;

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** `--event=all` -> `["--event", "all"]` */
function splitOnce(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
