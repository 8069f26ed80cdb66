import type { BusinessDoc } from "../../domain/catalog/catalog.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import { showHidden } from "../../domain/text.ts";
import { fillText } from "../../pages/languages.ts";
import type { Shop } from "../public-pages/content/content.ts";
import type { BookingTexts } from "./texts.ts";

/**
 * An example of a text that `formatLocalMinute` returns. If clocks show the minute twice, the text
 * is longer, because an offset follows.
 */
const LOCAL_MINUTE = "2026-12-31T22:00";

type Formatted = Pick<Shop, "format">;

const nameOffset = ({ format }: Formatted, ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat(format.locale, { timeZone, timeZoneName: "shortOffset" })
    .formatToParts(ms)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

/**
 * Returns a time of day in the zone of the business. The offset follows if the time is in the hour
 * that the end of daylight saving time repeats.
 */
export function writeTime(shop: Formatted, timezone: string, ms: number): string {
  const time = shop.format.time(ms);
  const isRepeated = formatLocalMinute(ms, timezone).length > LOCAL_MINUTE.length;
  return isRepeated ? `${time} (${nameOffset(shop, ms, timezone)})` : time;
}

export const writeDateTime = (shop: Formatted, timezone: string, ms: number): string =>
  `${shop.format.longDate(ms)}, ${writeTime(shop, timezone, ms)}`;

export const writeShortDateTime = (shop: Formatted, timezone: string, ms: number): string =>
  `${shop.format.shortDate(ms)}, ${writeTime(shop, timezone, ms)}`;

/**
 * Returns a sentence that says where the times are local. The city in the name of the time zone is
 * not used: it is English, and often another one.
 */
export function writeZone(
  { zone, zoneOfBusiness }: Pick<BookingTexts, "zone" | "zoneOfBusiness">,
  { postalAddress }: Pick<BusinessDoc, "postalAddress">,
): string {
  if (postalAddress === null) return zoneOfBusiness;
  return fillText(zone, { place: showHidden(postalAddress.locality) });
}

const DAY_MS = 86_400_000;

/** Returns when something ends: the time of day, with the date if it lasts a day or longer. */
export const writeEnd = (shop: Formatted, timezone: string, at: number, until: number): string =>
  until - at < DAY_MS ? writeTime(shop, timezone, until) : writeDateTime(shop, timezone, until);
