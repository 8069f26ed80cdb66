import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { COMMANDS } from "../../src/cli/command-table.ts";

// Finds the texts in the source that name a command of deskbell, such as the fix of an error.

const SRC = new URL("../../src/", import.meta.url).pathname;

/** The first words of all commands. */
export const COMMAND_NAMES: ReadonlySet<string> = new Set(COMMANDS.map(({ name }) => name));

/** Returns whether a text names a command. `{}` stands for a value that the source computes. */
const namesCommand = (text: string): boolean =>
  [...text.matchAll(/(?<![\w/.-])deskbell (\{\}(?=s? [a-z-])|[a-z-]+)/g)].some(
    ([, word = ""]) => word === "{}" || COMMAND_NAMES.has(word),
  );

type Node = { type: string; start: number; end: number; [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Returns the text of a string or template, with `deskbell` for `${cli.program}`. */
function textOf(node: Node, source: string): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const expressions = node["expressions"] as Node[];
  const quasis = node["quasis"] as { value: { cooked: string } }[];
  return quasis
    .map(({ value: { cooked } }, i) => {
      const expression = expressions[i];
      if (expression === undefined) return cooked;
      const code = source.slice(expression.start, expression.end);
      return `${cooked}${/(?:^|\.)program$/.test(code) ? "deskbell" : "{}"}`;
    })
    .join("");
}

/** A line of a text in the source; `isFix` if the text is in the value of a property `fix`. */
type Line = { text: string; isFix: boolean };

function linesIn(path: string): Line[] {
  const source = readFileSync(join(SRC, path), "utf8");
  const found: Line[] = [];
  const visit = (value: unknown, isFix: boolean): void => {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, isFix));
    if (!isNode(value)) return;
    const lines = textOf(value, source)?.split("\n") ?? [];
    found.push(...lines.map((line) => ({ text: line.trim(), isFix })));
    const key = value["key"];
    const isFixHere = isFix || (isNode(key) && key["name"] === "fix");
    for (const child of Object.values(value)) visit(child, isFixHere);
  };
  visit(parseAst(source, { lang: path.endsWith("x") ? "tsx" : "ts" }), false);
  return found;
}

const listLines = (): Line[] =>
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap(linesIn);

/** Returns each text of the source that names a command, once. Each line is a text of its own. */
export const listTextsWithCommands = (): string[] => [
  ...new Set(
    listLines()
      .map(({ text }) => text)
      .filter(namesCommand),
  ),
];

/**
 * Returns each fix in which the name of the program would be inserted, although the word after
 * `deskbell` is no command.
 */
export const listFixesWithSentences = (): string[] =>
  listLines()
    .filter(({ isFix }) => isFix)
    .map(({ text }) => text)
    .filter((text) =>
      [...text.matchAll(/(?<![\w/.-])deskbell ([a-z-]+)/g)].some(
        ([, word = ""]) => !word.startsWith("-") && !COMMAND_NAMES.has(word),
      ),
    );
