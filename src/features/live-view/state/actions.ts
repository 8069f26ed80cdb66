import type { StateAction } from "../../../app/bookings/change-visit.ts";
import { describeGuest } from "../../../app/bookings/day-sheet.ts";
import type { Teller, VisitStatus } from "../../../domain/bookings/visit.ts";
import { formatLocalMinute } from "../../../domain/local-time.ts";
import { quote } from "../../../domain/text.ts";
import type { Key } from "./keys.ts";
import {
  backToList,
  currentScreen,
  selectedDelivery,
  selectedEndpoint,
  selectedVisit,
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
  type VisitName,
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
  /** Whether the action needs a selected visit, which only the screen of the day has. */
  isOnVisit?: true;
  /**
   * The beginning of the message by which --readonly refuses the action, such as `redelivery is`
   * before "disabled"; undefined if the action changes nothing.
   */
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
        ? openPrompt(ui, { kind: "enable", endpoint, typed: "" })
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
      openPrompt(ui, {
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
      openPrompt(ui, {
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
    run: (ui) => toggleScreen(ui, { kind: "day", offset: 0, selected: null }),
  },
  {
    name: "approve",
    isOnVisit: true,
    key: "a",
    about: "approve the selected visit, which is pending",
    changes: "changes of visits are",
    run: onVisit((ui, visit) => confirmChange(ui, visit, "approve", "Approve")),
  },
  {
    name: "decline",
    isOnVisit: true,
    key: "x",
    about: "decline the visit, or cancel it if it is confirmed",
    changes: "changes of visits are",
    run: onVisit((ui, visit, status) =>
      status === "PENDING"
        ? confirmChange(ui, visit, "decline", "Decline")
        : confirmChange(ui, visit, "cancel", "Cancel"),
    ),
  },
  {
    name: "move",
    isOnVisit: true,
    key: "m",
    argument: "[time]",
    about: "move the visit to another time",
    changes: "changes of visits are",
    run: onVisit((ui, visit, _status, start) =>
      start === ""
        ? openPrompt(ui, { kind: "move", visit, typed: "" })
        : { ui, effect: { type: "moveVisit", visit, start } },
    ),
  },
  {
    name: "complete",
    isOnVisit: true,
    key: "c",
    about: "record that the guest was there",
    changes: "changes of visits are",
    run: onVisit((ui, visit) => ({
      ui,
      effect: { type: "changeVisit", visit, action: "complete" },
    })),
  },
  {
    name: "no-show",
    isOnVisit: true,
    key: "n",
    about: "record that the guest did not come",
    changes: "changes of visits are",
    run: onVisit((ui, visit) => ({ ui, effect: { type: "changeVisit", visit, action: "noShow" } })),
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
        ? openPrompt(backToList(ui), { kind: "search", typed: "" })
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

/** The screens on which a delivery or endpoint is selected. */
const SCREENS_WITH_SELECTION: readonly Screen["kind"][] = ["list", "delivery", "curl", "endpoints"];

/** Returns the actions of the current screen. */
export function availableActions(ui: UiState): readonly Action[] {
  const { kind } = currentScreen(ui);
  return ACTIONS.filter(
    ({ isOnSelection, isOnVisit }) =>
      (!isOnSelection || SCREENS_WITH_SELECTION.includes(kind)) && (!isOnVisit || kind === "day"),
  );
}

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

const openPrompt = (ui: UiState, prompt: Prompt): KeyResult => ({ ui: { ...ui, prompt } });

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

/** @param argument the time after the name of the action; "" if none was typed */
type OnVisit = (ui: UiState, visit: VisitName, status: VisitStatus, argument: string) => KeyResult;

function onVisit(run: OnVisit): Action["run"] {
  return (ui, viewport, argument) => {
    const visit = selectedVisit(ui, viewport);
    if (visit === undefined) return showError(ui, "No visit is selected: d shows the day.");
    const { id, type, slug, startsAt, timezone, status, teller } = visit;
    const time = formatLocalMinute(startsAt, timezone).slice(11);
    const name = `${describeGuest(visit)} at ${time}`;
    return run(ui, { id, type, slug, name, startsAt, teller }, status, argument);
  };
}

const TELLS: Record<Teller, string> = {
  partner: "The partner that made the visit is told.",
  mail: "The guest gets a mail.",
  nobody: "Nobody tells the guest.",
};

/** Asks before the change, and says who tells the guest. */
const confirmChange = (
  ui: UiState,
  visit: VisitName,
  action: StateAction,
  verb: string,
): KeyResult =>
  openPrompt(ui, {
    kind: "confirm",
    question: `${verb} ${visit.name}? ${TELLS[visit.teller]}`,
    effect: { type: "changeVisit", visit, action },
  });

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

/**
 * Copies the selected delivery as a curl command. The list of endpoints has no delivery: the ID of
 * the endpoint is copied there.
 */
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
