import type { LiveRow } from "../../../store/webhooks/live.ts";
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

/** How far the last frame can be scrolled, and by how many rows a page key moves it. */
export type Extent = { scrollMax: number; pageRows: number };

/** What the keys act on: the data and the size of the last frame. */
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

/** Closes the top screen; on the list, clears the search, then the filter. Never quits. */
export function goBack(ui: UiState): UiState {
  if (ui.screens.length > 1) return { ...ui, screens: ui.screens.slice(0, -1) };
  if (ui.search !== null) return { ...ui, search: null, list: FOLLOW_NEWEST };
  if (isFiltered(ui)) return setFilter(ui, ui.scope);
  return ui;
}

/** Opens a screen over `below`, or closes it if it is open. */
export const toggleScreen = (ui: UiState, screen: Screen, below = ui): KeyResult => ({
  ui: currentScreen(ui).kind === screen.kind ? goBack(ui) : pushScreen(below, screen),
});

/** The cursor is kept as an ID, because endpoints change places while they are shown. */
export const endpointIndex = (
  { selected }: Screen & { kind: "endpoints" },
  endpoints: readonly { id: string }[],
): number =>
  Math.max(
    0,
    endpoints.findIndex(({ id }) => id === selected),
  );

/** The delivery under the cursor or on the screen. */
export function selectedDelivery(ui: UiState, { snapshot }: Viewport): LiveRow | undefined {
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

/** The endpoint under the cursor, or that of the selected delivery. */
export function selectedEndpoint(ui: UiState, viewport: Viewport): EndpointName | undefined {
  const screen = currentScreen(ui);
  const { endpoints } = viewport.snapshot;
  if (screen.kind === "endpoints") return endpoints[endpointIndex(screen, endpoints)];
  const row = selectedDelivery(ui, viewport);
  return row && { id: row.endpointId, name: row.endpointName };
}
