import type { Key } from "./keys.ts";
import type { KeyResult, Prompt, UiState } from "./ui-state.ts";

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
