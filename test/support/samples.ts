import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readPreset } from "../../src/platform/assets.ts";
import { createTempFolder } from "./cli.ts";

// The sample businesses as files for `catalog apply`.

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../data/${name}.yaml`, import.meta.url));

export const SALON = fileOf("salon");
export const RESTAURANT = fileOf("restaurant");

/**
 * Writes the sample file of the venue, and returns its path. The days from today (`startsIn`),
 * which only `seed` accepts, are replaced with dates.
 */
export function writeVenue(folder = createTempFolder()): string {
  const today = Temporal.Instant.fromEpochMilliseconds(Date.now()).toZonedDateTimeISO("Asia/Tokyo");
  const text = readPreset("venue")
    .replaceAll("startsIn:", "startsAt:")
    .replaceAll(/"(\d+)d ([\d:]+)"/g, (_, days: string, time: string) => {
      const date = today.add({ days: Number(days) }).toPlainDate();
      return `"${date.toString()}T${time}"`;
    });
  const file = join(folder, "venue.yaml");
  writeFileSync(file, text);
  return file;
}
