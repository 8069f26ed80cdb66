import type { Agent } from "undici";
import type { Alert } from "../app/webhooks/alerts.ts";
import { userAgent } from "../assets.ts";
import type { Runtime } from "../app/runtime.ts";
import { defang, safe } from "../domain/text.ts";

const TIMEOUT_MS = 10_000;
const MAX_TRIES = 3;
/** After the first try; it grows by as much after each further one. */
const RETRY_DELAY_MS = 2000;

export type Alerter = { send: (alert: Alert) => void; close: () => Promise<void> };

const MAX_LENGTH = 2048;

/** The names and errors in an alert come from partners and their receivers. */
const toBody = (alert: Alert): string =>
  JSON.stringify({ ...alert, text: defang(alert.text) }, (_key, value: unknown) =>
    typeof value === "string" ? safe(value, MAX_LENGTH) : value,
  );

/** Logs alerts and sends them to `--alert-url`. The operator chose it, so it may be private. */
export function createAlerter(rt: Runtime): Alerter {
  const { alertUrl } = rt.config;
  let agent: Agent | undefined;
  const headers = { "content-type": "application/json; charset=utf-8", "user-agent": userAgent() };
  const closing = new AbortController();

  async function post(url: string, alert: Alert): Promise<void> {
    const body = toBody(alert);
    for (let n = 1; ; n++) {
      const error = await tryPost(url, body);
      if (error === undefined || closing.signal.aborted) return;
      if (n === MAX_TRIES)
        return rt.log("error", "An alert could not be sent.", {
          type: alert.type,
          reason: error,
        });
      await new Promise((resolve) => setTimeout(resolve, n * RETRY_DELAY_MS).unref());
    }
  }

  async function tryPost(url: string, body: string): Promise<string | undefined> {
    try {
      const { Agent, request } = await import("undici");
      agent ??= new Agent({
        connect: { timeout: TIMEOUT_MS },
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      const response = await request(url, {
        dispatcher: agent,
        method: "POST",
        headers,
        body,
        signal: closing.signal,
      });
      await response.body.dump();
      return response.statusCode < 300 ? undefined : `HTTP ${response.statusCode}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  return {
    send(alert) {
      const { text, type, business, endpoint } = alert;
      rt.log(type === "endpoint.recovered" ? "info" : "warn", text, {
        type,
        business,
        endpoint: endpoint?.id ?? null,
      });
      if (alertUrl !== null) void post(alertUrl, alert);
    },
    async close() {
      closing.abort();
      await agent?.destroy();
    },
  };
}
