import type { z } from "zod";
import type { H3Event } from "h3";
import { AppError, type ErrorItem } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import { header } from "./call.ts";

export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads a JSON body of a given shape.
 * @throws AppError unsupported_media_type, body_too_large, invalid_json, or validation_failed with every mistake in it
 */
export async function readJsonBody<T>(event: H3Event, schema: z.ZodObject & z.ZodType<T>): Promise<T> {
  const mediaType = (header(event, "content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json")
    throw new AppError("unsupported_media_type", "The body must be JSON: send Content-Type: application/json.");
  const result = schema.safeParse(parseJson(await readText(event)), { reportInput: true });
  if (result.success) return result.data;
  const mistakes = result.error.issues.flatMap((issue) => toMistakes(issue, Object.keys(schema.shape)));
  throw new AppError("validation_failed", mistakes.map(({ detail }) => detail).join(" "), { items: mistakes });
}

/** Counts what arrives: a length that is announced may be missing or a lie. */
async function readText(event: H3Event): Promise<string> {
  const tooLarge = () => new AppError("body_too_large", `A body may be ${MAX_BODY_BYTES / 1024} KiB at most.`);
  if (Number(header(event, "content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = event.req.body?.getReader();
  if (!reader) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new AppError("invalid_json", "The body broke off.");
    });
    if (done) return Buffer.concat(chunks).toString("utf8");
    size += value.byteLength;
    if (size > MAX_BODY_BYTES) {
      void discardRest(reader);
      throw tooLarge();
    }
    chunks.push(value);
  }
}

/** Hanging up in the middle of a body can cost the client the answer; the server's request timeout bounds this. */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client hung up: nothing is left to discard.
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("invalid_json", text === "" ? "The body is empty." : "The body is not valid JSON.");
  }
}

const CODES: Record<string, string> = {
  invalid_type: "type",
  invalid_value: "unknown_value",
  too_small: "length",
  too_big: "length",
};

function toMistakes(issue: z.core.$ZodIssue, fields: string[]): ErrorItem[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      pointer: toPointer([...issue.path, key]),
      code: "unknown_field",
      detail: `There is no field '${key}'.${didYouMean(key, fields)}`,
    }));
  const isMissing = issue.code === "invalid_type" && issue.input === undefined;
  const field = issue.path.length === 0 ? "The body" : `'${issue.path.join(".")}'`;
  return [
    {
      pointer: toPointer(issue.path),
      code: isMissing ? "required" : (CODES[issue.code] ?? issue.code),
      detail: isMissing ? `${field} is missing.` : `${field} ${issue.message}`,
    },
  ];
}

/** RFC 6901, as a URI fragment. */
const toPointer = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")}`;
