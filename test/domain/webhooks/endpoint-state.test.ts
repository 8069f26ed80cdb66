import { expect, test } from "vitest";
import { describeEndpoint, describeWaiting } from "../../../src/domain/webhooks/endpoint-state.ts";

type Endpoint = Parameters<typeof describeEndpoint>[0];

const NOW = 1000;
const ENDPOINT: Endpoint = {
  status: "ACTIVE",
  disabledReason: null,
  failingSince: null,
  lastError: null,
  heldUntil: null,
  heldReason: null,
  statusSince: 20,
  createdAt: 10,
  lastDeliveredAt: null,
};
const format = (at: number): string => `T${at}`;
const context = { now: NOW, format, isHostLimited: false };
const stateOf = (fields: Partial<Endpoint>, isHostLimited = false) =>
  describeEndpoint({ ...ENDPOINT, ...fields }, { ...context, isHostLimited });

test("the state of a working endpoint says since when it works, and when it last accepted an event", () => {
  expect(stateOf({})).toEqual({
    code: "WORKING",
    reason: null,
    since: 20,
    until: null,
    text: "Events are sent as they occur. The receiver has not accepted one yet.",
  });
  expect(stateOf({ statusSince: null, lastDeliveredAt: 30 })).toMatchObject({
    since: 10,
    text: "Events are sent as they occur. The receiver last accepted one at T30.",
  });
});

const failing = (lastError: string | null) => ({ failingSince: 500, lastError });

test.each([
  ["HTTP 401", "unauthorized", "responded with HTTP 401", "rotate-secret"],
  ["HTTP 403", "unauthorized", "responded with HTTP 403", "another secret"],
  ["HTTP 400", "http_error", "responded with HTTP 400", "another secret"],
  ["HTTP 500", "http_error", "responded with HTTP 500", "log of the receiver"],
  ["refused: connection refused", "no_response", "could not be reached", "Check that it runs"],
  [null, "no_response", "could not be reached", "Check that it runs"],
])("an endpoint that fails with %s has the reason %s", (error, reason, what, fix) => {
  const state = stateOf(failing(error));
  expect(state).toMatchObject({ code: "FAILING", reason, since: 500, until: null });
  expect(state.text).toMatch(/^Since T500, the receiver /);
  expect(state.text).toContain(what);
  expect(state.text).toContain(fix);
  expect(state.text).not.toContain("refused:");
});

test("the state of an endpoint in a backoff says until when and why, and is failing once the backoff has ended", () => {
  const backoff = { heldUntil: 2000, heldReason: "failing" } as const;
  expect(stateOf({ ...failing("HTTP 500"), ...backoff })).toMatchObject({
    code: "HELD",
    reason: "http_error",
    since: 500,
    until: 2000,
    text: expect.stringContaining("Nothing is sent until T2000"),
  });
  expect(stateOf({ ...failing("HTTP 503"), ...backoff, heldReason: "retry_after" })).toMatchObject({
    code: "HELD",
    reason: "retry_after",
    text: expect.stringMatching(/^The receiver sent Retry-After/),
  });
  expect(stateOf({ ...failing("HTTP 500"), ...backoff, heldUntil: NOW }).code).toBe("FAILING");
});

test("the state of an endpoint whose host has accepted nothing yet says so, and why deliveries fail", () => {
  expect(stateOf({}, true)).toMatchObject({ code: "HELD", reason: "host_limit", since: null });
  expect(stateOf(failing("HTTP 401"), true)).toMatchObject({
    code: "HELD",
    reason: "host_limit",
    since: 500,
    text: expect.stringMatching(/HTTP 401.*at most 50 deliveries an hour.*secret/),
  });
});

test.each(["gone", "failing", "manual", "paused", "key_revoked", "key_expired"])(
  "an endpoint that is disabled with the reason %s says since when, and who can enable it",
  (disabledReason) => {
    const disabled = { status: "DISABLED", disabledReason } as const;
    const state = stateOf({ ...disabled, ...failing("refused: connection refused") });
    expect(state).toMatchObject({
      code: "DISABLED",
      reason: disabledReason,
      since: 20,
      until: null,
    });
    expect(state.text).toMatch(
      /^The endpoint has been disabled since T20[ ,].*(enable|ACTIVE|ask)/,
    );
    expect(state.text).not.toContain("refused:");
    expect(stateOf({ ...disabled, statusSince: null }).text).not.toContain("since T");
  },
);

type Delivery = Parameters<typeof describeWaiting>[0];

const waitingOf = (
  fields: Partial<Delivery>,
  endpoint: Parameters<typeof describeWaiting>[1] = { status: "ACTIVE", heldReason: null },
  isHostLimited = false,
) =>
  describeWaiting(
    {
      status: "PENDING",
      attemptCount: 0,
      nextAttemptAt: NOW,
      endpointHeldUntil: null,
      ...fields,
    },
    endpoint,
    { ...context, isHostLimited },
  );

test("a delivery says why it waits, and until when", () => {
  expect(waitingOf({})).toMatchObject({ reason: "due", until: null });
  expect(waitingOf({ nextAttemptAt: 1500 })).toMatchObject({ reason: "due", until: 1500 });
  expect(waitingOf({ attemptCount: 2, nextAttemptAt: 1500 })).toEqual({
    reason: "retry",
    until: 1500,
    text: "Its next attempt is due at T1500.",
  });
  expect(waitingOf({}, undefined, true)).toMatchObject({ reason: "host_limit" });
  for (const heldReason of ["failing", "retry_after"] as const)
    expect(waitingOf({ endpointHeldUntil: 2000 }, { status: "ACTIVE", heldReason })).toMatchObject({
      reason: heldReason,
      until: 2000,
      text: expect.stringContaining("T2000"),
    });
  const disabled = { status: "DISABLED", heldReason: null } as const;
  for (const status of ["PENDING", "PARKED"] as const)
    expect(waitingOf({ status }, disabled)).toMatchObject({ reason: "disabled", until: null });
});

test.each(["DELIVERED", "EXHAUSTED", "CANCELLED", "CORRUPT"] as const)(
  "a delivery with the status %s does not wait",
  (status) => {
    expect(waitingOf({ status, nextAttemptAt: null })).toBeNull();
  },
);

test("a delivery of a deleted endpoint does not wait", () => {
  const delivery = { status: "PENDING", attemptCount: 0, nextAttemptAt: NOW } as const;
  expect(describeWaiting({ ...delivery, endpointHeldUntil: null }, undefined, context)).toBeNull();
});
