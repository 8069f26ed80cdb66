import { ALL_EVENT_TYPES } from "../../../domain/events/event-types.ts";
import { SEARCH_STATES } from "../../../store/webhooks/delivery-search.ts";
import { drawBorder, fit, type StyledLine, sanitize, span } from "./cells.ts";
import { filterNames } from "../state/filter-names.ts";
import type { Key } from "../state/keys.ts";
import { goBack, replaceScreen, setFilter, type Viewport } from "../state/screens.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { TimeFormat } from "../state/time-format.ts";
import {
  FILTER_FIELDS,
  type FilterField,
  type KeyResult,
  type Screen,
  type UiState,
} from "../state/ui-state.ts";

/** The durations that the panel offers; `:since` sets any other time. */
const DURATIONS = ["15m", "1h", "1d"] as const;

const LABELS: Record<FilterField, string> = {
  state: "state",
  endpointId: "endpoint",
  eventType: "event",
  time: "time",
  businessId: "business",
};

export function handleFilterKey(
  ui: UiState,
  screen: Screen & { kind: "filter" },
  key: Key,
  { snapshot }: Viewport,
): KeyResult | undefined {
  const name = FILTER_FIELDS[screen.row] ?? "state";
  const { time } = ui.filter;
  const values: Record<FilterField, readonly (string | number)[]> = {
    state: SEARCH_STATES,
    endpointId: snapshot.endpoints.map(({ id }) => id),
    eventType: ALL_EVENT_TYPES,
    time: [...new Set([...DURATIONS, ...(time === undefined ? [] : [time])])],
    businessId: snapshot.businesses.map(({ id }) => id),
  };
  const changeValue = (by: 1 | -1): KeyResult => {
    // The first choice means "any".
    const choices = [undefined, ...values[name]];
    const index = Math.max(0, choices.indexOf(ui.filter[name]));
    const value = choices[(index + by + choices.length) % choices.length];
    return { ui: setFilter(ui, { ...ui.filter, [name]: value }) };
  };
  const moveTo = (row: number): KeyResult => ({ ui: replaceScreen(ui, { ...screen, row }) });
  switch (key) {
    case "right":
    case "l":
      return changeValue(1);
    case "left":
    case "h":
      return changeValue(-1);
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

/** @param row the index of the selected field */
export function renderFilterPanel(
  ui: UiState,
  row: number,
  snapshot: Snapshot,
  timeFormat: TimeFormat,
  width: number,
): StyledLine[] {
  const values = filterNames(ui, snapshot, timeFormat);
  const lines = FILTER_FIELDS.map((name, i): StyledLine => {
    const value = values[name];
    // The label, the arrows and the border take less than 20 cells.
    return [
      span(i === row ? "▸" : " ", { bold: true }),
      span(fit(LABELS[name], 10), { dim: true }),
      span(i === row ? "← " : "  "),
      span(
        sanitize(value ?? "any", width - 20),
        value === undefined ? {} : { colour: "cyan", bold: true },
      ),
      span(i === row ? " →" : ""),
    ];
  });
  return drawBorder({ title: [span("filter")], width, height: FILTER_FIELDS.length + 2 }, lines);
}
