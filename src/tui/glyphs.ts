import type { LiveState } from "../store/live-filter.ts";
import type { LiveRow } from "../store/live.ts";
import { textWidth, type Colour } from "./cells.ts";

/** What is drawn besides letters. */
export const GLYPHS = {
  ok: "✓",
  failed: "✗",
  waiting: "○",
  ended: "–",
  alarm: "▲",
  live: "●",
  cursor: "▸",
  newest: "▮",
  paused: "▯",
  enter: "⏎",
  dot: "·",
} as const;

/** From nothing to all in one row: eighths of a cell. */
export const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Upper left, upper right, lower right, lower left, horizontal, vertical. */
export const BORDER = ["╭", "╮", "╯", "╰", "─", "│"] as const;

/** For terminals and fonts that have nothing else; a cell for a cell but for enter, which is spelt before lines are set out. */
const ASCII: Record<string, string> = {
  "✓": "+",
  "✗": "x",
  "○": "o",
  "–": "-",
  "▲": "^",
  "●": "*",
  "▸": ">",
  "▮": "#",
  "▯": "=",
  "⏎": "enter",
  "·": "-",
  "…": "~",
  "←": "<",
  "→": ">",
  "↑": "^",
  "↓": "v",
  "▁": ".",
  "▂": ":",
  "▃": "-",
  "▄": "=",
  "▅": "+",
  "▆": "*",
  "▇": "%",
  "█": "#",
  "╭": "+",
  "╮": "+",
  "╯": "+",
  "╰": "+",
  "─": "-",
  "│": "|",
};

/** Names from outside lose their accents to question marks. */
export const toAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (char) => ASCII[char] ?? "?".repeat(textWidth(char)));

/** A state never shows by its colour alone: a glyph and a word go with it. */
export type StateMark = { glyph: string; word: string; colour: Colour };

export const STATE_MARKS: Record<LiveState, StateMark> = {
  DELIVERED: { glyph: GLYPHS.ok, word: "delivered", colour: "green" },
  PENDING: { glyph: GLYPHS.waiting, word: "pending", colour: "cyan" },
  RETRYING: { glyph: GLYPHS.failed, word: "failed", colour: "yellow" },
  EXHAUSTED: { glyph: GLYPHS.failed, word: "exhausted", colour: "red" },
  PARKED: { glyph: GLYPHS.ended, word: "parked", colour: "yellow" },
  CANCELLED: { glyph: GLYPHS.ended, word: "cancelled", colour: "gray" },
  CORRUPT: { glyph: GLYPHS.alarm, word: "corrupt", colour: "red" },
};

export const liveState = ({
  status,
  attemptCount,
  attemptsBefore,
}: Pick<LiveRow, "status" | "attemptCount" | "attemptsBefore">): LiveState =>
  status === "PENDING" && attemptCount > attemptsBefore ? "RETRYING" : status;
