import { LIVE_STATES } from "../store/live-filter.ts";
import type { LiveRow } from "../store/live.ts";
import { ALL_EVENT_TYPES } from "../domain/event-types.ts";
import type { Key } from "./keys.ts";
import { moveList, selectedIndex } from "./list-navigation.ts";
import type { Frame } from "./frame.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  endpointIndex,
  FILTER_FIELDS,
  FOLLOW_NEWEST,
  isFiltered,
  isNarrowed,
  type KeyResult,
  type Screen,
  currentScreen,
  TABS,
  type UiState,
  type Prompt,
} from "./ui-state.ts";

export type Viewport = { snapshot: Snapshot } & Pick<Frame, "pageRows" | "scrollMax">;

export function reduce(before: UiState, key: Key, viewport: Viewport): KeyResult {
  if (key === "ctrl-c") return { ui: before, effect: { type: "quit", signal: "SIGINT" } };
  // The next key clears the notice.
  const ui: UiState = before.notice === null ? before : { ...before, notice: null };
  if (ui.prompt !== null) return handlePromptKey(ui, ui.prompt, key);
  const handled = handleScreenKey(ui, key, viewport);
  return handled ?? handleGlobalKey(ui, key, viewport) ?? { ui };
}

function handleScreenKey(ui: UiState, key: Key, viewport: Viewport): KeyResult | undefined {
  const screen = currentScreen(ui);
  switch (screen.kind) {
    case "list":
      return handleListKey(ui, key, viewport);
    case "delivery":
      return handleDeliveryKey(ui, screen, key, viewport);
    case "endpoints":
      return handleEndpointsKey(ui, screen, key, viewport);
    case "filter":
      return handleFilterKey(ui, screen, key, viewport);
    case "help":
      return handleScroll(ui, screen, key, viewport);
  }
}

function handleGlobalKey(ui: UiState, key: Key, viewport: Viewport): KeyResult | undefined {
  switch (key) {
    case "q":
      return { ui, effect: { type: "quit", signal: null } };
    case "esc":
      return { ui: goBack(ui) };
    case "?":
      return toggleScreen(ui, { kind: "help", scroll: 0 });
    case " ":
      return { ui: { ...ui, isPaused: !ui.isPaused } };
    case "e": {
      const selected = viewport.snapshot.endpoints[0]?.id ?? null;
      return toggleScreen(ui, { kind: "endpoints", selected });
    }
    case "f":
      return toggleScreen(ui, { kind: "filter", row: 0 }, backToList(ui));
    case "/":
      return { ui: { ...backToList(ui), prompt: { kind: "search", typed: "" } } };
    case "r":
      return redeliverOne(ui, selectedDelivery(ui, viewport)?.id);
    case "R":
      return redeliverAll(ui);
    case "t":
      return testOne(ui, selectedEndpoint(ui, viewport));
    case "y":
      return copy(
        ui,
        currentScreen(ui).kind === "endpoints"
          ? selectedEndpoint(ui, viewport)
          : selectedDelivery(ui, viewport)?.id,
      );
    default:
      return undefined;
  }
}

function handleListKey(ui: UiState, key: Key, viewport: Viewport): KeyResult | undefined {
  const list = moveList(ui.list, key, viewport.snapshot.list, viewport.pageRows);
  if (list !== undefined) return { ui: { ...ui, list } };
  if (key === "g" || key === "home") return { ui, effect: { type: "newest" } };
  if (key === "end") return { ui, effect: { type: "oldest" } };
  if (key !== "enter") return undefined;
  const row = selectedDelivery(ui, viewport);
  return row === undefined
    ? { ui }
    : { ui: pushScreen(ui, { kind: "delivery", id: row.id, tab: 0, scroll: 0 }) };
}

