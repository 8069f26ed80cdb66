import { countOf } from "../../../domain/text.ts";
import {
  clipStart,
  fit,
  fitLine,
  justify,
  sanitize,
  span,
  type StyledLine,
  textWidth,
  wrapWords,
  toAscii,
} from "./cells.ts";
import { keyName } from "./help.ts";
import { matchingActions, type TypedPrompt } from "../state/prompts.ts";
import { currentScreen } from "../state/screens.ts";
import type { Screen, UiState } from "../state/ui-state.ts";

type Hint = readonly [key: string, action: string];

/** The hints of each screen, the most important first: a narrow terminal lacks the last ones. */
const HINTS: Record<Screen["kind"], string> = {
  list: "⏎ open, e endpoints, d today, r redeliver, f filter, / search, : more, ? help, q quit, j/k move, y curl, space pause, R redeliver all, t test",
  delivery: "1-4 tabs, j/k scroll, r redeliver, t test, y curl, i copy id, esc back, ? help",
  curl: "j/k scroll, i copy id, esc back, ? help",
  endpoints:
    "⏎ deliveries, E enable, D disable, S secret, r redeliver, t test, esc back, ? help, i copy id, j/k move",
  secret: "y copies the secret, ⏎ closes",
  filter: "j/k choose, ←/→ change, x clear all, ⏎ done, esc back",
  day: "←/→ day, a approve, m move, x cancel, c complete, n no-show, b business, ? help, d deliveries, j/k choose, q quit",
  conditions: "j/k scroll, esc back, ? help",
  help: "j/k scroll, esc back",
};

const MAX_FEEDBACK_LINES = 4;
const TONES = { plain: {}, good: { colour: "green" }, bad: { colour: "red" } } as const;

/** Returns the open prompt, the feedback about the last key, or else the key hints. */
export function renderFooter(ui: UiState, width: number, isAscii: boolean): StyledLine[] {
  const { prompt, feedback } = ui;
  if (prompt?.kind === "confirm")
    return [...wrapWords(sanitize(prompt.question), width - 2), "y confirms, esc cancels"].map(
      (line) => [span(` ${line}`, { bold: true, colour: "yellow" })],
    );
  if (prompt !== null) {
    const commands = prompt.kind === "command" ? renderCommands(ui, prompt.typed, width) : [];
    return [...commands, renderInput(prompt, width)];
  }
  if (feedback !== null) {
    // Feedback may take several lines, because it may end with a fix.
    const lines = wrapWords(sanitize(feedback.text), width - 2).slice(0, MAX_FEEDBACK_LINES);
    return lines.map((line) => [span(` ${line}`, { ...TONES[feedback.tone], bold: true })]);
  }
  const hints = HINTS[currentScreen(ui).kind].split(", ").map((hint): Hint => {
    const [key = "", ...action] = hint.split(" ");
    return [isAscii ? toAscii(key) : key, action.join(" ")];
  });
  return [keyHints(hints, width)];
}

const MIN_INPUT_CELLS = 24;

function renderInput(prompt: TypedPrompt, width: number): StyledLine {
  const cancel = span("esc cancels ", { dim: true });
  const [long, short] = labelsOf(prompt);
  const label = width - textWidth(long) < MIN_INPUT_CELLS ? short : long;
  // Long input is cut at the beginning, so that the cursor stays visible. The cursor and a blank at
  // each end of the line take three cells.
  const typed = clipStart(sanitize(prompt.typed), width - textWidth(label) - 3);
  return justify([span(` ${label}`), span(typed, { bold: true }), span("█")], [cancel], width);
}

/** Returns the label of the prompt for a wide and for a narrow terminal. */
function labelsOf(prompt: TypedPrompt): readonly [long: string, short: string] {
  switch (prompt.kind) {
    case "search":
      return ["search any text or ID: ", "search: "];
    case "command":
      return [":", ":"];
    case "redeliver": {
      const { length } = prompt.ids;
      return [
        `Redeliver ${countOf(length, "delivery")}? Type ${length} to confirm: `,
        `Redeliver ${length}? Type ${length}: `,
      ];
    }
    case "move": {
      const name = sanitize(prompt.visit.name, 40);
      return [`Move ${name} to (11:30, tomorrow 10:00): `, "Move to (11:30): "];
    }
    case "enable": {
      const name = sanitize(prompt.endpoint.name, 30);
      return [
        `Enable ${name}; send parked: all, none or since a time: `,
        "Send parked: all, none or time: ",
      ];
    }
  }
}

const MAX_COMMANDS = 10;

/** Lists the commands that match the typed text, with their keys. */
function renderCommands(ui: UiState, typed: string, width: number): StyledLine[] {
  const actions = matchingActions(ui, typed);
  const shown = actions.slice(0, MAX_COMMANDS);
  const lines = shown.map(({ name, argument = "", key, about }): StyledLine => {
    const left = fit(` ${name} ${argument}`, COMMAND_CELLS);
    return [
      span(left, { bold: true }),
      span(fit(keyName(key), KEY_CELLS), { dim: true }),
      span(about),
    ];
  });
  const more = actions.length - shown.length;
  if (more > 0)
    lines.push([span(` and ${more} more: type to narrow, tab completes`, { dim: true })]);
  return lines.map((line) => fitLine(line, width));
}

const COMMAND_CELLS = 24;
const KEY_CELLS = 6;

/** Shows as many hints as fit. The hint `?` is always shown, because the help lists all keys. */
function keyHints(hints: readonly Hint[], width: number): StyledLine {
  const distance = 2;
  const cells = ([key, action]: Hint) => textWidth(key) + 1 + textWidth(action) + distance;
  const help = hints.find(([key]) => key === "?");
  // The line begins with one blank. The last hint needs no distance to a next one.
  let remaining = width - 1 + distance - (help === undefined ? 0 : cells(help));
  const shown = hints.filter((hint) => {
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
