import type { LiveState } from "../store/live-filter.ts";
import type { LiveRow } from "../store/live.ts";
import { textWidth, type Colour } from "./cells.ts";

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

export const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Replacements of our glyphs for terminals and fonts without them, each of the same width. The
 * exception is enter, which therefore must be replaced before lines are laid out.
 */
const OURS = "✓✗○–▲●▸▮▯·…←→↑↓▁▂▃▄▅▆▇█╭╮╯╰─│";
const ASCII = "+xo-^*>#=-~<>^v.:-=+*%#++++-|";
const REPLACEMENTS = new Map(Array.from(OURS, (glyph, i) => [glyph, ASCII.charAt(i)]));
REPLACEMENTS.set(GLYPHS.enter, "enter");

/** Replaces our glyphs by ASCII, and every other non-ASCII character by question marks. */
export const toAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (char) => REPLACEMENTS.get(char) ?? "?".repeat(textWidth(char)));

/** How a delivery state is shown: never by colour alone. */
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
