import type { CatalogFile, Draw } from "./documented-catalog.ts";
import { addDays } from "./documented-hours.ts";

/** Draws a command that changes hours or adds time off, and changes the file in the same way. */
export function drawEdit(file: CatalogFile, days: string[], draw: Draw): string | null {
  const what = draw.int(4);
  const date = addDays(draw.pick(days), draw.int(3));
  const interval = {
    start: draw.time(480 + 15 * draw.int(20)),
    end: draw.time(900 + 15 * draw.int(20)),
  };
  const open = draw.chance(80) ? `--open ${interval.start}-${interval.end}` : "--closed";
  const intervals = open === "--closed" ? [] : [interval];
  const person = draw.pick(file.staff);
  if (what === 0) {
    if (file.closures.some((one) => one.date === date)) return null;
    file.closures.push({ date });
    return `closures create --date ${date}`;
  } else if (what === 1) {
    if (file.exceptions.some((one) => one.date === date)) return null;
    file.exceptions.push({ date, mode: "only", intervals });
    return `hours update --date ${date} ${open}`;
  } else if (what === 2) {
    const times = draw.chance(50)
      ? { from: date, to: addDays(date, draw.int(2)) }
      : { from: `${date}T10:00`, to: `${date}T13:10` };
    person.timeOff.push(times);
    return `time-off create ${person.key} --from ${times.from} --to ${times.to}`;
  } else {
    if (person.exceptions.some((one) => one.date === date)) return null;
    person.exceptions.push({ date, mode: "replace", intervals });
    return `staff hours update ${person.key} --date ${date} ${open}`;
  }
}
