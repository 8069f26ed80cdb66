import type {
  Catalog,
  Day,
  HoursException,
  HoursRule,
  ImageDoc,
  Named,
  Presented,
  Status,
  WeeklyWindow,
} from "../catalog.ts";
import {
  DEFAULT_STATUS,
  EXCEPTION_DEFAULTS,
  HOURS_DEFAULTS,
  IMAGE_DEFAULTS,
} from "../file/common-fields.ts";
import type { AuthoredException, AuthoredHours } from "../file/schema.ts";
import { writeInstant } from "../../local-time.ts";
import { formatMoney } from "../../money.ts";

export type WriteContext = {
  timezone: string;
  money: (minorUnits: number) => string;
  instant: (ms: number) => string;
  /** Finds an add-on's maximum by its key. */
  maxQuantityOf: (addon: string) => number | undefined;
};

export function createWriteContext({
  business: { currency, timezone },
  objects,
}: Catalog): WriteContext {
  const maxQuantities = new Map(objects.addon.map((addon) => [addon.key, addon.maxQuantity]));
  return {
    timezone,
    money: (minorUnits) => formatMoney(minorUnits, currency),
    instant: (ms) => writeInstant(ms, timezone),
    maxQuantityOf: (addon) => maxQuantities.get(addon),
  };
}

type NonNull<T> = { [K in keyof T]: Exclude<T[K], null> };

/** The fields that hold a value: not null, undefined, or an empty list or object. */
export const omitEmpty = <T extends object>(fields: T): NonNull<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as NonNull<T>;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "object" &&
    (Array.isArray(value) ? value.length : Object.keys(value).length) === 0);

/** The fields of `defaults` that differ from their default. */
export function writeFields<D extends object>(
  doc: D,
  defaults: D,
): { [K in keyof D]?: Exclude<D[K], null> } {
  const fields: Partial<D> = {};
  for (const name in defaults) if (doc[name] !== defaults[name]) fields[name] = doc[name];
  return fields as { [K in keyof D]?: Exclude<D[K], null> };
}

/** The value, or undefined if it is the default. */
export const omitDefault = <T>(value: T, standard: T): T | undefined =>
  value === standard ? undefined : value;

export const writeNamed = ({ key, previousKeys, name }: Named) => ({ key, previousKeys, name });

export const writePresented = ({ images, translations }: Presented) => ({
  images: images.map(writeImage),
  translations,
});

/** The fields that most kinds share, with `more` between the name and the images. */
export const writeCommon = <T extends object>(
  doc: Named & Presented & { status: Status },
  more: T,
) => ({
  ...writeNamed(doc),
  status: omitDefault(doc.status, DEFAULT_STATUS),
  ...more,
  ...writePresented(doc),
});

function writeImage(image: ImageDoc) {
  const more = writeFields(image, IMAGE_DEFAULTS);
  return Object.keys(more).length === 0 ? image.url : { url: image.url, ...more };
}

const WEEK: readonly Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A range such as `mon-fri` for three or more consecutive days; undefined for every day. */
function writeDays(days: readonly Day[]): string | Day[] | undefined {
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

export const writeException = (exception: HoursException): AuthoredException =>
  omitEmpty({
    date: exception.date,
    ...writeFields(exception, EXCEPTION_DEFAULTS),
    intervals: exception.intervals,
  });
