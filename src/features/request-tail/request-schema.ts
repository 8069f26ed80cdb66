import { z } from "zod";
import { instant } from "../../domain/public/schemas/values.ts";

/**
 * A request without its path, query, body, client address and credentials: any of these may contain
 * a secret or personal data.
 */
export const seenRequest = z.object({
  at: instant.describe("When the request was received"),
  method: z.string(),
  route: z
    .string()
    .describe("The path as documented, with placeholders; `(none)` if no route matches"),
  business: z
    .string()
    .nullable()
    .describe("Slug; null if the path names no business of this server"),
  key: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("The API key; null if the request had no valid one"),
  status: z.int(),
  code: z
    .string()
    .nullable()
    .describe("Code of the problem, such as rate_limited; null without one"),
  durationMs: z.number().describe("Time until the response, in milliseconds"),
});

export const seenRequests = z.object({
  requests: z.array(seenRequest),
  cursor: z.string().describe("Pass it as `after` in the next request"),
  missed: z.int().describe("Number of requests after the cursor that were no longer kept"),
});

export type SeenRequest = z.infer<typeof seenRequest>;
export type SeenRequests = z.infer<typeof seenRequests>;
