import type {
  Catalog,
  Day,
  HoursException,
  HoursRule,
  ImageDoc,
  Status,
  Translations,
  WeeklyWindow,
} from "../catalog.ts";
import { writeInstant } from "../../local-time.ts";
import type { AuthoredException, AuthoredHours } from "../file/schema.ts";
import { formatMoney } from "../../money.ts";

/** What the sections are written with: the reader's counterpart. */
export type WriteContext = {
  timezone: string;
  money: (minorUnits: number) => string;
  instant: (ms: number) => string;
  /** Of an add-on, by its key. */
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

type Said<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Without the fields that hold nothing: a file says what differs from what it would mean if it were silent. */
export const omitEmpty = <T extends object>(fields: T): Said<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isNothing(value))) as Said<T>;

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "object" &&
    (Array.isArray(value) ? value.length : Object.keys(value).length) === 0);

/** The value, or nothing where silence means the same. */
export const omitDefault = <T>(silent: T, value: T): T | undefined =>
  value === silent ? undefined : value;

type Keyed = { key: string; previousKeys: string[]; name: string };
type Presented = { images: ImageDoc[]; translations: Translations };

export const writeKeyed = ({ key, previousKeys, name }: Keyed) => ({ key, previousKeys, name });

export const writePresented = ({ images, translations }: Presented) => ({
  images: images.map(writeImage),
  translations,
});

/** The fields that nearly all objects have, `more` between those that name an object and those that adorn it. */
export const writeCommon = <T extends object>(
  doc: Keyed & Presented & { status: Status },
  more: T,
) => ({
  ...writeKeyed(doc),
  status: omitDefault<Status>("ACTIVE", doc.status),
  ...more,
  ...writePresented(doc),
});

function writeImage({ url, ...rest }: ImageDoc) {
  const more = omitEmpty(rest);
  return Object.keys(more).length === 0 ? url : { url, ...more };
}

const WEEK: readonly Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** `mon-fri` for three days on end and more. */
function writeDays(days: readonly Day[]): string | Day[] | undefined {
  const [first, last] = [days[0], days.at(-1)];
  if (days.length === WEEK.length || first === undefined || last === undefined) return undefined;
  const isRun = WEEK.indexOf(last) - WEEK.indexOf(first) === days.length - 1;
  if (isRun && days.length > 2) return `${first}-${last}`;
  return [...days];
}

export const writeWindow = ({ days, start, end }: WeeklyWindow) =>
  omitEmpty({ days: writeDays(days), start, end });

export const writeHoursRule = ({ validFrom, validTo, ...window }: HoursRule): AuthoredHours => ({
  ...writeWindow(window),
  ...omitEmpty({ validFrom, validTo }),
});

export const writeException = ({ date, mode, intervals }: HoursException): AuthoredException =>
  omitEmpty({ date, mode: omitDefault<HoursException["mode"]>("REPLACE", mode), intervals });
