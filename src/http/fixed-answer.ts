import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Answer, answerWith, type Call, type FlatHeaders, header } from "./call.ts";
import { acceptsBrotli, acceptsGzip, matchesTag, tagOf } from "./conditional.ts";

type Load = () => Buffer;

/** Bytes that stay the same for as long as the process runs, in the encodings that there are of them. */
export type Fixed = { etag: string; identity: Load; gzip: Load; brotli?: Load };

/** @param load runs when somebody first asks */
export function createFixedAnswer(
  headers: FlatHeaders,
  load: () => Promise<Fixed>,
): (call: Call) => Promise<Answer> {
  const loaded = once(load);
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
    if (matchesTag(header(call.asked, "if-none-match"), fixed.etag))
      return answerWith(call, 304, shared);
    const { body, encoded } = choose(fixed, header(call.asked, "accept-encoding"));
    return answerWith(
      call,
      200,
      [...shared, ...encoded, "content-length", String(body.length)],
      body,
    );
  };
}

function choose(
  fixed: Fixed,
  accepted: string | undefined,
): { body: Buffer; encoded: FlatHeaders } {
  if (fixed.brotli && acceptsBrotli(accepted))
    return { body: fixed.brotli(), encoded: ["content-encoding", "br"] };
  if (acceptsGzip(accepted)) return { body: fixed.gzip(), encoded: ["content-encoding", "gzip"] };
  return { body: fixed.identity(), encoded: [] };
}

/** Makes a thing when it is first asked for. What failed is tried again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
}

/** A text that was made once, and is zipped once. */
export async function fixText(text: string): Promise<Fixed> {
  const body = Buffer.from(text);
  const zipped = await promisify(gzip)(body);
  return { etag: tagOf(body), identity: () => body, gzip: () => zipped };
}
