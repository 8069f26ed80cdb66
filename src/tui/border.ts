import { clip, fitLine, lineWidth, span, type StyledLine } from "./cells.ts";
import { BORDER } from "./glyphs.ts";

const [TOP_LEFT, TOP_RIGHT, BOTTOM_RIGHT, BOTTOM_LEFT, HORIZONTAL, VERTICAL] = BORDER;
const STYLE = { dim: true } as const;

export type Border = { title: StyledLine; topRight?: StyledLine; width: number; height: number };

/**
 * Returns the lines inside a border of exactly `width` by `height` cells, with a title on the left
 * of the top edge and an optional label on its right. The label is dropped if both do not fit.
 */
export function drawBorder(
  { title, topRight = [], width, height }: Border,
  lines: readonly StyledLine[],
): StyledLine[] {
  const inner = width - 2;
  const body = Array.from({ length: Math.max(0, height - 2) }, (_, i): StyledLine => [
    span(VERTICAL, STYLE),
    ...fitLine(lines[i] ?? [], inner),
    span(VERTICAL, STYLE),
  ]);
  return [
    drawTopEdge(title, topRight, inner),
    ...body,
    [span(BOTTOM_LEFT + HORIZONTAL.repeat(inner) + BOTTOM_RIGHT, STYLE)],
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
    span(`${TOP_LEFT}${HORIZONTAL} `, STYLE),
    ...left,
    span(` ${HORIZONTAL.repeat(Math.max(0, filler))}`, STYLE),
    ...right,
    span(HORIZONTAL + TOP_RIGHT, STYLE),
  ];
}
