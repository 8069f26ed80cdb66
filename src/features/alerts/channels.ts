import type { Transporter } from "nodemailer";
import type { Agent } from "undici";
import type { AlertChannel, AlertChannels } from "./channel-queue.ts";
import { userAgent } from "../../platform/assets.ts";
import type { AlertConfig } from "../../config.ts";
import type { Alert } from "./rules/alert.ts";
import { type AlertRequest, alertText, formatAlert, linkLines } from "./rules/formats.ts";
import { guessAlertFormat } from "../../domain/conditions/alert-url.ts";
import { isLoopbackHost } from "../../domain/addresses.ts";
import { safe } from "../../domain/text.ts";

/** Error codes of nodemailer: the mail server was reached, but refuses the settings. */
const REFUSALS = new Set(["ETLS", "EAUTH", "ENOAUTH"]);
const TIMEOUT_MS = 10_000;
/** A long timeout: a slow receiver that already has the alert must not get it again. */
const RESPONSE_TIMEOUT_MS = 60_000;

/** Creates the configured channels. The operator chose their URLs, which may be private. */
export function createAlertChannels(config: AlertConfig) {
  const { url, format, mail, smtpUrl, heartbeatUrl } = config;
  const http = createHttpClient();
  const needsTls = smtpUrl !== null && sendsPassword(smtpUrl) && !config.allowPlaintext;
  const mailer =
    mail === null || smtpUrl === null ? undefined : createMailer(smtpUrl, mail, needsTls);
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
      ...(needsTls && { check: mailer.check }),
    });
  const heartbeat = heartbeatUrl === null ? undefined : heartbeatTo(heartbeatUrl, http);
  return {
    channels,
    heartbeat,
    async close(): Promise<void> {
      await Promise.all([http.close(), mailer?.close()]);
    },
  } satisfies AlertChannels & { close: () => Promise<void> };
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
    async request(url: string, method: "GET" | "POST", { headers, body }: AlertRequest) {
      const { Agent, request } = await import("undici");
      agent ??= new Agent({
        connect: { timeout: TIMEOUT_MS },
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

/** Returns whether the password would be sent without encryption if STARTTLS is missing. */
function sendsPassword(smtpUrl: string): boolean {
  const { protocol, username, hostname } = new URL(smtpUrl);
  return protocol === "smtp:" && username !== "" && !isLoopbackHost(hostname);
}

/** Matches the errors of OpenSSL for an answer that is not TLS. */
const NO_TLS_ANSWER = /:SSL routines:[^:]*:(?:wrong version number|packet length too long):/;

/** Creates a mail channel. Nodemailer is loaded for the first mail: most servers send none. */
function createMailer(smtpUrl: string, to: string, needsTls: boolean) {
  let transport: Promise<Transporter> | undefined;
  const load = () =>
    (transport ??= import("nodemailer").then(({ createTransport }) =>
      createTransport(
        {
          url: smtpUrl,
          // Alerts that are sent together share a connection, which is closed when idle.
          pool: true,
          maxConnections: 1,
          // Requiring TLS keeps the password from a server without STARTTLS, or from whoever
          // removes it.
          requireTLS: needsTls,
          connectionTimeout: TIMEOUT_MS,
          greetingTimeout: TIMEOUT_MS,
          socketTimeout: RESPONSE_TIMEOUT_MS,
        },
        { from: senderOf(smtpUrl) ?? to.split(",")[0] },
      ),
    ));
  /** @throws an error with its fix if the server has no TLS */
  const explain = (error: unknown): never => {
    if (smtpUrl.startsWith("smtp:") && NO_TLS_ANSWER.test((error as Error).message))
      throw new Error(
        "the mail server announces STARTTLS but does not answer with TLS: use smtps:// with its port for TLS, or repair the server",
        { cause: error },
      );
    if ((error as NodeJS.ErrnoException).code !== "ETLS") throw error;
    throw new Error(
      "the mail server has no TLS, so its password is not sent: use smtps://, or allow it with --allow-plaintext",
      { cause: error },
    );
  };
  return {
    async send(alert: Alert): Promise<void> {
      const mailer = await load();
      const mail = { to, subject: mailSubject(alert), text: mailText(alert) };
      await mailer.sendMail(mail).catch(explain);
    },
    /**
     * Throws if the server refuses the settings. An unreachable server is no error: it may recover.
     */
    check: async (): Promise<void> => {
      const mailer = await load();
      await mailer.verify().catch((error: NodeJS.ErrnoException) => {
        if (REFUSALS.has(error.code ?? "")) explain(error);
      });
    },
    close: async (): Promise<void> => (await transport)?.close(),
  };
}

/** Returns the user of the URL as the sender, because most servers accept no other. */
function senderOf(smtpUrl: string): string | undefined {
  const user = decodeURIComponent(new URL(smtpUrl).username);
  return user.includes("@") ? user : undefined;
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
