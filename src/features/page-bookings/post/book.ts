import { hash } from "node:crypto";
import { countForVisitor, hashVisitor } from "../../../app/bookings/booking-limits.ts";
import { bookServices, reserveTable } from "../../../app/bookings/bookings.ts";
import { createHold } from "../../../app/bookings/holds.ts";
import { ShareUsedError } from "../../../app/bookings/hold-limits.ts";
import { leavesTimeFree } from "../../../app/bookings/hold-share.ts";
import {
  findReply,
  findReplyOfToken,
  hasReply,
  saveReply,
} from "../../../app/idempotent-replies.ts";
import { mailsGuests } from "../../../app/guests/mails-guests.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Booking } from "../../../domain/bookings/booking.ts";
import type { Customer } from "../../../domain/bookings/customer.ts";
import type { Hold } from "../../../domain/bookings/hold.ts";
import type { Reservation } from "../../../domain/bookings/reservation.ts";
import { AppError, type ErrorCode } from "../../../domain/errors.ts";
import type { PageLanguage } from "../../../pages/languages.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { countOnPages } from "../../public-pages/counters.ts";
import { accessOfPage, getPageKey, listCounted, runAsPage } from "../access.ts";
import { hashToken, LINK_TOKEN_PREFIX } from "../link-tokens.ts";
import { type Choice, HOLD_MS, isHoldOf, KEY_BYTES, toRequest } from "../rules.ts";
import { createPageBookingStore } from "../store.ts";

// The booking page holds times and books them with the same functions as the API.

const TOKEN_BYTES = 24;

export type PageHold = {
  choice: Choice;
  startsAt: number;
  /** An earlier hold of this visitor, which is released; null if there is none. */
  previousId: string | null;
};

/**
 * Holds a time while a guest types. Returns null if no more may be held: the guest then books
 * without a hold, or confirms the visit by mail.
 * @param visitorOf hashes the visitor's network address with the ID of the page's key
 * @throws ShareUsedError on a server without mail, whose page would also refuse the visit
 * @throws AppError slot_taken, too_many_bookings, and the errors of an invalid choice
 */
export const holdTime = (
  rt: Runtime,
  business: BusinessRow,
  visitorOf: (keyId: string) => Buffer,
  { choice, startsAt, previousId }: PageHold,
): Hold | null =>
  rt.tx(() => {
    const keyId = getPageKey(rt, business);
    if (previousId !== null && findOpenHold(rt, business, keyId, previousId))
      rt.store.holds.release(previousId);
    const client = {
      keyId,
      visitor: visitorOf(keyId),
      counted: listCounted(rt, business, keyId),
      part: partOfShare(rt, "no proof"),
    };
    const request = toRequest(choice);
    try {
      const hold = createHold(rt, business, client, { request, startsAt, ttlMs: HOLD_MS });
      countOnPages(rt, "action", "hold");
      return hold;
    } catch (error) {
      if (error instanceof ShareUsedError && !mailsGuests(rt)) throw error;
      if (error instanceof AppError && error.code === "too_many_holds") return null;
      throw error;
    }
  });

/** Returns a hold that a visitor of the page can still book; undefined if there is none. */
export function findOpenHold(
  rt: Runtime,
  { id }: BusinessRow,
  keyId: string,
  holdId: string,
): Hold | undefined {
  const hold = rt.store.holds.findById(id, holdId, keyId);
  return hold?.status === "OPEN" && hold.expiresAt > rt.now() ? hold : undefined;
}

export type PageBooking = {
  choice: Choice;
  startsAt: number;
  holdId: string | null;
  /** The key of the form: a form that is sent twice books once. */
  formKey: string;
  nonce: string;
  /** The total that the form showed, which must still be right; null if it showed none. */
  expectedTotalCents: number | null;
  customer: Customer;
  language: PageLanguage;
};

/** A form of the page: its key, and what the guest has chosen and written. */
export type SentForm = {
  formKey: string;
  /**
   * A random text that is new in each response with the form. Knowing the URL of the form is not
   * enough to know this text.
   */
  nonce: string;
  customer: Customer;
  choice?: Choice;
  startsAt?: number;
  items?: readonly object[];
};

