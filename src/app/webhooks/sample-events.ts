import type { EventDraft } from "../../domain/events/envelope.ts";
import { AppError } from "../../domain/errors.ts";
import type { EventType } from "../../domain/events/event-types.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import { askOtherVisits } from "../bookings/other-visits.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";
import { type AppendResult, appendEventFor, appendEvents } from "../events.ts";
import { loadCatalog } from "../catalog/load-catalog.ts";
import { catalogStateAt } from "../catalog/publish.ts";

/**
 * Returns a sample event of the given type about the first suitable object of the business, or
 * undefined if there is no such object.
 */
export function draftSample(
  rt: Runtime,
  business: BusinessRow,
  type: EventType,
): EventDraft | undefined {
  const now = rt.now();
  const state = catalogStateAt(loadCatalog(rt, business), now);
  return (
    sampleEvent(type, state, business, now) ??
    askOtherVisits((kind) => kind.sampleEvent(type, state, now))
  );
}

/**
 * Publishes a sample event, although nothing has changed, to all subscribed endpoints or to one.
 * @throws AppError resource_not_found if the endpoint gets no events of the business, or if
 *   the business has no object for this event type
 */
export function triggerEvent(
  rt: Runtime,
  business: BusinessRow,
  type: EventType,
  endpointId?: string,
): AppendResult {
  return rt.tx(() => {
    const draft = draftSample(rt, business, type);
    if (draft === undefined)
      throw new AppError(
        "resource_not_found",
        `${business.slug} has no object for a ${type} event.`,
        { fix: "choose another event type: deskbell events types" },
      );
    if (endpointId === undefined) return appendEvents(rt, business, [draft]);
    return appendEventFor(rt, business, draft, getEndpoint(rt, endpointId, business.id));
  });
}
