import type { z } from "zod";
import type { AreaDoc, ResourceDoc, StaffDoc, TableDoc } from "../catalog.ts";
import { addDays, localDateOf, startOfDay } from "../../local-time.ts";
import {
  common,
  exceptions,
  hours,
  keyed,
  price,
  windows,
  defaultsFor,
  fields,
  flag,
  instantOrDate,
  key,
  list,
  locale,
  optional,
  text,
} from "./fields.ts";
import {
  readCommon,
  type Reader,
  readException,
  readFields,
  readHoursRule,
  trimToNull,
} from "./reader.ts";
import { integer, line } from "../../basic-schemas.ts";
import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeException,
  writeFields,
  writeHoursRule,
  writeWindow,
} from "./writer.ts";

// This file has the schemas, readers and writers of staff, resources, areas and tables.

const timeOff = fields({ from: instantOrDate, to: instantOrDate });

export const staff = fields({
  ...common,
  ...optional({
    title: line(200),
    bio: text(10_000),
    languages: list(locale, 50),
    public: flag,
    bookable: flag,
    hours,
    breaks: windows,
    timeOff: list(timeOff, 1000),
    exceptions,
    serviceOverrides: list(
      fields({ service: key, durationMin: integer(1, 1440).optional(), ...price }),
      1000,
    ),
  }),
});
export type AuthoredStaff = z.infer<typeof staff>;

export const STAFF_DEFAULTS = defaultsFor<StaffDoc>()({
  title: null,
  languages: [],
  public: true,
  bookable: true,
});

const OVERRIDE_DEFAULTS = defaultsFor<StaffDoc["serviceOverrides"][number]>()({
  durationMin: null,
});

export const readStaff = (reader: Reader, item: AuthoredStaff): StaffDoc => ({
  ...readCommon(item),
  ...readFields(item, STAFF_DEFAULTS),
  bio: trimToNull(item.bio),
  hours: item.hours === undefined ? null : reader.list(item.hours, "hours", readHoursRule),
  breaks: reader.windows(item.breaks, "breaks"),
  timeOff: reader.list(item.timeOff, "timeOff", readTimeOff),
  exceptions: reader.list(item.exceptions, "exceptions", readException),
  serviceOverrides: reader.uniqueList(
    item.serviceOverrides,
    "serviceOverrides",
    { key: "service", noun: "service" },
    (reader, override) => ({
      service: override.service,
      ...readFields(override, OVERRIDE_DEFAULTS),
      priceCents: reader.amount(override, "price"),
    }),
  ),
});

export const writeStaff = (context: WriteContext, doc: StaffDoc): AuthoredStaff => ({
  ...writeCommon(doc, {
    ...writeFields(doc, STAFF_DEFAULTS),
    bio: doc.bio,
    breaks: doc.breaks.map(writeWindow),
    timeOff: doc.timeOff.map((span) => writeTimeOff(context, span)),
    exceptions: doc.exceptions.map(writeException),
    serviceOverrides: doc.serviceOverrides.map((override) =>
      omitEmpty({
        service: override.service,
        ...writeFields(override, OVERRIDE_DEFAULTS),
        price: context.optionalMoney(override.priceCents),
      }),
    ),
  }),
  // An empty list means no hours; null means the hours of the business and is omitted.
  ...(doc.hours && { hours: doc.hours.map(writeHoursRule) }),
});

/** Returns time off of a staff member. Dates are whole days, including the last one. */
function readTimeOff(reader: Reader, span: z.infer<typeof timeOff>): StaffDoc["timeOff"][number] {
  const from = reader.start(span.from, "from");
  const to = reader.end(span.to, "to");
  if (to <= from)
    reader.addContradiction("to", `'to' ${span.to} is not after 'from' ${span.from}.`);
  return { from, to };
}

/**
 * Returns time off as a file has it. If the time off begins with a whole day, `from` is the date of
 * that day; if it ends with a whole day, `to` is the date of that day.
 */
function writeTimeOff(
  { timezone, instant }: WriteContext,
  { from, to }: StaffDoc["timeOff"][number],
) {
  const first = localDateOf(from, timezone);
  const last = addDays(localDateOf(to, timezone), -1);
  return {
    from: startOfDay(first, timezone) === from ? first : instant(from),
    to: startOfDay(addDays(last, 1), timezone) === to ? last : instant(to),
  };
}

export const resource = fields({ ...common, capacity: integer(1, 10_000).optional() });
type AuthoredResource = z.infer<typeof resource>;

const RESOURCE_DEFAULTS = defaultsFor<ResourceDoc>()({ capacity: 1 });

export const readResource = (_reader: Reader, item: AuthoredResource): ResourceDoc => ({
  ...readCommon(item),
  ...readFields(item, RESOURCE_DEFAULTS),
});

export const writeResource = (_context: WriteContext, doc: ResourceDoc): AuthoredResource =>
  writeCommon(doc, writeFields(doc, RESOURCE_DEFAULTS));

export const area = fields(common);
type AuthoredArea = z.infer<typeof area>;

export const readArea = (_reader: Reader, item: AuthoredArea): AreaDoc => readCommon(item);

export const writeArea = (_context: WriteContext, doc: AreaDoc): AuthoredArea =>
  writeCommon(doc, {});

export const table = fields({
  ...common,
  ...optional({ name: keyed.name, area: key, minSeats: integer(1, 1000) }),
  maxSeats: integer(1, 1000),
});
type AuthoredTable = z.infer<typeof table>;

const TABLE_DEFAULTS = defaultsFor<TableDoc>()({ area: null, minSeats: 1 });

export function readTable(reader: Reader, item: AuthoredTable): TableDoc {
  const { name = item.key, maxSeats } = item;
  const fields = readFields(item, TABLE_DEFAULTS);
  if (maxSeats < fields.minSeats)
    reader.addContradiction(
      "maxSeats",
      `'maxSeats' ${maxSeats} is less than 'minSeats' ${fields.minSeats}.`,
    );
  return { ...readCommon({ ...item, name }), ...fields, maxSeats };
}

export const writeTable = (_context: WriteContext, doc: TableDoc): AuthoredTable => {
  const { name, ...fields } = writeCommon(doc, {
    ...writeFields(doc, TABLE_DEFAULTS),
    maxSeats: doc.maxSeats,
  });
  return omitEmpty({ ...fields, name: omitDefault(name, doc.key) });
};
