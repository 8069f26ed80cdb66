import { formatInstant } from "../../domain/local-time.ts";
import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import type { Teller, VisitAction, VisitStatus } from "../../domain/bookings/visit.ts";

// Times that the page shows are in the time zone of the business, such as `2026-12-01T10:00` (see
// `localOf`).

/**
 * The rights of a desk say what it shows and changes. The right `guests` shows contact details and
 * notes; names are shown without it.
 */
export const DESK_RIGHTS = ["visits", "sold-out", "close", "check-in", "guests"] as const;
export type DeskRight = (typeof DESK_RIGHTS)[number];

/**
 * Returns the rights of a new desk. The desk of one person cannot close the business, because a
 * closing concerns everybody.
 */
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
/**
 * How long the outcomes of actions are kept: as long as the replies to requests with an
 * Idempotency-Key.
 */
export const ACTION_MS = DAY_MS;

/** How long before its doors an event admits guests. */
const ADMISSION_BEFORE_MS = 12 * HOUR_MS;
/** How long after its end an event still admits guests, because events end late. */
const ADMISSION_AFTER_MS = 6 * HOUR_MS;

/**
 * Returns whether the door admits tickets of an event at a time (epoch ms). The day of a postponed
 * event is not known, so its tickets are admitted at any time.
 */
export const isAdmittedAt = (
  {
    status,
    startsAt,
    endsAt,
    doorsAt,
  }: Pick<PublicEventDoc, "status" | "startsAt" | "endsAt" | "doorsAt">,
  now: number,
): boolean =>
  status === "POSTPONED" ||
  (now >= (doorsAt ?? startsAt) - ADMISSION_BEFORE_MS && now <= endsAt + ADMISSION_AFTER_MS);

/** The name of the script that finds tickets' codes in pictures of the camera. */
export const SCANNER = "scanner";

/** The most desks of a business. */
export const MAX_DESKS = 50;
/** The most devices that are paired with one desk. */
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

/**
 * Returns the kind of a device. Its whole User-Agent is not used, because it is text from a
 * stranger.
 */
export const deviceKindOf = (userAgent = ""): string =>
  DEVICE_KINDS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "browser";

/**
 * The actions on a visit for which the desk has a button. An expiry has none, because the server
 * alone lets a visit expire.
 */
export type DeskVisitAction = Exclude<VisitAction, "expire">;

/** Returns a time as the page gets it, such as `2026-12-01T10:00`. */
export const localOf = (at: number, timezone: string): string =>
  formatInstant(at, timezone).slice(0, 16);

/** A service of a booking, or a reservation. */
export type DeskPart = {
  start: string;
  /** The name of the service; null for a reservation. */
  what: string | null;
  staff: string | null;
  isStaffAway: boolean;
  /** The rooms and equipment of the service, or the table; null if there are none. */
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
  /** The guest's name or customer reference; null if neither is known. */
  guest: string | null;
  guests: number;
  parts: DeskPart[];
  /** The guest data; null if the desk does not show them, or nothing is known. */
  contact: { email: string | null; phone: string | null; notes: string | null } | null;
  /** Whether a visit of today is over, takes place now, or is the next; null for other visits. */
  at: "past" | "now" | "next" | null;
  actions: DeskVisitAction[];
  teller: Teller;
};

/**
 * A service, variant, staff member, dish or option that a form offers. `facts` says how long the
 * service of a walk-in takes and what it costs.
 */
export type Choice = { id: string; name: string; facts?: string };

/** A ticket order that waits for payment. `event` is null if the catalog lacks the event. */
export type DeskOrder = { code: string; event: string | null; tickets: number; total: string };

/** A time off. `staff` is the name of the staff member, empty if the catalog no longer has it. */
export type DeskAbsence = { id: string; staff: string; from: string; to: string };

/** A time off with its visits, each with the names of the colleagues who could take it. */
export type DeskAway = DeskAbsence & {
  visits: {
    id: string;
    start: string;
    guest: string | null;
    what: string | null;
    couldTake: string[];
  }[];
};

export type DeskView = {
  business: string;
  desk: string;
  /** The time at which the view was read. */
  now: string;
  today: string;
  /** A text that changes when something on the page may change (see `versionOf`). */
  version: string;
  /** A random text by which the server recognises an action sent twice (see `tokenOf`). */
  key: string;
  rights: DeskRight[];
  isOfOnePerson: boolean;
  pending: DeskVisit[];
  days: { date: string; visits: DeskVisit[] }[];
  /**
   * The visits that the device has changed lately and that are in no other list, such as those of
   * later days, so that a wrong tap can be found and taken back.
   */
  recent: DeskVisit[];
  services: Choice[];
  staff: Choice[];
  hasTables: boolean;
  /** Whether the business has public events, and so tickets. */
  hasEvents: boolean;
  dishes: Choice[];
  soldOut: Choice[];
  /** Services and variants that guests can see and book, and those that are hidden. */
  offered: Choice[];
  hidden: Choice[];
  /** Whether there is a closing to take back. */
  isHoursChanged: boolean;
  /** The newest orders that wait for payment. */
  orders: DeskOrder[];
  /** Whether older orders wait for payment, too, which the desk confirms by their codes. */
  hasMoreOrders: boolean;
  absences: DeskAbsence[];
  /** The time off whose visits the page lists; null to list none. */
  away: DeskAway | null;
};

/**
 * The outcome of an action. The page has a text for each `code`, which may contain `count` (the
 * number of visits or tickets) or `name` (the event and type of an admitted ticket). `order` is the
 * code of a confirmed order, and `visitId` names the visit that was changed. If a refusal has no code, the page shows `message`, which is in
 * English.
 */
export type DeskOutcome =
  | {
      ok: true;
      code: DoneCode;
      count?: number;
      name?: string;
      order?: string;
      awayId?: string;
      visitId?: string;
    }
  | { ok: false; message: string; refusal?: DeskRefusal };

/**
 * Why an action is refused. `at` is when the ticket was checked in (`used`), or when the ticket's
 * event starts (`other_event`); null for all other codes. `name` is the name of that event.
 */
export type DeskRefusal = { code: RefusalCode; at: string | null; name?: string };
/** The codes `unknown`, `void`, `used` and `other_event` are about tickets. */
export type RefusalCode =
  | "other_event"
  | "unknown"
  | "no_order"
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
  | "time_over"
  | "no_reopening"
  | "not_allowed"
  | "invalid"
  | "too_many_devices"
  | "needs_https";

/** What an action did, for the text that the page shows. */
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
