/**
 * Time zones, each with a date. Most dates are at or next to a clock change, so that every kind of
 * change occurs. Three zones have no clock changes.
 */
export const ZONES: { zone: string; date: string }[] = [
  { zone: "America/New_York", date: "2026-03-08" },
  { zone: "America/New_York", date: "2026-11-01" },
  { zone: "Europe/Lisbon", date: "2026-10-25" },
  { zone: "Europe/Berlin", date: "2028-02-29" },
  // Clocks change by half an hour.
  { zone: "Australia/Lord_Howe", date: "2026-04-05" },
  { zone: "Australia/Lord_Howe", date: "2026-10-04" },
  // Clocks change by two hours.
  { zone: "Antarctica/Troll", date: "2026-03-29" },
  // Clocks change at midnight.
  { zone: "Africa/Cairo", date: "2026-04-24" },
  { zone: "Africa/Cairo", date: "2026-10-29" },
  { zone: "America/Havana", date: "2026-11-01" },
  { zone: "America/Santiago", date: "2026-09-06" },
  { zone: "Asia/Beirut", date: "2026-03-29" },
  // Clocks change at 00:01, back into the previous day.
  { zone: "America/St_Johns", date: "2010-11-07" },
  // Clocks change for Ramadan.
  { zone: "Africa/Casablanca", date: "2026-02-15" },
  { zone: "Africa/Casablanca", date: "2026-03-22" },
  // Clocks change at a quarter to the hour.
  { zone: "Pacific/Chatham", date: "2026-04-05" },
  // Clocks move across the date line.
  { zone: "Pacific/Apia", date: "2011-12-30" },
  { zone: "Pacific/Kiritimati", date: "1994-12-31" },
  { zone: "Asia/Kolkata", date: "2026-06-01" },
  { zone: "Asia/Kathmandu", date: "2026-06-01" },
  { zone: "UTC", date: "2026-12-31" },
];
