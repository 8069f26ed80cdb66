export type TimeFormat = {
  timeZone: string;
  /** A text such as `12:04`. */
  minute: (at: number) => string;
  /**
   * A text such as `12:04:31` for a time on the day of `now`, or such as `20 Nov` for another day.
   */
  brief: (at: number, now: number) => string;
  /** A text such as `2026-11-20 12:04:31`. */
  full: (at: number) => string;
};

export function createTimeFormat(timeZone: string): TimeFormat {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const monthDay = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short" });
  // The format gives "20/11/2026, 12:04:31".
  const date = (at: number) => format.format(at).slice(0, 10);
  const time = (at: number) => format.format(at).slice(12);
  return {
    timeZone,
    minute: (at) => time(at).slice(0, 5),
    brief: (at, now) => (date(at) === date(now) ? time(at) : monthDay.format(at)),
    full: (at) => `${date(at).split("/").reverse().join("-")} ${time(at)}`,
  };
}

/** Returns a text such as `84ms`, `1.2s` or `30s`. One decimal would round 9950 ms to `10.0s`. */
export const formatDuration = (ms: number): string =>
  ms < 1000
    ? `${Math.round(ms)}ms`
    : ms < 9950
      ? `${(ms / 1000).toFixed(1)}s`
      : `${Math.round(ms / 1000)}s`;

/** Returns days, hours and minutes in a text such as `3d 04:12`. */
export function formatUptime(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  const twoDigits = (n: number) => String(n).padStart(2, "0");
  const days = Math.floor(minutes / 1440);
  return `${days > 0 ? `${days}d ` : ""}${twoDigits(Math.floor(minutes / 60) % 24)}:${twoDigits(minutes % 60)}`;
}

/** Returns a text such as `10 000`. */
export const groupDigits = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, " ");
