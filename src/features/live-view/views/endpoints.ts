import { BACKLOG_LIMIT, type EndpointState } from "../store.ts";
import {
  clip,
  drawBorder,
  type Colour,
  fit,
  fitLine,
  type StyledLine,
  sanitize,
  span,
  textWidth,
  GLYPHS,
} from "./cells.ts";
import { hostOf } from "./delivery-list.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { TimeFormat } from "../state/time-format.ts";

// These widths are in cells.
const CURSOR_CELLS = 1;
const GLYPH_CELLS = 2;
const WORD_CELLS = 9;
const BACKLOG_CELLS = 12;
const MAX_NAME_CELLS = 30;
const MIN_ERROR_CELLS = 8;

/** @param selected the index of the selected row; null if the list has no cursor */
export function renderEndpoints(
  { endpoints, takenAt }: Snapshot,
  timeFormat: TimeFormat,
  { width, height, selected }: { width: number; height: number; selected: number | null },
): StyledLine[] {
  const rows = height - 2;
  const blocks = endpoints.map((endpoint, i) =>
    renderEndpoint(endpoint, timeFormat, takenAt, width - 2, i === selected),
  );
  const [first, last] = visibleRange(
    blocks.map(({ length }) => length),
    selected ?? 0,
    rows,
  );
  const lines = blocks.slice(first, last).flat();
  if (lines.length === 0)
    lines.push([span(" No endpoints. Add one with deskbell webhooks create.", { dim: true })]);
  const count =
    last - first < endpoints.length
      ? `${first + 1}-${last} of ${endpoints.length}`
      : String(endpoints.length);
  return drawBorder({ title: [span("endpoints")], topRight: [span(count)], width, height }, lines);
}

/**
 * Returns the range of blocks to show: the selected block, as many above it as fit in `rows`, and
 * then as many below it as still fit. `last` is the index after the last block.
 */
function visibleRange(
  heights: readonly number[],
  selected: number,
  rows: number,
): [first: number, last: number] {
  let first = Math.min(selected, heights.length);
  let used = heights[first] ?? 0;
  while (first > 0 && used + (heights[first - 1] ?? 0) <= rows) used += heights[--first] ?? 0;
  let last = Math.min(selected + 1, heights.length);
  while (last < heights.length && used + (heights[last] ?? 0) <= rows) used += heights[last++] ?? 0;
  return [first, last];
}

/** Returns one line, and a second one with the reason if the endpoint is not healthy. */
function renderEndpoint(
  endpoint: EndpointState,
  timeFormat: TimeFormat,
  now: number,
  inner: number,
  isSelected: boolean,
): StyledLine[] {
  const { name, url } = endpoint;
  const { glyph, word, colour } = healthOf(endpoint);
  const isWide = inner >= 60;
  const available = inner - CURSOR_CELLS - GLYPH_CELLS - BACKLOG_CELLS - (isWide ? WORD_CELLS : 0);
  const nameCells = Math.min(MAX_NAME_CELLS, Math.floor(available * 0.4));
  const head = fitLine(
    [
      span(isSelected ? GLYPHS.cursor : " ", { bold: true }),
      span(`${glyph} `, { colour }),
      span(`${fit(sanitize(name), nameCells)} `),
      span(fit(sanitize(hostOf(url)), available - nameCells - 1), { dim: true }),
      span(isWide ? ` ${fit(word, WORD_CELLS - 1)}` : "", { colour }),
      span(fit(formatBacklog(endpoint), BACKLOG_CELLS, "right")),
    ],
    inner,
  );
  const reason = reasonOf(endpoint, timeFormat, now, inner);
  const lines = reason === "" ? [head] : [head, fitLine([span(reason, { colour })], inner)];
  return isSelected
    ? lines.map((line) => line.map((part) => ({ ...part, inverse: true as const })))
    : lines;
}

type Health = { glyph: string; word: string; colour: Colour };

function healthOf({ status, failingSince }: EndpointState): Health {
  if (status === "DISABLED") return { glyph: GLYPHS.ended, word: "disabled", colour: "red" };
  return failingSince === null
    ? { glyph: GLYPHS.ok, word: "healthy", colour: "green" }
    : { glyph: GLYPHS.alarm, word: "failing", colour: "yellow" };
}

/**
 * Returns a text such as `failing: HTTP 500 since 12:04:31`; "" for a healthy endpoint. An error
 * that is too long is cut.
 */
function reasonOf(
  endpoint: EndpointState,
  timeFormat: TimeFormat,
  now: number,
  width: number,
): string {
  const { status, disabledReason, failingSince, lastError, disableAt, heldUntil } = endpoint;
  const isDelayed = heldUntil !== null && heldUntil > now;
  const probe = isDelayed ? `, next probe ${timeFormat.brief(heldUntil, now)}` : "";
  // An endpoint can be in backoff without failing: its receiver sent Retry-After, and then accepted
  // a delivery that was in flight.
  if (status === "ACTIVE" && failingSince === null) return isDelayed ? `   backoff${probe}` : "";
  const hasOtherReason = status === "DISABLED" && disabledReason !== "failing";
  const start = `   ${healthOf(endpoint).word}${hasOtherReason ? ` (${sanitize(disabledReason ?? "")})` : ""}`;
  if (failingSince === null) return start;
  const since = ` since ${timeFormat.brief(failingSince, now)}`;
  const disabling =
    status === "DISABLED" || disableAt === null
      ? ""
      : `, to be disabled ${timeFormat.brief(disableAt, now)}`;
  const end = probe + disabling;
  if (lastError === null) return `${start}${since}${end}`;
  // The colon, the blank after it and a blank at the end of the line take three cells.
  const available = width - textWidth(start) - since.length - end.length - 3;
  return `${start}: ${clip(sanitize(lastError), Math.max(MIN_ERROR_CELLS, available))}${since}${end}`;
}

function formatBacklog({ pending, parked }: EndpointState): string {
  const count = (n: number) => (n === BACKLOG_LIMIT ? "1k+" : String(n));
  if (parked > 0) return `${count(parked)} parked `;
  return pending > 0 ? `${count(pending)} pending ` : "";
}
