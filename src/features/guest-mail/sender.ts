import { tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import { errorInWords } from "../../domain/errors.ts";
import { createMailer, type Mail, type Mailer } from "../../platform/smtp.ts";
import { isStorageUnavailable } from "../../store/database/storage-error.ts";
import { isBusy } from "../../store/database/write-lock.ts";
import { hashToken, LINK_TOKEN_PREFIX } from "../page-bookings/link-tokens.ts";
import { createPageBookingStore } from "../page-bookings/store.ts";
import { composeMail } from "./compose.ts";
import {
  classifyError,
  retryDelay,
  type SendError,
  serverDelay,
  withoutAddresses,
} from "./rules.ts";
import { ServerHealth } from "./server-health.ts";
import { createGuestMailStore, type MailRow } from "./store.ts";

const TOKEN_BYTES = 24;
/** The most mails that one run sends. The next second starts another run. */
const MAX_PER_RUN = 20;
/** The delay after which a mail is tried again while the master key is missing or wrong. */
const NO_KEY_DELAY_MS = 60_000;

/** Starts sending the mails that wait. Call it in the delivery thread. */
export function startSender(rt: Runtime): MailSender {
  const { smtpUrl, allowPlaintext } = rt.config.alerts;
  if (smtpUrl === null) throw new Error("Mail to guests has no mail server.");
  return new MailSender(rt, createMailer(smtpUrl, allowPlaintext));
}

/**
 * Sends mails one after the other, and tries each of them until the server has accepted it or
 * refused it for good. A mail whose acceptance could not be stored is not sent again while this
 * process lives.
 */
export class MailSender {
  readonly #rt: Runtime;
  readonly #mailer: Pick<Mailer, "send" | "close">;
  readonly #health: ServerHealth;
  /**
   * The times (epoch ms) at which the server accepted mails, by the mail's ID. An entry is removed
   * once the acceptance is stored.
   */
  readonly #accepted = new Map<string, number>();
  #current: { id: string; abort: AbortController } | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(rt: Runtime, mailer: Pick<Mailer, "send" | "close">) {
    this.#rt = rt;
    this.#mailer = mailer;
    this.#health = new ServerHealth(rt);
  }

  get #store() {
    return this.#rt.openStore(createGuestMailStore);
  }

  /**
   * Sends the due mails, unless this is happening already. Call it each second, and after each
   * commit, which may have written or erased a mail.
   */
  wake(): void {
    // A commit may have erased the mail that is being sent, which must then not be sent.
    if (this.#current && this.#store.find(this.#current.id) === undefined)
      this.#current.abort.abort();
    if (this.#isStopped || this.#running || this.#health.isPaused) return;
    if (this.#accepted.size === 0 && this.#listDue(1).length === 0) return;
    this.#running = this.#run().finally(() => (this.#running = undefined));
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #listDue(limit: number): MailRow[] {
    // An accepted mail stays due until its end is stored. More rows are read than needed, because
    // the accepted mails among them are left out.
    return this.#store
      .listDue(this.#rt.now(), limit + this.#accepted.size)
      .filter(({ id }) => !this.#accepted.has(id));
  }

  async #run(): Promise<void> {
    try {
      this.#storeAccepted();
      for (let i = 0; i < MAX_PER_RUN && !this.#isStopped && !this.#health.isPaused; i++) {
        // When a mail ends, the next mail about the same visit becomes due, so the list is read
        // again before each mail.
        const [next] = this.#listDue(1);
        if (next === undefined) return;
        await this.#send(next.id);
      }
    } catch (error) {
      // If another program is writing or the storage cannot be used, the next second tries again.
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
    }
  }

  #storeAccepted(): void {
    for (const [id, at] of this.#accepted) {
      this.#rt.tx(() => this.#store.end(id, "SENT", null, at));
      this.#accepted.delete(id);
    }
  }

  async #send(id: string): Promise<void> {
    const mail = this.#rt.tx(() => this.#begin(id));
    if (mail === undefined) return;
    const abort = new AbortController();
    this.#current = { id, abort };
    try {
      await this.#mailer.send({ ...mail, signal: abort.signal });
    } catch (error) {
      if (!abort.signal.aborted) this.#recordError(id, error as SendError & Error);
      return;
    } finally {
      this.#current = undefined;
    }
    this.#accepted.set(id, this.#rt.now());
    this.#storeAccepted();
    this.#health.recordAnswer();
  }

  /**
   * Stores the beginning of an attempt, and returns the mail to send; undefined if the mail must
   * not be sent.
   */
  #begin(id: string): Mail | undefined {
    const rt = this.#rt;
    const row = this.#store.find(id);
    const business = row && rt.store.businesses.findById(row.businessId);
    if (row?.status !== "WAITING" || business === undefined) return undefined;
    if (row.expiresAt <= rt.now()) {
      this.#end(row, row.attempts === 0 ? "DISCARDED" : "FAILED", row.reason ?? "too late");
      return undefined;
    }
    const token = this.#tokenOf(row);
    if (token === undefined || !this.#isReadable(row)) {
      // A check of the master key reports this to the operator. The mail is sent when the key is
      // back.
      this.#store.postpone(id, rt.now() + NO_KEY_DELAY_MS, "no key decrypts the guest's data");
      return undefined;
    }
    const { guestMail: from, http } = rt.config;
    const link = `${http.publicUrl}/b/${encodeURIComponent(business.slug)}/v/${token}`;
    const mail = from === null ? undefined : composeMail(rt, row, business, { from, link });
    if (mail === undefined) {
      this.#end(row, "DISCARDED", "the guest has no address");
      return undefined;
    }
    const pages = rt.openStore(createPageBookingStore);
    pages.insertLink(row.visitId, hashToken(token), row.createdAt);
    // If this process dies during the attempt, the mail waits as long as one that the server has
    // refused for now.
    this.#store.startAttempt(id, rt.now() + retryDelay(row.attempts + 1));
    return mail;
  }

  /**
   * Returns the token of a mail's link; undefined without a master key. The token is derived from
   * the mail's ID, so that each attempt sends the same link.
   */
  #tokenOf({ id }: MailRow): string | undefined {
    const mac = this.#rt.secrets.mac("guest link", id);
    return mac && `${LINK_TOKEN_PREFIX}${mac.subarray(0, TOKEN_BYTES).toString("hex")}`;
  }

  /** Returns false if the guest's data are stored, but no key decrypts them. */
  #isReadable({ visitId }: MailRow): boolean {
    const guest = this.#rt.store.guests.findByVisit(visitId);
    return guest === undefined || tryDecryptCustomer(this.#rt, guest) !== undefined;
  }

  /** Records an attempt that failed: the mail is tried again, or ends. */
  #recordError(id: string, error: SendError & Error): void {
    const rt = this.#rt;
    const refusal = classifyError(error);
    const isAboutMail = refusal.kind !== "server";
    if (isAboutMail) this.#health.recordAnswer();
    else this.#health.recordFailure(withoutAddresses(errorInWords(error)));
    rt.tx(() => {
      const row = this.#store.find(id);
      if (row === undefined) return;
      if (refusal.kind === "permanent") return this.#end(row, "FAILED", refusal.reason);
      const delay = (isAboutMail ? retryDelay : serverDelay)(row.attempts);
      this.#store.postpone(id, rt.now() + delay, refusal.reason);
    });
  }

  #end(row: MailRow, status: "FAILED" | "DISCARDED", reason: string): void {
    const { id, businessId, kind } = row;
    this.#store.end(id, status, reason, this.#rt.now());
    this.#rt.log("warn", "A mail to a guest was not sent.", { mail: id, businessId, kind, reason });
  }

  /** Waits for the mail that is being sent, so that the next daemon does not send it again. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    const timer = setTimeout(() => this.#current?.abort.abort(), graceMs);
    await this.#running;
    clearTimeout(timer);
    await this.#mailer.close();
  }
}
