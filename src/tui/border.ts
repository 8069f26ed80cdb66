import { textWidth, clip, fitLine, type StyledLine, span, lineWidth } from "./cells.ts";
import { BORDER } from "./glyphs.ts";

const [UPPER_LEFT, UPPER_RIGHT, LOWER_RIGHT, LOWER_LEFT, ACROSS, DOWN] = BORDER;
const FRAME = { dim: true } as const;

/** Lines in a frame of exactly `width` by `height`, with a title on its upper edge and a word at that edge's other end. */
export function drawBorder(
  {
    title,
    corner = [],
    width,
    height,
  }: { title: StyledLine; corner?: StyledLine; width: number; height: number },
  lines: readonly StyledLine[],
): StyledLine[] {
  const inner = width - 2;
  const body = Array.from({ length: Math.max(0, height - 2) }, (_, i): StyledLine => [
    span(DOWN, FRAME),
    ...fitLine(lines[i] ?? [], inner),
    span(DOWN, FRAME),
  ]);
  return [
    edge(title, corner, inner),
    ...body,
    [span(LOWER_LEFT + ACROSS.repeat(inner) + LOWER_RIGHT, FRAME)],
  ];
}

function edge(title: StyledLine, corner: StyledLine, inner: number): StyledLine {
  // ─ title ───── corner ─
  const room = inner - 4;
  const kept = lineWidth(title) + lineWidth(corner) + 3 > room ? [] : corner;
  const left = title.map((part) => ({ ...part, text: clip(part.text, room) }));
  const right: StyledLine = kept.length === 0 ? [] : [span(" "), ...kept, span(" ")];
  const filler = inner - 3 - lineWidth(left) - lineWidth(right) - 1;
  return [
    span(`${UPPER_LEFT}${ACROSS} `, FRAME),
    ...left,
    span(` ${ACROSS.repeat(Math.max(0, filler))}`, FRAME),
    ...right,
    span(ACROSS + UPPER_RIGHT, FRAME),
  ];
}

/** Words at both ends of a line; what does not fit goes from the right end first. */
export function justify(left: StyledLine, right: StyledLine, width: number): StyledLine {
  const space = width - lineWidth(left) - lineWidth(right);
  return space < 1 ? fitLine(left, width) : [...left, span(" ".repeat(space)), ...right];
}

/** Columns side by side, each as wide as its lines. */
export const joinColumns = (
  left: readonly StyledLine[],
  right: readonly StyledLine[],
): StyledLine[] => left.map((line, i) => [...line, ...(right[i] ?? [])]);

type Hint = readonly [key: string, word: string];

/** `key word  key word`, as many as fit, and the way to the others whatever happens. */
export function keyHints(pairs: readonly Hint[], width: number): StyledLine {
  const cells = ([key, word]: Hint) => textWidth(key) + 1 + textWidth(word) + 2;
  const help = pairs.find(([key]) => key === "?");
  let left = width - 1 + 2 - (help === undefined ? 0 : cells(help));
  const shown = pairs.filter((hint) => {
    if (hint === help) return true;
    left -= cells(hint);
    return left >= 0;
  });
  return shown.flatMap(([key, word], i): StyledLine => [
    span(i === 0 ? " " : "  "),
    span(key, { bold: true }),
    span(` ${word}`, { dim: true }),
  ]);
}
