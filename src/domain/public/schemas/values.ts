import { z } from "zod";
import { WEEK } from "../../catalog/common.ts";

// The building blocks of the public objects. The TypeScript types and the OpenAPI document are
// both derived from these schemas.

/** An opaque ID with a prefix that names the kind of object. */
export const id = z.string();
/** A time in RFC 3339 with the offset of the business's time zone. */
export const instant = z.string().meta({ format: "date-time" });
export const localDate = z.string().meta({ format: "date" });
export const orNull = <S extends z.ZodType>(schema: S, description: string) =>
  schema.nullable().describe(description);
export const flag = (description: string) => z.boolean().describe(description);
export const currency = z.string().length(3).describe("ISO 4217 code");
export const cents = z.int().describe("Amount in minor units of the currency");
export const minutes = z.int().min(0).describe("Duration in minutes");
export const count = z.int().min(0);
export const description = orNull(z.string(), "Description; null if there is none");
export const parentId = orNull(id, "Parent category; null at the top level");

/**
 * Marks a field that events always have, and responses only if `parameter` asks for it. The
 * TypeScript type requires the field, because internal objects are complete. The OpenAPI document
 * makes it optional.
 */
export const includedBy = <S extends z.ZodType>(parameter: string, schema: S): S =>
  schema.meta({
    includedBy: parameter,
    description: `Absent from responses without \`${parameter}=true\`; always present in events`,
  }) as S;

export const image = z.strictObject({
  id,
  url: z.string().describe("URL where the business hosts the image"),
  alt: orNull(z.string(), "Alternative text; null if there is none"),
  width: orNull(z.int(), "Width in pixels; null if unknown"),
  height: orNull(z.int(), "Height in pixels; null if unknown"),
});

export const commonFields = {
  sortOrder: count.describe(
    "Order in the list, ascending with gaps: compare the numbers, do not count with them",
  ),
  images: z.array(image),
  translations: includedBy(
    "includeTranslations",
    z.record(z.string().describe("Locale"), z.record(z.string().describe("Field"), z.string())),
  ),
  version: z
    .int()
    .describe("`catalogVersion` when the object, or an object inside it, last changed"),
  updatedAt: instant,
};

export const active = z
  .literal("ACTIVE")
  .describe("Always ACTIVE: objects with another status are not served");

export const wallTime = z
  .string()
  .regex(/^[0-9]{2}:[0-9]{2}$/)
  .describe("HH:MM in the business's time zone");

export const weeklyWindow = z.strictObject({
  days: z.array(z.enum(WEEK)),
  start: wallTime,
  end: wallTime.describe(
    "HH:MM in the business's time zone; exceeds 24:00 after midnight, so 02:00 of the next day is 26:00",
  ),
});
