import { hash } from "node:crypto";
import { AppError, assertFound } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { createCalendarStore, type CalendarRow } from "./store.ts";
import { audit } from "../../app/audit.ts";
import { isSqliteError } from "../../store/database/db.ts";
import { revokeForGood } from "../../app/revoke-for-good.ts";
import type { Runtime } from "../../app/runtime.ts";

const TOKEN_BYTES = 24;
/** The form of a token, which the log recognises and redacts. */
const TOKEN = /^deskbell_cal_[0-9a-f]{48}$/;

/**
 * Returns the SHA-256 of a token. A token has 192 random bits, so it needs no salt or slow hash.
 */
const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

/**
 * Creates a calendar, and returns it with the only copy of its token.
 * @param staffId null for the whole business
 */
export function createCalendar(
  rt: Runtime,
  business: BusinessRow,
  { staffId, withGuests }: Pick<CalendarRow, "staffId" | "withGuests">,
): { calendar: CalendarRow; token: string } {
  return rt.tx(() => {
    const calendar: CalendarRow = {
      id: rt.newId("cal"),
      businessId: business.id,
      staffId,
      withGuests,
      createdAt: rt.now(),
      revokedAt: null,
      cutAt: null,
      formerUrlReadAt: null,
    };
    const token = `deskbell_cal_${rt.random(TOKEN_BYTES).toString("hex")}`;
    rt.openStore(createCalendarStore).insert(calendar, hashToken(token));
    auditCalendar(rt, "calendar.created", calendar, { staffId, withGuests });
    return { calendar, token };
  });
}

/** Revokes a calendar; a revoked one stays as it is. @throws AppError resource_not_found */
export function revokeCalendar(rt: Runtime, businessId: string, id: string): CalendarRow {
  return revokeForGood(rt, [id], () => {
    const calendar = getCalendar(rt, businessId, id);
    if (calendar.revokedAt !== null) return calendar;
    rt.openStore(createCalendarStore).revoke(id, rt.now());
    auditCalendar(rt, "calendar.revoked", calendar);
    return getCalendar(rt, businessId, id);
  });
}

/**
 * Returns the calendar with a token. Returns undefined if the token is unknown, if its calendar is
 * revoked, or if `slug` names another business.
 * @param slug the business in the URL; absent in URLs of earlier versions
 */
export function findCalendarByToken(
  rt: Runtime,
  token: string,
  slug?: string,
): CalendarRow | undefined {
  if (!TOKEN.test(token)) return undefined;
  const calendar = rt.openStore(createCalendarStore).findByToken(hashToken(token));
  if (slug === undefined || rt.store.businesses.findBySlug(slug)?.id === calendar?.businessId)
    return calendar;
  return undefined;
}

const DAY_MS = 86_400_000;

/**
 * Records, at most once a day, that a phone still reads the calendar at its former URL, which does
 * not name the business.
 */
export function recordFormerUrl(rt: Runtime, { id, formerUrlReadAt }: CalendarRow): void {
  const now = rt.now();
  // The stored time is in the future if the clock was set back, hence the absolute difference.
  if (formerUrlReadAt !== null && Math.abs(now - formerUrlReadAt) < DAY_MS) return;
  try {
    rt.tx(() => rt.openStore(createCalendarStore).setFormerUrlReadAt(id, now));
  } catch (error) {
    // A full disk or a busy database has a health condition of its own, and must not make the feed
    // unavailable.
    if (!(error instanceof AppError) && !isSqliteError(error)) throw error;
  }
}

function getCalendar(rt: Runtime, businessId: string, id: string): CalendarRow {
  const calendar = rt.openStore(createCalendarStore).findById(id);
  return assertFound(
    calendar?.businessId === businessId ? calendar : undefined,
    `There is no calendar '${id}'.`,
    "deskbell calendars list",
  );
}

function auditCalendar(
  rt: Runtime,
  action: "calendar.created" | "calendar.revoked",
  { id, businessId, staffId }: CalendarRow,
  details?: Record<string, unknown>,
): void {
  audit(rt, { action, subject: { id, name: staffId ?? "business" }, businessId, details });
}