export const createNonce = (rt: Runtime): string => rt.random(KEY_BYTES).toString("hex");

export const tokenOf = (purpose: "page" | "page mail", formKey: string): string =>
  `${purpose} ${hash("sha256", formKey, "hex")}`;

/**
 * Returns what identifies the stored reply to a form. The key of the form is in the form's URL,
 * which a guest may show to others before booking. The reply is therefore found only with the key
 * and all that the guest has sent. The database has only hashes of the key and of these details.
 */
export const replyOfForm = (
  purpose: "page" | "page mail",
  keyId: string,
  { formKey, nonce, customer, choice, startsAt, items }: SentForm,
) => ({
  keyId,
  token: tokenOf(purpose, formKey),
  request: JSON.stringify({ nonce, customer, choice, startsAt, items }),
});

/**
 * Returns the token of the visit that a form has made; undefined if the form has made none.
 * @throws AppError idempotency_key_reused if the form made its visit with other details
 */
export const findBooked = (rt: Runtime, keyId: string, form: SentForm): string | undefined =>
  findReply(rt, replyOfForm("page", keyId, form))?.body?.toString();

/**
 * Returns the token of the visit that a form has made, even if the form was sent with other
 * details; undefined if the form has made none. Show the token only to a browser that has it
 * already.
 */
export const findBookedByKey = (rt: Runtime, keyId: string, formKey: string): string | undefined =>
  findReplyOfToken(rt, { keyId, token: tokenOf("page", formKey) })?.body?.toString();

/** Returns whether a form has made a visit. */
export const isFormUsed = (rt: Runtime, keyId: string, formKey: string): boolean =>
  hasReply(rt, { keyId, token: tokenOf("page", formKey) });

/**
 * Books a time or table, once for each form, and returns the token of the guest's link to the
 * visit. Call it outside of a transaction.
 * @param visitorOf hashes the visitor's network address with the ID of the page's key
 * @throws AppError slot_taken, price_changed, too_many_holds, too_many_bookings,
 *   idempotency_key_reused
 */
export const bookOnPage = (
  rt: Runtime,
  business: BusinessRow,
  visitorOf: (keyId: string) => Buffer,
  wanted: PageBooking,
): string =>
  rt.tx(() => {
    const keyId = getPageKey(rt, business);
    const booked = findBooked(rt, keyId, wanted);
    if (booked !== undefined) return booked;
    const visitor = visitorOf(keyId);
    const visit = runAsPage(rt, keyId, () => makeVisit(rt, business, keyId, visitor, wanted));
    for (const contact of contactsOf(wanted.customer))
      countForVisitor(rt, accessOfPage(business, keyId, hashVisitor(rt, keyId, contact)), "visit");
    return createLink(rt, business, keyId, wanted, visit);
  });

/**
 * Creates the guest's link to a visit or order, and returns its token. The token is stored as the
 * reply to the form for a day, so that the same form, sent again, leads to the same visit.
 */
export function createLink(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  keyId: string,
  form: SentForm & { language: PageLanguage },
  { id: visitId, status }: { id: string; status: string },
): string {
  const token = `${LINK_TOKEN_PREFIX}${rt.random(TOKEN_BYTES).toString("hex")}`;
  countOnPages(rt, "action", "booking");
  const row = {
    visitId,
    businessId,
    language: form.language,
    // A visit whose first status is CONFIRMED was booked at once: nobody had to confirm it.
    unconfirmed: status === "CONFIRMED",
    hasMailbox: false,
  };
  const store = rt.openStore(createPageBookingStore);
  store.insert(row);
  store.insertLink(visitId, hashToken(token), rt.now());
  const reply = { status: 303, headers: [], body: Buffer.from(token) };
  saveReply(rt, replyOfForm("page", keyId, form), reply);
  return token;
}

/**
 * Returns texts that identify the guest by email address and phone number. Limits count these texts
 * as they count the network address, because one guest can have many network addresses.
 */
