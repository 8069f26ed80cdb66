import { BACKLOG_LIMIT, type EndpointState } from "../store/live.ts";
import {
  drawBorder,
  type Colour,
  fit,
  fitLine,
  type StyledLine,
  sanitize,
  span,
  GLYPHS,
} from "./cells.ts";
import { hostOf } from "./delivery-list.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TimeFormat } from "./time-format.ts";

const BACKLOG = 12;
const NARROW_STATE = 16;
const WIDE_STATE = 30;

/** @param selected the index of the row under the cursor; null if the list has no cursor */
export function renderEndpoints(
  { endpoints, takenAt }: Snapshot,
  timeFormat: TimeFormat,
  { width, height, selected }: { width: number; height: number; selected: number | null },
): StyledLine[] {
  const rows = height - 2;
  const first = selected === null ? 0 : Math.max(0, selected - rows + 1);
  const shown = endpoints.slice(first, first + rows);
  const lines = shown.map((endpoint, i) =>
    endpointLine(endpoint, timeFormat, takenAt, width - 2, first + i === selected),
  );
  if (lines.length === 0)
    lines.push([span(" No endpoints. Add one with deskbell webhooks create.", { dim: true })]);
  const count =
    endpoints.length > shown.length
      ? `${first + 1}-${first + shown.length} of ${endpoints.length}`
      : String(endpoints.length);
  return drawBorder({ title: [span("endpoints")], topRight: [span(count)], width, height }, lines);
}

function endpointLine(
  endpoint: EndpointState,
  timeFormat: TimeFormat,
  now: number,
  inner: number,
  isSelected: boolean,
): StyledLine {
  const { name, url } = endpoint;
  const { glyph, word, more, colour } = healthOf(endpoint, timeFormat, now);
  const isWide = inner >= 70;
  const stateCells = isWide ? WIDE_STATE : NARROW_STATE;
  const available = inner - 1 - 2 - stateCells - BACKLOG - 1;
  const nameCells = isWide ? Math.min(30, Math.floor(available * 0.45)) : available;
  const line = fitLine(
    [
      span(isSelected ? GLYPHS.cursor : " ", { bold: true }),
      span(`${glyph} `, { colour }),
      span(fit(sanitize(name), nameCells - 1)),
      span(" "),
      ...(isWide
        ? [span(`${fit(sanitize(hostOf(url)), available - nameCells - 1)} `, { dim: true })]
        : []),
      span(fit(isWide ? `${word}${more}` : word, stateCells), { colour }),
      span(fit(formatBacklog(endpoint), BACKLOG, "right")),
    ],
    inner,
  );
  return isSelected ? line.map((part) => ({ ...part, inverse: true as const })) : line;
}

type Health = { glyph: string; word: string; more: string; colour: Colour };

function healthOf(
  { status, disabledReason, failingSince, disableAt }: EndpointState,
  timeFormat: TimeFormat,
  now: number,
): Health {
  if (status === "DISABLED")
    return {
      glyph: GLYPHS.ended,
      word: "disabled",
      more: ` (${sanitize(disabledReason ?? "")})`,
      colour: "red",
    };
  if (failingSince === null)
    return { glyph: GLYPHS.ok, word: "healthy", more: "", colour: "green" };
  const more = disableAt === null ? "" : `, off ${timeFormat.brief(disableAt, now)}`;
  return {
    glyph: GLYPHS.alarm,
    word: `failing ${timeFormat.brief(failingSince, now)}`,
    more,
    colour: "yellow",
  };
}

function formatBacklog({ pending, parked }: EndpointState): string {
  const count = (n: number) => (n === BACKLOG_LIMIT ? "1k+" : String(n));
  if (parked > 0) return `${count(parked)} parked `;
  return pending > 0 ? `${count(pending)} pending ` : "";
}
