import { BACKLOG_LIMIT, type EndpointState } from "../store/live.ts";
import { drawBorder } from "./border.ts";
import { type Colour, fit, fitLine, type StyledLine, sanitize, span } from "./cells.ts";
import { GLYPHS } from "./glyphs.ts";
import { hostOf } from "./delivery-list.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TimeFormat } from "./time-format.ts";

const BACKLOG = 12;
const NARROW_STATE = 16;
const ROOMY_STATE = 30;

/**
 * The endpoints with how they are doing, those in trouble first.
 * @param selected null: it is only looked at
 */
export function renderEndpoints(
  { endpoints, at }: Snapshot,
  clock: TimeFormat,
  { width, height, selected }: { width: number; height: number; selected: number | null },
): StyledLine[] {
  const rows = height - 2;
  const first = selected === null ? 0 : Math.max(0, selected - rows + 1);
  const shown = endpoints.slice(first, first + rows);
  const lines = shown.map((endpoint, i) =>
    endpointLine(endpoint, clock, at, width - 2, first + i === selected),
  );
  if (lines.length === 0)
    lines.push([span(" None. deskbell webhooks add subscribes one.", { dim: true })]);
  const count =
    endpoints.length > shown.length
      ? `${first + 1}-${first + shown.length} of ${endpoints.length}`
      : String(endpoints.length);
  return drawBorder({ title: [span("endpoints")], corner: [span(count)], width, height }, lines);
}

function endpointLine(
  endpoint: EndpointState,
  clock: TimeFormat,
  now: number,
  inner: number,
  isSelected: boolean,
): StyledLine {
  const { name, url } = endpoint;
  const { glyph, word, more, colour } = stateOf(endpoint, clock, now);
  const isRoomy = inner >= 70;
  const stateCells = isRoomy ? ROOMY_STATE : NARROW_STATE;
  const room = inner - 1 - 2 - stateCells - BACKLOG - 1;
  const nameCells = isRoomy ? Math.min(30, Math.floor(room * 0.45)) : room;
  const line = fitLine(
    [
      span(isSelected ? GLYPHS.cursor : " ", { bold: true }),
      span(`${glyph} `, { colour }),
      span(fit(sanitize(name), nameCells - 1)),
      span(" "),
      ...(isRoomy
        ? [span(`${fit(sanitize(hostOf(url)), room - nameCells - 1)} `, { dim: true })]
        : []),
      span(fit(isRoomy ? `${word}${more}` : word, stateCells), { colour }),
      span(fit(backlogOf(endpoint), BACKLOG, "right")),
    ],
    inner,
  );
  return isSelected ? line.map((part) => ({ ...part, inverse: true as const })) : line;
}

type State = { glyph: string; word: string; more: string; colour: Colour };

function stateOf(
  { status, disabledReason, failingSince, disableAt }: EndpointState,
  clock: TimeFormat,
  now: number,
): State {
  if (status === "DISABLED")
    return {
      glyph: GLYPHS.ended,
      word: "disabled",
      more: ` (${sanitize(disabledReason ?? "")})`,
      colour: "red",
    };
  if (failingSince === null) return { glyph: GLYPHS.ok, word: "well", more: "", colour: "green" };
  const more = disableAt === null ? "" : `, off ${clock.brief(disableAt, now)}`;
  return {
    glyph: GLYPHS.alarm,
    word: `failing ${clock.brief(failingSince, now)}`,
    more,
    colour: "yellow",
  };
}

function backlogOf({ pending, parked }: EndpointState): string {
  const count = (n: number) => `${n}${n === BACKLOG_LIMIT ? "+" : ""}`;
  if (parked > 0) return `${count(parked)} parked `;
  return pending > 0 ? `${count(pending)} owed ` : "";
}
