import { expect } from "vitest";
import {
  actionOf,
  CHANGED_FLAGS,
  type EventType,
  prefixOf,
  settableFlags,
} from "../../src/domain/events/event-types.ts";
import { createTestRuntime, prepareDatabase, type TestRuntime } from "./test-runtime.ts";
import { applyCatalogBody, eventTypesOf, recordEvents } from "./use-case.ts";

/** An event type with the smallest change that causes it, and all events of that change. */
export type EventRow = [
  name: EventType,
  why: string,
  act: (rt: TestRuntime, id: string) => unknown,
  expected: EventType[],
  /** Creates the object to act on and returns its ID. */
  before?: (rt: TestRuntime) => string,
];

/** Makes the change of a row to a catalog, and returns the types of its events. */
export function eventsOf(catalog: string, [name, , act, , before]: EventRow): string[] {
  const database = prepareDatabase(catalog, (prepared) => void applyCatalogBody(prepared, catalog));
  const rt = createTestRuntime({}, undefined, undefined, database);
  const id = before?.(rt) ?? "";
  const events = recordEvents(rt, () => act(rt, id));
  for (const { type, data } of events) {
    expect(Object.keys(data)).toEqual(["resource", "action", "changed", "object"]);
    expect(data.action).toBe(actionOf(type));
    expect(data.resource.ids[0]).toBe(data.resource.id);
    expect(Object.keys(data.changed)).toEqual([...CHANGED_FLAGS[prefixOf(type)]]);
    const set = Object.keys(data.changed).filter((flag) => data.changed[flag]);
    expect(settableFlags(type)).toEqual(expect.arrayContaining(set));
  }
  const { changed } = events.find(({ type }) => type === name)!.data;
  const flags = new Set(Object.values(changed));
  if (actionOf(name) === "created") expect(flags).toEqual(new Set([true]));
  if (["deleted", "reordered"].includes(actionOf(name))) expect(flags).toEqual(new Set([false]));
  return eventTypesOf(events);
}
