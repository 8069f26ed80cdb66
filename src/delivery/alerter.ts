import type { Agent } from "undici";
import type { Alert } from "../app/webhooks/alerts.ts";
import { userAgent } from "../assets.ts";
import type { Runtime } from "../app/runtime.ts";

const TIMEOUT_MS = 10_000;
const TRIES = 3;
/** Between two tries, times the number of those made. */
const PAUSE_MS = 2000;

export type Alerter = { send: (alert: Alert) => void; close: () => Promise<void> };

/**
 * Tells the operator: a log line, and a plain JSON POST to `--alert-url`. That URL is the operator's own and may lie anywhere.
 * What cannot be posted is in the log.
 */
export function createAlerter(rt: Runtime): Alerter {
  const { alertUrl } = rt.config;
  let agent: Agent | undefined;
  const headers = { "content-type": "application/json; charset=utf-8", "user-agent": userAgent() };
  const closing = new AbortController();

  async function post(url: string, alert: Alert): Promise<void> {
    for (let n = 1; ; n++) {
      const failure = await tryPost(url, JSON.stringify(alert));
      if (failure === undefined || closing.signal.aborted) return;
      if (n === TRIES)
        return rt.log("error", "An alert could not be posted.", {
          type: alert.type,
          reason: failure,
        });
      await new Promise((resolve) => setTimeout(resolve, n * PAUSE_MS).unref());
    }
  }

  /** Why it did not arrive. */
  async function tryPost(url: string, body: string): Promise<string | undefined> {
    try {
      const { Agent, request } = await import("undici");
      agent ??= new Agent({
        connect: { timeout: TIMEOUT_MS },
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      const answer = await request(url, {
        dispatcher: agent,
        method: "POST",
        headers,
        body,
        signal: closing.signal,
      });
      await answer.body.dump();
      return answer.statusCode < 300 ? undefined : `HTTP ${answer.statusCode}`;
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
        endpoint: endpoint.id,
      });
      if (alertUrl !== null) void post(alertUrl, alert);
    },
    async close() {
      closing.abort();
      await agent?.destroy();
    },
  };
}
