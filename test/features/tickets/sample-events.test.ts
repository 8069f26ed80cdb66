import { expect, test } from "vitest";
import { readPreset } from "../../../src/platform/assets.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { serializeEnvelope } from "../../../src/app/events.ts";
import { draftSample } from "../../../src/app/webhooks/sample-events.ts";
import {
  ALL_EVENT_TYPES,
  type EventType,
  maySubscribe,
} from "../../../src/domain/events/event-types.ts";
import { envelopeSchema } from "../../../src/domain/public/schemas/envelope.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const TYPES = ALL_EVENT_TYPES.filter((type) => maySubscribe({ eventGroups: ["tickets"] }, type));

function applyPreset(name: "venue" | "salon") {
  const rt = createTestRuntime();
  const sources = [{ name: "catalog.yaml", text: readPreset(name) }];
  const { slug } = applyCatalog(rt, sources, { seedingAt: rt.now() });
  return { rt, business: rt.store.businesses.findBySlug(slug)! };
}

test("a business with a ticket type has a valid sample of every event type of tickets", () => {
  const { rt, business } = applyPreset("venue");
  expect(TYPES).toHaveLength(4);
  for (const type of TYPES) {
    const draft = draftSample(rt, business, type)!;
    expect(draft.type).toBe(type);
    const envelope: unknown = JSON.parse(
      serializeEnvelope(business, draft, "evt_1", rt.now()).toString(),
    );
    expect(envelopeSchema(type).safeParse(envelope).error, type).toBeUndefined();
  }
});

test("the sample of a created ticket order has version 1, and that of a later change version 2", () => {
  const { rt, business } = applyPreset("venue");
  const versionOf = (type: EventType): unknown => {
    const draft = draftSample(rt, business, type)!;
    const text = serializeEnvelope(business, draft, "evt_1", rt.now()).toString();
    return (JSON.parse(text) as { data: { object: { version: number } } }).data.object.version;
  };
  expect(versionOf("ticket_order.created")).toBe(1);
  expect(versionOf("ticket_order.confirmed")).toBe(2);
});

test.each(TYPES)("a business without a ticket type has no sample of the event type %s", (type) => {
  const { rt, business } = applyPreset("salon");
  expect(draftSample(rt, business, type)).toBeUndefined();
});