function handleDeliveryKey(
  ui: UiState,
  screen: Screen & { kind: "delivery" },
  key: Key,
  viewport: Viewport,
): KeyResult | undefined {
  const tabs = TABS.length;
  const tab =
    key === "right" || key === "l"
      ? (screen.tab + 1) % tabs
      : key === "left" || key === "h"
        ? (screen.tab + tabs - 1) % tabs
        : /^[1-4]$/.test(key)
          ? Number(key) - 1
          : undefined;
  if (tab !== undefined) return { ui: replaceScreen(ui, { ...screen, tab, scroll: 0 }) };
  return handleScroll(ui, screen, key, viewport);
}

function handleScroll(
  ui: UiState,
  screen: Extract<Screen, { scroll: number }>,
  key: Key,
  viewport: Viewport,
): KeyResult | undefined {
  const scroll = scrollBy(screen.scroll, key, viewport);
  return scroll === undefined ? undefined : { ui: replaceScreen(ui, { ...screen, scroll }) };
}

function handleEndpointsKey(
  ui: UiState,
  screen: Screen & { kind: "endpoints" },
  key: Key,
  viewport: Viewport,
): KeyResult | undefined {
  const { endpoints } = viewport.snapshot;
  const index = endpointIndex(screen, endpoints);
  if (key === "enter") {
    const endpointId = endpoints[index]?.id;
    return {
      ui: endpointId === undefined ? ui : setFilter(backToList(ui), { ...ui.filter, endpointId }),
    };
  }
  const moved = scrollBy(index, key, { ...viewport, scrollMax: endpoints.length - 1 });
  if (moved === undefined) return undefined;
  return { ui: replaceScreen(ui, { ...screen, selected: endpoints[moved]?.id ?? null }) };
}

function handleFilterKey(
  ui: UiState,
  screen: Screen & { kind: "filter" },
  key: Key,
  { snapshot }: Viewport,
): KeyResult | undefined {
  const name = FILTER_FIELDS[screen.row] ?? "state";
  const values: Record<(typeof FILTER_FIELDS)[number], readonly string[]> = {
    state: LIVE_STATES,
    endpointId: snapshot.endpoints.map(({ id }) => id),
    eventType: ALL_EVENT_TYPES,
    businessId: snapshot.businesses.map(({ id }) => id),
  };
  const selectNext = (by: number): KeyResult => {
    // The first choice, undefined, is "any".
    const choices = [undefined, ...values[name]];
    const index = Math.max(0, choices.indexOf(ui.filter[name]));
    const value = choices[(index + by + choices.length) % choices.length];
    return { ui: setFilter(ui, { ...ui.filter, [name]: value }) };
  };
  const moveTo = (row: number): KeyResult => ({ ui: replaceScreen(ui, { ...screen, row }) });
  switch (key) {
    case "right":
    case "l":
      return selectNext(1);
    case "left":
    case "h":
      return selectNext(-1);
    case "down":
    case "j":
      return moveTo(Math.min(screen.row + 1, FILTER_FIELDS.length - 1));
    case "up":
    case "k":
      return moveTo(Math.max(screen.row - 1, 0));
    case "x":
      return { ui: { ...setFilter(ui, ui.scope), search: null } };
    case "enter":
      return { ui: goBack(ui) };
    default:
      return undefined;
  }
}

function scrollBy(from: number, key: Key, { pageRows, scrollMax }: Viewport): number | undefined {
  const by: Record<Key, number> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    pgdn: pageRows,
    pgup: -pageRows,
    home: -Infinity,
    g: -Infinity,
    end: Infinity,
    G: Infinity,
  };
  const rows = Object.hasOwn(by, key) ? by[key] : undefined;
  return rows === undefined ? undefined : Math.max(0, Math.min(scrollMax, from + rows));
}

function redeliverOne(ui: UiState, id: string | undefined): KeyResult {
  if (id === undefined) return { ui };
  if (ui.isReadonly) return showReadonlyNotice(ui, "redelivery is");
  return { ui, effect: { type: "redeliver", id } };
}

