import { z } from "zod";
import { slug } from "../../domain/catalog/file/fields.ts";
import { SEVERITIES } from "../../domain/conditions/registry.ts";
import { instant } from "../../domain/public/schemas/values.ts";

/** The state that a server reports to its operator. Later versions may add fields. */
export const serverStatus = z.object({
  version: z.string().describe("Version of deskbell"),
  businesses: z.array(slug).describe("Slugs of all businesses of the server"),
  deliveries: z
    .record(z.string(), z.int())
    .describe("Number of webhook deliveries by status, such as PENDING"),
  lastBackupAt: instant.nullable().describe("When the newest backup was made; null if none was"),
  lastCopyAt: instant
    .nullable()
    .describe("When the newest backup that was copied to another place was made; null if none was"),
  copyBytesPerDay: z
    .int()
    .nullable()
    .optional()
    .describe("Bytes that the copies to another place take each day; null if there are none"),
  problems: z
    .array(
      z.object({
        code: z.string().describe(`Code of the condition, such as storage.gone`),
        severity: z.enum(SEVERITIES),
        business: z.string().nullable().describe("Slug; null if it is about the whole server"),
        since: instant.nullable().describe("When it began; null if unknown"),
        text: z.string().describe("What is wrong"),
        command: z.string().describe("Fixes the condition or shows the details"),
      }),
    )
    .describe("Health conditions that are open"),
});

export type ServerStatus = z.infer<typeof serverStatus>;
