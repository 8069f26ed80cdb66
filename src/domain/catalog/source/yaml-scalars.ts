import {
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
import { DECIMAL_FIELDS } from "../file/values.ts";
import { SyntaxIssue } from "./yaml-events.ts";

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

/** Returns the value of a scalar; undefined if it is empty. @param field that it is the value of */
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

/** Returns "" if the event has no tag. */
export const tagOf = (text: string, { tagStart, tagEnd }: TaggedEvent): string =>
  text.slice(tagStart, tagEnd);

/** @throws SyntaxIssue if a list or an object has another tag than its own */
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
