import type { FoundDelivery } from "../../../store/webhooks/delivery-search.ts";
import { type ShownVisit, visitIndex } from "../views/day.ts";
import { selectedIndex } from "./list-navigation.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  type EndpointName,
  FOLLOW_NEWEST,
  isFiltered,
  type KeyResult,
  type Screen,
  type UiState,
} from "./ui-state.ts";

/** How many rows the last frame can be scrolled, and how many rows a page key scrolls. */
export type Extent = { scrollMax: number; pageRows: number };

/** The data and size of the last frame, on which keys act. */
export type Viewport = Extent & { snapshot: Snapshot };

export const currentScreen = ({ screens }: UiState): Screen => screens.at(-1) ?? { kind: "list" };

export const backToList = (ui: UiState): UiState => ({ ...ui, screens: ui.screens.slice(0, 1) });

export const pushScreen = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens, screen],
});

export const replaceScreen = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens.slice(0, -1), screen],
});

export const setFilter = (ui: UiState, filter: UiState["filter"]): UiState => ({
  ...ui,
  filter,
  list: FOLLOW_NEWEST,
});

/** Closes the top screen; on the list, clears the search, or the filter if there is no search. */
export function goBack(ui: UiState): UiState {
  if (ui.screens.length > 1) return { ...ui, screens: ui.screens.slice(0, -1) };
  if (ui.search !== null) return { ...ui, search: null, list: FOLLOW_NEWEST };
  if (isFiltered(ui)) return setFilter(ui, ui.scope);
  return ui;
}

/** Closes a screen if it is the top screen; otherwise opens it on top of the screens of `below`. */
export const toggleScreen = (ui: UiState, screen: Screen, below = ui): KeyResult => ({
  ui: currentScreen(ui).kind === screen.kind ? goBack(ui) : pushScreen(below, screen),
});

/**
 * Returns the index of the selected endpoint, which changes as endpoints fail or recover; 0 if the
 * endpoint has left the list.
 */
export const endpointIndex = (
  { selected }: Screen & { kind: "endpoints" },
  endpoints: readonly { id: string }[],
): number =>
  Math.max(
    0,
    endpoints.findIndex(({ id }) => id === selected),
  );

/** Returns the delivery that is selected in the list or shown on the screen. */
export function selectedDelivery(ui: UiState, { snapshot }: Viewport): FoundDelivery | undefined {
  switch (currentScreen(ui).kind) {
    case "delivery":
    case "curl":
      return snapshot.detail?.row;
    case "list":
      return snapshot.list.rows[selectedIndex(ui.list, snapshot.list)];
    default:
      return undefined;
  }
}

export function selectedVisit(ui: UiState, { snapshot }: Viewport): ShownVisit | undefined {
  const screen = currentScreen(ui);
  if (screen.kind !== "day") return undefined;
  return snapshot.day?.visits[visitIndex(screen.selected, snapshot.day, snapshot.takenAt)];
}

/** Returns the selected endpoint, or the endpoint of the selected delivery. */
export function selectedEndpoint(ui: UiState, viewport: Viewport): EndpointName | undefined {
  const screen = currentScreen(ui);
  const { endpoints } = viewport.snapshot;
  if (screen.kind === "endpoints") return endpoints[endpointIndex(screen, endpoints)];
  const row = selectedDelivery(ui, viewport);
  return row && { id: row.endpointId, name: row.endpointName };
}
