import { tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { OnGuestNews } from "../../app/feature-hooks.ts";
import { mailsGuests } from "../../app/guests/mails-guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Teller, Visit } from "../../domain/bookings/visit.ts";
import { isMailAddress } from "../../domain/mail/mail-address.ts";
import { choosePageLanguage } from "../../pages/languages.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { createPageBookingStore } from "../page-bookings/store.ts";
import { COUNTED_MS, expiryOf, limitsOf, type MailFacts, type MailKind } from "./rules.ts";
import { createGuestMailStore } from "./store.ts";

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
  mailsGuests(rt) && writeMail(rt, business, news);

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
 * @returns whether the mail will be sent
 */
export function writeMail(
  rt: Runtime,
  business: BusinessRow,
  { kind, id: visitId, keyId, visitor, ...facts }: NewMail,
): boolean {
  const pages = rt.openStore(createPageBookingStore);
  const isOfPage = pages.findKeyId(business.id) === keyId;
  const address = findAddress(rt, visitId, keyId, isOfPage);
  if (address === undefined) return false;
  const refusal = isMailAddress(address)
    ? countMail(rt, kind, address, visitor)
    : "the address is not usable";
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
}: MailFacts): MailFacts => ({
  status,
  version,
  startsAt,
  endsAt,
  decideBy,
  cancelUntil,
  ...(event && { event }),
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
