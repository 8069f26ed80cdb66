import { z } from "zod";
import { active, cents, commonFields, id, minutes } from "./values.ts";

/** Never mail, phone, schedule or the reason of an absence. */
export const staff = z.strictObject({
  id,
  name: z.string(),
  title: z.string().nullable(),
  bio: z.string().nullable(),
  languages: z.array(z.string()).describe("Language tags, such as en or pt-BR"),
  bookable: z.boolean().describe("Whether `/availability` offers their time"),
  serviceIds: z.array(id),
  serviceOverrides: z
    .array(
      z.strictObject({
        serviceId: id,
        durationMin: minutes.nullable(),
        priceCents: cents.nullable(),
      }),
    )
    .describe("What differs when this person performs a service; null: it does not"),
  status: active,
  ...commonFields,
});
