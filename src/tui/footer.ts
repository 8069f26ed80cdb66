import { countOf } from "../domain/text.ts";
import {
  clipStart,
  justify,
  sanitize,
  span,
  type StyledLine,
  textWidth,
  wrapWords,
  toAscii,
} from "./cells.ts";
import { type Screen, currentScreen, type UiState } from "./ui-state.ts";

type Hint = readonly [key: string, action: string];

const HINTS: Record<Screen["kind"], string> = {
  list: "j/k move, ⏎ open, r redeliver, f filter, / search, space pause, ? help, q quit, e endpoints, t test, y copy id, R redeliver all",
  delivery: "1-4 tabs, j/k scroll, r redeliver, t test endpoint, y copy id, esc back, ? help",
  endpoints: "j/k move, ⏎ deliveries, t test, y copy id, esc back, ? help",
  filter: "j/k choose, ←/→ change, x clear all, ⏎ done, esc back",
  help: "j/k scroll, esc back",
};

const MAX_LINES = 4;
const TONES = { plain: {}, good: { colour: "green" }, bad: { colour: "red" } } as const;

/** The key hints; or the prompt that is open; or the notice about the last key. */
export function renderFooter(ui: UiState, width: number, isAscii: boolean): StyledLine[] {
  const { prompt, notice } = ui;
  if (prompt !== null) {
    const cancel = span("esc cancels ", { dim: true });
    const [long, short] =
      prompt.kind === "search" ? SEARCH_LABELS : redeliverLabels(prompt.ids.length);
    const label = width - textWidth(long) < MIN_INPUT_CELLS ? short : long;
    // Long input is cut at its beginning, so that the cursor stays visible.
    const typed = clipStart(sanitize(prompt.typed), width - textWidth(label) - 3);
    return [justify([span(` ${label}`), span(typed, { bold: true }), span("█")], [cancel], width)];
  }
  if (notice !== null) {
    // Wrapped, because a fix at the end of the notice must not be cut off.
    const lines = wrapWords(sanitize(notice.text), width - 2).slice(0, MAX_LINES);
    return lines.map((line) => [span(` ${line}`, { ...TONES[notice.tone], bold: true })]);
  }
  const hints = HINTS[currentScreen(ui).kind].split(", ").map((hint): Hint => {
    const [key = "", ...action] = hint.split(" ");
    return [isAscii ? toAscii(key) : key, action.join(" ")];
  });
  return [keyHints(hints, width)];
}

/** The prompt's label on a wide and on a narrow terminal. */
type Labels = readonly [long: string, short: string];

const MIN_INPUT_CELLS = 24;
const SEARCH_LABELS: Labels = ["search by ID, endpoint or event type: ", "search: "];
const redeliverLabels = (count: number): Labels => [
  `Redeliver ${countOf(count, "delivery")}? Type ${count} to confirm: `,
  `Redeliver ${count}? Type ${count}: `,
];

/** Shows as many hints as fit; `?` is always among them, because help lists all keys. */
function keyHints(pairs: readonly Hint[], width: number): StyledLine {
  const cells = ([key, action]: Hint) => textWidth(key) + 1 + textWidth(action) + 2;
  const help = pairs.find(([key]) => key === "?");
  let remaining = width - 1 + 2 - (help === undefined ? 0 : cells(help));
  const shown = pairs.filter((hint) => {
    if (hint === help) return true;
    remaining -= cells(hint);
    return remaining >= 0;
  });
  return shown.flatMap(([key, action], i): StyledLine => [
    span(i === 0 ? " " : "  "),
    span(key, { bold: true }),
    span(` ${action}`, { dim: true }),
  ]);
}
