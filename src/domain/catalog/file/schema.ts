import { z } from "zod";
import { business, closure } from "./business.ts";
import { hours, openingExceptions } from "./common-fields.ts";
import { menu } from "./menu.ts";
import { promotion } from "./promotions.ts";
import { publicEvent } from "./public-events.ts";
import { addon, service, serviceCategory } from "./services.ts";
import { area, resource, staff, table } from "./staff.ts";
import { integer } from "../../basic-schemas.ts";
import { fields, list, optional } from "./values.ts";

/** Objects in one section. */
export const MAX_SECTION = 100_000;

const section = <T extends z.ZodType>(item: T) => list(item, MAX_SECTION).optional();

/** The format of catalog files. `deskbell catalog schema` prints it as JSON Schema for editors. */
export const catalogFileSchema = z.strictObject(
  {
    catalog: z.literal(1, "1, the version of this format"),
    ...optional({
      business,
      hours,
      closures: list(closure, 1000),
      exceptions: openingExceptions,
      turnTimes: list(fields({ upTo: integer(1, 1000), min: integer(1, 1440) }), 100),
    }),
    serviceCategories: section(serviceCategory),
    addons: section(addon),
    services: section(service),
    resources: section(resource),
    staff: section(staff),
    menu: menu.optional(),
    areas: section(area),
    tables: section(table),
    promotions: section(promotion),
    events: section(publicEvent),
  },
  "a map of sections that begins with 'catalog: 1'",
);

export type AuthoredFile = z.infer<typeof catalogFileSchema>;
