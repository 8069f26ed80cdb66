import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../src/app/webhooks/endpoint-secrets.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../support/delivery.ts";
import { type ReceivedRequest, createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const OVERLAP_MS = 60_000;
const A_WHILE_MS = 10_000;
const ROUNDS = 12;
const EVENTS = ["service.updated", "service_price.updated", "catalog.changed"] as const;

/** Which of the secrets each library takes for a request. */
function takenBy(secrets: Record<string, string>, { body, headers }: ReceivedRequest): string[] {
  const text = body.toString();
  const given = headers as Record<string, string>;
  const verifiers: ((secret: string) => unknown)[] = [
    (secret) => Stripe.webhooks.constructEvent(text, given["x-service-signature"]!, secret),
    (secret) => new StandardWebhook(secret).verify(text, given),
    (secret) => new SvixWebhook(secret).verify(text, given),
  ];
  const takes = (secret: string) =>
    verifiers.map((verify) => {
      try {
        verify(secret);
        return true;
      } catch {
        return false;
      }
    });
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const [first, ...others] = takes(secret);
    expect(others).toEqual([first, first]);
    return first === true ? [name] : [];
  });
}

test("a rotation under load: every delivery verifies with the old secret, with both, with the new one, as its overlap says", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  const { endpoint, secret: old } = await subscribe(rt, business, partner.url);
  const courier = createTestWorker(rt);
  const secrets: Record<string, string> = { old };
  /** By the second that was signed: what its deliveries must verify with. */
  const expected = new Map<string, string[]>();

  /** Events without a pause, so that some are on the wire at any moment. */
  const load = async (verifiesWith: string[]) => {
    rt.advance(A_WHILE_MS);
    expected.set(String(Math.floor(rt.now() / 1000)), verifiesWith);
    for (let round = 0; round < ROUNDS; round++) {
      emitEvents(rt, business, ...EVENTS);
      courier.wake();
      await new Promise(setImmediate);
    }
  };

  await load(["old"]);
  secrets["new"] = rotateEndpointSecret(rt, endpoint.id, { overlapMs: OVERLAP_MS }).secret;
  await load(["old", "new"]);
  rt.advance(OVERLAP_MS);
  await load(["new"]);
  secrets["newest"] = rotateEndpointSecret(rt, endpoint.id).secret;
  await load(["new", "newest"]);
  finishSecretRotation(rt, endpoint.id);
  await load(["newest"]);
  await courier.whenIdle();

  expect(partner.requests).toHaveLength(5 * ROUNDS * EVENTS.length);
  const seen = new Set<string>();
  for (const request of partner.requests) {
    const second = /^t=(\d+),/.exec(String(request.headers["x-service-signature"]))![1]!;
    seen.add(second);
    expect([second, takenBy(secrets, request)]).toEqual([second, expected.get(second)]);
  }
  expect(seen.size).toBe(5);
});
