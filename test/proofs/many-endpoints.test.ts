import { expect, test } from "vitest";
import { createEndpoint } from "../../src/app/endpoints.ts";
import { appendEventFor } from "../../src/app/events.ts";
import type { AttemptNotice } from "../../src/courier/courier.ts";
import { addBusiness, draft, engine } from "../support/engine.ts";
import { receiver } from "../support/receiver.ts";
import { world } from "../support/world.ts";

const BUSINESSES = 10;
const ENDPOINTS_EACH = 50;
const HANGING = 0.3;
const ROUNDS = 4;

test("no delivery to an endpoint that answers waits for one of the third that hang", async () => {
  const rt = world();
  const [well, hanging] = [await receiver(), await receiver([{ hold: true }])];
  const courier = engine(rt);
  const owed: { answers: boolean; emit: () => void }[] = [];
  for (let b = 0; b < BUSINESSES; b++) {
    const business = addBusiness(rt, `business-${b}`);
    for (let e = 0; e < ENDPOINTS_EACH; e++) {
      const answers = e >= ENDPOINTS_EACH * HANGING;
      const request = { businessId: business.id, keyId: null, name: "partner", events: ["service.updated"] };
      const { url } = answers ? well : hanging;
      const { endpoint } = await createEndpoint(rt, { ...request, url, allowPrivate: true });
      owed.push({ answers, emit: () => void appendEventFor(rt, business, draft(), endpoint) });
    }
  }
  const answering = owed.filter(({ answers }) => answers);
  const others = owed.filter(({ answers }) => !answers);
  const isDone = ({ status }: AttemptNotice) => status === "DELIVERED";
  for (let round = 1; round <= ROUNDS; round++) {
    // Those that hang come first, and are soon owed more than may be on the wire to them.
    rt.tx(() => others.forEach(({ emit }) => [1, 2, 3].forEach(emit)));
    rt.tx(() => answering.forEach(({ emit }) => emit()));
    courier.wake();
    await expect.poll(() => courier.attempts.filter(isDone).length, { timeout: 5000 }).toBe(round * answering.length);
  }
  expect(hanging.requests).toHaveLength(others.length * 4);
  expect(courier.attempts.every(isDone)).toBe(true);
});