function redeliverAll(ui: UiState): KeyResult {
  if (ui.isReadonly) return showReadonlyNotice(ui, "redelivery is");
  if (isNarrowed(ui)) return { ui, effect: { type: "promptRedeliver" } };
  return showError(ui, "R would redeliver every delivery. Narrow the list first, with f or /.");
}

function testOne(ui: UiState, endpointId: string | undefined): KeyResult {
  if (endpointId === undefined) return { ui };
  if (ui.isReadonly) return showReadonlyNotice(ui, "test events are");
  return { ui, effect: { type: "test", endpointId } };
}

const copy = (ui: UiState, id: string | undefined): KeyResult =>
  id === undefined ? { ui } : { ui, effect: { type: "copy", id } };

const showReadonlyNotice = (ui: UiState, disabled: string): KeyResult =>
  showError(ui, `This view was started with --readonly: ${disabled} disabled.`);

const showError = (ui: UiState, text: string): KeyResult => ({
  ui: { ...ui, notice: { text, tone: "bad" } },
});

function selectedDelivery(ui: UiState, { snapshot }: Viewport): LiveRow | undefined {
  const screen = currentScreen(ui);
  if (screen.kind === "delivery") return snapshot.detail?.row;
  if (screen.kind !== "list") return undefined;
  return snapshot.list.rows[selectedIndex(ui.list, snapshot.list)];
}

function selectedEndpoint(ui: UiState, viewport: Viewport): string | undefined {
  const screen = currentScreen(ui);
  const { endpoints } = viewport.snapshot;
  if (screen.kind === "endpoints") return endpoints[endpointIndex(screen, endpoints)]?.id;
  return selectedDelivery(ui, viewport)?.endpointId;
}

/** Closes the top screen; on the list, clears the search, then the filter. Never quits. */
function goBack(ui: UiState): UiState {
  if (ui.screens.length > 1) return { ...ui, screens: ui.screens.slice(0, -1) };
  if (ui.search !== null) return { ...ui, search: null, list: FOLLOW_NEWEST };
  if (isFiltered(ui)) return setFilter(ui, ui.scope);
  return ui;
}

/** Opens a screen over `below`, or closes it if it is open. */
const toggleScreen = (ui: UiState, screen: Screen, below = ui): KeyResult => ({
  ui: currentScreen(ui).kind === screen.kind ? goBack(ui) : pushScreen(below, screen),
});

const backToList = (ui: UiState): UiState => ({ ...ui, screens: ui.screens.slice(0, 1) });
const pushScreen = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens, screen],
});
const replaceScreen = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens.slice(0, -1), screen],
});
const setFilter = (ui: UiState, filter: UiState["filter"]): UiState => ({
  ...ui,
  filter,
  list: FOLLOW_NEWEST,
});

export const MAX_TYPED_CHARS = 100;

export function handlePromptKey(ui: UiState, prompt: Prompt, key: Key): KeyResult {
  const done: UiState = { ...ui, prompt: null };
  switch (key) {
    case "esc":
      return { ui: done };
    case "enter":
      return submit(done, prompt);
    case "backspace":
      return {
        ui: { ...ui, prompt: { ...prompt, typed: Array.from(prompt.typed).slice(0, -1).join("") } },
      };
    default:
      // Ignore named keys such as arrows.
      if (Array.from(key).length !== 1 || prompt.typed.length >= MAX_TYPED_CHARS) return { ui };
      return { ui: { ...ui, prompt: { ...prompt, typed: prompt.typed + key } } };
  }
}

function submit(done: UiState, prompt: Prompt): KeyResult {
  const typed = prompt.typed.trim();
  if (prompt.kind === "search") return { ui: done, effect: { type: "search", text: typed } };
  if (typed === String(prompt.ids.length))
    return { ui: done, effect: { type: "redeliverAll", ids: prompt.ids } };
  return {
    ui: {
      ...done,
      notice: { text: "The count does not match; nothing was redelivered.", tone: "bad" },
    },
  };
}
