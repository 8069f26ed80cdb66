import { justify, lineWidth, sanitize, span, type StyledLine, GLYPHS } from "./cells.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type TimeFormat, formatUptime } from "../state/time-format.ts";
import type { UiState } from "../state/ui-state.ts";

export function renderHeader(
  ui: UiState,
  snapshot: Snapshot,
  version: string,
  timeFormat: TimeFormat,
  width: number,
): StyledLine {
  const { daemon, failingCount, takenAt } = snapshot;
  const title: StyledLine = [
    span(` deskbell ${version}  `, { bold: true }),
    span(`${sanitize(businessLabel(ui, snapshot), 30)}  `, { colour: "cyan" }),
    daemon === null
      ? span(`${GLYPHS.waiting} no daemon`, { colour: "yellow" })
      : span(`${GLYPHS.live} live`, { colour: "green" }),
  ];
  const address = daemon === null ? [] : [span(`  ${sanitize(addressOf(daemon.url), 60)}`)];
  const problems =
    failingCount === 0
      ? []
      : [span(`  ${GLYPHS.alarm} ${failingCount} failing`, { colour: "red", bold: true })];
  const uptime =
    daemon === null
      ? []
      : [span(`up ${formatUptime(takenAt - daemon.startedAt)}  `, { dim: true })];
  const time = [span(`${timeFormat.minute(takenAt)} `)];
  // If the line is too long, the uptime is left out first, then the address, then the time.
  const variants: [left: StyledLine, right: StyledLine][] = [
    [
      [...title, ...address, ...problems],
      [...uptime, ...time],
    ],
    [[...title, ...address, ...problems], time],
    [[...title, ...problems], time],
  ];
  // If the line is still too long, the version is left out, too.
  const [left, right] = variants.find((variant) => lineWidth(variant.flat()) < width) ?? [
    lineWidth([...title, ...problems]) < width
      ? [...title, ...problems]
      : [span(" "), ...title.slice(1), ...problems],
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
