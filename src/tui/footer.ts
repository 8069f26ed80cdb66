import { countOf } from "../domain/count-of.ts";
import { keyHints, justify } from "./border.ts";
import { textWidth, clipStart, type StyledLine, sanitize, span, wrapWords } from "./cells.ts";
import { GLYPHS, toAscii } from "./glyphs.ts";
import { goAgain, type Screen, currentScreen, type UiState } from "./ui-state.ts";

const HINTS: Record<Screen["kind"], readonly (readonly [string, string])[]> = {
  list: [
    ["j/k", "move"],
    [GLYPHS.enter, "open"],
    ["r", "retry"],
    ["f", "filter"],
    ["/", "search"],
    ["space", "pause"],
    ["?", "help"],
    ["q", "quit"],
    ["e", "endpoints"],
    ["t", "test"],
    ["y", "copy id"],
    ["R", "retry all"],
  ],
  delivery: [
    ["1-4", "tabs"],
    ["j/k", "scroll"],
    ["r", "retry"],
    ["t", "test endpoint"],
    ["y", "copy id"],
    ["esc", "back"],
    ["?", "help"],
  ],
  endpoints: [
    ["j/k", "move"],
    [GLYPHS.enter, "its deliveries"],
    ["t", "test"],
    ["y", "copy id"],
    ["esc", "back"],
    ["?", "help"],
  ],
  filter: [
    ["j/k", "choose"],
    ["←/→", "change"],
    ["x", "clear all"],
    [GLYPHS.enter, "done"],
    ["esc", "back"],
  ],
  help: [
    ["j/k", "scroll"],
    ["esc", "back"],
  ],
};

const MOST_LINES = 4;
const TONES = { plain: {}, good: { colour: "green" }, bad: { colour: "red" } } as const;

/** What can be pressed; or what is being typed; or what the last key came to. */
export function renderFooter(ui: UiState, width: number, isAscii: boolean): StyledLine[] {
  const { prompt, notice } = ui;
  if (prompt !== null) {
    const end = span("esc leaves it ", { dim: true });
    const [long, short] = prompt.kind === "search" ? TO_SEARCH : toSend(prompt.ids.length);
    const question = width - textWidth(long) < ROOM_TO_TYPE ? short : long;
    // The end of what is typed is what matters.
    const room = width - textWidth(question) - 3;
    const typed = span(clipStart(sanitize(prompt.typed), room), { bold: true });
    return [justify([span(` ${question}`), typed, span("█")], [end], width)];
  }
  if (notice !== null) {
    // The command that mends it comes last, and is not cut off.
    const lines = wrapWords(sanitize(notice.text), width - 2).slice(0, MOST_LINES);
    return lines.map((line) => [span(` ${line}`, { ...TONES[notice.tone], bold: true })]);
  }
  const named = HINTS[currentScreen(ui).kind].map(
    ([key, word]) => [isAscii ? toAscii(key) : key, word] as const,
  );
  return [keyHints(named, width)];
}

/** Each in the words of a wide terminal, and of a narrow one. */
type Question = readonly [long: string, short: string];

const ROOM_TO_TYPE = 24;
const TO_SEARCH: Question = ["search for an id, an endpoint or an event type: ", "search: "];
const toSend = (count: number): Question => [
  `${goAgain(countOf(count, "delivery"), count)}. Type ${count} to send ${count === 1 ? "it" : "them"}: `,
  `${goAgain(count, count)}. Type ${count}: `,
];
