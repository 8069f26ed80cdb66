import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type HttpResponse,
  respond,
  type RequestContext,
  type RawHeaders,
  getHeader,
} from "./request-context.ts";
import { acceptsBrotli, acceptsGzip, matchesTag, tagOf } from "./conditional.ts";

type Load = () => Buffer;

/** Bytes that stay the same for as long as the process runs, in the encodings that there are of them. */
export type StaticContent = { etag: string; identity: Load; gzip: Load; brotli?: Load };

/** @param load runs when somebody first asks */
export function createStaticHandler(
  headers: RawHeaders,
  load: () => Promise<StaticContent>,
): (call: RequestContext) => Promise<HttpResponse> {
  const loaded = lazy(load);
  return async (call) => {
    const fixed = await loaded();
    const shared = [
      ...headers,
      "etag",
      fixed.etag,
      "vary",
      "Accept-Encoding",
      "x-content-type-options",
      "nosniff",
    ];
    if (matchesTag(getHeader(call.request, "if-none-match"), fixed.etag))
      return respond(call, 304, shared);
    const { body, encoded } = choose(fixed, getHeader(call.request, "accept-encoding"));
    return respond(call, 200, [...shared, ...encoded, "content-length", String(body.length)], body);
  };
}

function choose(
  fixed: StaticContent,
  accepted: string | undefined,
): { body: Buffer; encoded: RawHeaders } {
  if (fixed.brotli && acceptsBrotli(accepted))
    return { body: fixed.brotli(), encoded: ["content-encoding", "br"] };
  if (acceptsGzip(accepted)) return { body: fixed.gzip(), encoded: ["content-encoding", "gzip"] };
  return { body: fixed.identity(), encoded: [] };
}

/** Makes a thing when it is first asked for. What failed is tried again. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
}

/** A text that was made once, and is zipped once. */
export async function createStaticText(text: string): Promise<StaticContent> {
  const body = Buffer.from(text);
  const zipped = await promisify(gzip)(body);
  return { etag: tagOf(body), identity: () => body, gzip: () => zipped };
}