export const contactsOf = ({ email, phone }: Customer): string[] => [
  ...(email ? [`email ${email.toLowerCase()}`] : []),
  ...(phone ? [`phone ${phone.replaceAll(/\D/g, "")}`] : []),
];

/**
 * Makes the visit of a form. A visit with a hold is not checked against the share of the page: the
 * hold was checked, and the visit takes the place of the hold.
 */
function makeVisit(
  rt: Runtime,
  business: BusinessRow,
  keyId: string,
  visitor: Buffer,
  wanted: PageBooking,
): Booking | Reservation {
  const { choice, startsAt, holdId, customer, expectedTotalCents } = wanted;
  const access = accessOfPage(business, keyId, visitor);
  const guest = { customerRef: null, customer };
  const hold = holdId === null ? undefined : findOpenHold(rt, business, keyId, holdId);
  // The URL of the form names the hold beside the choice, and can name the hold of another choice.
  if (hold && hold.startsAt === startsAt && isHoldOf(hold, choice)) {
    const held = { guest, holdId: hold.id };
    return choice.kind === "table"
      ? reserveTable(rt, business, access, held)
      : bookServices(rt, business, access, { ...held, expectedTotalCents });
  }
  if (hold) rt.store.holds.release(hold.id);
  const visit =
    choice.kind === "table"
      ? reserveTable(rt, business, access, { guest, request: toRequest(choice), startsAt })
      : bookServices(rt, business, access, {
          guest,
          request: toRequest(choice),
          startsAt,
          expectedTotalCents,
        });
  assertWithinShare(rt, business, keyId, visit, partOfShare(rt, "no proof"));
  return visit;
}

/**
 * The proof that a guest means a visit seriously: none, a mail that asks the guest, or a mailbox
 * from which the visit was confirmed.
 */
type Proof = "no proof" | "mail asked" | "mailbox";

/** The part of the page's share that visits and holds may fill, on a server that mails guests. */
const PARTS: Record<Proof, number> = { "no proof": 0.5, "mail asked": 0.75, mailbox: 1 };

/**
 * Returns the part of the page's share of the free time that all counted visits and holds may fill,
 * including a new one with this proof. The part is larger with a better proof. On a server that
 * mails no guests, nobody can give a proof, so the part is always the whole share.
 */
export const partOfShare = (rt: Runtime, proof: Proof): number =>
  mailsGuests(rt) ? PARTS[proof] : 1;

/**
 * Asserts that the holds and the unconfirmed visits of the page stay within its share of the free
 * time. Call it after the visit was made, in the same transaction.
 * @param part the part of the share that they all, including the visit, may fill together
 * @throws AppError too_many_holds
 */
export function assertWithinShare(
  rt: Runtime,
  business: BusinessRow,
  keyId: string,
  visit: Booking | Reservation,
  part: number,
): void {
  const open = rt.store.holds.listOpenOfKey(business.id, keyId, rt.now());
  const counted = [...open, ...listCounted(rt, business, keyId, visit.id)];
  const held = "segments" in visit ? { ...visit, tableId: null } : { ...visit, segments: [] };
  if (leavesTimeFree(rt, business, counted, held, part)) return;
  throw new ShareUsedError("The page has taken as many bookings as it may.", "call the business");
}

/** A further refusal within this time is not stored, to save writes. */
const REFUSAL_MS = 60_000;

/** Records a refusal for the operator. Call it outside of the transaction that was refused. */
export function recordRefusal(rt: Runtime, { id }: BusinessRow, error: unknown): void {
  countOnPages(rt, "action", "refused");
  if (!(error instanceof ShareUsedError)) return;
  const store = rt.openStore(createPageBookingStore);
  const page = store.findPage(id);
  if (page && (page.shareRefusedAt ?? 0) <= rt.now() - REFUSAL_MS)
    rt.tx(() => store.setRefused(page.keyId, rt.now()));
}

/** The errors after which the page shows the telephone number. */
const CLOSED: readonly ErrorCode[] = ["too_many_holds", "too_many_bookings"];

export const isClosedError = (error: unknown): boolean =>
  error instanceof AppError && CLOSED.includes(error.code);
