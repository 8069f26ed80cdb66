import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Answer, answerWith, type Call, header } from "./call.ts";
import { acceptsGzip, matchesTag } from "./conditional.ts";

type Prepared = { etag: string; body: Buffer; zipped: Promise<Buffer> | undefined };
type Kept = { asOf: string; prepared: Promise<Prepared> };

const MOST_KEPT = 200;
const LARGEST_KEPT_BYTES = 256 * 1024;
const GZIP_ABOVE_BYTES = 1024;
const zip = promisify(gzip);

/** Answers from a body that takes work: it is made once for all who ask the same of the same state of things. */
export function createHashedAnswers(): (
  call: Call,
  cacheControl: string,
  question: string,
  asOf: string,
  build: () => Promise<Buffer>,
) => Promise<Answer> {
  const kept = new Map<string, Kept>();

  const prepare = (question: string, asOf: string, build: () => Promise<Buffer>): Promise<Prepared> => {
    const known = kept.get(question);
    if (known?.asOf === asOf) return known.prepared;
    const prepared = build().then((body) => ({ etag: tagOf(body), body, zipped: undefined }));
    const made: Kept = { asOf, prepared };
    kept.delete(question);
    kept.set(question, made);
    const [oldest = question] = kept.keys();
    if (kept.size > MOST_KEPT) kept.delete(oldest);
    const forget = () => kept.get(question) === made && kept.delete(question);
    prepared.then(({ body }) => body.length > LARGEST_KEPT_BYTES && forget(), forget);
    return prepared;
  };

  return async (call, cacheControl, question, asOf, build) => {
    const prepared = await prepare(question, asOf, build);
    const { etag, body } = prepared;
    const shared = ["etag", etag, "cache-control", cacheControl, "vary", "Accept-Encoding"];
    if (matchesTag(header(call.asked, "if-none-match"), etag)) return answerWith(call, 304, shared);
    const headers = ["content-type", "application/json", ...shared];
    if (body.length <= GZIP_ABOVE_BYTES || !acceptsGzip(header(call.asked, "accept-encoding")))
      return answerWith(call, 200, [...headers, "content-length", String(body.length)], body);
    const zipped = await (prepared.zipped ??= zip(body));
    return answerWith(
      call,
      200,
      [...headers, "content-encoding", "gzip", "content-length", String(zipped.length)],
      zipped,
    );
  };
}

const tagOf = (body: Buffer): string => `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;
