import {
  type AliasEvent,
  type Event,
  EVENT_ID,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import { quote } from "../../text.ts";
import {
  MAX_DEPTH,
  SyntaxIssue,
  TOO_DEEP,
  type YamlEvents,
  assertTag,
  readScalar,
  tagOf,
} from "./yaml-reader.ts";

/**
 * The limit on the values for which aliases stand: a dozen lines of nested aliases can stand for
 * billions of values.
 */
const MAX_ALIASED_VALUES = 1_000_000;
/**
 * The limit on the items of a list and the fields of an object. A section of a catalog file
 * can have half as many.
 */
const MAX_ITEMS = 200_000;

/** Replaces an event that was read, so that its memory can be freed. */
const USED_EVENT: Event = { type: EVENT_ID.POP };

export type NodeEvent = AliasEvent | MappingEvent | ScalarEvent | SequenceEvent;

/** Where the items of each list and the fields of each object begin; -1 for an empty item. */
export type Offsets = Map<unknown, Record<string | number, number>>;

type AddIssue = (code: "repeated_key" | "unknown_field", offset: number, detail: string) => void;

/**
 * Returns the content of the document. With `offsets`, adds its offsets to them, and returns each
 * number, boolean or null as its text in the file. The events of `yaml` cannot be read a second
 * time.
 */
export const readDocument = (yaml: YamlEvents, addIssue: AddIssue, offsets?: Offsets): unknown =>
  new DocumentReader(yaml, addIssue, offsets).read();

class DocumentReader {
  readonly #text: string;
  readonly #events: Event[];
  readonly #addIssue: AddIssue;
  readonly #offsets: Offsets | undefined;
  /** The index of the parser's event that has an anchor, by the name of the anchor. */
  readonly #anchors = new Map<string, number>();
  #aliasedValues = 0;
  #endOfLastValue = 0;
  /** The index of the parser's next event. The first one opens the document. */
  #next = 1;

  constructor({ text, events }: YamlEvents, addIssue: AddIssue, offsets: Offsets | undefined) {
    this.#text = text;
    this.#events = events;
    this.#addIssue = addIssue;
    this.#offsets = offsets;
  }

  read(): unknown {
    if (this.#events.length === 0)
      throw new SyntaxIssue(0, "The file is empty. It must begin with 'catalog: 1'.");
    const content = this.#readValue("", 0, false);
    // The next event closes the document. Any further event belongs to a second document.
    if (this.#next + 1 < this.#events.length)
      throw new SyntaxIssue(
        findSecondDocument(this.#text, this.#endOfLastValue),
        "A second document begins here ('---'). Move it to a separate file.",
      );
    return content;
  }

  #takeEvent(): NodeEvent {
    const event = this.#peekEvent();
    // The events of a large file take three times as much memory as its content. Used events are
    // therefore dropped until the file has an anchor, whose aliases need them again.
    if (this.#anchors.size === 0) this.#events[this.#next] = USED_EVENT;
    this.#next += 1;
    if (event.type === EVENT_ID.SCALAR)
      this.#endOfLastValue = Math.max(this.#endOfLastValue, event.valueEnd);
    return event;
  }

  #peekEvent(): NodeEvent {
    return this.#events[this.#next] as NodeEvent;
  }

  /** Takes the event if it is the end of a mapping or sequence. @returns whether it was */
  #takeEnd(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false;
    this.#next += 1;
    return true;
  }

  /**
   * Reads the next value.
   * @param field the name of the field whose value this is, or whose list contains it
   * @param aliased whether the value is read again for an alias
   */
  #readValue(field: string, depth: number, aliased: boolean): unknown {
    const index = this.#next;
    const event = this.#takeEvent();
    if (depth > MAX_DEPTH) throw new SyntaxIssue(startOf(event), TOO_DEEP);
    if (aliased && ++this.#aliasedValues > MAX_ALIASED_VALUES)
      throw new SyntaxIssue(
        startOf(event),
        "The aliases (*name) in this file expand to too many values.",
      );
    if (event.type === EVENT_ID.ALIAS) return this.#readAlias(event, field, depth);
    if (event.anchorStart !== -1 && !aliased) {
      this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), index);
      // `#takeEvent` drops events until the first anchor is known, and so also the event that has
      // this anchor. An alias needs the event, which is put back here.
      this.#events[index] = event;
    }
    if (event.type === EVENT_ID.SCALAR)
      return this.#offsets === undefined
        ? readScalar(this.#text, event, field)
        : getScalarValue(this.#text, event);
    if (event.type === EVENT_ID.MAPPING) return this.#readMapping(event, depth, aliased);
    return this.#readSequence(event, field, depth, aliased);
  }

  /**
   * Reads the value of the anchor again, because the field of the alias decides whether a number
   * keeps its digits as text.
   */
  #readAlias(event: AliasEvent, field: string, depth: number): unknown {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const target = this.#anchors.get(name);
    if (target === undefined)
      throw new SyntaxIssue(
        startOf(event),
        `No anchor ${quote(`&${name}`)} is defined before this alias.`,
      );
    const afterAlias = this.#next;
    this.#next = target;
    const value = this.#readValue(field, depth + 1, true);
    this.#next = afterAlias;
    return value;
  }

  #readMapping(event: MappingEvent, depth: number, aliased: boolean): object {
    assertTag(this.#text, event, "!!map");
    const fields: Record<string, unknown> = {};
    const starts = this.#recordOffsets(fields);
    let count = 0;
    while (!this.#takeEnd()) {
      const { name, start } = this.#readName();
      if (++count > MAX_ITEMS)
        throw new SyntaxIssue(start, `There are more than ${MAX_ITEMS} fields.`);
      const value = this.#readValue(name, depth + 1, aliased);
      if (name === "__proto__")
        this.#addIssue("unknown_field", start, "Unknown field '__proto__'.");
      else if (Object.hasOwn(fields, name))
        this.#addIssue(
          "repeated_key",
          start,
          `${quote(name)} appears twice here. Keep one of them.`,
        );
      else {
        fields[name] = value;
        if (starts !== undefined) starts[name] = start;
      }
    }
    return fields;
  }

  #readName(): { name: string; start: number } {
    const event = this.#takeEvent();
    const isText =
      event.type === EVENT_ID.SCALAR && ["", "!", "!!str"].includes(tagOf(this.#text, event));
    if (!isText) throw new SyntaxIssue(startOf(event), "The name of a field must be text.");
    return { name: getScalarValue(this.#text, event), start: startOf(event) };
  }

  #readSequence(event: SequenceEvent, field: string, depth: number, aliased: boolean): unknown[] {
    assertTag(this.#text, event, "!!seq");
    const items: unknown[] = [];
    const starts = this.#recordOffsets(items);
    while (!this.#takeEnd()) {
      const start = startOf(this.#peekEvent());
      if (items.length === MAX_ITEMS)
        throw new SyntaxIssue(start, `This list has more than ${MAX_ITEMS} items.`);
      if (starts !== undefined) starts[items.length] = start;
      // An empty item is null, because a list of JSON cannot have undefined.
      items.push(this.#readValue(field, depth + 1, aliased) ?? null);
    }
    return items;
  }

  #recordOffsets(value: object): Record<string | number, number> | undefined {
    this.#offsets?.set(value, {});
    return this.#offsets?.get(value);
  }
}

/**
 * Returns the offset where a value begins; -1 if the value is empty. A block scalar begins in the
 * line of its `|`.
 */
export function startOf(event: NodeEvent): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_ID.SCALAR) return event.start;
  return event.style === SCALAR_STYLE.PLAIN ? event.valueStart : event.valueStart - 1;
}

/**
 * Returns the offset of the second document. It begins at the first marker (`---` or `...`) after
 * the end of the last value of the first document.
 */
function findSecondDocument(text: string, endOfLastValue: number): number {
  const marker = /^(?:---|\.\.\.)(?=\s|$)/gm;
  marker.lastIndex = endOfLastValue;
  return marker.exec(text)?.index ?? 0;
}
