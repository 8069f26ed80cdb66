import stringWidth from "string-width";
import { safe } from "../domain/safe-text.ts";

/** What any frame may be coloured with: the terminal's own sixteen, so that it follows the person's theme. */
export type Colour = "red" | "green" | "yellow" | "blue" | "cyan" | "gray";

/** A stretch of text in one style. What is not ours went through `plain` before it came here. */
export type Span = { text: string; colour?: Colour; bold?: true; dim?: true; inverse?: true };
/** One line of a frame. */
export type StyledLine = readonly Span[];

export const span = (text: string, style: Omit<Span, "text"> = {}): Span => ({ text, ...style });

/** Terminal cells. */
export const textWidth = (text: string): number => (isEven(text) ? text.length : stringWidth(text));
export const lineWidth = (line: StyledLine): number =>
  line.reduce((sum, { text }) => sum + textWidth(text), 0);

/** Made of nothing but ASCII and the glyphs that frames are drawn with: a cell each. It saves looking at each letter. */
const isEven = (text: string): boolean => /^[\x20-\x7e─-╿▀-█–…·←→⏎▮▯○●▲▸✓✗]*$/.test(text);

/**
 * Text from outside for a frame: harmless, and of a width on which terminals agree, so that no name can push what stands
 * beside it. Cut first: a megabyte costs no more than a line.
 */
export function sanitize(text: string, maxLength = 500): string {
  const harmless = safe(text, maxLength);
  if (isEven(harmless)) return harmless;
  return (
    harmless
      .normalize("NFC")
      // Selectors, skin tones and flags change how wide what precedes them is, and no two terminals agree on it.
      .replace(/\p{Variation_Selector}|\p{Emoji_Modifier}|\p{Me}/gu, "")
      .replace(/\p{Regional_Indicator}/gu, (flag) =>
        String.fromCodePoint((flag.codePointAt(0) ?? 0) - FLAG_A + LETTER_A),
      )
      // One mark belongs to a letter; a tower of them would climb over the lines above.
      .replace(/(\p{M})\p{M}+/gu, "$1")
  );
}

const FLAG_A = 0x1f1e6;
const LETTER_A = 0x41;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The first cells of a text. */
export function clip(text: string, width: number, ellipsis = "…"): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return "";
  if (isEven(text)) return text.slice(0, width - 1) + ellipsis;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += textWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return kept + ellipsis;
}

/** The last cells of a text. */
export function clipStart(text: string, width: number): string {
  const kept = Array.from(graphemes.segment(text), ({ segment }) => segment);
  while (kept.length > 0 && textWidth(kept.join("")) > width) kept.shift();
  return kept.join("");
}

/** Exactly so many cells: cut, or filled with spaces. */
export function fit(
  text: string,
  width: number,
  align: "left" | "right" = "left",
  ellipsis = "…",
): string {
  const cut = clip(text, width, ellipsis);
  const space = " ".repeat(Math.max(0, width - textWidth(cut)));
  return align === "left" ? cut + space : space + cut;
}

/** A line of exactly so many cells. */
export function fitLine(line: StyledLine, width: number): StyledLine {
  const fitted: Span[] = [];
  let left = width;
  for (const part of line) {
    if (left <= 0) break;
    const text = clip(part.text, left);
    fitted.push({ ...part, text });
    left -= textWidth(text);
  }
  if (left > 0) fitted.push({ text: " ".repeat(left) });
  return fitted;
}

/** The same line in fewer stretches: neighbours of one style are one, and no style shows on a space. */
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

/** Whether two lines look the same. */
export const isSameLine = (a: StyledLine, b: StyledLine): boolean =>
  a.length === b.length &&
  a.every((part, i) => part.text === b[i]?.text && hasSameStyle(part, b[i]));

/** A text over as many lines as it needs, broken wherever it must be. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  if (isEven(text)) {
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

/** The same broken between words, where none of them is longer than a line. */
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
