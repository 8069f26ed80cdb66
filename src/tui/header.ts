import { spread } from "./box.ts";
import { type Line, plain, span } from "./cells.ts";
import { GLYPHS } from "./glyphs.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Clock, uptime } from "./times.ts";
import type { Ui } from "./ui.ts";

/** Who this is, whether the daemon runs, what is in trouble, and the time. */
export function header(ui: Ui, snapshot: Snapshot, version: string, clock: Clock, width: number): Line {
  const { daemon, failing, at } = snapshot;
  const left: Line = [
    span(` deskbell ${version}  `, { bold: true }),
    span(`${plain(businessLabel(ui, snapshot), 30)}  `, { colour: "cyan" }),
    ...(daemon === null
      ? [span(`${GLYPHS.waiting} no daemon`, { colour: "yellow" })]
      : [span(`${GLYPHS.live} live`, { colour: "green" }), span(`  ${plain(addressOf(daemon.url), 60)}`)]),
    ...(failing === 0 ? [] : [span(`  ${GLYPHS.alarm} ${failing} failing`, { colour: "red", bold: true })]),
  ];
  const time = span(`${clock.minute(at)} `);
  const since = daemon === null ? [] : [span(`up ${uptime(at - daemon.startedAt)}  `, { dim: true })];
  const whole = spread(left, [...since, time], width);
  return whole.at(-1) === time ? whole : spread(left, [time], width);
}

const addressOf = (url: string): string => url.replace(/^http:\/\//, "");

function businessLabel({ filter }: Ui, { businesses }: Snapshot): string {
  const chosen =
    businesses.find(({ id }) => id === filter.businessId) ?? (businesses.length === 1 ? businesses[0] : undefined);
  return chosen?.slug ?? (businesses.length === 0 ? "no business yet" : `${businesses.length} businesses`);
}
