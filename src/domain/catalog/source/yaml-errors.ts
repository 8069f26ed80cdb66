import { MAX_ISSUES } from "../../errors.ts";
import { catalogFileSchema } from "../file/schema.ts";
import { parseYaml, SyntaxIssue } from "./yaml-events.ts";

/** A part of a file with its offset in it. */
type Part = { start: number; text: string };

const SECTION = new RegExp(
  String.raw`^(?:${Object.keys(catalogFileSchema.shape).join("|")}):`,
  "gm",
);
const DOCUMENT_MARKER = /^(?:%|---|\.\.\.)/m;

/**
 * The parser stops at the first error of a file, so the items of each section are parsed alone. An
 * error in one does not affect the others.
 * @param first the error that the parser found in the whole file
 * @returns the first error of each item, or of each section without items
 */
export function findSyntaxIssues(text: string, first: SyntaxIssue): SyntaxIssue[] {
  if (DOCUMENT_MARKER.test(text)) return [first];
  const found: SyntaxIssue[] = [];
  for (const section of splitAt(text, SECTION)) {
    const issue = syntaxIssueOf(section);
    if (issue === undefined) continue;
    const before = found.length;
    for (const item of itemsOf(section)) {
      if (found.length > MAX_ISSUES) break;
      found.push(...[syntaxIssueOf(item)].filter((one) => one !== undefined));
    }
    if (found.length === before) found.push(issue);
  }
  // The message about the whole file is more exact than that about a part.
  return found.length > 1 ? found : [first];
}

function splitAt(text: string, heading: RegExp): Part[] {
  const starts = [...text.matchAll(heading)].map(({ index }) => index);
  return starts.map((start, at) => ({ start, text: text.slice(start, starts[at + 1]) }));
}

/** The items of the lists at the indentation of the first list of a section. */
function itemsOf({ start, text }: Part): Part[] {
  const indent = /^( *)- /m.exec(text)?.[1]?.length;
  if (indent === undefined) return [];
  const items: Part[] = [];
  let item: Part | undefined;
  let offset = start;
  for (const line of text.split(/(?<=\n)/)) {
    const depth = line.search(/[^ ]/);
    const isItem = depth === indent && line.startsWith("- ", depth);
    // The line is outside of the list, such as the name of the next list.
    const isOutside = depth <= indent && !/^[ \t]*(?:#|\r?\n?$)/.test(line);
    if (isItem) items.push((item = { start: offset, text: "" }));
    else if (isOutside) item = undefined;
    if (item !== undefined) item.text += line;
    offset += line.length;
  }
  return items;
}

function syntaxIssueOf({ start, text }: Part): SyntaxIssue | undefined {
  try {
    parseYaml(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    const end = endOfContent(text);
    return error.offset < end
      ? new SyntaxIssue(start + error.offset, error.message)
      : new SyntaxIssue(start + end - 1, "A bracket or quotation mark is not closed.");
  }
}

/**
 * Returns the end of the content: blank lines and comments after it may belong to the next part.
 */
function endOfContent(text: string): number {
  const lines = text.split("\n");
  while (/^\s*(?:#|$)/.test(lines.at(-1) ?? "x")) lines.pop();
  return lines.join("\n").trimEnd().length;
}
