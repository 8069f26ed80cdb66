import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { rememberLast } from "../../domain/remember-last.ts";
import {
  getHeader,
  NO_SNIFF,
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respond,
  type HandlerResult,
} from "./request-context.ts";

/** Largest body that is not compressed: gzip would save too little for its CPU time. */
const MAX_UNCOMPRESSED_BYTES = 1024;
const COMPRESSED_TYPES = /^(?:application\/(?:problem\+)?json|text\/html; charset=utf-8)$/;
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * A response with the same body for every client. It answers 304 if the client has the body, else
 * 200 in an encoding that the client accepts.
 */
export type CachedResponse = { respond: (context: RequestContext) => HandlerResult };

type Encoding = "identity" | "gzip";

type GetBody = () => Buffer | Promise<Buffer>;
/** Functions that return a body in an encoding. Each is called at most once. */
export type EncodedBodies = { identity: GetBody; gzip?: GetBody };

type Encoded = { headers: RawHeaders; body: Buffer };

/**
 * Returns a response that keeps each encoding of its body once it was sent.
 * @param headers sent with 200 and with 304, in addition to ETag and Vary
 * @param contentHeaders sent with 200 only, in addition to Content-Encoding, Content-Length and
 * X-Content-Type-Options
 */
export function createCachedResponse(
  etag: string,
  headers: RawHeaders,
  contentHeaders: RawHeaders,
  bodies: EncodedBodies,
): CachedResponse {
  const sharedHeaders = ["etag", etag, ...headers, "vary", "Accept-Encoding"];
  const encoded: Partial<Record<Encoding, Encoded | Promise<Encoded>>> = {};

  const keep = (encoding: Encoding, body: Buffer): Encoded =>
    (encoded[encoding] = {
      headers: [
        ...contentHeaders,
        // If a 304 must send X-Content-Type-Options, too, the caller has put the header into
        // `headers`. The header must not be added twice.
        ...(headers.includes("nosniff") ? [] : NO_SNIFF),
        ...sharedHeaders,
        ...(encoding === "identity" ? [] : ["content-encoding", encoding]),
        "content-length",
        String(body.length),
      ],
      body,
    });

  const load = (encoding: Encoding): Encoded | Promise<Encoded> => {
    const body = (bodies[encoding] as GetBody)();
    if (!(body instanceof Promise)) return keep(encoding, body);
    return (encoded[encoding] = body.then((bytes) => keep(encoding, bytes)));
  };

  const chooseEncoding = (acceptEncoding: string | undefined): Encoding =>
    bodies.gzip && acceptsGzip(acceptEncoding) ? "gzip" : "identity";

  return {
    respond(context) {
      if (matchesEtag(getHeader(context.request, "if-none-match"), etag))
        return respond(context, 304, sharedHeaders);
      const encoding = chooseEncoding(getHeader(context.request, "accept-encoding"));
      const response = encoded[encoding] ?? load(encoding);
      return response instanceof Promise
        ? response.then((loaded) => respond(context, 200, loaded.headers, loaded.body))
        : respond(context, 200, response.headers, response.body);
    },
  };
}

/**
 * Returns a text as UTF-8 in a memory block of its own. `Buffer.from` returns a part of a 64 KB
 * block, all of which would stay in memory while the part is cached.
 */
export function encodeExactly(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Returns the parts as one text, in a memory block of its own. */
export function joinExactly(parts: readonly Buffer[]): Buffer {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) offset += part.copy(joined, offset);
  return joined;
}

/**
 * Returns the body and, unless it is small, a gzip version that is made when a client first accepts
 * it.
 * @param onCompressed called with the size of the compressed body
 */
export const compressible = (
  body: Buffer,
  onCompressed?: (bytes: number) => void,
): EncodedBodies => {
  const compress = async () => {
    // zlib returns a part of a 16 KB block, which is copied to a smaller one.
    const compressed = joinExactly([await promisify(gzip)(body)]);
    onCompressed?.(compressed.length);
    return compressed;
  };
  return { identity: () => body, ...(body.length > MAX_UNCOMPRESSED_BYTES && { gzip: compress }) };
};

/**
 * Compresses a large JSON response or page that is not cached, if the client accepts gzip. A
 * response with an ETag stays as it is, because the ETag names the uncompressed bytes. A response
 * with Vary stays as it is, too, because it must not get a second Vary.
 */
export function compressLarge(context: RequestContext, response: HttpResponse): HandlerResult {
  const { status, headers, body } = response;
  if (body === null || body.length <= MAX_UNCOMPRESSED_BYTES) return response;
  if (headers.includes("etag") || headers.includes("vary")) return response;
  const type = headers[headers.indexOf("content-type") + 1] ?? "";
  if (!COMPRESSED_TYPES.test(type)) return response;
  headers.push("vary", "Accept-Encoding");
  if (!acceptsGzip(getHeader(context.request, "accept-encoding"))) return response;
  return promisify(gzip)(body).then((compressed) => {
    headers[headers.indexOf("content-length") + 1] = String(compressed.length);
    headers.push("content-encoding", "gzip");
    return { status, headers, body: compressed };
  });
}

/** Returns a response whose ETag is 132 bits of the body's SHA-256 (22 characters of 6 bits). */
export const createHashedResponse = (
  body: Buffer,
  headers: RawHeaders,
  contentHeaders: RawHeaders,
): CachedResponse =>
  createCachedResponse(
    `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`,
    headers,
    contentHeaders,
    compressible(body),
  );

const withoutWeakPrefix = (etag: string): string => (etag.startsWith("W/") ? etag.slice(2) : etag);

/** Returns whether If-None-Match, a list or `*`, matches by weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some(
    (candidate) => withoutWeakPrefix(candidate) === withoutWeakPrefix(etag),
  );
}

/** Returns whether If-Match, a list or `*`, matches by strong comparison (RFC 9110, 13.1.1). */
export const matchesEtagStrongly = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === "*" || ifMatch.match(ENTITY_TAG)?.includes(etag) === true;

const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined && listsGzipRemembered(acceptEncoding);

const listsGzipRemembered = rememberLast(listsGzip);

/** Returns whether Accept-Encoding lists gzip or `*` without q=0. gzip overrides `*`. */
function listsGzip(acceptEncoding: string): boolean {
  let acceptsAny = false;
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((piece) => piece.trim());
    const isExcluded = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    if (name === "gzip" || name === "x-gzip") return !isExcluded;
    if (name === "*") acceptsAny = !isExcluded;
  }
  return acceptsAny;
}
