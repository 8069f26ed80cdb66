import { DEFAULT_LIMITS, type Scope } from "../../domain/api-key.ts";
import type { EventGroup } from "../../domain/event-types.ts";

/** The settings of a partner that can be changed. */
export type PartnerSettings = {
  name: string;
  /** Whether businesses that are created later join. */
  coversFuture: boolean;
  scopes: Scope[];
  eventGroups: EventGroup[];
  cidrs: string[];
  /** The limits at one business. */
  limitMinute: number;
  limitHour: number;
  maxHolds: number;
  maxBookingsDay: number;
  /** The limits of all requests and endpoints of the partner. */
  totalMinute: number;
  totalHour: number;
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
