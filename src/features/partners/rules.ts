import { DEFAULT_LIMITS, type Scope } from "../../domain/api-key.ts";
import type { EventGroup } from "../../domain/events/event-types.ts";

/** The settings of a partner that can be changed. */
export type PartnerSettings = {
  name: string;
  /** Whether the partner also reaches businesses that are created later. */
  coversFuture: boolean;
  scopes: Scope[];
  eventGroups: EventGroup[];
  cidrs: string[];
  /** Requests per minute at one business. */
  limitMinute: number;
  /** Requests per hour at one business. */
  limitHour: number;
  /** Open holds and unpaid orders at one business. */
  maxHolds: number;
  /** Bookings in 24 hours at one business. */
  maxBookingsDay: number;
  /** Requests per minute at all businesses together. */
  totalMinute: number;
  /** Requests per hour at all businesses together. */
  totalHour: number;
  /**
   * The maximum number of webhook endpoints that receive the events of all businesses. Each
   * business allows as many endpoints again, for that business alone.
   */
  maxEndpoints: number;
};

/** What a partner may do if the operator names nothing: read catalogs and receive their events. */
export const DEFAULT_SETTINGS: Omit<PartnerSettings, "name" | "coversFuture"> = {
  scopes: ["services.read", "webhooks.read", "webhooks.write"],
  eventGroups: ["catalog"],
  cidrs: [],
  limitMinute: DEFAULT_LIMITS.minute,
  limitHour: DEFAULT_LIMITS.hour,
  maxHolds: DEFAULT_LIMITS.holds,
  maxBookingsDay: DEFAULT_LIMITS.bookingsDay,
  totalMinute: 600,
  totalHour: 10_000,
  maxEndpoints: 10,
};

export const MAX_NAME_LENGTH = 60;
