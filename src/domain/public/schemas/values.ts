import { z } from "zod";

// What the public objects are made of. Their types in the code follow from these schemas, and so does the API's description.

/** Opaque, with a prefix that tells its kind. */
export const id = z.string();
/** RFC 3339 with the business's offset. */
export const instant = z.string().meta({ format: "date-time" });
export const localDate = z.string().meta({ format: "date" });
export const currency = z.string().length(3).describe("ISO 4217");
/** In minor units. */
export const cents = z.int().describe("In minor units of the currency");
export const minutes = z.int().min(0);
export const count = z.int().min(0);

/**
 * Served only where a parameter asks for it; always there in an event. The code has whole objects, so the schema requires it:
 * the description of the API says otherwise.
 */
export const includedBy = <S extends z.ZodType>(parameter: string, schema: S): S =>
  schema.meta({
    includedBy: parameter,
    description: `Absent unless \`${parameter}=true\`; always there in an event`,
  }) as S;

export const image = z.strictObject({
  id,
  url: z.string().describe("Where the business has put it"),
  alt: z.string().nullable(),
  width: z.int().nullable().describe("In pixels"),
  height: z.int().nullable().describe("In pixels"),
});

/** The fields that every public object ends with. */
export const commonFields = {
  sortOrder: count.describe(
    "Its place in its list: a created object goes there, and those behind move on",
  ),
  images: z.array(image),
  translations: includedBy(
    "includeTranslations",
    z.record(z.string().describe("Locale"), z.record(z.string().describe("Field"), z.string())),
  ),
  version: z.int().describe("The catalogVersion of its last change, also of something inside it"),
  updatedAt: instant,
};

export const active = z.literal("ACTIVE").describe("Only what is ACTIVE is served");

const wallTime = z
  .string()
  .regex(/^\d{2}:\d{2}$/)
  .describe("HH:MM on the business's clock");

export const weeklyWindow = z.strictObject({
  days: z.array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])),
  start: wallTime,
  end: wallTime.describe("Past midnight it counts on: 02:00 of the next day is 26:00"),
});
