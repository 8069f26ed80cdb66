import { EVENT_TYPES, type EventType, isEventType } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { type Flag, text } from "../flags.ts";

/** @throws AppError usage with the event that was probably meant */
export function parseEventType(name: string): EventType {
  if (isEventType(name)) return name;
  throw new AppError("usage", `There is no event '${name}'.${didYouMean(name, EVENT_TYPES)}`, {
    fix: "deskbell events types",
  });
}

/** There are too many of them to be listed in a help. */
export const eventType = (about: string): Flag<EventType | undefined> => ({
  ...text("type", about),
  read: (raw) => (raw === undefined ? undefined : parseEventType(raw as string)),
});
