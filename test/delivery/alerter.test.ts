import { expect, test, vi } from "vitest";
import { type Alert, makeAlert } from "../../src/app/webhooks/alerts.ts";
import { createAlerter } from "../../src/delivery/alerter.ts";
import { readConfig } from "../../src/config.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

async function createTestAlert(alertUrl?: string) {
  const rt = createTestRuntime({ alertUrl });
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  return { rt, endpoint, alert: makeAlert(rt, "endpoint.failing", endpoint, "fails.") };
}

test("an alert is logged and sent as a JSON POST", async () => {
  const operator = await createReceiver();
  const { rt, endpoint, alert: failing } = await createTestAlert(operator.url);
  const alerter = createAlerter(rt);
  alerter.send(failing);
  await operator.waitForRequests(1);
  expect(JSON.parse(operator.requests[0]!.body.toString())).toEqual({
    text: "Webhook endpoint 'partner' of salon-aurora fails.",
    type: "endpoint.failing",
    business: "salon-aurora",
    endpoint: { id: endpoint.id, name: "partner", url: "http://10.0.0.1/" },
    at: "2026-11-20T12:00:00.000Z",
  });
  expect(operator.requests[0]!.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(rt.logged).toMatchObject([
    { level: "warn", message: failing.text, fields: { endpoint: endpoint.id } },
  ]);
  await alerter.close();
});

test("an endpoint's name cannot mention, link, format or hide anything in an alert", async () => {
  const operator = await createReceiver();
  const { rt, endpoint } = await createTestAlert(operator.url);
  const name =
    "<!channel> <http://1.2.3.4|log in> @everyone [log in](https://evil.example/a) &lt;@U1&gt;\u001b[2J\n\u202e";
  const alerter = createAlerter(rt);
  alerter.send(
    makeAlert(rt, "endpoint.failing", { ...endpoint, name }, "fails (HTTP 500 at 2.5 s)."),
  );
  await operator.waitForRequests(1);
  const body = operator.requests[0]!.body.toString();
  const { text, endpoint: shown } = JSON.parse(body) as Alert;
  expect(text).toMatch(
    /^Webhook endpoint '‹!channel› .* of salon-aurora fails \(HTTP 500 at 2\.5 s\)\.$/,
  );
  expect(text).toContain("evil·example");
  expect(text).not.toMatch(/[<>@[\]&]|:\/\/|evil\.example/);
  expect(text + shown!.name).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(body).not.toMatch(/\\u|\\n/);
  await alerter.close();
});

test("an alert that fails is retried, and logged as not sent after three tries", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const operator = await createReceiver([{ status: 500 }]);
  const { rt, alert: failing } = await createTestAlert(operator.url);
  const alerter = createAlerter(rt);
  alerter.send(failing);
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rt.logged.at(-1)).toMatchObject({ level: "error", fields: { reason: "HTTP 500" } });
  });
  expect(operator.requests).toHaveLength(3);
  await alerter.close();
  vi.useRealTimers();
});

test("without --alert-url an alert is only logged", async () => {
  const { rt, alert: failing } = await createTestAlert();
  const alerter = createAlerter(rt);
  alerter.send({ ...failing, type: "endpoint.recovered" });
  expect(rt.logged).toMatchObject([{ level: "info" }]);
  await alerter.close();
});

test("an invalid --alert-url is rejected", () => {
  expect(() => readConfig({ alertUrl: "slack" }, {})).toThrow(/--alert-url/);
  expect(readConfig({}, { DESKBELL_ALERT_URL: "https://ntfy.sh/desk" }).alertUrl).toBe(
    "https://ntfy.sh/desk",
  );
});
