import { z } from "zod";
import type { HoursRule, OpeningException } from "../catalog.ts";
import type { ImageDoc, Status } from "../common.ts";
import { line, integer } from "../../basic-schemas.ts";
import {
  cents,
  choice,
  date,
  defaultsFor,
  fields,
  interval,
  key,
  list,
  locale,
  money,
  optional,
  text,
  webAddress,
  weeklyWindow,
} from "./values.ts";

export const status = choice("ACTIVE", "INACTIVE", "ARCHIVED");
export const DEFAULT_STATUS: Status = "ACTIVE";

const image = z.union(
  [
    webAddress,
    fields({
      url: webAddress,
      ...optional({ alt: line(300), width: integer(1, 100_000), height: integer(1, 100_000) }),
    }),
  ],
  "a web address, or url, alt, width and height",
);

export const IMAGE_DEFAULTS = defaultsFor<ImageDoc>()({ alt: null, width: null, height: null });

const translation = fields(
  optional({ name: line(200), description: text(10_000), title: line(200), bio: text(10_000) }),
);

export const keyed = { key, name: line(200), previousKeys: list(key, 50).optional() };

export const presented = optional({
  images: list(image, 50),
  translations: z.record(locale, translation, "a group of languages"),
});

export const common = { ...keyed, status: status.optional(), ...presented };

export const description = text(10_000).optional();
export const described = { ...common, description };
export const price = optional({ price: money, priceCents: cents });
export const tags = list(line(50), 50);
export const keys = list(key, 1000);

export const windows = list(fields(weeklyWindow));

const hoursRule = fields({ ...weeklyWindow, ...optional({ validFrom: date, validTo: date }) });
export type AuthoredHours = z.infer<typeof hoursRule>;
export const hours = list(hoursRule);
export const HOURS_DEFAULTS = defaultsFor<HoursRule>()({ validFrom: null, validTo: null });

const intervals = list(fields(interval), 20);
const exception = fields({
  date,
  ...optional({ mode: choice("REPLACE", "ADD", "REMOVE"), intervals }),
});
/** An exception of the business, which can also cut the hours of all staff. */
const openingException = fields({
  date,
  ...optional({ mode: choice("REPLACE", "ADD", "REMOVE", "ONLY"), intervals }),
});
export type AuthoredException = z.infer<typeof exception>;
export type AuthoredOpeningException = z.infer<typeof openingException>;
export const exceptions = list(exception, 1000);
export const openingExceptions = list(openingException, 1000);
export const EXCEPTION_DEFAULTS = defaultsFor<OpeningException>()({ mode: "REPLACE" });
