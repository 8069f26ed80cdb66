import { z } from "zod";
import { active, cents, commonFields, id, minutes } from "./values.ts";

/** Never includes contact details, working hours or the reason for an absence. */
export const staff = z.strictObject({
  id,
  name: z.string(),
  title: z.string().nullable().describe("Job title; null if there is none"),
  bio: z.string().nullable().describe("Biography; null if there is none"),
  languages: z.array(z.string()).describe("BCP 47 language tags such as en or pt-BR"),
  bookable: z.boolean().describe("Whether `/availability` offers slots with this person"),
  serviceIds: z.array(id).describe("Services that this person performs"),
  serviceOverrides: z
    .array(
      z.strictObject({
        serviceId: id,
        durationMin: minutes
          .nullable()
          .describe("Duration in minutes; null if the service's duration applies"),
        priceCents: cents
          .nullable()
          .describe("Price in minor units; null if the service's price applies"),
      }),
    )
    .describe("Durations and prices that differ when this person performs the service"),
  status: active,
  ...commonFields,
});
