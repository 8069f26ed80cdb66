import { ACTIONS } from "../state/actions.ts";
import { fit, type StyledLine, span, wrapWords, toAscii } from "./cells.ts";

/** Returns the name of a key as the screen shows it. */
export const keyName = (key = ""): string => (key === " " ? "space" : key);

export const KEY_HELP: readonly (readonly [string, string])[] = [
  ["j k ↑ ↓ pgup pgdn", "move (stops following the newest)"],
  ["g G end", "newest; follow the newest; oldest"],
  ["⏎", "open a delivery; 1-4 ← → switch its tabs"],
  ["esc", "go back one level"],
  [":", "type a command; tab completes it"],
  ["ctrl-c", "quit, also while typing"],
  ...ACTIONS.map(({ key, name, argument, about }) =>
    key === undefined
      ? ([`:${name} ${argument ?? ""}`, about] as const)
      : ([keyName(key), about] as const),
  ),
];

const NOTES = [
  "ok, fail: attempts per minute, on one scale. A dot is less than the lowest bar.",
  "pending: waiting to be delivered; retrying: those that failed before.",
  "p50, p95: response time of the last 1 000 attempts within the hour.",
  "success: share of the attempts of the last hour.",
  "t/o ref dns tls blk: timed out, connection refused, DNS failure, TLS failure, blocked address.",
];

const KEY_CELLS = 20;

export function renderHelp(zone: string, isAscii: boolean, width: number): StyledLine[] {
  // Glyphs are replaced before the columns are laid out, because "enter" is wider than its glyph.
  const replaceGlyphs = (text: string) => (isAscii ? toAscii(text) : text);
  const margin = KEY_CELLS + 2;
  const keys = KEY_HELP.flatMap(([key, action]) =>
    wrapWords(replaceGlyphs(action), width - margin).map((part, i): StyledLine => [
      span(i === 0 ? ` ${fit(replaceGlyphs(key), KEY_CELLS)} ` : " ".repeat(margin), {
        bold: true,
      }),
      span(part),
    ]),
  );
  const notes = [...NOTES, `Times are in ${zone}.`].flatMap((note) => wrapWords(note, width - 1));
  return [...keys, [], ...notes.map((note): StyledLine => [span(` ${note}`, { dim: true })])];
}
