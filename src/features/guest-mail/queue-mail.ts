import { tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { GuestNews, OnGuestNews } from "../../app/feature-hooks.ts";
import { mailsGuests } from "../../app/guests/mails-guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Teller, Visit } from "../../domain/bookings/visit.ts";
import { deepEqual } from "../../domain/equality.ts";
import { isMailAddress } from "../../domain/mail/mail-address.ts";
import type { EventPlan } from "../../domain/public/public-event.ts";
import { choosePageLanguage } from "../../pages/languages.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { createPageBookingStore } from "../page-bookings/store.ts";
import { COUNTED_MS, expiryOf, limitsOf, type MailFacts, type MailKind } from "./rules.ts";
import { createGuestMailStore, type MailRow } from "./store.ts";

// Every process that changes visits loads this file, so it imports nothing that sends mail.

export type NewMail = {
  kind: MailKind;
  /** The ID of a visit, order or hold. */
  id: string;
  /** The API key that made the visit, order or hold. */
  keyId: string;
  /** Identifies the visitor's network address, for limits; undefined if it is unknown. */
  visitor?: Buffer;
} & MailFacts;

/** Writes a mail about a change of a visit, in the transaction of the change. */
export const queueMail: OnGuestNews = (rt, business, news) =>
  mailsGuests(rt) &&
  (news.plans === undefined
    ? writeMail(rt, business, news)
    : writeEventMail(rt, business, news, news.plans));

/**
 * Writes a mail about a change of an order's event. A mail says what the event is like when it is
 * sent, so this mail replaces one about an earlier change that still waits, and none is written if
 * the guest is told by another mail, or need not be told because the change is undone.
 */
function writeEventMail(
  rt: Runtime,
  business: BusinessRow,
  news: GuestNews,
  plans: NonNullable<GuestNews["plans"]>,
): boolean {
  const store = rt.openStore(createGuestMailStore);
  const waiting = store.listWaiting(news.id);
  const replaced = waiting.find(({ facts }) => facts.known !== undefined);
  if (replaced !== undefined) store.remove(replaced.id);
  const known = replaced === undefined ? plans.known : knownBefore(replaced);
  if (deepEqual(known, plans.plan)) return false;
  if (waiting.some(({ id, attempts }) => id !== replaced?.id && attempts === 0)) return true;
  return writeMail(rt, business, { ...news, known }, replaced !== undefined);
}

/** Returns what the guest knows of an event if a mail is not sent any more. */
const knownBefore = ({ attempts, facts }: MailRow): EventPlan | null =>
  // The server may have accepted a mail that was tried, although its acceptance is not stored.
  attempts === 0 ? (facts.known ?? null) : null;

/**
 * Returns the address to which mails about a visit, order or hold go. Returns undefined if the API
 * key that made it does not mail its guests, or if the guest gave no address.
 */
function findAddress(rt: Runtime, visitId: string, keyId: string, isOfPage: boolean) {
  if (!isOfPage && rt.store.keys.findById(keyId)?.guestMail !== true) return undefined;
  const guest = rt.store.guests.findByVisit(visitId);
  return (guest && tryDecryptCustomer(rt, guest)?.email) || undefined;
}

/** Returns who tells the guest of a visit that the business has changed it. */
export function findTeller(
  rt: Runtime,
  business: BusinessRow,
  { id, createdByKey }: Pick<Visit, "id" | "createdByKey">,
): Teller {
  if (createdByKey === null) return "nobody";
  const isOfPage = rt.openStore(createPageBookingStore).findKeyId(business.id) === createdByKey;
  const address = mailsGuests(rt) ? findAddress(rt, id, createdByKey, isOfPage) : undefined;
  if (address !== undefined && isMailAddress(address)) return "mail";
  const hasPartner = !isOfPage && rt.store.keys.findById(createdByKey)?.revokedAt === null;
  return hasPartner ? "partner" : "nobody";
}

/**
 * Writes a mail to the guest of a visit that was made on the booking page, or by a key that mails
 * its guests. A mail over a limit is stored as discarded, so that it is reported.
 * @param isCounted whether limits have counted the mail already, as one that it replaces
 * @returns whether the mail will be sent
 */
export function writeMail(
  rt: Runtime,
  business: BusinessRow,
  { kind, id: visitId, keyId, visitor, ...facts }: NewMail,
  isCounted = false,
): boolean {
  const pages = rt.openStore(createPageBookingStore);
  const isOfPage = pages.findKeyId(business.id) === keyId;
  const address = findAddress(rt, visitId, keyId, isOfPage);
  if (address === undefined) return false;
  const overLimit = () => (isCounted ? null : countMail(rt, kind, address, visitor));
  const refusal = isMailAddress(address) ? overLimit() : "the address is not usable";
  // The page tells the visitor at once that no confirmation is sent, so no mail is stored.
  if (kind === "confirm" && refusal !== null) return false;
  // The mail has a link to the guest's own page of the visit, which needs a row of the booking
  // page.
  if (!isOfPage && pages.findByVisit(visitId) === undefined)
    pages.insert({
      visitId,
      businessId: business.id,
      // The guest has not chosen a language, because no page was used.
      language: choosePageLanguage(undefined, business.doc.locales),
      unconfirmed: false,
      hasMailbox: false,
    });
  const now = rt.now();
  const mail = {
    id: rt.newId("gml"),
    businessId: business.id,
    visitId,
    kind,
    facts: toFacts(facts),
    reason: refusal,
    attempts: 0,
    createdAt: now,
    expiresAt: expiryOf(kind, facts, now),
  };
  const store = rt.openStore(createGuestMailStore);
  if (refusal === null)
    store.insert({ ...mail, status: "WAITING", nextAttemptAt: now, endedAt: null });
  else store.insert({ ...mail, status: "DISCARDED", nextAttemptAt: null, endedAt: now });
  return refusal === null;
}

/** Returns only the stored facts, because a caller may pass an object with other fields. */
const toFacts = ({
  status,
  version,
  startsAt,
  endsAt,
  decideBy,
  cancelUntil,
  event,
  known,
}: MailFacts): MailFacts => ({
  status,
  version,
  startsAt,
  endsAt,
  decideBy,
  cancelUntil,
  ...(event && { event }),
  ...(known !== undefined && { known }),
});

/** Counts a mail for its limits. @returns why the mail is not sent; null if no limit is reached */
function countMail(
  rt: Runtime,
  kind: MailKind,
  address: string,
  visitor: Buffer | undefined,
): string | null {
  const store = rt.openStore(createGuestMailStore);
  // Counts are stored by a hash, because an address would be guest data. Nothing is counted while
  // there is no master key.
  const limits = limitsOf(kind, address, visitor?.toString("hex")).flatMap(({ counted, max }) => {
    const hash = rt.secrets.mac("guest mail", counted);
    return hash === undefined ? [] : [{ hash, max }];
  });
  const since = rt.now() - COUNTED_MS;
  if (limits.some(({ hash, max }) => store.count(hash, since) >= max)) return "too many mails";
  for (const { hash } of limits) store.insertCount(hash, rt.now());
  return null;
}
