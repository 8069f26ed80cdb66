import { formatInstant } from "../../domain/local-time.ts";
import type { VisitAction, VisitStatus } from "../../domain/bookings/visit.ts";

// What a desk may do, and what its page shows.

/** What a desk shows and changes. `guests` are contact details and notes; names are always shown. */
export const DESK_RIGHTS = ["visits", "sold-out", "close", "check-in", "guests"] as const;
export type DeskRight = (typeof DESK_RIGHTS)[number];

/** Returns the rights of a new desk. A desk of one person closes nothing for the others. */
export const defaultRights = (staffId: string | null): DeskRight[] =>
  staffId === null
    ? ["visits", "sold-out", "close", "check-in"]
    : ["visits", "sold-out", "check-in"];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a link can pair a device. */
export const LINK_MS = HOUR_MS;
/** How long a device stays paired. */
export const DEVICE_MS = 30 * DAY_MS;
/** How long the outcomes of actions are kept, as the replies to requests with an Idempotency-Key. */
export const ACTION_MS = DAY_MS;

/** The script of the page that decodes the codes of tickets. */
export const SCANNER = "scanner";

export const MAX_DESKS = 50;
export const MAX_DEVICES = 20;

/** The kinds of devices that a browser names in its User-Agent, the more specific ones first. */
const DEVICE_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Macintosh/, "Mac"],
  [/Linux|CrOS/, "Linux"],
];

/** Returns one of a few names: a whole User-Agent would be text from a stranger. */
export const deviceKindOf = (userAgent = ""): string =>
  DEVICE_KINDS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "browser";

/** The actions of a visit that the desk has a button for. */
export type DeskVisitAction = Exclude<VisitAction, "expire">;

/** Returns a time of a view: a local one of the business, such as `2026-12-01T10:00`. */
export const localOf = (at: number, timezone: string): string =>
  formatInstant(at, timezone).slice(0, 16);

/** A service of a visit, or its table. */
export type DeskPart = {
  start: string;
  what: string | null;
  staff: string | null;
  isStaffAway: boolean;
  place: string | null;
};

export type DeskVisit = {
  id: string;
  type: "booking" | "reservation";
  status: VisitStatus;
  start: string;
  end: string;
  /** When a pending visit is cancelled unless it is accepted; null in other states. */
  decideBy: string | null;
  guest: string | null;
  guests: number;
  parts: DeskPart[];
  /** Null if the desk does not show guests, or nothing is known. */
  contact: { email: string | null; phone: string | null; notes: string | null } | null;
  /** Whether the visit is over, takes place at this time, or is the next; null if it is later. */
  at: "past" | "now" | "next" | null;
  actions: DeskVisitAction[];
};

export type Choice = { id: string; name: string };

export type DeskOrder = { code: string; event: string | null; tickets: number; total: string };

/** Somebody who is away today or tomorrow, and not on other days. */
export type DeskAbsence = { id: string; staff: string; from: string; to: string };

/** The visits of somebody who is away, and who could take them. */
export type DeskAway = DeskAbsence & {
  visits: {
    id: string;
    start: string;
    guest: string | null;
    what: string | null;
    couldTake: string[];
  }[];
};

/** All that the page of a desk shows. */
export type DeskView = {
  business: string;
  desk: string;
  /** The time at which the view was read. */
  now: string;
  today: string;
  /** Changes when something on the page does. */
  version: string;
  /** Distinguishes two equal actions from one that is sent twice. */
  key: string;
  rights: DeskRight[];
  isOfOnePerson: boolean;
  pending: DeskVisit[];
  days: { date: string; visits: DeskVisit[] }[];
  services: Choice[];
  staff: Choice[];
  hasTables: boolean;
  /** Whether the business has events, and so tickets. */
  hasEvents: boolean;
  dishes: Choice[];
  soldOut: Choice[];
  /** Services and variants that guests can see and book, and those that are hidden. */
  offered: Choice[];
  hidden: Choice[];
  isHoursChanged: boolean;
  orders: DeskOrder[];
  absences: DeskAbsence[];
  away: DeskAway | null;
};

/** The outcome of an action. Its text is chosen by its codes when the outcome is shown. */
export type DeskOutcome =
  | { ok: true; code: DoneCode; count?: number; awayId?: string }
  | { ok: false; message: string; refusal?: DeskRefusal };

/** Why an action is refused; `at` is the local time of a ticket's check-in. */
export type DeskRefusal = { code: RefusalCode; at: string | null };
export type RefusalCode =
  | "unknown"
  | "void"
  | "used"
  | "changed"
  | "gone"
  | "not_started"
  | "closed_then"
  | "nobody_works"
  | "taken"
  | "wrong_time"
  | "wrong_person"
  | "not_offered"
  | "too_many_guests"
  | "not_open"
  | "not_allowed"
  | "invalid"
  | "too_many_devices"
  | "needs_https";

export const DONE_CODES = [
  "approved",
  "declined",
  "cancelled",
  "rescheduled",
  "completed",
  "no_show",
  "noted",
  "entered",
  "sold_out",
  "available",
  "hidden",
  "offered",
  "closed",
  "reopened",
  "away",
  "back",
  "reassigned",
  "checked_in",
  "order_confirmed",
] as const;
export type DoneCode = (typeof DONE_CODES)[number];
