import { justify } from "./border.ts";
import { type StyledLine, sanitize, span, lineWidth } from "./cells.ts";
import { GLYPHS } from "./glyphs.ts";
import type { Snapshot } from "./snapshot.ts";
import { type TimeFormat, formatUptime } from "./time-format.ts";
import type { UiState } from "./ui-state.ts";

/** Who this is, whether the daemon runs, what is in trouble, and the time. */
export function renderHeader(
  ui: UiState,
  snapshot: Snapshot,
  version: string,
  clock: TimeFormat,
  width: number,
): StyledLine {
  const { daemon, failingCount, at } = snapshot;
  const who: StyledLine = [
    span(` deskbell ${version}  `, { bold: true }),
    span(`${sanitize(businessLabel(ui, snapshot), 30)}  `, { colour: "cyan" }),
    daemon === null
      ? span(`${GLYPHS.waiting} no daemon`, { colour: "yellow" })
      : span(`${GLYPHS.live} live`, { colour: "green" }),
  ];
  const where = daemon === null ? [] : [span(`  ${sanitize(addressOf(daemon.url), 60)}`)];
  const trouble =
    failingCount === 0
      ? []
      : [span(`  ${GLYPHS.alarm} ${failingCount} failing`, { colour: "red", bold: true })];
  const since =
    daemon === null ? [] : [span(`up ${formatUptime(at - daemon.startedAt)}  `, { dim: true })];
  const time = [span(`${clock.minute(at)} `)];
  // Where there is no room, how long it runs goes first, then where, then the time; what is wrong goes last.
  const ways: [left: StyledLine, right: StyledLine][] = [
    [
      [...who, ...where, ...trouble],
      [...since, ...time],
    ],
    [[...who, ...where, ...trouble], time],
    [[...who, ...trouble], time],
  ];
  const [left, right] = ways.find((way) => lineWidth(way.flat()) < width) ?? [
    [...who, ...trouble],
    [],
  ];
  return justify(left, right, width);
}

const addressOf = (url: string): string => url.replace(/^http:\/\//, "");

function businessLabel({ filter }: UiState, { businesses }: Snapshot): string {
  const chosen =
    businesses.find(({ id }) => id === filter.businessId) ??
    (businesses.length === 1 ? businesses[0] : undefined);
  return (
    chosen?.slug ??
    (businesses.length === 0 ? "no business yet" : `${businesses.length} businesses`)
  );
}
