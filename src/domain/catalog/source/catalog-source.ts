import {
  type AliasEvent,
  boolCoreTag,
  type Event,
  EVENT_ID,
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
import type { Path } from "../catalog-issue.ts";
import { MAX_ISSUES } from "../../errors.ts";
import { quote } from "../../text.ts";
import { DECIMAL_FIELDS } from "../file/values.ts";
import { indexLines, type Position } from "./positions.ts";
import { findSyntaxIssues } from "./yaml-errors.ts";
import { MAX_DEPTH, parseYaml, SyntaxIssue, TOO_DEEP, type YamlEvents } from "./yaml-events.ts";

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
/** A dozen lines of nested aliases can stand for billions of values. */
const MAX_ALIASED_VALUES = 1_000_000;
/** The longest list of a catalog has half as many items. */
const MAX_ITEMS = 200_000;

/** Parses YAML 1.2 with its core schema, which includes JSON. Decimals keep their digits. */
export function parseSource(source: CatalogSource): ParsedSource {
  const text = source.text.replace(/^\ufeff/, "");
  const issues: SourceIssue[] = [];
  let lines: ((offset: number) => Position) | undefined;
  const positionAt = (offset: number): Position => (lines ??= indexLines(text))(offset);
  const addIssue: AddIssue = (code, offset, detail) => {
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

/** Takes the place of an event that was read. */
const USED_EVENT: Event = { type: EVENT_ID.POP };

type AddIssue = (code: SourceIssue["code"], offset: number, detail: string) => void;

type NodeEvent = AliasEvent | MappingEvent | ScalarEvent | SequenceEvent;

/** Where the fields of each object and the items of each list begin; -1 if they are empty. */
type Offsets = Map<unknown, Record<string | number, number>>;

/** Returns the content of the only document, and adds its offsets to `offsets`. Uses the events up. */
function readDocument(
  { text, events }: YamlEvents,
  addIssue: AddIssue,
  offsets?: Offsets,
): unknown {
  /** Indexes of events. */
  const anchors = new Map<string, number>();
  let aliasedValues = 0;
  let endOfLastValue = 0;
  // The first event opens the document.
  let next = 1;

  function takeEvent(): NodeEvent {
    const event = events[next] as NodeEvent;
    // The events of a large file take three times as much memory as its content. Used events are
    // therefore dropped until the file has an anchor, whose aliases need them again.
    if (anchors.size === 0) events[next] = USED_EVENT;
    next += 1;
    if (event.type === EVENT_ID.SCALAR) endOfLastValue = Math.max(endOfLastValue, event.valueEnd);
    return event;
  }

  function isAtEnd(): boolean {
    if (events[next]?.type !== EVENT_ID.POP) return false;
    next += 1;
    return true;
  }

  function readValue(field: string, depth: number, aliased: boolean): unknown {
    const index = next;
    const event = takeEvent();
    if (depth > MAX_DEPTH) throw new SyntaxIssue(startOf(event), TOO_DEEP);
    if (aliased && ++aliasedValues > MAX_ALIASED_VALUES)
      throw new SyntaxIssue(
        startOf(event),
        "The aliases (*name) in this file expand to too many values.",
      );
    if (event.type === EVENT_ID.ALIAS) return readAlias(event, field, depth);
    if (event.anchorStart !== -1 && !aliased) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
      events[index] = event;
    }
    if (event.type === EVENT_ID.SCALAR) return readScalar(event, field);
    if (event.type === EVENT_ID.MAPPING) return readMapping(event, depth, aliased);
    return readSequence(event, field, depth, aliased);
  }

  /** Reads the value of the anchor again, because a decimal depends on the field that it is in. */
  function readAlias(event: AliasEvent, field: string, depth: number): unknown {
    const name = text.slice(event.anchorStart, event.anchorEnd);
    const target = anchors.get(name);
    if (target === undefined)
      throw new SyntaxIssue(
        startOf(event),
        `No anchor ${quote(`&${name}`)} is defined before this alias.`,
      );
    const after = next;
    next = target;
    const value = readValue(field, depth + 1, true);
    next = after;
    return value;
  }

  function readMapping(event: MappingEvent, depth: number, aliased: boolean): object {
    assertTag(event, "!!map");
    const fields: Record<string, unknown> = {};
    const starts = recordOffsets(fields);
    let count = 0;
    while (!isAtEnd()) {
      const { name, start } = readName();
      if (++count > MAX_ITEMS)
        throw new SyntaxIssue(start, `There are more than ${MAX_ITEMS} fields.`);
      const value = readValue(name, depth + 1, aliased);
      if (name === "__proto__") addIssue("unknown_field", start, "Unknown field '__proto__'.");
      else if (Object.hasOwn(fields, name))
        addIssue("repeated_key", start, `${quote(name)} appears twice here. Keep one of them.`);
      else {
        fields[name] = value;
        if (starts !== undefined) starts[name] = start;
      }
    }
    return fields;
  }

  function readName(): { name: string; start: number } {
    const event = takeEvent();
    const isText = event.type === EVENT_ID.SCALAR && ["", "!", "!!str"].includes(tagOf(event));
    if (!isText) throw new SyntaxIssue(startOf(event), "The name of a field must be text.");
    return { name: getScalarValue(text, event), start: startOf(event) };
  }

  function readSequence(
    event: SequenceEvent,
    field: string,
    depth: number,
    aliased: boolean,
  ): unknown[] {
    assertTag(event, "!!seq");
    const items: unknown[] = [];
    const starts = recordOffsets(items);
    while (!isAtEnd()) {
      if (items.length === MAX_ITEMS)
        throw new SyntaxIssue(
          startOf(events[next] as NodeEvent),
          `This list has more than ${MAX_ITEMS} items.`,
        );
      if (starts !== undefined) starts[items.length] = startOf(events[next] as NodeEvent);
      items.push(readValue(field, depth + 1, aliased) ?? null);
    }
    return items;
  }

  function recordOffsets(value: object): Record<string | number, number> | undefined {
    offsets?.set(value, {});
    return offsets?.get(value);
  }

  function readScalar(event: ScalarEvent, field: string): unknown {
    const source = getScalarValue(text, event);
    const value = resolveScalar(event, source);
    return typeof value === "number" && DECIMAL_FIELDS.has(field) ? source : (value ?? undefined);
  }

  function resolveScalar(event: ScalarEvent, source: string): unknown {
    if (event.tagStart !== -1) {
      const tag = EXPLICIT_TAGS.get(tagOf(event));
      const value = tag === undefined ? NOT_RESOLVED : tag.resolve(source, true, tag.tagName);
      return value === NOT_RESOLVED ? refuseTag(event) : value;
    }
    if (event.style !== SCALAR_STYLE.PLAIN || !MAY_BE_TYPED.test(source)) return source;
    for (const tag of IMPLICIT_TAGS) {
      const value = tag.resolve(source, false, tag.tagName);
      if (value !== NOT_RESOLVED) return value;
    }
    return source;
  }

  const tagOf = (event: ScalarEvent | MappingEvent | SequenceEvent): string =>
    text.slice(event.tagStart, event.tagEnd);

  function assertTag(event: MappingEvent | SequenceEvent, expected: string): void {
    if (event.tagStart !== -1 && !["!", expected].includes(tagOf(event))) refuseTag(event);
  }

  function refuseTag(event: ScalarEvent | MappingEvent | SequenceEvent): never {
    throw new SyntaxIssue(
      event.tagStart,
      `Tags such as '!name' have no meaning in a catalog (unresolved tag: ${tagOf(event)}).`,
    );
  }

  if (events.length === 0)
    throw new SyntaxIssue(0, "The file is empty. It must begin with 'catalog: 1'.");
  const content = readValue("", 0, false);
  // The event at `next` ends the document.
  if (next + 1 < events.length)
    throw new SyntaxIssue(
      findSecondDocument(text, endOfLastValue),
      "A second document begins here ('---'). Move it to a separate file.",
    );

  return content;
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

/** Returns where a value begins, for a block scalar in the line of its `|`; -1 if it is empty. */
function startOf(event: NodeEvent): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_ID.SCALAR) return event.start;
  return event.style === SCALAR_STYLE.PLAIN ? event.valueStart : event.valueStart - 1;
}

/** A document that is not the first begins with the first marker after the last value before it. */
function findSecondDocument(text: string, endOfLastValue: number): number {
  const marker = /^(?:---|\.\.\.)(?=\s|$)/gm;
  marker.lastIndex = endOfLastValue;
  return marker.exec(text)?.index ?? 0;
}

/** Tags are tried in this order; what no tag accepts is text. */
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
