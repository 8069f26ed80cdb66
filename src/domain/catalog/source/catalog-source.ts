import { MAX_ISSUES } from "../../errors.ts";
import { catalogFileSchema } from "../file/schema.ts";
import { parseYaml, SyntaxIssue } from "./yaml-reader.ts";
import type { Path } from "../catalog-issue.ts";
import { type NodeEvent, type Offsets, readDocument, startOf } from "./document-reader.ts";

/** Lines and columns count from 1; columns are UTF-16 code units. */
export type Position = { line: number; column: number };

/** Returns a function that finds the position of an offset, by binary search. */
function indexLines(text: string): (offset: number) => Position {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g))
    starts.push(index + lineBreak.length);
  return (offset) => {
    let line = 0;
    for (let end = starts.length; end - line > 1;) {
      const middle = (line + end) >> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else end = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** A part of a file, with its offset in the file. */
type Part = { start: number; text: string };

const SECTION = new RegExp(
  String.raw`^(?:${Object.keys(catalogFileSchema.shape).join("|")}):`,
  "gm",
);
const DOCUMENT_MARKER = /^(?:%|---|\.\.\.)/m;

/**
 * Returns the first error of each item, or of each section without items. The parser stops at the
 * first error of a text, so each item is parsed separately.
 * @param first the error that the parser found in the whole file
 */
function findSyntaxIssues(text: string, first: SyntaxIssue): SyntaxIssue[] {
  // Directives and document markers concern more than one section, so the sections cannot be parsed
  // separately.
  if (DOCUMENT_MARKER.test(text)) return [first];
  const found: SyntaxIssue[] = [];
  for (const section of splitAt(text, SECTION)) {
    const issue = syntaxIssueOf(section);
    if (issue === undefined) continue;
    const countBefore = found.length;
    for (const item of itemsOf(section)) {
      if (found.length > MAX_ISSUES) break;
      const itemIssue = syntaxIssueOf(item);
      if (itemIssue !== undefined) found.push(itemIssue);
    }
    // The error is outside of the items that `itemsOf` returns, or the section has none.
    if (found.length === countBefore) found.push(issue);
  }
  // A single error is reported as the parser found it in the whole file: that message is more exact
  // than one about a part.
  return found.length > 1 ? found : [first];
}

/** Returns the parts of a text, each of which begins with a heading. */
function splitAt(text: string, heading: RegExp): Part[] {
  const starts = [...text.matchAll(heading)].map(({ index }) => index);
  return starts.map((start, index) => ({ start, text: text.slice(start, starts[index + 1]) }));
}

/** Returns the items of all lists that are indented like the first list of the section. */
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
 * Returns the offset at which the content of a part ends. Blank lines and comments after it may
 * belong to the next part.
 */
function endOfContent(text: string): number {
  const lines = text.split("\n");
  while (lines.length > 0 && /^\s*(?:#|$)/.test(lines.at(-1) ?? "")) lines.pop();
  return lines.join("\n").trimEnd().length;
}

/** A catalog file: its name in messages, and its YAML or JSON. */
export type CatalogSource = { name: string; text: string };

type SourceIssue = Position & {
  code: "invalid_syntax" | "repeated_key" | "unknown_field";
  detail: string;
};

export type ParsedSource = {
  /** Plain data. A field without a value is undefined. */
  content: unknown;
  issues: SourceIssue[];
  /** Whether a syntax error ended the parsing; `content` is then missing. */
  broken: boolean;
  locate: (path: Path) => Located;
};

export type Located = Position & {
  /** The text of the value without quotes; undefined if it is a list, an object or missing. */
  source?: string | undefined;
};

export type CatalogFile = ParsedSource & { name: string };

const MAX_BYTES = 50_000_000;

/** Parses YAML 1.2 with its core schema, which includes JSON. Decimals keep their digits. */
export function parseSource(source: CatalogSource): ParsedSource {
  const text = source.text.replace(/^\ufeff/, "");
  const issues: SourceIssue[] = [];
  let findPosition: ((offset: number) => Position) | undefined;
  const positionAt = (offset: number): Position => (findPosition ??= indexLines(text))(offset);
  const addIssue = (code: SourceIssue["code"], offset: number, detail: string): void => {
    // Up to `MAX_ISSUES` + 1 issues are kept: the last one shows that there are more than an error
    // lists.
    if (issues.length <= MAX_ISSUES) issues.push({ code, ...positionAt(offset), detail });
  };
  try {
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new SyntaxIssue(0, "The file is larger than 50 MB.");
    const content = readDocument(parseYaml(text), addIssue);
    // The positions of values are recorded when one is first asked for: recording them for every
    // file would take time and memory.
    let locateValue: ReturnType<typeof createLocator> | undefined;
    return {
      content,
      issues,
      broken: false,
      locate(path) {
        const { offset, source } = (locateValue ??= createLocator(text))(path);
        return { ...positionAt(offset), source };
      },
    };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    for (const { offset, message } of findSyntaxIssues(text, error))
      addIssue("invalid_syntax", offset, message);
    return { content: undefined, issues, broken: true, locate: () => positionAt(0) };
  }
}

/** Returns a function that finds the offset of a path, or of its nearest ancestor. */
function createLocator(text: string): (path: Path) => { offset: number; source?: string } {
  const offsets: Offsets = new Map();
  const yaml = parseYaml(text);
  // The first event opens the document, and the second one its content. `startOf` returns -1 for
  // empty content.
  const start = Math.max(startOf(yaml.events[1] as NodeEvent), 0);
  const content = readDocument(yaml, () => {}, offsets);
  return (path) => {
    let value = content;
    let offset = start;
    for (const part of path) {
      const starts = offsets.get(value);
      if (starts === undefined || !Object.hasOwn(starts, part)) break;
      // An empty item (-1) has no position of its own, so the position of its parent is kept.
      if (starts[part] !== -1) offset = starts[part] ?? offset;
      value = (value as Record<string | number, unknown>)[part];
    }
    return typeof value === "string" ? { offset, source: value } : { offset };
  };
}
