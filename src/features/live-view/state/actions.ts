import { quote } from "../../../domain/text.ts";
import type { Key } from "./keys.ts";
import {
  backToList,
  currentScreen,
  selectedDelivery,
  selectedEndpoint,
  toggleScreen,
  type Viewport,
} from "./screens.ts";
import {
  type EndpointName,
  isNarrowed,
  type KeyResult,
  type Prompt,
  type Screen,
  showError,
  type UiState,
} from "./ui-state.ts";

/** What a user can do on most screens, with a key or by name in the command palette. */
export type Action = {
  name: string;
  key?: Key;
  /** The placeholder of the text after the name, in brackets if the text is optional. */
  argument?: string;
  about: string;
  /** Whether the action needs a selected delivery or endpoint, which some screens lack. */
  isOnSelection?: true;
  /** Set if --readonly refuses the action: how the refusal begins, such as `redelivery is`. */
  changes?: string;
  run: (ui: UiState, viewport: Viewport, argument: string) => KeyResult;
};

export const ACTIONS: readonly Action[] = [
  {
    name: "redeliver",
    isOnSelection: true,
    key: "r",
    about: "redeliver the delivery or the endpoint's failures",
    changes: "redelivery is",
    run: redeliver,
  },
  {
    name: "redeliver-all",
    key: "R",
    about: "redeliver all deliveries in the filtered list",
    changes: "redelivery is",
    run: (ui) =>
      isNarrowed(ui)
        ? { ui, effect: { type: "promptRedeliver" } }
        : showError(ui, "R would redeliver every delivery. Narrow the list first, with f or /."),
  },
  {
    name: "test",
    isOnSelection: true,
    key: "t",
    about: "send a test event to the endpoint",
    changes: "test events are",
    run: onEndpoint((ui, endpoint) => ({ ui, effect: { type: "test", endpoint } })),
  },
  {
    name: "enable",
    isOnSelection: true,
    key: "E",
    argument: "[all|none|time]",
    about: "enable the endpoint; choose what to send",
    changes: "changes of endpoints are",
    run: onEndpoint((ui, endpoint, recover) =>
      recover === ""
        ? open(ui, { kind: "enable", endpoint, typed: "" })
        : { ui, effect: { type: "enable", endpoint, recover } },
    ),
  },
  {
    name: "disable",
    isOnSelection: true,
    key: "D",
    about: "disable the endpoint and park its deliveries",
    changes: "changes of endpoints are",
    run: onEndpoint((ui, endpoint) =>
      open(ui, {
        kind: "confirm",
        question: `Disable ${quote(endpoint.name)}? Its deliveries are parked until it is enabled again.`,
        effect: { type: "disable", endpoint },
      }),
    ),
  },
  {
    name: "rotate-secret",
    isOnSelection: true,
    key: "S",
    about: "rotate the signing secret, shown once",
    changes: "changes of endpoints are",
    run: onEndpoint((ui, endpoint) =>
      open(ui, {
        kind: "confirm",
        question: `Rotate the signing secret of ${quote(endpoint.name)} and show the new one on this screen? The old one stays valid for 24 hours.`,
        effect: { type: "rotateSecret", endpoint },
      }),
    ),
  },
  {
    name: "curl",
    isOnSelection: true,
    key: "y",
    about: "copy the delivery as a curl command",
    run: copyCurl,
  },
  {
    name: "copy-id",
    isOnSelection: true,
    key: "i",
    about: "copy the ID of the delivery or endpoint",
    run: copyId,
  },
  {
    name: "endpoints",
    key: "e",
    about: "list endpoints; enter shows their deliveries",
    run: (ui, { snapshot }) =>
      toggleScreen(ui, { kind: "endpoints", selected: snapshot.endpoints[0]?.id ?? null }),
  },
  {
    name: "today",
    key: "d",
    about: "show the visits of the day; ← → change the day",
    run: (ui) => toggleScreen(ui, { kind: "day", offset: 0, scroll: 0 }),
  },
  {
    name: "problems",
    key: "p",
    about: "list the problems and the commands that fix them",
    run: (ui) => toggleScreen(ui, { kind: "conditions", scroll: 0 }),
  },
  {
    name: "filter",
    key: "f",
    about: "filter by state, endpoint, event or time",
    run: (ui) => toggleScreen(ui, { kind: "filter", row: 0 }, backToList(ui)),
  },
  {
    name: "since",
    argument: "time",
    about: "show deliveries since 15m, 08:30 or a date",
    run: (ui, _viewport, text) => ({ ui: backToList(ui), effect: { type: "since", text } }),
  },
  {
    name: "search",
    key: "/",
    argument: "[text]",
    about: "search IDs, events, hosts, codes and errors",
    run: (ui, _viewport, text) =>
      text === ""
        ? open(backToList(ui), { kind: "search", typed: "" })
        : { ui: backToList(ui), effect: { type: "search", text } },
  },
  {
    name: "pause",
    key: " ",
    about: "pause or resume the display",
    run: (ui) => ({ ui: { ...ui, isPaused: !ui.isPaused } }),
  },
  {
    name: "help",
    key: "?",
    about: "show all keys",
    run: (ui) => toggleScreen(ui, { kind: "help", scroll: 0 }),
  },
  {
    name: "quit",
    key: "q",
    about: "quit",
    run: (ui) => ({ ui, effect: { type: "quit", signal: null } }),
  },
];

