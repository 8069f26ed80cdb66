import { hash } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import { appendEvents } from "../../src/app/events.ts";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../src/app/webhooks/endpoint-secrets.ts";
import {
  addBusiness,
  buildEventDraft,
  emitEvents,
  createTestWorker,
  subscribe,
} from "../support/delivery.ts";
import { type ReceivedRequest, createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const OVERLAP_MS = 60_000;
const STEP_MS = 10_000;
const ROUNDS = 12;
const EVENTS = ["service.updated", "service_price.updated", "catalog.changed"] as const;

/** Returns the names of the secrets with which all three libraries verify the request. */
function verifyingSecrets(
  secrets: Record<string, string>,
  { body, headers }: ReceivedRequest,
): string[] {
  const text = body.toString();
  const sentHeaders = headers as Record<string, string>;
  const verifiers: ((secret: string) => unknown)[] = [
    (secret) => Stripe.webhooks.constructEvent(text, sentHeaders["x-service-signature"]!, secret),
    (secret) => new StandardWebhook(secret).verify(text, sentHeaders),
    (secret) => new SvixWebhook(secret).verify(text, sentHeaders),
  ];
  const verifies = (secret: string) =>
    verifiers.map((verify) => {
      try {
        verify(secret);
        return true;
      } catch {
        return false;
      }
    });
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const [first, ...others] = verifies(secret);
    expect(others).toEqual([first, first]);
    return first === true ? [name] : [];
  });
}

test("during a secret rotation under load, each delivery is signed with the secrets that are valid when it is sent", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  const { endpoint, secret: old } = await subscribe(rt, business, partner.url);
  const worker = createTestWorker(rt);
  const secrets: Record<string, string> = { old };
  /** The secrets that deliveries must verify with, by the second in which they were signed. */
  const expected = new Map<string, string[]>();

  /** Emits events without a pause, so that some deliveries are always in flight. */
  const emitLoad = async (verifiesWith: string[]) => {
    rt.advance(STEP_MS);
    expected.set(String(Math.floor(rt.now() / 1000)), verifiesWith);
    for (let round = 0; round < ROUNDS; round++) {
      emitEvents(rt, business, ...EVENTS);
      worker.wake();
      await new Promise(setImmediate);
    }
  };

  await emitLoad(["old"]);
  secrets["new"] = rotateEndpointSecret(rt, endpoint.id, { overlapMs: OVERLAP_MS }).secret;
  await emitLoad(["old", "new"]);
  rt.advance(OVERLAP_MS);
  await emitLoad(["new"]);
  secrets["newest"] = rotateEndpointSecret(rt, endpoint.id).secret;
  await emitLoad(["new", "newest"]);
  finishSecretRotation(rt, endpoint.id);
  await emitLoad(["newest"]);
  await worker.whenIdle();

  expect(partner.requests).toHaveLength(5 * ROUNDS * EVENTS.length);
  const seen = new Set<string>();
  for (const request of partner.requests) {
    const second = /^t=(\d+),/.exec(String(request.headers["x-service-signature"]))![1]!;
    seen.add(second);
    expect([second, verifyingSecrets(secrets, request)]).toEqual([second, expected.get(second)]);
  }
  expect(seen.size).toBe(5);
});

test("an event from which a guest is erased between two attempts is sent again without the guest", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://127.0.0.1:9/");
  const bodies: string[] = [];
  const worker = createTestWorker(rt, async ({ body }) => {
    bodies.push(body.toString());
    const statusCode = bodies.length === 1 ? 500 : 200;
    return { kind: "responded", statusCode, retryAfter: null, responseText: "" };
  });
  const resource = { type: "booking", id: "bkg_1", ids: ["bkg_1"] };
  rt.tx(() => appendEvents(rt, business, [{ ...buildEventDraft("booking.created"), resource }]));
  const [event] = rt.store.events.list({}, 1);
  worker.wake();
  await worker.whenIdle();
  const erased = Buffer.from(JSON.stringify({ id: event!.id, object: "erased" }));
  rt.tx(() => rt.store.events.updateBody(event!.id, erased, hash("sha256", erased, "buffer")));
  rt.advance(STEP_MS);
  worker.sweep();
  await worker.whenIdle();
  expect(bodies).toEqual([expect.stringContaining("Manicure"), erased.toString()]);
});
