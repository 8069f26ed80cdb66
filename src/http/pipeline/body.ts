import { z } from "zod";
import { lazy } from "../../domain/lazy.ts";
import { AppError } from "../../domain/errors.ts";
import { getHeader, MAX_BODY_BYTES, type RequestContext } from "./request-context.ts";

/** Deepest nesting of a body: recursive code that reads it must not exhaust the stack. */
const MAX_DEPTH = 32;

/** The schema of a body without fields. */
export const emptyBody = lazy(() => z.strictObject({}));

/**
 * Returns a body that is a JSON object.
 * @throws AppError unsupported_media_type, body_too_large, invalid_json; validation_failed if the
 * body is JSON but not an object
 */
export async function readJsonObject(context: RequestContext): Promise<Record<string, unknown>> {
  assertJsonContent(context);
  return parseOnce(context, await readBody(context));
}

/** Returns a body that is a JSON object; an empty object if there is no body. */
export async function readOptionalJsonObject(
  context: RequestContext,
): Promise<Record<string, unknown>> {
  const bytes = await readBody(context);
  if (bytes.length === 0) return {};
  assertJsonContent(context);
  return parseOnce(context, bytes);
}

const parseOnce = (context: RequestContext, bytes: Buffer): Record<string, unknown> =>
  (context.json ??= parseJsonObject(bytes));

function assertJsonContent({ request }: RequestContext): void {
  const mediaType = (getHeader(request, "content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json")
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON: send Content-Type: application/json.",
    );
  const encoding = getHeader(request, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new AppError(
      "unsupported_media_type",
      "The body must not be compressed: send it without Content-Encoding.",
    );
}

function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  const detail = "The body must be a JSON object.";
  throw new AppError("validation_failed", detail, {
    issues: [{ pointer: "#", code: "type", detail }],
  });
}

/** Returns the bytes of a body, which is read once. @throws AppError body_too_large */
export const readBody = (context: RequestContext): Promise<Buffer> =>
  (context.body ??= readBytes(context));

/** Reads a body and counts its bytes, because Content-Length can be missing or wrong. */
async function readBytes({ request }: RequestContext): Promise<Buffer> {
  const bodyTooLarge = () =>
    new AppError("body_too_large", `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`);
  if (Number(getHeader(request, "content-length") ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  const reader = request.body()?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new AppError("invalid_json", "The body ended before it was complete.");
    });
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > MAX_BODY_BYTES) {
      void discardRest(reader);
      throw bodyTooLarge();
    }
    chunks.push(value);
  }
}

/**
 * Reads the rest of a body, because the client could lose the response if the connection were
 * closed earlier. The request timeout limits how long this takes.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client disconnected.
  }
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new AppError("invalid_json", "The body is empty.");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid_json", "The body is not valid UTF-8 JSON.");
  }
  if (isDeeperThan(value, MAX_DEPTH))
    throw new AppError("invalid_json", `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (hasLoneSurrogate(value))
    throw new AppError(
      "invalid_json",
      "A string in the body contains half of a surrogate pair, such as \\ud800 alone.",
    );
  return value;
}

/**
 * Returns whether a text or field name in a value has half of a surrogate pair, which always comes
 * from an escape such as \ud800. UTF-8 cannot store such a half: the database would return another
 * character than the client sent.
 */
const hasLoneSurrogate = (value: unknown): boolean =>
  typeof value === "string"
    ? !value.isWellFormed()
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).flat().some(hasLoneSurrogate);

/** Returns whether a value has objects and lists in more levels than `levels`. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)));
