import { z } from "zod";
import { business, closure } from "./business.ts";
import { hours, openingExceptions, fields, list, optional } from "./fields.ts";
import { menu } from "./menu.ts";
import { promotion } from "./promotions.ts";
import { publicEvent } from "./public-events.ts";
import { addon, service, serviceCategory } from "./services.ts";
import { area, resource, staff, table } from "./staff.ts";
import { integer } from "../../basic-schemas.ts";

/** The maximum number of objects in one section. */
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

/** Notes on fields, by field name. Editors show them next to the allowed values. */
const NOTES: Record<string, string> = {
  key: "Unique name that other objects refer to; the ID is derived from it",
  previousKeys: "Former keys, oldest first; they keep the ID after a rename",
  status:
    "ACTIVE is public, INACTIVE is hidden, ARCHIVED is no longer offered; of an event, only a DRAFT is hidden",
  slug: "Name in web addresses",
  bookingPolicy: "Rules for booking appointments",
  slotIntervalMin: "Minutes between two offered start times",
  minNoticeMin: "How many minutes before its start an appointment must be booked",
  maxAdvanceDays: "How many days ahead an appointment can be booked",
  requiresApproval: "Whether a booking is pending until the business approves it",
  cancelUntilMin: "How many minutes before its start a guest can still cancel or move a booking",
  guestRetentionDays: "Days after a visit until the guest's personal data is erased",
  postalAddress: "Address in parts, for search engines and maps; address has it in one line",
  geo: "Where the business is, for maps",
  priceRange: "Such as $$ or CHF 20-60, for search engines",
  links: "Profiles of the business on other websites",
  legal: "Texts that a public page must link",
  privacyUrl: "Page with the privacy policy",
  imprintUrl: "Page with the imprint",
  imprint: "Imprint, if it is not at imprintUrl",
  publicPage: "The page for guests at /b/{slug}; off by default",
  booking:
    "Whether guests book on the page: not at all, as requests that somebody accepts, or at once",
  embedOrigins: "Websites that may show the booking page in a frame",
  orders: "Terms of ticket orders that guests make on the page",
  payWithinHours: "How many hours an order keeps its tickets until it is paid; 48 by default",
  maxQuotaPercent:
    "Largest share of a quota that unpaid orders of the page can keep, in percent, but at least minPerOrder tickets; 20 by default",
  accent: "Colour of buttons and links",
  logo: "Picture at the top of the page",
  bufferPolicy:
    "Whether the buffers of two appointments overlap (MAX, the default) or add up (SUM)",
  grid: "Whether start times count from midnight (CLOCK, the default) or from the start of the working hours (OPENING)",
  maxGapMin: "The longest wait, in minutes, between two services of one visit; 0 by default",
  closures: "Closed days: a date, a range with from and to, or the same day every year (yearly)",
  exceptions: "Single days with different hours",
  turnTimes:
    "Minutes that a party of up to `upTo` guests keeps its table; 120 if there are no turn times",
  end: "End time; past midnight, hours count on: 02:00 is 26:00",
  price: "Decimal amount in the currency of the business",
  priceCents: "Alternative to price, in minor units",
  capacity:
    "Of a resource, the number of units; of a service, the guests of one session or, without staff and resources, the guests at the same time",
  bookable: "Whether visits can be booked",
  bufferBeforeMin: "Minutes kept free before the appointment",
  bufferAfterMin: "Minutes kept free after the appointment",
  resources: "Rooms or equipment that an appointment occupies",
  variants: "Versions of a service with their own price and duration",
  default: "Whether this is selected by default; for an add-on, the number that is selected",
  public: "Whether partners see the profile",
  hours: "Opening hours; for a person, working hours that replace those of the business",
  timeOff: "Absences; a date stands for the whole day",
  serviceOverrides: "Price or duration of a service when this person performs it",
  sizes: "Sizes of a dish, each with its price",
  modifierGroups: "Options that a guest can choose with a dish",
  mayContain: "Allergens that may be present as traces",
  appliesTo: "Keys of the objects that it applies to; omit it for everything",
  code: "Code that a customer has to give; never shown to partners",
  startsIn: "Alternative to startsAt in files for seeding: days after seeding, and a time",
  doorsAt: "When the doors open",
  quotas: "Numbers of places; a ticket type may count against several",
  showRemaining: "Whether partners see how many tickets are left",
};

/** Returns the JSON Schema of a catalog file, with which editors complete and check it. */
export const catalogJsonSchema = (): object => ({
  title: "deskbell catalog file",
  ...z.toJSONSchema(catalogFileSchema, {
    io: "input",
    override({ zodSchema, jsonSchema, path }) {
      const noun = nounOf(zodSchema);
      const note = path.at(-2) === "properties" ? NOTES[String(path.at(-1))] : undefined;
      const parts = [note, noun].filter((text) => text !== undefined);
      if (parts.length > 0) jsonSchema.description = parts.join(": ");
    },
  }),
});

/**
 * Returns the noun phrase of a schema's error message, which describes the allowed values. An
 * optional field gets the phrase of its inner schema. Zod would otherwise copy the description of
 * the inner schema, which may have the note of another field with the same schema.
 */
function nounOf(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return nounOf(schema._zod.def.innerType);
  const noun = schema._zod.def.error?.({ code: "custom", input: undefined, path: [] } as never);
  return typeof noun === "string" ? noun : undefined;
}
