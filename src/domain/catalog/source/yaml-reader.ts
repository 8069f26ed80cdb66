import {
  type Event,
  EVENT_ID,
  parseEvents,
  YAMLException,
  boolCoreTag,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  type MappingEvent,
  NOT_RESOLVED,
  nullCoreTag,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
  strTag,
} from "js-yaml";
import { quote } from "../../text.ts";
import { DECIMAL_FIELDS } from "../file/fields.ts";

export const MAX_DEPTH = 40;
export const TOO_DEEP = "This is nested too deeply for a catalog.";

export class SyntaxIssue extends Error {
  readonly offset: number;

  constructor(offset: number, detail: string) {
    super(detail);
    this.offset = offset;
  }
}

/**
 * The events of a parsed text. Lenient parsing replaces some characters of the file. The offsets
 * are the same in the file and in `text`, but values must be read from `text`.
 */
export type YamlEvents = { text: string; events: Event[] };

/** @throws SyntaxIssue at the first error */
export function parseYaml(text: string): YamlEvents {
  try {
    return parseStrictly(text);
  } catch (error) {
    const isIndentation =
      error instanceof YAMLException && error.reason === "deficient indentation";
    if (!isIndentation) throw explain(text, error);
    try {
      return parseLeniently(text, error);
    } catch (lenientError) {
      throw explain(text, lenientError);
    }
  }
}

const parseStrictly = (text: string): YamlEvents => ({
  text,
  // The document itself takes one level.
  events: parseEvents(text, { maxDepth: MAX_DEPTH + 1 }),
});

/**
 * Parses a text that has one of two things that YAML forbids and most other parsers accept: a
 * closing bracket that is not indented more than its field, or tabs in brackets. The tabs, the line
 * break before such a bracket, and a comment before that line break become spaces, one for each
 * character, so that all offsets stay valid.
 * @throws `cause` if the replaced characters turn out to be part of a value
 */
function parseLeniently(text: string, cause: YAMLException): YamlEvents {
  const lines = text.split(/(?<=\n)/);
  const spaced = lines.map((line, index) => {
    const indent = line.length - line.trimStart().length;
    const content = line.slice(0, indent) + line.slice(indent).replaceAll("\t", " ");
    if (!/^[ \t]*[\]}]/.test(lines[index + 1] ?? "")) return content;
    return (BEFORE_COMMENT.exec(content)?.[0] ?? "").padEnd(line.length);
  });
  // The scalars get their original characters back, because tabs and brackets inside them are part
  // of the text.
  const restored = withScalarsOf(text, parseStrictly(spaced.join("")));
  const parsed = parseStrictly(restored);
  if (withScalarsOf(text, parsed) !== restored) throw cause;
  return parsed;
}

const BEFORE_COMMENT = /^(?:"[^"\n]*"|'[^'\n]*'|(?<=\S)#|[^#\r\n])*/;

/** Returns the parsed text with each scalar replaced by what `original` has at the same offsets. */
function withScalarsOf(original: string, { text, events }: YamlEvents): string {
  let result = "";
  for (const event of events)
    if (event.type === EVENT_ID.SCALAR && event.valueStart !== -1)
      result +=
        text.slice(result.length, event.valueStart) +
        original.slice(event.valueStart, event.valueEnd);
  return result + text.slice(result.length);
}

/** Returns an issue that explains a parser's error to the author; any other error unchanged. */
function explain(text: string, error: unknown): unknown {
  if (!(error instanceof YAMLException)) return error;
  const { reason } = error;
  const offset = error.mark?.position ?? 0;
  const lineStart = startOfLastLine(text.slice(0, offset));
  const before = text.slice(lineStart, offset);
  const issueHere = (detail: string): SyntaxIssue => new SyntaxIssue(offset, detail);

  if (reason.startsWith("nesting exceeded")) return issueHere(TOO_DEEP);
  if (reason.includes(" tag "))
    return issueHere(`Tags such as '!name' have no meaning in a catalog (${reason}).`);
  if (!BLOCK_REASON.test(reason))
    return issueHere(EXPLANATIONS[reason] ?? `This is not valid YAML: ${reason}.`);

  const indent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
  if (indent.includes("\t"))
    return new SyntaxIssue(
      lineStart + indent.indexOf("\t"),
      "A tab is used for indentation here; YAML takes spaces only.",
    );
  const isColon = text[offset] === ":";
  if (isColon && /:\s/.test(before))
    return issueHere("Unexpected ': ' in a value. Put the text in quotes, or begin a new line.");
  if (reason.includes("multiline key") || (isColon && reason.startsWith("end of the stream"))) {
    const above = text.slice(0, lineStart).trimEnd();
    const line = above.slice(startOfLastLine(above));
    return new SyntaxIssue(
      above.length - line.trimStart().length,
      "This line continues in the next one, because there is no ': ' after the name of a field.",
    );
  }
  if (before.trim() === "" || isColon)
    return issueHere("The indentation of this line does not match the lines above it.");
  return issueHere(
    `Unexpected ${quote(text.charAt(offset))}. Put the text in quotes, or begin a new line.`,
  );
}

