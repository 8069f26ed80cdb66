import type { SendMailOptions, Transporter } from "nodemailer";
import { isLoopbackHost } from "../domain/addresses.ts";

// This file connects to the mail server, for alerts and for mails to guests.

/** Error codes of nodemailer for a mail server that was reached, but refuses the settings. */
const REFUSALS = new Set(["ETLS", "EAUTH", "ENOAUTH"]);
const TIMEOUT_MS = 10_000;
/**
 * The timeout is long, because a mail may be sent again after a timeout, although a slow server
 * already has it.
 */
const RESPONSE_TIMEOUT_MS = 60_000;

export type Mail = SendMailOptions;
export type Mailer = ReturnType<typeof createMailer>;

/**
 * Returns whether a connection needs TLS, because the password would otherwise be sent without
 * encryption if STARTTLS is missing.
 */
export function needsTls(smtpUrl: string, allowPlaintext: boolean): boolean {
  const { protocol, username, hostname } = new URL(smtpUrl);
  return protocol === "smtp:" && username !== "" && !isLoopbackHost(hostname) && !allowPlaintext;
}

/** Matches the errors of OpenSSL for an answer that is not TLS. */
const NO_TLS_ANSWER = /:SSL routines:[^:]*:(?:wrong version number|packet length too long):/;

/**
 * Creates a client of the mail server. Nodemailer is loaded for the first mail: most servers send
 * none.
 */
export function createMailer(smtpUrl: string, allowPlaintext: boolean) {
  let transport: Promise<Transporter> | undefined;
  const load = () =>
    (transport ??= import("nodemailer").then(({ createTransport }) =>
      createTransport({
        url: smtpUrl,
        // Mails that are sent together share a connection, which is closed when idle.
        pool: true,
        maxConnections: 1,
        // Nodemailer must not send a mail again by itself: the feature that has stored the mail
        // decides about that.
        maxRequeues: 0,
        // Requiring TLS keeps the password from a server without STARTTLS, and from an attacker who
        // removes STARTTLS from the server's answer.
        requireTLS: needsTls(smtpUrl, allowPlaintext),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: RESPONSE_TIMEOUT_MS,
      }),
    ));
  /**
   * Throws the error. If the server has no working TLS, the thrown error says what to do instead.
   */
  const throwExplained = (error: unknown): never => {
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
    /**
     * Returns the recipients that the server refused while it accepted the mail for others.
     * @throws if the server has not confirmed that it accepts the mail
     */
    async send(mail: Mail): Promise<string[]> {
      const mailer = await load();
      const { rejected = [] } = await mailer.sendMail(mail).catch(throwExplained);
      return rejected;
    },
    /**
     * Throws if the server refuses the settings. An unreachable server is no error: it may recover.
     */
    check: async (): Promise<void> => {
      const mailer = await load();
      await mailer.verify().catch((error: NodeJS.ErrnoException) => {
        if (REFUSALS.has(error.code ?? "")) throwExplained(error);
      });
    },
    close: async (): Promise<void> => (await transport)?.close(),
  };
}

/** Returns the user of the URL as the sender, because most servers accept no other. */
export function senderOf(smtpUrl: string): string | undefined {
  const user = decodeURIComponent(new URL(smtpUrl).username);
  return user.includes("@") ? user : undefined;
}
