import type { Agent } from "undici";
import type { AlertChannel, AlertChannels } from "./channel-queue.ts";
import { userAgent } from "../../platform/assets.ts";
import type { AlertConfig } from "../../config.ts";
import type { Alert } from "./rules/alert.ts";
import { type AlertRequest, alertText, formatAlert, linkLines } from "./rules/formats.ts";
import { guessAlertFormat } from "../../domain/conditions/alert-url.ts";
import { createMailer, needsTls, senderOf } from "../../platform/smtp.ts";
import { safe } from "../../domain/text.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** The timeout is long, because a slow receiver that has the alert must not get it again. */
const RESPONSE_TIMEOUT_MS = 60_000;

/**
 * Creates the configured channels. Their URLs may have private addresses, unlike those of webhooks,
 * because the operator chose them.
 */
export function createAlertChannels(config: AlertConfig) {
  const { url, format, mail, smtpUrl, heartbeatUrl, allowPlaintext } = config;
  const http = createHttpClient();
  const mailer =
    mail === null || smtpUrl === null
      ? undefined
      : createMailChannel(smtpUrl, mail, allowPlaintext);
  const channels: AlertChannel[] = [];
  if (url !== null) {
    const chosen = format ?? guessAlertFormat(url);
    channels.push({
      name: "--alert-url",
      resends: chosen === "alertmanager",
      send: (alert) => http.request(url, "POST", formatAlert(chosen, alert)),
    });
  }
  if (mailer)
    channels.push({
      name: "--alert-mail",
      resends: false,
      send: mailer.send,
      // If these settings need TLS and the server does not offer it, the error is reported before
      // the first alert is lost.
      ...(smtpUrl !== null && needsTls(smtpUrl, allowPlaintext) && { check: mailer.check }),
    });
  const heartbeat = heartbeatUrl === null ? undefined : heartbeatTo(heartbeatUrl, http);
  return {
    channels,
    heartbeat,
    /** Cuts off what is being sent: requests at once, and a mail after `graceMs`. */
    async close(graceMs = 0): Promise<void> {
      await Promise.all([http.close(), mailer?.close(graceMs)]);
    },
  } satisfies AlertChannels & { close: (graceMs?: number) => Promise<void> };
}

type HttpClient = ReturnType<typeof createHttpClient>;

const heartbeatTo = (url: string, http: HttpClient): AlertChannel => ({
  name: "--heartbeat-url",
  resends: false,
  send: () => http.request(url, "GET", { headers: {}, body: "" }),
});

function createHttpClient() {
  let agent: Agent | undefined;
  const closing = new AbortController();
  return {
    /** @throws if the response is not 2xx */
    async request(
      url: string,
      method: "GET" | "POST",
      { headers, body }: AlertRequest,
    ): Promise<undefined> {
      const { Agent, request } = await import("undici");
      agent ??= new Agent({
        connect: { timeout: CONNECT_TIMEOUT_MS },
        headersTimeout: RESPONSE_TIMEOUT_MS,
        bodyTimeout: RESPONSE_TIMEOUT_MS,
      });
      const response = await request(url, {
        dispatcher: agent,
        method,
        headers: { ...headers, "user-agent": userAgent() },
        body: method === "POST" ? body : null,
        signal: closing.signal,
      });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`HTTP ${response.statusCode}`);
    },
    async close(): Promise<void> {
      closing.abort();
      await agent?.destroy();
    },
  };
}

function createMailChannel(smtpUrl: string, to: string, allowPlaintext: boolean) {
  const mailer = createMailer(smtpUrl, allowPlaintext);
  // The first recipient is also the sender if the URL names no sender.
  const from = senderOf(smtpUrl) ?? to.split(",")[0];
  const closing = new AbortController();
  const { signal } = closing;
  return {
    ...mailer,
    async send(alert: Alert): Promise<string | undefined> {
      const [subject, text] = [mailSubject(alert), mailText(alert)];
      const refused = await mailer.send({ from, to, subject, text, signal });
      return refused.length === 0
        ? undefined
        : `the mail server refuses ${safe(refused.join(", "))}; the other addresses get the mail`;
    },
    async close(graceMs: number): Promise<void> {
      // A server that has the mail must not get it again, so it has time to answer.
      setTimeout(() => closing.abort(), graceMs).unref();
      await mailer.close();
    },
  };
}

const mailSubject = (alert: Alert): string =>
  `[deskbell] ${alert.status === "RESOLVED" ? "resolved" : alert.severity}: ${safe(alert.message, 120)}`;

/** Returns the text of a mail: the first line as in a chat, then one field per line for filters. */
function mailText(alert: Alert): string {
  const { code, status, severity, business, since, count, fingerprint } = alert;
  const fields = { code, status, severity, business: business ?? "all", since, count, fingerprint };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${safe(String(value))}`);
  const links = linkLines(alert);
  return `${alertText(alert)}\n\n${links && `${links}\n`}${lines.join("\n")}\n`;
}
