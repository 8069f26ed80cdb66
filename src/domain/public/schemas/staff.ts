import { z } from "zod";
import { active, cents, commonFields, flag, id, minutes, orNull } from "./values.ts";

/** Never includes contact details, working hours or the reason for an absence. */
export const staff = z.strictObject({
  id,
  name: z.string(),
  title: orNull(z.string(), "Job title; null if there is none"),
  bio: orNull(z.string(), "Biography; null if there is none"),
  languages: z.array(z.string()).describe("BCP 47 language tags such as en or pt-BR"),
  bookable: flag("Whether `/availability` offers slots with this person"),
  serviceIds: z.array(id).describe("Services that this person performs"),
  serviceOverrides: z
    .array(
      z.strictObject({
        serviceId: id,
        durationMin: orNull(minutes, "Duration in minutes; null if the service's duration applies"),
        priceCents: orNull(cents, "Price in minor units; null if the service's price applies"),
      }),
    )
    .describe(
      "Durations and prices that differ when this person performs the service, whichever variant is booked; add-ons are added",
    ),
  status: active,
  ...commonFields,
});
