import { maySubscribe, type EventType } from "../../src/domain/events/event-types.ts";
import { loadFromFeatures } from "../../src/features/index.ts";
import { loadRoutes } from "../../src/http/routes.ts";

/** All routes, those of features included. */
export const ROUTES = await loadRoutes();

export const PAGES = await loadFromFeatures("pages");

/** Returns whether an event type is published. Types about tickets need the feature tickets. */
export const isPublished = (type: EventType): boolean =>
  !maySubscribe({ eventGroups: ["tickets"] }, type) ||
  ROUTES.some(({ group }) => group === "Tickets");
