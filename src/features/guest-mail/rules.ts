import type { EventNames, EventPlan } from "../../domain/public/public-event.ts";
import { domainOf, isMailProvider } from "../../domain/mail/mail-providers.ts";

// The rules say what is mailed to guests, how often, and when a mail that was not accepted is tried
// again.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * What a mail is about. A `confirm` mail asks the guest to confirm a hold. A `calledOff` mail says
 * that the event of an order is cancelled or postponed.
 */
export const MAIL_KINDS = [
  "received",
  "confirmed",
  "declined",
  "expired",
  "moved",
  "calledOff",
  "cancelled",
  "reminder",
  "confirm",
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export const MAIL_STATUSES = ["WAITING", "SENT", "FAILED", "DISCARDED"] as const;
/**
 * FAILED: the mail server has refused the mail, or has not accepted it in time. DISCARDED: deskbell
 * has given the mail up for another reason, such as a limit.
 */
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** The state of a visit or order when a mail was written. Times are epoch milliseconds. */
export type MailFacts = {
  status: string;
  /** Rises with each change of the visit or order. */
  version: number;
  startsAt: number;
  endsAt: number;
  /** When an unapproved visit, an unpaid order or a hold ends; null if nothing is to be decided. */
  decideBy: number | null;
  /** Until when the guest may move or cancel the visit. */
  cancelUntil: number;
  /** The event of an order; absent for visits, and if the catalog did not have the event. */
  event?: EventNames | undefined;
  /**
   * What the guest knew of the event before its change; null if the guest may have got a mail that
   * this one has replaced. Absent unless the mail is about a change of the event.
   */
  known?: EventPlan | null | undefined;
};

/** How long before a visit its reminder is written. */
export const REMINDER_MS = DAY_MS;
/** The longest time for which sending a mail is tried. */
const MAX_WAIT_MS = 2 * DAY_MS;

/** The kinds that are sent even after the time of the visit. */
const ENDINGS: readonly MailKind[] = ["declined", "expired", "calledOff", "cancelled"];

/** Returns the time (epoch ms) after which a mail is not sent, because it would be of no use. */
export function expiryOf(kind: MailKind, facts: MailFacts, now: number): number {
  // A mail of this kind is about a hold, whose `decideBy` is never null.
  if (kind === "confirm") return facts.decideBy ?? now;
  return ENDINGS.includes(kind) ? now + MAX_WAIT_MS : Math.min(now + MAX_WAIT_MS, facts.endsAt);
}

/** The delay after each attempt that the server has refused for now; the last delay repeats. */
const RETRY_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
/** The longest delay while no mail can be sent: the mail server may be back at any time. */
const MAX_SERVER_DELAY_MS = 5 * MINUTE_MS;

/** Returns a delay in ms. @param attempts how often the mail was tried, from 1 */
export const retryDelay = (attempts: number): number =>
  RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1] ?? HOUR_MS;

/** Returns the delay in ms after an attempt that failed because of the mail server. */
export const serverDelay = (attempts: number): number =>
  Math.min(retryDelay(attempts), MAX_SERVER_DELAY_MS);

/** The pauses after the first, second, third failure in a row and so on; the last pause repeats. */
const PAUSES_MS = [2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS];
export const pauseAfter = (failures: number): number =>
  PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? MAX_SERVER_DELAY_MS;

/** Failures in a row before they are reported: a single one may be a restart of the server. */
export const REPORTED_FAILURES = 3;

/** The time for which limits count a mail. */
export const COUNTED_MS = DAY_MS;

/** The most mails to one mailbox in 24 hours. */
const MAX_TO_MAILBOX = 20;
/**
 * The most mails in 24 hours that ask to confirm a hold: to one mailbox, to one mail domain, or for
 * visitors from one network address.
 */
const MAX_CONFIRMATIONS = 3;

/**
 * At most `max` mails with the same text `counted`, such as `mailbox ana@example.com`, are sent
 * within `COUNTED_MS`.
 */
