import { expect, test } from "vitest";
import { sign, signingKey } from "../../src/domain/webhooks/webhook-post.ts";
import { verifyWebhook, WebhookError, type WebhookOptions } from "../../src/client/webhook.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr";
const OTHER = "whsec_0000000000000000000000000000000000000000000000000";
const NOW = Date.UTC(2026, 10, 20, 12);
const EVENT = { id: "evt_1", type: "service.updated", data: { object: { name: "Coloração" } } };
const BODY = JSON.stringify(EVENT);

const headerOf = (body: string, secrets = [SECRET], at = NOW): string =>
  sign(secrets.map(signingKey), "evt_1", at / 1000, Buffer.from(body))["X-Service-Signature"];

const options = (changes: Partial<WebhookOptions> = {}): WebhookOptions => ({
  body: BODY,
  header: headerOf(BODY),
  secret: SECRET,
  now: NOW,
  ...changes,
});

const reasonOf = async (changes: Partial<WebhookOptions>): Promise<string> => {
  const error = await verifyWebhook(options(changes)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookError);
  return (error as WebhookError).reason;
};

test("the event in a signed body is returned, whether the body is text or bytes", async () => {
  const bytes = new TextEncoder().encode(BODY);
  for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)])
    expect(await verifyWebhook(options({ body }))).toEqual(EVENT);
});

test("a receiver with either of two secrets accepts a webhook that is signed with both", async () => {
  const header = headerOf(BODY, [SECRET, OTHER]);
  for (const secret of [SECRET, OTHER, ["whsec_AAAA", OTHER]])
    expect(await verifyWebhook(options({ header, secret }))).toEqual(EVENT);
});

test.each([
  ["missing_header", { header: null }],
  ["missing_header", { header: "" }],
  ["malformed_header", { header: "v1=00" }],
  ["malformed_header", { header: `t=1,v1=${"0".repeat(63)}` }],
  ["malformed_header", { header: `t=x,v1=${"0".repeat(64)}` }],
  ["parsed_body", { body: EVENT as unknown as string }],
  ["wrong_secret", { secret: OTHER }],
  ["wrong_secret", { secret: [] }],
  ["wrong_secret", { secret: SECRET.slice("whsec_".length) }],
  ["reserialised_body", { body: JSON.stringify(EVENT, null, 2) }],
  ["reserialised_body", { body: `${BODY}\n` }],
  ["altered_body", { body: BODY.slice(0, -1) }],
  ["altered_body", { body: JSON.stringify({ ...EVENT, id: "evt_2" }, null, 1) }],
  ["altered_body", { body: "" }],
] as const)("a webhook is refused with the reason %s for %o", async (reason, changes) => {
  expect(await reasonOf(changes)).toBe(reason);
});

test("a body with a changed value is not accepted", async () => {
  expect(await reasonOf({ body: BODY.replace("evt_1", "evt_2") })).toBe("wrong_secret");
});

test("a signature is accepted if its time differs from the clock by no more than the tolerance", async () => {
  for (const seconds of [-300, 300]) {
    expect(await verifyWebhook(options({ now: NOW + seconds * 1000 }))).toEqual(EVENT);
    expect(await reasonOf({ now: NOW + Math.sign(seconds) * 301_000 })).toBe("clock");
  }
  expect(await reasonOf({ now: NOW + 11_000, toleranceSeconds: 10 })).toBe("clock");
  await expect(verifyWebhook(options({ now: NOW + 3_600_000 }))).rejects.toThrow(
    "made 3600 s ago, and the tolerance is 300 s",
  );
  await expect(verifyWebhook(options({ now: NOW - 3_600_000 }))).rejects.toThrow(
    "made 3600 s in the future",
  );
});

test("the time of a signature is compared with the machine's clock by default", async () => {
  const header = headerOf(BODY, [SECRET], Math.floor(Date.now() / 1000) * 1000);
  expect(await verifyWebhook(options({ header, now: undefined }))).toEqual(EVENT);
});
