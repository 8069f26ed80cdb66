import { countOf } from "../domain/count-of.ts";
import { hints, spread } from "./box.ts";
import { cellsOf, clipStart, type Line, plain, span, wrapWords } from "./cells.ts";
import { GLYPHS, toAscii } from "./glyphs.ts";
import { goAgain, type Screen, screenOf, type Ui } from "./ui.ts";

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
export function footer(ui: Ui, width: number, isAscii: boolean): Line[] {
  const { prompt, notice } = ui;
  if (prompt !== null) {
    const end = span("esc leaves it ", { dim: true });
    const [long, short] = prompt.kind === "search" ? TO_SEARCH : toSend(prompt.ids.length);
    const question = width - cellsOf(long) < ROOM_TO_TYPE ? short : long;
    // The end of what is typed is what matters.
    const room = width - cellsOf(question) - 3;
    const typed = span(clipStart(plain(prompt.typed), room), { bold: true });
    return [spread([span(` ${question}`), typed, span("█")], [end], width)];
  }
  if (notice !== null) {
    // The command that mends it comes last, and is not cut off.
    const lines = wrapWords(plain(notice.text), width - 2).slice(0, MOST_LINES);
    return lines.map((line) => [span(` ${line}`, { ...TONES[notice.tone], bold: true })]);
  }
  const named = HINTS[screenOf(ui).kind].map(
    ([key, word]) => [isAscii ? toAscii(key) : key, word] as const,
  );
  return [hints(named, width)];
}

/** Each in the words of a wide terminal, and of a narrow one. */
type Question = readonly [long: string, short: string];

const ROOM_TO_TYPE = 24;
const TO_SEARCH: Question = ["search for an id, an endpoint or an event type: ", "search: "];
const toSend = (count: number): Question => [
  `${goAgain(countOf(count, "delivery"), count)}. Type ${count} to send ${count === 1 ? "it" : "them"}: `,
  `${goAgain(count, count)}. Type ${count}: `,
];
