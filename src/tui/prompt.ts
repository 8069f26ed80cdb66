import type { Key } from "./keys.ts";
import type { KeyResult } from "./reducer.ts";
import type { Prompt, UiState } from "./ui-state.ts";

export const MAX_TYPED_CHARS = 100;

/** A key while something is being typed. */
export function handlePromptKey(ui: UiState, prompt: Prompt, key: Key): KeyResult {
  const done: UiState = { ...ui, prompt: null };
  switch (key) {
    case "esc":
      return { ui: done };
    case "enter":
      return finish(done, prompt);
    case "backspace":
      return {
        ui: { ...ui, prompt: { ...prompt, typed: Array.from(prompt.typed).slice(0, -1).join("") } },
      };
    default:
      // A name of a key, an arrow say, is no text.
      if (Array.from(key).length !== 1 || prompt.typed.length >= MAX_TYPED_CHARS) return { ui };
      return { ui: { ...ui, prompt: { ...prompt, typed: prompt.typed + key } } };
  }
}

function finish(done: UiState, prompt: Prompt): KeyResult {
  const typed = prompt.typed.trim();
  if (prompt.kind === "search") return { ui: done, effect: { do: "search", text: typed } };
  if (typed === String(prompt.ids.length))
    return { ui: done, effect: { do: "redeliverAll", ids: prompt.ids } };
  return {
    ui: { ...done, notice: { text: "That was not the count; nothing was sent.", tone: "bad" } },
  };
}
