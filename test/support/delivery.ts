import { onTestFinished } from "vitest";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { appendEvents } from "../../src/app/events.ts";
import { type AttemptReport, DeliveryWorker } from "../../src/delivery/delivery-worker.ts";
import { createSender } from "../../src/delivery/sender.ts";
import type { Send } from "../../src/domain/webhooks/webhook-post.ts";
import { emptySchedule } from "../../src/domain/catalog/catalog.ts";
import type { EventDraft } from "../../src/domain/events/envelope.ts";
import { EVENT_TYPES, type EventType } from "../../src/domain/events/event-types.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import type { BusinessRow } from "../../src/store/businesses.ts";
import { buildCatalog } from "./catalog-builders.ts";

/** Stores a business with an empty catalog. */
export function addBusiness(rt: Runtime, slug = "salon-aurora"): BusinessRow {
  const row: BusinessRow = {
    id: `biz_${slug}`,
    slug,
    doc: buildCatalog({}, { slug }).business,
    schedule: emptySchedule(),
    catalogVersion: 1,
    lastSequence: 0,
    createdAt: rt.now(),
    updatedAt: rt.now(),
    revision: 0,
    stockRevision: 0,
    publishedUntil: rt.now(),
    nextTransitionAt: null,
  };
  rt.tx(() => rt.store.businesses.upsert(row));
  return row;
}

/** Creates an endpoint that may have a private address, by default for all event types. */
export const subscribe = (
  rt: Runtime,
  business: BusinessRow,
  url: string,
  events: readonly string[] = EVENT_TYPES,
  keyId: string | null = null,
) =>
  createEndpoint(rt, {
    businessId: business.id,
    keyId,
    name: "partner",
    url,
    events,
    allowPrivate: true,
  });

export const buildEventDraft = (
  type: EventType = "service.updated",
  object: unknown = { name: "Manicure" },
): EventDraft => ({
  type,
  resource: { type: "service", id: "svc_1", ids: ["svc_1"] },
  changed: ["price"],
  object,
});

/** Commits one event of each of the given types. */
export const emitEvents = (rt: Runtime, business: BusinessRow, ...types: EventType[]) =>
  rt.tx(() =>
    appendEvents(
      rt,
      business,
      types.map((type) => buildEventDraft(type)),
    ),
  );

/** Creates a delivery worker without a scheduler: the test calls wake and sweep. */
export function createTestWorker(
  rt: Runtime,
  send?: Send,
): DeliveryWorker & { attempts: AttemptReport[]; disabled: string[] } {
  const attempts: AttemptReport[] = [];
  const disabled: string[] = [];
  const sender = createSender(rt.config.urlAllowances, rt.monotonic);
  const worker = new DeliveryWorker(rt, send ?? sender.send, {
    onAttempt: (attempt) => void attempts.push(attempt),
    onDisabled: (id) => void disabled.push(id),
  });
  onTestFinished(async () => {
    await worker.stop(0);
    await sender.close();
  });
  return Object.assign(worker, { attempts, disabled });
}
