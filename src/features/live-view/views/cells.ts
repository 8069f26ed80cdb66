import stringWidth from "string-width";
import { safe } from "../../../domain/text.ts";

/** The terminal's standard colours, which follow the theme of the user. */
export type Colour = "red" | "green" | "yellow" | "blue" | "cyan" | "gray";

/** Text in one style. Text from outside must have passed through `sanitize`. */
export type Span = { text: string; colour?: Colour; bold?: true; dim?: true; inverse?: true };
export type StyledLine = readonly Span[];

export const span = (text: string, style: Omit<Span, "text"> = {}): Span => ({ text, ...style });

export const textWidth = (text: string): number =>
  isSingleWidth(text) ? text.length : stringWidth(text);
export const lineWidth = (line: StyledLine): number =>
  line.reduce((sum, { text }) => sum + textWidth(text), 0);

/** Returns whether each character takes one cell. The width of such a text is its length. */
const isSingleWidth = (text: string): boolean => /^[\x20-\x7e─-╿▀-█–…·←→⏎▮▯○●▲▸✓✗]*$/.test(text);

/**
 * Returns external text that is safe to draw: without control characters, and of a width on which
 * all terminals agree, so that no name shifts the columns after it. The text is cut first, so that
 * a megabyte takes no longer than a line.
 */
export function sanitize(text: string, maxLength = 500): string {
  const escaped = safe(text, maxLength);
  if (isSingleWidth(escaped)) return escaped;
  return (
    escaped
      .normalize("NFC")
      // Terminals disagree on the width of joined emoji, variation selectors, skin tones and flags.
      .replace(/\p{Cf}|\p{Variation_Selector}|\p{Emoji_Modifier}|\p{Me}/gu, "")
      .replace(/\p{Regional_Indicator}/gu, (flag) =>
        String.fromCodePoint((flag.codePointAt(0) ?? 0) - FLAG_A + LETTER_A),
      )
      // One combining mark per letter is kept: a stack of marks would cover the lines above.
      .replace(/(\p{M})\p{M}+/gu, "$1")
  );
}

const FLAG_A = 0x1f1e6;
const LETTER_A = 0x41;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cuts a text to `width` cells, with an ellipsis at its end. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return "";
  if (isSingleWidth(text)) return `${text.slice(0, width - 1)}…`;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += textWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Cuts a text at its start, so that at most its last `width` cells are left. */
export function clipStart(text: string, width: number): string {
  const kept = Array.from(graphemes.segment(text), ({ segment }) => segment);
  while (kept.length > 0 && textWidth(kept.join("")) > width) kept.shift();
  return kept.join("");
}

/** Cuts or pads a text to exactly `width` cells. */
export function fit(text: string, width: number, align: "left" | "right" = "left"): string {
  const cut = clip(text, width);
  const space = " ".repeat(Math.max(0, width - textWidth(cut)));
  return align === "left" ? cut + space : space + cut;
}

/** Cuts or pads a line to exactly `width` cells. */
export function fitLine(line: StyledLine, width: number): StyledLine {
  const fitted: Span[] = [];
  let remaining = width;
  for (const part of line) {
    if (remaining <= 0) break;
    const text = clip(part.text, remaining);
    fitted.push({ ...part, text });
    remaining -= textWidth(text);
  }
  if (remaining > 0) fitted.push({ text: " ".repeat(remaining) });
  return fitted;
}

/** Puts two texts at both ends of a line, or only the left one if they do not fit. */
export function justify(left: StyledLine, right: StyledLine, width: number): StyledLine {
  const space = width - lineWidth(left) - lineWidth(right);
  return space < 1 ? fitLine(left, width) : [...left, span(" ".repeat(space)), ...right];
}

