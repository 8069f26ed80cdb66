import { expect, test } from "vitest";
import { readPreset } from "../../../src/assets.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { serializeEnvelope } from "../../../src/app/events.ts";
import { draftSample } from "../../../src/app/webhooks/sample-events.ts";
import { generateCatalog } from "../../../src/app/sample-catalog/generate.ts";
import { EVENT_TYPES } from "../../../src/domain/event-types.ts";
import { envelopeSchema } from "../../../src/domain/public/schemas/envelope.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

function box(text: string) {
  const rt = createTestRuntime();
  const { slug } = applyCatalog(rt, [{ name: "catalog.yaml", text }], { seedingAt: rt.now() });
  const business = rt.store.businesses.findBySlug(slug);
  if (!business) throw new Error(`${slug} is not there`);
  return { rt, business };
}

test("of a business that has everything, every event has a sample as its schema wants it", () => {
  const { rt, business } = box(JSON.stringify(generateCatalog(120, 8)));
  for (const type of EVENT_TYPES) {
    const draft = draftSample(rt, business, type);
    expect(draft?.type).toBe(type);
    const envelope: unknown =
      draft && JSON.parse(serializeEnvelope(business, draft, "evt_1", rt.now()).toString());
    expect(envelopeSchema(type).safeParse(envelope).error, type).toBeUndefined();
  }
});

test.each(["menu_item.created", "reservation.created"] as const)(
  "where there is nothing of it, %s has none",
  (type) => {
    const { rt, business } = box(readPreset("salon"));
    expect(draftSample(rt, business, type)).toBeUndefined();
    expect(draftSample(rt, business, "booking.created")).toMatchObject({
      object: { status: "CONFIRMED", guests: 1 },
    });
  },
);
