import { changeBooking, changeReservation } from "../../../app/bookings/operator-changes.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Booking } from "../../../domain/bookings/booking.ts";
import type { Reservation } from "../../../domain/bookings/reservation.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { hashToken } from "../desks.ts";
import { type AlertLinkRow, createAlertLinkStore } from "../store.ts";

// Links in an alert let its reader accept or decline a visit without a paired device. The reader
// may be anybody who sees the alert, so the links end with the decision.

export const DECISIONS = ["accept", "decline"] as const;
export type Decision = (typeof DECISIONS)[number];

/** The URLs of the pages that ask for a confirmation before they accept or decline. */
export type AlertLinks = Record<Decision, string>;

const TOKEN_BYTES = 24;
/** The log recognises and redacts tokens of this form. */
const TOKEN = /^deskbell_al_[0-9a-f]{48}$/;
/** The most links of a visit that work at once: each attempt to send an alert creates new ones. */
const MAX_OF_VISIT = 10;

/**
 * Creates links to a visit that waits for a decision. The links end with the decision, or when the
 * time to decide is over.
 * @returns the only copy of the links; undefined if nobody can decide about the visit now
 */
export const createAlertLinks = (
  rt: Runtime,
  slug: string,
  visitId: string,
): AlertLinks | undefined =>
  rt.tx(() => {
    const business = rt.store.businesses.findBySlug(slug);
    const visit = business && findUndecided(rt, business, visitId);
    if (!business || !visit) return undefined;
    const token = `deskbell_al_${rt.random(TOKEN_BYTES).toString("hex")}`;
    const link: AlertLinkRow = {
      id: rt.newId("alk"),
      businessId: business.id,
      visitId,
      expiresAt: visit.decideBy,
    };
    rt.openStore(createAlertLinkStore).insert(link, hashToken(token), MAX_OF_VISIT);
    const page = new URL(
      `${rt.config.http.publicUrl}/b/${encodeURIComponent(slug)}/alert-links/${token}`,
    ).href;
    return { accept: `${page}/accept`, decline: `${page}/decline` };
  });

/** A visit that waits for a decision, until `decideBy` (epoch ms). */
export type UndecidedVisit = (
  | (Booking & { type: "booking" })
  | (Reservation & { type: "reservation" })
) & {
  decideBy: number;
};

function findUndecided(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  visitId: string,
): UndecidedVisit | undefined {
  const booking = rt.store.bookings.findById(businessId, visitId);
  const reservation = rt.store.reservations.findById(businessId, visitId);
  const visit =
    (booking && { ...booking, type: "booking" as const }) ??
    (reservation && { ...reservation, type: "reservation" as const });
  if (visit?.status !== "PENDING" || visit.decideBy === null) return undefined;
  return visit.decideBy > rt.now() ? { ...visit, decideBy: visit.decideBy } : undefined;
}

export type LinkedVisit = { business: BusinessRow; link: AlertLinkRow; visit: UndecidedVisit };

/**
 * Returns the visit of a link; undefined if the link has ended or is of another business, if the
 * visit no longer waits, or if links are switched off.
 */
export function findLinkedVisit(rt: Runtime, slug: string, token: string): LinkedVisit | undefined {
  if (!rt.config.alerts.links || !TOKEN.test(token)) return undefined;
  const link = rt.openStore(createAlertLinkStore).find(hashToken(token), rt.now());
  const business = rt.store.businesses.findBySlug(slug);
  if (!link || !business || business.id !== link.businessId) return undefined;
  const visit = findUndecided(rt, business, link.visitId);
  return visit && { business, link, visit };
}

/** What a link did. `moved`: the visit is at another time than the one that the reader has seen. */
export type LinkOutcome = "done" | "moved" | "ended";

/**
 * Accepts or declines the visit of a link, as a command of the operator does; the audit log names
 * the link. All links of the visit end.
 * @param seenStart when the visit started on the page that the reader has seen (epoch ms)
 */
export const decideByLink = (
  rt: Runtime,
  slug: string,
  token: string,
  {
    decision,
    seenStart,
    address,
  }: { decision: Decision; seenStart: number; address: string | null },
): LinkOutcome =>
  rt.tx(() => {
    const found = findLinkedVisit(rt, slug, token);
    if (found === undefined) return "ended";
    const { link, visit } = found;
    if (visit.startsAt !== seenStart) return "moved";
    const change = visit.type === "booking" ? changeBooking : changeReservation;
    rt.runAs({ via: "http", id: link.id, name: "alert link", address }, () =>
      change(rt, slug, visit.id, decision === "accept" ? "approve" : "decline"),
    );
    rt.openStore(createAlertLinkStore).deleteOfVisit(visit.id);
    return "done";
  });
