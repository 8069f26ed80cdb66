import { spread } from "./box.ts";
import { type Line, plain, span, widthOf } from "./cells.ts";
import { GLYPHS } from "./glyphs.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Clock, uptime } from "./times.ts";
import type { Ui } from "./ui.ts";

/** Who this is, whether the daemon runs, what is in trouble, and the time. */
export function header(
  ui: Ui,
  snapshot: Snapshot,
  version: string,
  clock: Clock,
  width: number,
): Line {
  const { daemon, failing, at } = snapshot;
  const who: Line = [
    span(` deskbell ${version}  `, { bold: true }),
    span(`${plain(businessLabel(ui, snapshot), 30)}  `, { colour: "cyan" }),
    daemon === null
      ? span(`${GLYPHS.waiting} no daemon`, { colour: "yellow" })
      : span(`${GLYPHS.live} live`, { colour: "green" }),
  ];
  const where = daemon === null ? [] : [span(`  ${plain(addressOf(daemon.url), 60)}`)];
  const trouble =
    failing === 0
      ? []
      : [span(`  ${GLYPHS.alarm} ${failing} failing`, { colour: "red", bold: true })];
  const since =
    daemon === null ? [] : [span(`up ${uptime(at - daemon.startedAt)}  `, { dim: true })];
  const time = [span(`${clock.minute(at)} `)];
  // Where there is no room, how long it runs goes first, then where, then the time; what is wrong goes last.
  const ways: [left: Line, right: Line][] = [
    [
      [...who, ...where, ...trouble],
      [...since, ...time],
    ],
    [[...who, ...where, ...trouble], time],
    [[...who, ...trouble], time],
  ];
  const [left, right] = ways.find((way) => widthOf(way.flat()) < width) ?? [
    [...who, ...trouble],
    [],
  ];
  return spread(left, right, width);
}

const addressOf = (url: string): string => url.replace(/^http:\/\//, "");

function businessLabel({ filter }: Ui, { businesses }: Snapshot): string {
  const chosen =
    businesses.find(({ id }) => id === filter.businessId) ??
    (businesses.length === 1 ? businesses[0] : undefined);
  return (
    chosen?.slug ??
    (businesses.length === 0 ? "no business yet" : `${businesses.length} businesses`)
  );
}