export type Limit = { counted: string; max: number };

/**
 * Returns the mailbox of an address. Spellings that differ in case or in a +tag have one mailbox.
 */
function mailboxOf(address: string): { mailbox: string; domain: string } {
  const at = address.lastIndexOf("@");
  const domain = domainOf(address);
  const name = address.slice(0, at).toLowerCase().split("+", 1)[0] ?? "";
  const ignoresDots = domain === "gmail.com" || domain === "googlemail.com";
  const local = ignoresDots ? name.replaceAll(".", "") : name;
  return { mailbox: `${local}@${domain}`, domain };
}

/**
 * Returns the limits that apply to a mail.
 * @param visitor identifies the network address of the visitor; undefined if it is unknown
 */
export function limitsOf(kind: MailKind, address: string, visitor: string | undefined): Limit[] {
  const { mailbox, domain } = mailboxOf(address);
  const limitOfMailbox = { counted: `mailbox ${mailbox}`, max: MAX_TO_MAILBOX };
  if (kind !== "confirm") return [limitOfMailbox];
  return [
    limitOfMailbox,
    { counted: `confirmation ${mailbox}`, max: MAX_CONFIRMATIONS },
    ...(isMailProvider(domain)
      ? []
      : [{ counted: `confirmation ${domain}`, max: MAX_CONFIRMATIONS }]),
    ...(visitor === undefined
      ? []
      : [{ counted: `confirmation ${visitor}`, max: MAX_CONFIRMATIONS }]),
  ];
}

/** An error of the mail client. */
export type SendError = {
  responseCode?: number;
  code?: string;
  command?: string;
  response?: string;
};

/**
 * What an error means: the mail is refused for good or for now, or no mail can be sent because of the
 * mail server or the operator's settings.
 */
export type Refusal = { kind: "permanent" | "temporary" | "server"; reason: string };

/** The commands of SMTP whose response is about the mail. MAIL FROM names only the operator. */
const MAIL_COMMAND = /^(?:RCPT TO|DATA)/;

/**
 * Responses that are never about the mail: 421 (the server closes the connection), 503 (it expects
 * another command) and those that ask for a login or refuse it (RFC 4954).
 */
const SERVER_RESPONSES: ReadonlySet<number> = new Set([421, 503, 530, 534, 535, 538]);

/** Matches the enhanced status code (RFC 3463) of a response. */
const ENHANCED = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

/**
 * Matches the enhanced status codes for a bad address of the sender. Some servers refuse the sender
 * only in the response to RCPT TO.
 */
const BAD_SENDER = /^[45]\.1\.[78]$/;

/**
 * Classifies why a mail was not accepted. The texts of servers often contain the address, so the
 * reason has only their codes.
 */
export function classifyError({ responseCode, code, command, response }: SendError): Refusal {
  if (responseCode === undefined) {
    // An error that nodemailer raises itself is no response to a command, so its code tells whether
    // it is about the mail.
    return code === "EENVELOPE" || code === "EMESSAGE"
      ? { kind: "permanent", reason: "the address is not usable" }
      : { kind: "server", reason: "the mail server does not answer" };
  }
  const status = ENHANCED.exec(response ?? "")?.[1];
  const reason = status === undefined ? String(responseCode) : `${responseCode} ${status}`;
  const isAboutMail =
    MAIL_COMMAND.test(command ?? "") &&
    code !== "ECONNECTION" &&
    !SERVER_RESPONSES.has(responseCode) &&
    !BAD_SENDER.test(status ?? "");
  if (!isAboutMail) return { kind: "server", reason: `the mail server refuses mail: ${reason}` };
  return { kind: responseCode >= 500 ? "permanent" : "temporary", reason };
}

/** Returns a text of a mail server without the addresses in it. */
export const withoutAddresses = (text: string): string =>
  text.replaceAll(/[^\s<>"']+@[^\s<>"']+/g, "…");
