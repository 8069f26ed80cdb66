import type { EventDraft } from "../../domain/envelope.ts";
import { AppError } from "../../domain/errors.ts";
import type { EventType } from "../../domain/event-types.ts";
import { toPublicCatalog } from "../../domain/public/public-catalog.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";
import { type AppendResult, appendEventFor, appendEvents } from "../events.ts";
import { loadCatalog } from "../catalog/publish.ts";

/** An event about the first object of its kind, as it is now; undefined when the business has none. */
export function draftSample(
  rt: Runtime,
  business: BusinessRow,
  type: EventType,
): EventDraft | undefined {
  const stored = loadCatalog(rt, business);
  const state = { catalog: stored.catalog, publicCatalog: toPublicCatalog(stored, rt.now()) };
  return sampleEvent(type, state, business, rt.now());
}

/**
 * Makes an event happen that nothing has caused: it is in the feed and goes to all who subscribe, or to one endpoint alone.
 * @throws AppError resource_not_found for an endpoint of another business, or when there is nothing to tell of
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
        `${business.slug} has nothing that ${type} could tell of.`,
        {
          fix: "name another event: deskbell events types",
        },
      );
    if (endpointId === undefined) return appendEvents(rt, business, [draft]);
    return appendEventFor(rt, business, draft, getEndpoint(rt, endpointId, business.id));
  });
}
