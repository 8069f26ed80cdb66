import { DAY_MIN } from "../../domain/availability/wall-clock.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import type { BusinessDoc } from "../../domain/catalog/catalog.ts";
import {
  WEEK,
  type LocalDate,
  type Weekday,
  type WeeklyWindow,
} from "../../domain/catalog/common.ts";
import { minutesOf } from "../../domain/local-time.ts";
import type { Currency } from "../../domain/money.ts";
import type { PageLanguage } from "../../pages/languages.ts";

// A format writes amounts, times and days as is usual in the language of the page and in the
// country of the business.

export type Format = ReturnType<typeof createFormat>;

type FormatOptions = Currency & {
  language: PageLanguage;
  /** An ISO 3166-1 code; null if the business has no postal address. */
  country: string | null;
  timezone: string;
};

/** An amount in minor units of the currency in which it was booked. */
export type BookedAmount = Currency & { cents: number };

/** The most formats that are kept: to create one takes longer than to build a page. */
const MAX_FORMATS = 100;
const formats = new BoundedCache<string, Format>(MAX_FORMATS);

export function getFormat(options: FormatOptions): Format {
  const { language, country, timezone, currency, currencyDigits } = options;
  const key = [language, country, timezone, currency, currencyDigits].join(" ");
  return formats.getOrInsertComputed(key, () => createFormat(options));
}

/** Returns the format of a business's amounts and times in a language. */
export const formatOf = (
  { postalAddress, timezone, currency, currencyDigits }: BusinessDoc,
  language: PageLanguage,
): Format =>
  getFormat({
    language,
    country: postalAddress?.country ?? null,
    timezone,
    currency,
    currencyDigits,
  });

/** Returns a date on this weekday: 2024-01-01 was a Monday. */
const dateOfWeekday = (weekday: Weekday): Date =>
  new Date(Date.UTC(2024, 0, 1 + WEEK.indexOf(weekday)));

function createFormat(options: FormatOptions) {
  const { language, country, timezone, currency, currencyDigits } = options;
  const locale = country === null ? language : `${language}-${country}`;
  const amounts = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: currencyDigits,
    maximumFractionDigits: currencyDigits,
  });
  const dates = (fields: Intl.DateTimeFormatOptions, timeZone = timezone) =>
    new Intl.DateTimeFormat(locale, { ...fields, timeZone });
  const times = dates({ timeStyle: "short" });
  const wallTimes = dates({ timeStyle: "short" }, "UTC");
  const longDates = dates({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
  const shortDates = dates({ weekday: "short", day: "numeric", month: "short" });
  const plainDates = dates({ weekday: "short", day: "numeric", month: "short" }, "UTC");
  const months = dates({ month: "short" });
  const daysOfMonth = dates({ day: "numeric" });
  const weekdays = dates({ weekday: "long" }, "UTC");
  const shortWeekdays = dates({ weekday: "short" }, "UTC");
  const lists = new Intl.ListFormat(locale, { type: "conjunction" });
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const languages = new Intl.DisplayNames(locale, { type: "language" });
  const regions = new Intl.DisplayNames(locale, { type: "region" });

  /** @param minute minutes after midnight; 1440 or more are on the next day */
  const wallTime = (minute: number): string => wallTimes.format((minute % DAY_MIN) * 60_000);
  const duration = (minutes: number): string => {
    const [h, min] = [Math.floor(minutes / 60), minutes % 60];
    return [h > 0 ? `${h} h` : "", min > 0 || h === 0 ? `${min} min` : ""]
      .filter(Boolean)
      .join(" ");
  };
  /**
   * Returns a range of times; `24 h` for a whole day, whose two times are both midnight. A range of
   * a day or more ends with its duration: its times alone look like a shorter range.
   */
  function hours(start: number, end: number): string {
    if (start === 0 && end === DAY_MIN) return duration(DAY_MIN);
    const range = `${wallTime(start)} – ${wallTime(end)}`;
    return end - start < DAY_MIN ? range : `${range} (${duration(end - start)})`;
  }
  const weekday = (day: Weekday): string => weekdays.format(dateOfWeekday(day));

  /** Returns `Mon – Fri` for three or more consecutive days, else each day; "" without days. */
  function days(weekdayList: readonly Weekday[]): string {
    const names = weekdayList.map((day) => shortWeekdays.format(dateOfWeekday(day)));
    const [first, last] = [weekdayList[0], weekdayList.at(-1)];
    if (first === undefined || last === undefined) return "";
    const isRange = WEEK.indexOf(last) - WEEK.indexOf(first) === weekdayList.length - 1;
    return weekdayList.length > 2 && isRange ? `${names[0]} – ${names.at(-1)}` : names.join(", ");
  }

  /** @param minorUnits an amount in minor units of the currency */
  const money = (minorUnits: number): string => amounts.format(minorUnits / 10 ** currencyDigits);

  return {
    locale,
    money,
    /** Returns an amount in its own currency, which the business may have changed since. */
    bookedMoney: ({ cents, currency: booked, currencyDigits: digits }: BookedAmount): string =>
      booked === currency && digits === currencyDigits
        ? money(cents)
        : getFormat({ ...options, currency: booked, currencyDigits: digits }).money(cents),
    percent: (basisPoints: number): string => percents.format(basisPoints / 10_000),
    duration,
    time: (ms: number): string => times.format(ms),
    longDate: (ms: number): string => longDates.format(ms),
    shortDate: (ms: number): string => shortDates.format(ms),
    month: (ms: number): string => months.format(ms),
    dayOfMonth: (ms: number): string => daysOfMonth.format(ms),
    plainDate: (date: LocalDate): string => plainDates.format(new Date(`${date}T00:00Z`)),
    weekday,
    hours,
    days,
    /**
     * Returns the days and the hours of a window. The days are left out if they are all seven, and
     * the hours if they are the whole day.
     */
    window: ({ days: daysOfWindow, start, end }: WeeklyWindow): string =>
      [
        daysOfWindow.length === 7 ? "" : days(daysOfWindow),
        isWholeDay(start, end) ? "" : hours(minutesOf(start), minutesOf(end)),
      ]
        .filter(Boolean)
        .join(" "),
    /** @param country an ISO 3166-1 code */
    region: (country: string): string => regions.of(country) ?? country,
    list: (texts: readonly string[]): string => lists.format(texts),
    /** Returns the name of a language, or its tag if the tag is unknown or invalid. */
    language(tag: string): string {
      try {
        return languages.of(tag) ?? tag;
      } catch {
        return tag;
      }
    },
  };
}

/** Returns the date and the weekday in a time zone. */
export function dateIn(timezone: string, ms: number): { date: LocalDate; weekday: Weekday } {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  return { date: local.toPlainDate().toString(), weekday: WEEK[local.dayOfWeek - 1] as Weekday };
}

const isWholeDay = (start: string, end: string): boolean => start === "00:00" && end === "24:00";
