import { type Action, availableActions, runAction } from "./actions.ts";
import type { Key } from "./keys.ts";
import type { Viewport } from "./screens.ts";
import { type KeyResult, type Prompt, showError, type UiState } from "./ui-state.ts";

export const MAX_TYPED_CHARS = 100;

export type TypedPrompt = Exclude<Prompt, { kind: "confirm" }>;

export function handlePromptKey(
  ui: UiState,
  prompt: Prompt,
  key: Key,
  viewport: Viewport,
): KeyResult {
  const closed: UiState = { ...ui, prompt: null };
  if (key === "esc") return { ui: closed };
  if (prompt.kind === "confirm")
    return key === "y"
      ? { ui: closed, effect: prompt.effect }
      : key === "n"
        ? { ui: closed }
        : { ui };
  const setTyped = (typed: string): KeyResult => ({ ui: { ...ui, prompt: { ...prompt, typed } } });
  switch (key) {
    case "enter":
      return submit(closed, prompt, viewport);
    case "backspace":
      return setTyped(Array.from(prompt.typed).slice(0, -1).join(""));
    // `parseKeys` turns Tab into this key.
    case "right":
      return prompt.kind === "command" ? setTyped(completeCommand(ui, prompt.typed)) : { ui };
    default:
      // Other named keys, such as arrows, do nothing.
      if (Array.from(key).length !== 1 || prompt.typed.length >= MAX_TYPED_CHARS) return { ui };
      return setTyped(prompt.typed + key);
  }
}

/** @param closed the state without the prompt */
function submit(closed: UiState, prompt: TypedPrompt, viewport: Viewport): KeyResult {
  const typed = prompt.typed.trim();
  switch (prompt.kind) {
    case "search":
      return { ui: closed, effect: { type: "search", text: typed } };
    case "command":
      return runCommand(closed, typed, viewport);
    // Enter without a choice sends all parked deliveries.
    case "enable":
      return {
        ui: closed,
        effect: { type: "enable", endpoint: prompt.endpoint, recover: typed || "all" },
      };
    case "move":
      return typed === ""
        ? showError(closed, "No time was typed; nothing was changed.")
        : { ui: closed, effect: { type: "moveVisit", visit: prompt.visit, start: typed } };
    case "redeliver":
      if (typed === String(prompt.ids.length))
        return { ui: closed, effect: { type: "redeliverAll", ids: prompt.ids } };
      return showError(closed, "The count does not match; nothing was redelivered.");
  }
}

function runCommand(ui: UiState, typed: string, viewport: Viewport): KeyResult {
  const { name, argument } = splitCommand(typed);
  if (name === "") return { ui };
  const matching = matchingActions(ui, name);
  const exact = matching.find((candidate) => candidate.name === name);
  const action = exact ?? (matching.length === 1 ? matching[0] : undefined);
  if (action === undefined)
    return showError(
      ui,
      matching.length === 0
        ? `There is no command '${name}' on this screen. Press : to see all.`
        : `'${name}' is ambiguous: ${matching.map((candidate) => candidate.name).join(", ")}.`,
    );
  if (argument !== "" && action.argument === undefined)
    return showError(ui, `${action.name} takes no argument.`);
  // An argument without brackets is required. If it is missing, the prompt opens again with the
  // name already typed.
  if (argument === "" && action.argument !== undefined && !action.argument.startsWith("["))
    return { ui: { ...ui, prompt: { kind: "command", typed: `${action.name} ` } } };
  return runAction(action, ui, viewport, argument);
}

/** Returns the actions of the current screen whose name begins with the first typed word. */
export const matchingActions = (ui: UiState, typed: string): readonly Action[] =>
  availableActions(ui).filter(({ name }) => name.startsWith(splitCommand(typed).name));

/** Completes the name as far as all matching actions agree, with a space after a whole name. */
function completeCommand(ui: UiState, typed: string): string {
  const { name } = splitCommand(typed);
  const [first, ...others] = matchingActions(ui, name).map((action) => action.name);
  // Nothing is completed after the name.
  if (first === undefined || typed !== name) return typed;
  if (others.length === 0) return `${first} `;
  let end = first.length;
  while (!others.every((other) => other.startsWith(first.slice(0, end)))) end--;
  return first.slice(0, end);
}

function splitCommand(typed: string): { name: string; argument: string } {
  const [, name = "", argument = ""] = /^\s*(\S*)\s*(.*)$/.exec(typed) ?? [];
  return { name, argument: argument.trim() };
}