/** Merges neighbouring spans of one style, to draw less. Blanks take the style before them. */
export function mergeSpans(line: StyledLine): StyledLine {
  const merged: Span[] = [];
  for (const part of line) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      (hasSameStyle(last, part) || (isBlank(part) && last.inverse === part.inverse))
    )
      merged[merged.length - 1] = { ...last, text: last.text + part.text };
    else if (part.text !== "") merged.push(part);
  }
  return merged;
}

const isBlank = ({ text }: Span): boolean => text.trim() === "";

const hasSameStyle = (a: Span, b: Span): boolean =>
  a.colour === b.colour && a.bold === b.bold && a.dim === b.dim && a.inverse === b.inverse;

export const isSameLine = (a: StyledLine, b: StyledLine): boolean =>
  a.length === b.length &&
  a.every((part, i) => part.text === b[i]?.text && hasSameStyle(part, b[i]));

/** Breaks a text into lines of at most `width` cells, even within words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  if (isSingleWidth(text)) {
    for (let at = 0; at < text.length; at += width) lines.push(text.slice(at, at + width));
    return lines.length === 0 ? [""] : lines;
  }
  let line = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const cells = textWidth(segment);
    if (used + cells > width) {
      lines.push(line);
      line = "";
      used = 0;
    }
    line += segment;
    used += cells;
  }
  return [...lines, line];
}

/** Breaks a text into lines between words; a word longer than a line is broken, too. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").flatMap((word) => wrap(word, width))) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const EDGE_STYLE = { dim: true } as const;

export type Border = { title: StyledLine; topRight?: StyledLine; width: number; height: number };

/**
 * Returns the lines in a border of `width` by `height` cells. The top edge has a title on the left,
 * and a label on the right if there is space.
 */
export function drawBorder(
  { title, topRight = [], width, height }: Border,
  lines: readonly StyledLine[],
): StyledLine[] {
  const inner = width - 2;
  const body = Array.from({ length: Math.max(0, height - 2) }, (_, i): StyledLine => [
    span("│", EDGE_STYLE),
    ...fitLine(lines[i] ?? [], inner),
    span("│", EDGE_STYLE),
  ]);
  return [
    drawTopEdge(title, topRight, inner),
    ...body,
    [span(`╰${"─".repeat(inner)}╯`, EDGE_STYLE)],
  ];
}

function drawTopEdge(title: StyledLine, topRight: StyledLine, inner: number): StyledLine {
  // ─ title ───── label ─
  const available = inner - 4;
  const label = lineWidth(title) + lineWidth(topRight) + 3 > available ? [] : topRight;
  const left = title.map((part) => ({ ...part, text: clip(part.text, available) }));
  const right: StyledLine = label.length === 0 ? [] : [span(" "), ...label, span(" ")];
  const filler = inner - 3 - lineWidth(left) - lineWidth(right) - 1;
  return [
    span("╭─ ", EDGE_STYLE),
    ...left,
    span(` ${"─".repeat(Math.max(0, filler))}`, EDGE_STYLE),
    ...right,
    span("─╮", EDGE_STYLE),
  ];
}

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

/** Bars of 0 to 8 eighths of a cell's height. */
export const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * `toAscii` replaces each of these glyphs by the character at the same position of `ASCII`. Both
 * take one cell. The glyph `enter` becomes a word of more cells, so callers replace it before they
 * lay out lines.
 */
const DRAWN_GLYPHS = "✓✗○–▲●▸▮▯·…←→↑↓▁▂▃▄▅▆▇█╭╮╯╰─│";
const ASCII = "+xo-^*>#=-~<>^v.:-=+*%#++++-|";
const REPLACEMENTS = new Map(Array.from(DRAWN_GLYPHS, (glyph, i) => [glyph, ASCII.charAt(i)]));
REPLACEMENTS.set(GLYPHS.enter, "enter");

/** Replaces our glyphs by ASCII, and other non-ASCII characters by question marks. */
export const toAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (char) => REPLACEMENTS.get(char) ?? "?".repeat(textWidth(char)));