const startOfLastLine = (text: string): number =>
  Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;

/** Matches the parser's reasons for errors outside of brackets and quotation marks. */
const BLOCK_REASON =
  /^(?:tab characters|bad indentation|end of the stream or|expected ':')|multiline key/;

const UNCLOSED_QUOTE = "A quotation mark is not closed.";
const BAD_ESCAPE = "This is not an escape sequence. For a backslash, write two of them.";
const BAD_CHARACTER = "Write this character as an escape sequence, in double quotes.";
const EXPLANATIONS: Record<string, string> = {
  "deficient indentation":
    "This line is not indented enough, or a bracket or quotation mark above it is not closed.",
  "missed comma between flow collection entries": "A ',' or a closing bracket is missing here.",
  "expected the node content, but found ','": "A value is missing before this ','.",
  "unexpected end of the stream within a flow collection": "A bracket is not closed.",
  "unexpected end of the stream within a single quoted scalar": UNCLOSED_QUOTE,
  "unexpected end of the stream within a double quoted scalar": UNCLOSED_QUOTE,
  "unknown escape sequence": BAD_ESCAPE,
  "expected hexadecimal character": BAD_ESCAPE,
  "null byte is not allowed in input": BAD_CHARACTER,
  "the stream contains non-printable characters": BAD_CHARACTER,
  "expected valid JSON character": BAD_CHARACTER,
};

type TaggedEvent = ScalarEvent | MappingEvent | SequenceEvent;

/** The tags are tried in this order; a scalar that no tag accepts is text. */
const IMPLICIT_TAGS = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];
/** Matches all plain scalars that an implicit tag accepts, by their first character. */
const MAY_BE_TYPED = /^(?:$|[-+.~\dnNtTfF])/;
const EXPLICIT_TAGS = new Map<string, typeof strTag | (typeof IMPLICIT_TAGS)[number]>([
  ["!", strTag],
  ["!!str", strTag],
  ["!!null", nullCoreTag],
  ["!!bool", boolCoreTag],
  ["!!int", intCoreTag],
  ["!!float", floatCoreTag],
]);

/**
 * Returns the value of a scalar; undefined if it is empty or null.
 * @param field the field with this value, which decides whether a decimal keeps its digits
 */
export function readScalar(text: string, event: ScalarEvent, field: string): unknown {
  const source = getScalarValue(text, event);
  const value = resolveScalar(text, event, source);
  return typeof value === "number" && DECIMAL_FIELDS.has(field) ? source : (value ?? undefined);
}

function resolveScalar(text: string, event: ScalarEvent, source: string): unknown {
  if (event.tagStart !== -1) {
    const tag = EXPLICIT_TAGS.get(tagOf(text, event));
    const value = tag === undefined ? NOT_RESOLVED : tag.resolve(source, true, tag.tagName);
    return value === NOT_RESOLVED ? refuseTag(text, event) : value;
  }
  if (event.style !== SCALAR_STYLE.PLAIN || !MAY_BE_TYPED.test(source)) return source;
  for (const tag of IMPLICIT_TAGS) {
    const value = tag.resolve(source, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return source;
}

/** Returns the tag of an event, or "" if it has none. */
export const tagOf = (text: string, { tagStart, tagEnd }: TaggedEvent): string =>
  text.slice(tagStart, tagEnd);

/** @throws SyntaxIssue if a list or an object has a tag other than `expected` or `!` */
export function assertTag(
  text: string,
  event: MappingEvent | SequenceEvent,
  expected: "!!map" | "!!seq",
): void {
  if (event.tagStart !== -1 && !["!", expected].includes(tagOf(text, event)))
    refuseTag(text, event);
}

function refuseTag(text: string, event: TaggedEvent): never {
  throw new SyntaxIssue(
    event.tagStart,
    `Tags such as '!name' have no meaning in a catalog (unresolved tag: ${tagOf(text, event)}).`,
  );
}
