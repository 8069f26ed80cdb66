// Times such as `2026-12-05T14:30` are local times of the business, so a browser in another time
// zone shows the same text.

export type Times = {
  /** Returns a text such as `09:30`, or `9:30 AM` where clocks have twelve hours. */
  time: (local: string) => string;
  /** Returns a text such as `Sat 5 Dec`, with the year if it is not that of `today`. */
  day: (date: string, today: string) => string;
  /** Returns a text such as `3 minutes ago`. */
  age: (ms: number) => string;
};

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Reads a local time as UTC. The formats below write UTC, so they show the local time. */
const atUtc = (local: string): number => Date.parse(`${local}Z`);

const timesByLocale = new Map<string, Times>();

/** @param locale a BCP 47 tag, such as `en-GB` */
export function timesIn(locale: string): Times {
  const times = timesByLocale.get(locale) ?? createTimes(locale);
  timesByLocale.set(locale, times);
  return times;
}

function createTimes(locale: string): Times {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  const { hour12 } = format({ hour: "numeric" }).resolvedOptions();
  const time = format({ hour: hour12 === true ? "numeric" : "2-digit", minute: "2-digit" });
  const parts = { weekday: "short", day: "numeric", month: "short" } as const;
  const day = format(parts);
  const dayOfYear = format({ ...parts, year: "numeric" });
  const age = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  return {
    time: (local) => time.format(atUtc(local)),
    day: (date, today) =>
      (date.slice(0, 4) === today.slice(0, 4) ? day : dayOfYear).format(atUtc(`${date}T00:00`)),
    age(ms) {
      const [unit, unitMs] = UNITS.find(([, size]) => ms >= size) ?? (["second", 1000] as const);
      return age.format(-Math.floor(ms / unitMs), unit);
    },
  };
}

/**
 * Returns the locale in which a page writes times. The locale of the business is used if it has the
 * language of the page, because regions of one language write times differently.
 */
export function localeOfTimes(language: string, locale: string): string {
  if (locale.toLowerCase().startsWith(`${language}-`)) return locale;
  // The locale `en` would put the month first and use a 12-hour clock.
  return language === "en" ? "en-GB" : language;
}
