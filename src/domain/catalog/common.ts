// The documents of several kinds of objects share these types.

export type CatalogStatus = "ACTIVE" | "INACTIVE" | "ARCHIVED";

export type ImageDoc = {
  url: string;
  alt: string | null;
  width: number | null;
  height: number | null;
};

/** The translated texts of an object, by locale and then by field. */
export type Translations = Record<string, Record<string, string>>;

/** `previousKeys` are the keys before each rename, oldest first. */
export type Keyed = { key: string; previousKeys: string[] };
export type Named = Keyed & { name: string };
export type Presented = { images: ImageDoc[]; translations: Translations };
export type Common = Named & Presented & { status: CatalogStatus };
export type Described = Common & { description: string | null };

export const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEK)[number];
/**
 * A time of day as `HH:MM`. If a window ends after midnight, its end is above `24:00`, up to
 * `48:00`: `26:00` is 02:00 the next day.
 */
export type WallTime = string;
/** A date as `YYYY-MM-DD`. */
export type LocalDate = string;

export type WeeklyWindow = { days: Weekday[]; start: WallTime; end: WallTime };
