import { LIVE_STATES } from "../store/live-filter.ts";
import type { LiveRow } from "../store/live.ts";
import { EVENT_TYPES } from "../domain/event-types.ts";
import type { Key } from "./keys.ts";
import { moveList, selectedIndex } from "./list-navigation.ts";
import { handlePromptKey } from "./prompt.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  type Effect,
  endpointIndex,
  FILTER_FIELDS,
  FOLLOW_NEWEST,
  isFiltered,
  isNarrowed,
  type Screen,
  currentScreen,
  TABS,
  type UiState,
} from "./ui-state.ts";

/** What a key does: to the screen, and to the world. */
export type KeyResult = { ui: UiState; effect?: Effect };

/** What the keys act on. */
export type Viewport = {
  snapshot: Snapshot;
  /** How many rows are on the screen. */
  page: number;
  /** How far the screen's text can be scrolled. */
  scrollMax: number;
};

export function reduce(before: UiState, key: Key, seen: Viewport): KeyResult {
  if (key === "ctrl-c") return { ui: before, effect: { do: "quit", signal: "SIGINT" } };
  // What was said is read by the time that another key is pressed.
  const ui: UiState = before.notice === null ? before : { ...before, notice: null };
  if (ui.prompt !== null) return handlePromptKey(ui, ui.prompt, key);
  const step = onScreen(ui, currentScreen(ui), key, seen) ?? anywhere(ui, key, seen);
  return step ?? { ui };
}

function onScreen(ui: UiState, screen: Screen, key: Key, seen: Viewport): KeyResult | undefined {
  switch (screen.kind) {
    case "list":
      return onList(ui, key, seen);
    case "delivery":
      return onDelivery(ui, screen, key, seen);
    case "endpoints":
      return onEndpoints(ui, screen, key, seen);
    case "filter":
      return onFilter(ui, screen, key, seen);
    case "help": {
      const scroll = scrolled(screen.scroll, key, seen);
      return scroll === undefined ? undefined : { ui: replaceTop(ui, { ...screen, scroll }) };
    }
  }
}

function anywhere(ui: UiState, key: Key, seen: Viewport): KeyResult | undefined {
  switch (key) {
    case "q":
      return { ui, effect: { do: "quit", signal: null } };
    case "esc":
      return { ui: goBack(ui) };
    case "?":
      return currentScreen(ui).kind === "help"
        ? { ui: goBack(ui) }
        : { ui: push(ui, { kind: "help", scroll: 0 }) };
    case " ":
      return { ui: { ...ui, isPaused: !ui.isPaused } };
    case "e":
      return currentScreen(ui).kind === "endpoints"
        ? { ui: goBack(ui) }
        : { ui: push(ui, { kind: "endpoints", selected: seen.snapshot.endpoints[0]?.id ?? null }) };
    case "f":
      return currentScreen(ui).kind === "filter"
        ? { ui: goBack(ui) }
        : { ui: push(backToList(ui), { kind: "filter", row: 0 }) };
    case "/":
      return { ui: { ...backToList(ui), prompt: { kind: "search", typed: "" } } };
    case "r":
      return redeliverOne(ui, chosenDelivery(ui, seen)?.id);
    case "R":
      return redeliverAll(ui);
    case "t":
      return testOne(ui, chosenEndpoint(ui, seen));
    case "y":
      return copy(
        ui,
        currentScreen(ui).kind === "endpoints"
          ? chosenEndpoint(ui, seen)
          : chosenDelivery(ui, seen)?.id,
      );
    default:
      return undefined;
  }
}

function onList(ui: UiState, key: Key, seen: Viewport): KeyResult | undefined {
  const list = moveList(ui.list, key, seen.snapshot.list, seen.page);
  if (list !== undefined) return { ui: { ...ui, list } };
  if (key === "g" || key === "home") return { ui, effect: { do: "newest" } };
  if (key === "end") return { ui, effect: { do: "oldest" } };
  if (key !== "enter") return undefined;
  const row = chosenDelivery(ui, seen);
  return row === undefined
    ? { ui }
    : { ui: push(ui, { kind: "delivery", id: row.id, tab: 0, scroll: 0 }) };
}

function onDelivery(
  ui: UiState,
  screen: Screen & { kind: "delivery" },
  key: Key,
  seen: Viewport,
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
  if (tab !== undefined) return { ui: replaceTop(ui, { ...screen, tab, scroll: 0 }) };
  const scroll = scrolled(screen.scroll, key, seen);
  return scroll === undefined ? undefined : { ui: replaceTop(ui, { ...screen, scroll }) };
}

function onEndpoints(
  ui: UiState,
  screen: Screen & { kind: "endpoints" },
  key: Key,
  seen: Viewport,
): KeyResult | undefined {
  const { endpoints } = seen.snapshot;
  const at = endpointIndex(screen, endpoints);
  if (key === "enter") {
    const endpointId = endpoints[at]?.id;
    return {
      ui: endpointId === undefined ? ui : refilter(backToList(ui), { ...ui.filter, endpointId }),
    };
  }
  const moved = scrolled(at, key, { ...seen, scrollMax: endpoints.length - 1 });
  if (moved === undefined) return undefined;
  return { ui: replaceTop(ui, { ...screen, selected: endpoints[moved]?.id ?? null }) };
}

