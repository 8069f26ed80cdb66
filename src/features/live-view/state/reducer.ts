import { quote } from "../../../domain/text.ts";
import { ACTIONS, runAction } from "./actions.ts";
import { visitIndex } from "../views/day.ts";
import { handleFilterKey } from "../views/filter-panel.ts";
import type { Key } from "./keys.ts";
import { moveList } from "./list-navigation.ts";
import { handlePromptKey } from "./prompts.ts";
import {
  backToList,
  currentScreen,
  endpointIndex,
  goBack,
  pushScreen,
  replaceScreen,
  selectedDelivery,
  setFilter,
  type Viewport,
} from "./screens.ts";
import { type KeyResult, type Screen, TABS, type UiState } from "./ui-state.ts";

/** Returns the state after a key, and the effect to run. */
export function reduce(before: UiState, key: Key, viewport: Viewport): KeyResult {
  if (key === "ctrl-c") return { ui: before, effect: { type: "quit", signal: "SIGINT" } };
  // The next key clears the feedback.
  const ui: UiState = before.feedback === null ? before : { ...before, feedback: null };
  if (ui.prompt !== null) return handlePromptKey(ui, ui.prompt, key, viewport);
  const screen = currentScreen(ui);
  if (screen.kind === "secret") return handleSecretKey(ui, screen, key);
  return handleScreenKey(ui, screen, key, viewport) ?? handleGlobalKey(ui, key, viewport);
}

function handleGlobalKey(ui: UiState, key: Key, viewport: Viewport): KeyResult {
  if (key === "esc") return { ui: goBack(ui) };
  if (key === ":") return { ui: { ...ui, prompt: { kind: "command", typed: "" } } };
  const action = ACTIONS.find((candidate) => candidate.key === key);
  return action ? runAction(action, ui, viewport) : { ui };
}

/** Returns undefined for a key that the screen leaves to `handleGlobalKey`. */
function handleScreenKey(
  ui: UiState,
  screen: Screen,
  key: Key,
  viewport: Viewport,
): KeyResult | undefined {
  switch (screen.kind) {
    case "list":
      return handleListKey(ui, key, viewport);
    case "delivery":
      return handleDeliveryKey(ui, screen, key, viewport);
    case "endpoints":
      return handleEndpointsKey(ui, screen, key, viewport);
    case "filter":
      return handleFilterKey(ui, screen, key, viewport);
    case "day":
      return handleDayKey(ui, screen, key, viewport);
    case "curl":
    case "conditions":
    case "help":
      return handleScroll(ui, screen, key, viewport);
    // `reduce` handles the keys of this screen.
    case "secret":
      return undefined;
  }
}

/**
 * Handles a key on the secret's screen. Closing needs a confirmation: the secret cannot be shown
 * again.
 */
function handleSecretKey(
  ui: UiState,
  { secret, endpoint }: Screen & { kind: "secret" },
  key: Key,
): KeyResult {
  if (key === "y")
    return {
      ui,
      effect: { type: "copy", text: secret, about: `the secret of ${quote(endpoint.name)}` },
    };
  if (!["esc", "enter", "q"].includes(key)) return { ui };
  const question = "Have you saved the secret? It is not shown again.";
  return { ui: { ...ui, prompt: { kind: "confirm", question, effect: { type: "forgetSecret" } } } };
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
  const tabCount = TABS.length;
  const tab =
    key === "right" || key === "l"
      ? (screen.tab + 1) % tabCount
      : key === "left" || key === "h"
        ? (screen.tab + tabCount - 1) % tabCount
        : /^[1-4]$/.test(key)
          ? Number(key) - 1
          : undefined;
  if (tab !== undefined) return { ui: replaceScreen(ui, { ...screen, tab, scroll: 0 }) };
  return handleScroll(ui, screen, key, viewport);
}

function handleDayKey(
  ui: UiState,
  screen: Screen & { kind: "day" },
  key: Key,
  viewport: Viewport,
): KeyResult | undefined {
  const days = key === "right" || key === "l" ? 1 : key === "left" || key === "h" ? -1 : 0;
  if (days !== 0)
    return { ui: replaceScreen(ui, { ...screen, offset: screen.offset + days, selected: null }) };
  if (key === "b") return { ui: chooseNextBusiness(ui, screen, viewport) };
  const { day, takenAt } = viewport.snapshot;
  const visits = day?.visits ?? [];
  // The keys that scroll a text move the selection here, from the first visit to the last one.
  const scrollMax = Math.max(0, visits.length - 1);
  const index = visitIndex(screen.selected, day, takenAt);
  const newIndex = scrollBy(index, key, { ...viewport, scrollMax });
  const visit = newIndex === undefined ? undefined : visits[newIndex];
  return (
    visit && {
      ui: replaceScreen(ui, { ...screen, selected: { id: visit.id, startsAt: visit.startsAt } }),
    }
  );
}

/** Shows the visits of the next business; after the last business, the visits of all. */
function chooseNextBusiness(
  ui: UiState,
  screen: Screen & { kind: "day" },
  { snapshot: { businesses } }: Viewport,
): UiState {
  const choices = [undefined, ...businesses.map(({ id }) => id)];
  const next = choices[(choices.indexOf(ui.filter.businessId) + 1) % choices.length];
  return replaceScreen(setFilter(ui, { ...ui.filter, businessId: next }), {
    ...screen,
    selected: null,
  });
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
  const newIndex = scrollBy(index, key, { ...viewport, scrollMax: endpoints.length - 1 });
  if (newIndex === undefined) return undefined;
  return { ui: replaceScreen(ui, { ...screen, selected: endpoints[newIndex]?.id ?? null }) };
}

/** Returns the row that a key scrolls to; undefined for a key that does not scroll. */
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
