import { expect, test } from "vitest";
import { readPreset } from "../../../src/platform/assets.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { serializeEnvelope } from "../../../src/app/events.ts";
import { draftSample } from "../../../src/app/webhooks/sample-events.ts";
import { maySubscribe, ALL_EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { envelopeSchema } from "../../../src/domain/public/schemas/envelope.ts";
import { readSampleCatalog } from "../../support/sample-catalog.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

function applyFile(text: string) {
  const rt = createTestRuntime();
  const { slug } = applyCatalog(rt, [{ name: "catalog.yaml", text }], { seedingAt: rt.now() });
  const business = rt.store.businesses.findBySlug(slug);
  if (!business) throw new Error(`There is no business ${slug}.`);
  return { rt, business };
}

test("a business with all kinds of objects has a valid sample of every event type", () => {
  const { rt, business } = applyFile(JSON.stringify(readSampleCatalog()));
  const eventGroups = ["catalog", "bookings"] as const;
  for (const type of ALL_EVENT_TYPES.filter((type) => maySubscribe({ eventGroups }, type))) {
    const draft = draftSample(rt, business, type);
    expect(draft?.type).toBe(type);
    const envelope: unknown =
      draft && JSON.parse(serializeEnvelope(business, draft, "evt_1", rt.now()).toString());
    expect(envelopeSchema(type).safeParse(envelope).error, type).toBeUndefined();
  }
});

test.each(["menu_item.created", "reservation.created"] as const)(
  "%s has no sample event if the business has no object of that kind",
  (type) => {
    const { rt, business } = applyFile(readPreset("salon"));
    expect(draftSample(rt, business, type)).toBeUndefined();
    expect(draftSample(rt, business, "booking.created")).toMatchObject({
      object: { status: "CONFIRMED", guests: 1 },
    });
  },
);
