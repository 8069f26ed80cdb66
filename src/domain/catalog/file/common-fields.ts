import { z } from "zod";
import type { HoursException, HoursRule, ImageDoc, Status } from "../catalog.ts";
import { defaultsFor } from "./defaults.ts";
import {
  choice,
  date,
  fields,
  interval,
  key,
  line,
  list,
  locale,
  text,
  webAddress,
  weeklyWindow,
  integer,
} from "./values.ts";

export const status = choice("ACTIVE", "INACTIVE", "ARCHIVED");
export const DEFAULT_STATUS: Status = "ACTIVE";

const image = z.union(
  [
    webAddress,
    fields({
      url: webAddress,
      alt: line(300).optional(),
      width: integer(1, 100_000).optional(),
      height: integer(1, 100_000).optional(),
    }),
  ],
  "a web address, or url, alt, width and height",
);

export const IMAGE_DEFAULTS = defaultsFor<ImageDoc>()({ alt: null, width: null, height: null });

const translation = fields({
  name: line(200).optional(),
  description: text(10_000).optional(),
  title: line(200).optional(),
  bio: text(10_000).optional(),
});

export const keyed = { key, name: line(200), previousKeys: list(key, 50).optional() };

export const presented = {
  images: list(image, 50).optional(),
  translations: z.record(locale, translation, "a group of languages").optional(),
};

export const common = { ...keyed, status: status.optional(), ...presented };

export const description = text(10_000).optional();
export const tags = list(line(50), 50).optional();
export const keys = list(key, 1000);

export const windows = list(fields(weeklyWindow));

export const hours = list(
  fields({ ...weeklyWindow, validFrom: date.optional(), validTo: date.optional() }),
);
export const HOURS_DEFAULTS = defaultsFor<HoursRule>()({ validFrom: null, validTo: null });

export const exceptions = list(
  fields({
    date,
    mode: choice("REPLACE", "ADD", "REMOVE").optional(),
    intervals: list(fields(interval), 20).optional(),
  }),
  1000,
);
export const EXCEPTION_DEFAULTS = defaultsFor<HoursException>()({ mode: "REPLACE" });
