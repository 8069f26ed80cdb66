import type { LiveFilter } from "../store/live-filter.ts";
import type { PageStart } from "../store/live.ts";

export const TABS = ["summary", "request", "response", "attempts"] as const;
export const FILTER_FIELDS = ["state", "endpointId", "eventType", "businessId"] as const;

/** What is on the screen. The list lies under everything else. */
export type Screen =
  | { kind: "list" }
  | { kind: "delivery"; id: string; tab: number; scroll: number }
  | { kind: "endpoints"; selected: string | null }
  | { kind: "filter"; row: number }
  | { kind: "help"; scroll: number };

/** What waits for something to be typed. */
export type Prompt =
  | { kind: "search"; typed: string }
  | { kind: "redeliver"; ids: readonly string[]; typed: string };

export type Notice = { text: string; tone: "plain" | "good" | "bad" };

/** Which part of the list is on the screen. */
export type ListPosition = {
  /** Its first row; null: it follows the newest. */
  top: PageStart | null;
  /** null: the first row. */
  selected: string | null;
  /** How many rows lie above `top`, of those that were there when following ended; null: nobody knows. */
  offset: number | null;
  /** The newest that was there when following ended. */
  newestSeen: string | null;
};

type Filter = Pick<LiveFilter, (typeof FILTER_FIELDS)[number]>;

/** All that the person has done: with what is on file it makes the frame. */
export type UiState = {
  screens: readonly Screen[];
  list: ListPosition;
  filter: Filter;
  /** What it was started with: no key back leads beyond it. */
  scope: Filter;
  search: { text: string; filter: LiveFilter } | null;
  prompt: Prompt | null;
  notice: Notice | null;
  /** Nothing on the screen changes until it is lifted. */
  isPaused: boolean;
  isReadonly: boolean;
};

/** What a key asks of the world. */
export type Effect =
  | { do: "quit"; signal: "SIGINT" | null }
  | { do: "copy"; id: string }
  | { do: "redeliver"; id: string }
  | { do: "countReplayable" }
  | { do: "redeliverAll"; ids: readonly string[] }
  | { do: "test"; endpointId: string }
  | { do: "search"; text: string }
  | { do: "newest" }
  | { do: "oldest" };

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

/** Where the cursor is among the endpoints: they change places while somebody looks. */
export const endpointIndex = (
  { selected }: Screen & { kind: "endpoints" },
  endpoints: readonly { id: string }[],
): number =>
  Math.max(
    0,
    endpoints.findIndex(({ id }) => id === selected),
  );

/** `4 go again`, `1 goes again` */
export const goAgain = (what: number | string, count: number): string =>
  `${what} ${count === 1 ? "goes" : "go"} again`;

/** What the list is asked with. */
export const listFilter = ({ filter, search }: UiState): LiveFilter => ({
  ...search?.filter,
  ...filter,
});

/** Whether the list is filtered, beyond what the view was started with. */
export const isFiltered = ({ filter, scope }: UiState): boolean =>
  FILTER_FIELDS.some((name) => filter[name] !== scope[name]);

export const isNarrowed = (ui: UiState): boolean => {
  const { businessId: _, ...rest } = listFilter(ui);
  return Object.values(rest).some((value) => value !== undefined);
};
