import type { HealthCondition, Severity } from "../../../domain/conditions/registry.ts";
import {
  type Colour,
  clip,
  GLYPHS,
  justify,
  lineWidth,
  type StyledLine,
  sanitize,
  span,
  wrapWords,
} from "./cells.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { UiState } from "../state/ui-state.ts";

const COLOURS: Record<Severity, Colour> = { critical: "red", warning: "yellow", info: "cyan" };
const MAX_TEXT_CHARS = 1000;

/** Returns the conditions of the server and of the shown business, the most severe first. */
export function shownConditions(
  { filter }: UiState,
  { conditions, businesses }: Snapshot,
): readonly HealthCondition[] {
  const slug = businesses.find(({ id }) => id === filter.businessId)?.slug;
  return conditions.filter(
    ({ business }) => slug === undefined || business === null || business === slug,
  );
}

/** Returns the first conditions, a line each. The last line ends with the number of the others. */
export function renderFirstConditions(
  conditions: readonly HealthCondition[],
  rows: number,
  width: number,
): StyledLine[] {
  const more = conditions.length - rows;
  return conditions.slice(0, rows).map((condition, i) => {
    const isLast = i === rows - 1 || i === conditions.length - 1;
    const hint = isLast
      ? [span(more > 0 ? ` and ${more} more: p ` : " p: fix ", { dim: true })]
      : [];
    const start = severitySpan(condition);
    const text = sanitize(condition.text);
    const available = width - lineWidth(hint) - start.text.length - 1;
    return justify([start, span(clip(text, available))], hint, width);
  });
}

/** Returns each condition in full, with the command that fixes it. */
export function renderConditions(
  conditions: readonly HealthCondition[],
  width: number,
): StyledLine[] {
  if (conditions.length === 0) return [[span(" No problems.", { colour: "green" })]];
  return conditions.flatMap((condition): StyledLine[] => {
    const start = severitySpan(condition);
    const indent = " ".repeat(3);
    const wrapped = (text: string) =>
      wrapWords(sanitize(text, MAX_TEXT_CHARS), width - indent.length - 1);
    return [
      [start, span(condition.code, { dim: true })],
      ...wrapped(condition.text).map((line): StyledLine => [span(`${indent}${line}`)]),
      ...wrapped(condition.command).map((line): StyledLine => [
        span(`${indent}${line}`, { bold: true }),
      ]),
      [],
    ];
  });
}

const severitySpan = ({ severity }: HealthCondition) =>
  span(` ${GLYPHS.alarm} ${severity}  `, { colour: COLOURS[severity], bold: true });
