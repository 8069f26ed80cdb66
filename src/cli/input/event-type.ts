import { EVENT_TYPES, type EventType, isEventType } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { type Flag, text } from "../flags.ts";

/** @throws AppError usage, with the closest known event type */
export function parseEventType(name: string): EventType {
  if (isEventType(name)) return name;
  throw new AppError("usage", `There is no event type '${name}'.${didYouMean(name, EVENT_TYPES)}`, {
    fix: "deskbell events types",
  });
}

/** An option for an event type. Its help does not list them: there are too many. */
export const eventType = (about: string): Flag<EventType | undefined> => ({
  ...text("type", about),
  read: (raw) => (raw === undefined ? undefined : parseEventType(raw as string)),
});