function onFilter(
  ui: UiState,
  screen: Screen & { kind: "filter" },
  key: Key,
  { snapshot }: Viewport,
): KeyResult | undefined {
  const name = FILTER_FIELDS[screen.row] ?? "state";
  const values: Record<(typeof FILTER_FIELDS)[number], readonly string[]> = {
    state: LIVE_STATES,
    endpointId: snapshot.endpoints.map(({ id }) => id),
    eventType: EVENT_TYPES,
    businessId: snapshot.businesses.map(({ id }) => id),
  };
  const turn = (by: number): KeyResult => {
    // "any" stands before the first.
    const choices = [undefined, ...values[name]];
    const at = Math.max(0, choices.indexOf(ui.filter[name]));
    const value = choices[(at + by + choices.length) % choices.length];
    return { ui: refilter(ui, { ...ui.filter, [name]: value }) };
  };
  switch (key) {
    case "right":
    case "l":
      return turn(1);
    case "left":
    case "h":
      return turn(-1);
    case "down":
    case "j":
      return {
        ui: replaceTop(ui, { ...screen, row: Math.min(screen.row + 1, FILTER_FIELDS.length - 1) }),
      };
    case "up":
    case "k":
      return { ui: replaceTop(ui, { ...screen, row: Math.max(screen.row - 1, 0) }) };
    case "x":
      return { ui: { ...refilter(ui, ui.scope), search: null } };
    case "enter":
      return { ui: goBack(ui) };
    default:
      return undefined;
  }
}

/** How far a text is scrolled after a key; undefined: the key does not scroll. */
function scrolled(from: number, key: Key, { page, scrollMax }: Viewport): number | undefined {
  const by: Record<Key, number> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    pgdn: page,
    pgup: -page,
    home: -Infinity,
    g: -Infinity,
    end: Infinity,
    G: Infinity,
  };
  const step = Object.hasOwn(by, key) ? by[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(scrollMax, from + step));
}

function redeliverOne(ui: UiState, id: string | undefined): KeyResult {
  if (id === undefined) return { ui };
  return ui.isReadonly
    ? refuse(ui, "sends nothing again")
    : { ui, effect: { do: "redeliver", id } };
}

function redeliverAll(ui: UiState): KeyResult {
  if (ui.isReadonly) return refuse(ui, "sends nothing again");
  if (isNarrowed(ui)) return { ui, effect: { do: "countReplayable" } };
  return say(ui, "These are all deliveries there are. Narrow them first, with f or /.");
}

function testOne(ui: UiState, endpointId: string | undefined): KeyResult {
  if (endpointId === undefined) return { ui };
  return ui.isReadonly ? refuse(ui, "sends no test") : { ui, effect: { do: "test", endpointId } };
}

const copy = (ui: UiState, id: string | undefined): KeyResult =>
  id === undefined ? { ui } : { ui, effect: { do: "copy", id } };

const refuse = (ui: UiState, what: string): KeyResult =>
  say(ui, `This view was started with --readonly: it ${what}.`);

const say = (ui: UiState, text: string): KeyResult => ({
  ui: { ...ui, notice: { text, tone: "bad" } },
});

function chosenDelivery(ui: UiState, { snapshot }: Viewport): LiveRow | undefined {
  const screen = currentScreen(ui);
  if (screen.kind === "delivery") return snapshot.detail?.row;
  if (screen.kind !== "list") return undefined;
  return snapshot.list.rows[selectedIndex(ui.list, snapshot.list)];
}

function chosenEndpoint(ui: UiState, seen: Viewport): string | undefined {
  const screen = currentScreen(ui);
  const { endpoints } = seen.snapshot;
  if (screen.kind === "endpoints") return endpoints[endpointIndex(screen, endpoints)]?.id;
  return chosenDelivery(ui, seen)?.endpointId;
}

/** One level up: from what lies on the list to the list, then from a search, then from a filter. It never quits. */
function goBack(ui: UiState): UiState {
  if (ui.screens.length > 1) return { ...ui, screens: ui.screens.slice(0, -1) };
  if (ui.search !== null) return { ...ui, search: null, list: FOLLOW_NEWEST };
  if (isFiltered(ui)) return refilter(ui, ui.scope);
  return ui;
}

const backToList = (ui: UiState): UiState => ({ ...ui, screens: ui.screens.slice(0, 1) });
const push = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens, screen],
});
const replaceTop = (ui: UiState, screen: Screen): UiState => ({
  ...ui,
  screens: [...ui.screens.slice(0, -1), screen],
});
const refilter = (ui: UiState, filter: UiState["filter"]): UiState => ({
  ...ui,
  filter,
  list: FOLLOW_NEWEST,
});
