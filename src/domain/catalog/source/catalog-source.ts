import type { Path } from "../catalog-issue.ts";
import { MAX_ISSUES } from "../../errors.ts";
import { type NodeEvent, type Offsets, readDocument, startOf } from "./document-reader.ts";
import { indexLines, type Position } from "./positions.ts";
import { findSyntaxIssues } from "./yaml-errors.ts";
import { parseYaml, SyntaxIssue } from "./yaml-events.ts";

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
  /** A syntax error ended the parsing: `content` is missing. */
  broken: boolean;
  /** The position of a path, or of its nearest ancestor. */
  locate: (path: Path) => Position;
};

/** A parsed catalog file with its name in messages. */
export type CatalogFile = ParsedSource & { name: string };

const MAX_BYTES = 50_000_000;

/** Parses YAML 1.2 with its core schema, which includes JSON. Decimals keep their digits. */
export function parseSource(source: CatalogSource): ParsedSource {
  const text = source.text.replace(/^\ufeff/, "");
  const issues: SourceIssue[] = [];
  let lines: ((offset: number) => Position) | undefined;
  const positionAt = (offset: number): Position => (lines ??= indexLines(text))(offset);
  const addIssue = (code: SourceIssue["code"], offset: number, detail: string): void => {
    if (issues.length <= MAX_ISSUES) issues.push({ code, ...positionAt(offset), detail });
  };
  try {
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new SyntaxIssue(0, "The file is larger than 50 MB.");
    const content = readDocument(parseYaml(text), addIssue);
    // Positions are recorded when a file has issues: recording them always takes more time and
    // memory.
    let locateOffset: ((path: Path) => number) | undefined;
    return {
      content,
      issues,
      broken: false,
      locate: (path) => positionAt((locateOffset ??= createLocator(text))(path)),
    };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    for (const { offset, message } of findSyntaxIssues(text, error))
      addIssue("invalid_syntax", offset, message);
    return { content: undefined, issues, broken: true, locate: () => positionAt(0) };
  }
}

/** Returns a function that finds the offset of a path. */
function createLocator(text: string): (path: Path) => number {
  const offsets: Offsets = new Map();
  const yaml = parseYaml(text);
  const start = Math.max(startOf(yaml.events[1] as NodeEvent), 0);
  const content = readDocument(yaml, () => {}, offsets);
  return (path) => {
    let value = content;
    let offset = start;
    for (const part of path) {
      const starts = offsets.get(value);
      if (starts === undefined || !Object.hasOwn(starts, part)) break;
      if (starts[part] !== -1) offset = starts[part] ?? offset;
      value = (value as Record<string | number, unknown>)[part];
    }
    return offset;
  };
}
