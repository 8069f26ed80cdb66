import { AppError } from "../../domain/errors.ts";
import { type RequestContext, getHeader } from "./request-context.ts";

export const MAX_BODY_BYTES = 64 * 1024;
/** Deeper than anything that is meant. */
const MAX_DEPTH = 32;

/**
 * Reads a body that is a JSON object.
 * @throws AppError unsupported_media_type, body_too_large, invalid_json, or validation_failed for another kind of value
 */
export async function readJsonObject(call: RequestContext): Promise<Record<string, unknown>> {
  requireJson(call);
  return parseObject(await readBytes(call));
}

/** One that may be left out, which says as much as an empty object. */
export async function readOptionalJsonObject(
  call: RequestContext,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(call);
  if (bytes.length === 0) return {};
  requireJson(call);
  return parseObject(bytes);
}

function requireJson(call: RequestContext): void {
  const mediaType = (getHeader(call.request, "content-type") ?? "")
    .split(";")[0]
    ?.trim()
    .toLowerCase();
  if (mediaType !== "application/json")
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON: send Content-Type: application/json.",
    );
  const encoding = getHeader(call.request, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new AppError(
      "unsupported_media_type",
      "The body must be sent as it is, without Content-Encoding.",
    );
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  const detail = "The body must be a JSON object.";
  throw new AppError("validation_failed", detail, {
    issues: [{ pointer: "#", code: "type", detail }],
  });
}

/** Counts what arrives: a length that is announced may be missing or a lie. */
async function readBytes(call: RequestContext): Promise<Buffer> {
  const tooLarge = () =>
    new AppError("body_too_large", `A body may be ${MAX_BODY_BYTES / 1024} KiB at most.`);
  if (Number(getHeader(call.request, "content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = call.request.body()?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new AppError("invalid_json", "The body broke off.");
    });
    if (done) return Buffer.concat(chunks);
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

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new AppError("invalid_json", "The body is empty.");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid_json", "The body is not valid JSON in UTF-8.");
  }
  // What recurses into it later must not run out of stack.
  if (isDeeperThan(value, MAX_DEPTH))
    throw new AppError("invalid_json", `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (hasHalfCharacter(value))
    throw new AppError(
      "invalid_json",
      "A text of the body has half a surrogate pair, such as \\ud800 alone.",
    );
  return value;
}

/** Only an escape can say it. UTF-8 cannot: it would be answered as sent, and stored as another character. */
const hasHalfCharacter = (value: unknown): boolean =>
  typeof value === "string"
    ? !value.isWellFormed()
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).flat().some(hasHalfCharacter);

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)));
