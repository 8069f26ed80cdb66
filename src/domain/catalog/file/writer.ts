import type { Catalog, HoursException, HoursRule, OpeningException } from "../catalog.ts";
import {
  type Weekday,
  type ImageDoc,
  type Named,
  type Presented,
  type CatalogStatus,
  WEEK,
  type WeeklyWindow,
} from "../common.ts";
import { writeInstant } from "../../local-time.ts";
import { formatMoney } from "../../money.ts";
import {
  type AuthoredException,
  type AuthoredOpeningException,
  type AuthoredHours,
  DEFAULT_STATUS,
  EXCEPTION_DEFAULTS,
  HOURS_DEFAULTS,
  IMAGE_DEFAULTS,
} from "./fields.ts";

export type WriteContext = ReturnType<typeof createWriteContext>;

export const createWriteContext = ({ business, objects }: Catalog) => ({
  timezone: business.timezone,
  money: (minorUnits: number): string => formatMoney(minorUnits, business),
  optionalMoney: (minorUnits: number | null): string | null =>
    minorUnits === null ? null : formatMoney(minorUnits, business),
  instant: (ms: number): string => writeInstant(ms, business.timezone),
  optionalInstant: (ms: number | null): string | null =>
    ms === null ? null : writeInstant(ms, business.timezone),
  maxQuantities: new Map(objects.addon.map((addon) => [addon.key, addon.maxQuantity])),
});

type NonNull<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Returns the fields whose values are not null, undefined, or an empty list or object. */
export const omitEmpty = <T extends object>(fields: T): NonNull<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as NonNull<T>;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "object" &&
    (Array.isArray(value) ? value.length : Object.keys(value).length) === 0);

/**
 * Returns the fields whose values differ from `defaults`. Lists are not compared: every default
 * list is empty, and `omitEmpty` leaves out empty lists.
 */
export function writeFields<D extends object>(
  doc: D,
  defaults: D,
): { [K in keyof D]?: Exclude<D[K], null> } {
  const fields: Partial<D> = {};
  for (const name in defaults) if (doc[name] !== defaults[name]) fields[name] = doc[name];
  return fields as { [K in keyof D]?: Exclude<D[K], null> };
}

export const omitDefault = <T>(value: T, defaultValue: T): T | undefined =>
  value === defaultValue ? undefined : value;

export const writeNamed = ({ key, previousKeys, name }: Named) => ({ key, previousKeys, name });

export const writePresented = ({ images, translations }: Presented) => ({
  images: writeImages(images),
  translations,
});

/** Returns the fields that all objects have, with `more` between the name and the images. */
export const writeCommon = <T extends object>(
  doc: Named & Presented & { status: CatalogStatus },
  more: T,
) =>
  omitEmpty({
    ...writeNamed(doc),
    status: omitDefault(doc.status, DEFAULT_STATUS),
    ...more,
    ...writePresented(doc),
  });

export const writeDescribed = <T extends object>(
  doc: Parameters<typeof writeCommon>[0] & { description: string | null },
  more: T,
) => writeCommon(doc, { description: doc.description, ...more });

export const writeImages = (images: readonly ImageDoc[]) =>
  images.map((image) => {
    const more = writeFields(image, IMAGE_DEFAULTS);
    return Object.keys(more).length === 0 ? image.url : { url: image.url, ...more };
  });

/**
 * Returns a range such as `mon-fri` for three or more consecutive days; undefined for every day.
 */
function writeDays(days: readonly Weekday[]): string | Weekday[] | undefined {
  const [first, last] = [days[0], days.at(-1)];
  if (days.length === WEEK.length || first === undefined || last === undefined) return undefined;
  const isRange = WEEK.indexOf(last) - WEEK.indexOf(first) === days.length - 1;
  if (isRange && days.length > 2) return `${first}-${last}`;
  return [...days];
}

export const writeWindow = ({ days, start, end }: WeeklyWindow) =>
  omitEmpty({ days: writeDays(days), start, end });

export const writeHoursRule = (rule: HoursRule): AuthoredHours => ({
  ...writeWindow(rule),
  ...writeFields(rule, HOURS_DEFAULTS),
});

/** The cast is safe, because a staff exception never has the mode ONLY. */
export const writeException = (exception: HoursException): AuthoredException =>
  writeOpeningException(exception) as AuthoredException;

export const writeOpeningException = (exception: OpeningException): AuthoredOpeningException =>
  omitEmpty({
    date: exception.date,
    ...writeFields(exception, EXCEPTION_DEFAULTS),
    intervals: exception.intervals,
  });
