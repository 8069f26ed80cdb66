import type { LiveFilter } from "../store/live-filter.ts";
import type { PageStart } from "../store/live.ts";

export const TABS = ["summary", "request", "response", "attempts"] as const;
export const FILTER_FIELDS = ["state", "endpointId", "eventType", "businessId"] as const;

/** A screen of the view. The list is always at the bottom of the stack of screens. */
export type Screen =
  | { kind: "list" }
  | { kind: "delivery"; id: string; tab: number; scroll: number }
  | { kind: "endpoints"; selected: string | null }
  | { kind: "filter"; row: number }
  | { kind: "help"; scroll: number };

export type Prompt =
  | { kind: "search"; typed: string }
  | { kind: "redeliver"; ids: readonly string[]; typed: string };

export type Notice = { text: string; tone: "plain" | "good" | "bad" };

/** Which part of the list of deliveries is visible. */
export type ListPosition = {
  /** The first visible row; null to follow the newest delivery. */
  top: PageStart | null;
  selected: string | null;
  /** How many of the deliveries up to `newestSeen` are above `top`; null if unknown. */
  offset: number | null;
  newestSeen: string | null;
};

type Filter = Pick<LiveFilter, (typeof FILTER_FIELDS)[number]>;

/** The result of all keys so far. Together with a snapshot it determines the frame. */
export type UiState = {
  screens: readonly Screen[];
  list: ListPosition;
  filter: Filter;
  /** The filter the view was started with; going back never removes it. */
  scope: Filter;
  search: { text: string; filter: LiveFilter } | null;
  prompt: Prompt | null;
  notice: Notice | null;
  isPaused: boolean;
  isReadonly: boolean;
};

export type Effect =
  | { type: "quit"; signal: "SIGINT" | null }
  | { type: "copy"; id: string }
  | { type: "redeliver"; id: string }
  | { type: "promptRedeliver" }
  | { type: "redeliverAll"; ids: readonly string[] }
  | { type: "test"; endpointId: string }
  | { type: "search"; text: string }
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
  notice: null,
  isPaused: false,
  isReadonly,
});

export const currentScreen = ({ screens }: UiState): Screen => screens.at(-1) ?? { kind: "list" };

export type KeyResult = { ui: UiState; effect?: Effect };

/** The cursor is kept as an ID, because endpoints change places while they are shown. */
export const endpointIndex = (
  { selected }: Screen & { kind: "endpoints" },
  endpoints: readonly { id: string }[],
): number =>
  Math.max(
    0,
    endpoints.findIndex(({ id }) => id === selected),
  );

export const listFilter = ({ filter, search }: UiState): LiveFilter => ({
  ...search?.filter,
  ...filter,
});

export const isFiltered = ({ filter, scope }: UiState): boolean =>
  FILTER_FIELDS.some((name) => filter[name] !== scope[name]);

/** Whether the list leaves out any of the business's deliveries. */
export const isNarrowed = (ui: UiState): boolean => {
  const { businessId: _, ...rest } = listFilter(ui);
  return Object.values(rest).some((value) => value !== undefined);
};
