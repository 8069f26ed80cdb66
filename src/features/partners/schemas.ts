import { z } from "zod";
import { business } from "../../domain/public/schemas/envelope.ts";

/** A business in the list of those that a partner reaches. */
export const reachedBusiness = business.extend({
  catalogVersion: z
    .int()
    .describe("Version of the catalog: read its lists again if it is higher than the one you have"),
  lastSequence: z
    .int()
    .describe("Sequence number of the newest event of the business, whoever receives it"),
});

export const partnerMeta = z.strictObject({
  partner: z
    .strictObject({ id: z.string(), name: z.string() })
    .describe("The partner of the API key"),
});
