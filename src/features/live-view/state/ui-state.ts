import type { StateAction } from "../../../app/bookings/change-visit.ts";
import type { Teller } from "../../../domain/bookings/visit.ts";
import { parseDuration } from "../../../domain/local-time.ts";
import type { SearchFilter } from "../../../store/webhooks/delivery-search.ts";
import type { PageStart } from "../../../store/webhooks/delivery-search.ts";

export const TABS = ["summary", "request", "response", "attempts"] as const;
export const FILTER_FIELDS = ["state", "endpointId", "eventType", "time", "businessId"] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** A screen of the view. Screens form a stack, with the list at the bottom. */
export type Screen =
  | { kind: "list" }
  | { kind: "delivery"; id: string; tab: number; scroll: number }
  | { kind: "curl"; id: string; scroll: number }
  | { kind: "endpoints"; selected: string | null }
  | { kind: "secret"; endpoint: EndpointName; secret: string; oldEndsAt: number }
  | { kind: "filter"; row: number }
  /** The visits of a day; `offset` is in days from today. */
  | { kind: "day"; offset: number; selected: VisitRow | null }
  | { kind: "conditions" | "help"; scroll: number };

export type EndpointName = { id: string; name: string };

/** A row of the day: a visit with several services has several rows. */
export type VisitRow = { id: string; startsAt: number };

/** A visit of the shown day, as actions and their questions need it. */
export type VisitName = {
  id: string;
  type: "booking" | "reservation";
  /** The slug of the business. */
  slug: string;
  /** The guest and the time, such as `Ana at 11:30`. */
  name: string;
  startsAt: number;
  teller: Teller;
};

export type Prompt =
  | { kind: "search" | "command"; typed: string }
  | { kind: "redeliver"; ids: readonly string[]; typed: string }
  | { kind: "enable"; endpoint: EndpointName; typed: string }
  | { kind: "move"; visit: VisitName; typed: string }
  /** Asks the user to press y before the effect runs. */
  | { kind: "confirm"; question: string; effect: Effect };

export type Feedback = { text: string; tone: "plain" | "good" | "bad" };

/** The visible part of the list of deliveries. */
export type ListPosition = {
  /** The first visible row; null to follow the newest delivery. */
  top: PageStart | null;
  /** The ID of the selected delivery; null to select the first visible row. */
  selected: string | null;
  /** The number of rows from `newestSeen` to `top`; negative if `top` is newer; null if unknown. */
  offset: number | null;
  /** The ID of the newest delivery that was shown; null while the list follows the newest. */
  newestSeen: string | null;
};

type Filter = Pick<SearchFilter, Exclude<FilterField, "time">> & {
  /** The start of the shown time: a duration before now, such as `15m`, or epoch milliseconds. */
  time?: string | number | undefined;
};

/** What the user has opened, selected and typed. A frame shows this state and a snapshot. */
export type UiState = {
  screens: readonly Screen[];
  list: ListPosition;
  filter: Filter;
  /** The filter with which the view was started; going back does not remove it. */
  scope: Filter;
  search: { text: string; filter: SearchFilter } | null;
  prompt: Prompt | null;
  feedback: Feedback | null;
  isPaused: boolean;
  isReadonly: boolean;
};

export type Effect =
  | { type: "quit"; signal: "SIGINT" | null }
  | { type: "copy"; text: string; about: string }
  | { type: "copyCurl"; id: string }
  | { type: "redeliver"; id: string }
  /** Asks whether to redeliver all deliveries in the list, or all failed ones of an endpoint. */
  | { type: "promptRedeliver"; endpointId?: string }
  | { type: "redeliverAll"; ids: readonly string[] }
  | { type: "test"; endpoint: EndpointName }
  | { type: "enable"; endpoint: EndpointName; recover: string }
  | { type: "disable"; endpoint: EndpointName }
  | { type: "rotateSecret"; endpoint: EndpointName }
  | { type: "changeVisit"; visit: VisitName; action: StateAction }
  | { type: "moveVisit"; visit: VisitName; start: string }
  | { type: "forgetSecret" }
  | { type: "search"; text: string }
  | { type: "since"; text: string }
  | { type: "newest" }
  | { type: "oldest" };

export const FOLLOW_NEWEST: ListPosition = {
  top: null,
  selected: null,
  offset: 0,
  newestSeen: null,
};

export const createUiState = (isReadonly: boolean, businessId: string | undefined): UiState => ({
  screens: [{ kind: "list" }],
  list: FOLLOW_NEWEST,
  filter: { businessId },
  scope: { businessId },
  search: null,
  prompt: null,
  feedback: null,
  isPaused: false,
  isReadonly,
});

export type KeyResult = { ui: UiState; effect?: Effect };

export const showError = (ui: UiState, text: string): KeyResult => ({
  ui: { ...ui, feedback: { text, tone: "bad" } },
});

/** Returns the filter and the search as the store takes them: a duration becomes a time. */
export function listFilter(
  { filter: { time, ...filter }, search }: UiState,
  now: number,
): SearchFilter {
  const since = typeof time === "string" ? now - parseDuration(time) : time;
  return { ...search?.filter, ...filter, since };
}

export const isFiltered = ({ filter, scope }: UiState): boolean =>
  FILTER_FIELDS.some((name) => filter[name] !== scope[name]);

/** Returns whether a search, or a filter other than the business, leaves out deliveries. */
export const isNarrowed = ({ filter: { businessId: _, ...filter }, search }: UiState): boolean =>
  search !== null || Object.values(filter).some((value) => value !== undefined);