const SELECTING: readonly Screen["kind"][] = ["list", "delivery", "curl", "endpoints"];

/** Returns the actions of the current screen. */
export const availableActions = (ui: UiState): readonly Action[] =>
  SELECTING.includes(currentScreen(ui).kind)
    ? ACTIONS
    : ACTIONS.filter(({ isOnSelection }) => !isOnSelection);

/** Runs an action. @param argument "" if no text follows the name */
export const runAction = (
  action: Action,
  ui: UiState,
  viewport: Viewport,
  argument = "",
): KeyResult =>
  ui.isReadonly && action.changes !== undefined
    ? showError(ui, `This view was started with --readonly: ${action.changes} disabled.`)
    : action.run(ui, viewport, argument);

const open = (ui: UiState, prompt: Prompt): KeyResult => ({ ui: { ...ui, prompt } });

function onEndpoint(
  run: (ui: UiState, endpoint: EndpointName, argument: string) => KeyResult,
): Action["run"] {
  return (ui, viewport, argument) => {
    const endpoint = selectedEndpoint(ui, viewport);
    return endpoint === undefined
      ? showError(ui, "No endpoint is selected: e lists them.")
      : run(ui, { id: endpoint.id, name: endpoint.name }, argument);
  };
}

function redeliver(ui: UiState, viewport: Viewport): KeyResult {
  if (currentScreen(ui).kind !== "endpoints") {
    const row = selectedDelivery(ui, viewport);
    return row ? { ui, effect: { type: "redeliver", id: row.id } } : noDelivery(ui);
  }
  const endpoint = selectedEndpoint(ui, viewport);
  return endpoint
    ? { ui, effect: { type: "promptRedeliver", endpointId: endpoint.id } }
    : noEndpoint(ui);
}

function copyCurl(ui: UiState, viewport: Viewport): KeyResult {
  if (currentScreen(ui).kind === "endpoints") return copyId(ui, viewport);
  const row = selectedDelivery(ui, viewport);
  return row ? { ui, effect: { type: "copyCurl", id: row.id } } : noDelivery(ui);
}

function copyId(ui: UiState, viewport: Viewport): KeyResult {
  const { id } = selectedDelivery(ui, viewport) ?? selectedEndpoint(ui, viewport) ?? {};
  if (id === undefined)
    return currentScreen(ui).kind === "endpoints" ? noEndpoint(ui) : noDelivery(ui);
  return { ui, effect: { type: "copy", text: id, about: id } };
}

const noEndpoint = (ui: UiState): KeyResult => showError(ui, "No endpoint is selected.");
const noDelivery = (ui: UiState): KeyResult => showError(ui, "No delivery is selected.");
