import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { AppError } from "../../../domain/errors.ts";
import {
  type HttpResponse,
  respond,
  type RequestContext,
  getHeader,
} from "../../pipeline/request-context.ts";
import { acceptsGzip, matchesTag, tagOf } from "../../pipeline/conditional.ts";

type Prepared = { etag: string; body: Buffer; zipped: Promise<Buffer> | undefined };
type Kept = { asOf: string; prepared: Promise<Prepared>; waiting: number; abandon: () => void };

const MOST_KEPT = 200;
const LARGEST_KEPT_BYTES = 256 * 1024;
const GZIP_ABOVE_BYTES = 1024;

/**
 * Answers from a body that takes work: it is made once for all who ask the same of the same state of things, and left unmade
 * when the last of them hangs up.
 */
export function createSharedResponses(): (
  call: RequestContext,
  cacheControl: string,
  question: string,
  asOf: string,
  build: (stop: AbortSignal) => Promise<Buffer>,
) => Promise<HttpResponse> {
  const kept = new Map<string, Kept>();

  const prepare = (
    question: string,
    asOf: string,
    build: (stop: AbortSignal) => Promise<Buffer>,
  ): Kept => {
    const known = kept.get(question);
    if (known?.asOf === asOf) return known;
    const stop = new AbortController();
    const prepared = build(stop.signal).then((body) => ({
      etag: tagOf(body),
      body,
      zipped: undefined,
    }));
    const abandon = () => {
      forget();
      stop.abort(new AppError("busy", "Whoever asked has hung up."));
    };
    const made: Kept = { asOf, prepared, waiting: 0, abandon };
    kept.delete(question);
    kept.set(question, made);
    const [oldest = question] = kept.keys();
    if (kept.size > MOST_KEPT) kept.delete(oldest);
    const forget = () => kept.get(question) === made && kept.delete(question);
    prepared.then(({ body }) => body.length > LARGEST_KEPT_BYTES && forget(), forget);
    return made;
  };

  return async (call, cacheControl, question, asOf, build) => {
    const prepared = await share(prepare(question, asOf, build), call.request.disconnected());
    const { etag, body } = prepared;
    const shared = ["etag", etag, "cache-control", cacheControl, "vary", "Accept-Encoding"];
    if (matchesTag(getHeader(call.request, "if-none-match"), etag))
      return respond(call, 304, shared);
    const headers = ["content-type", "application/json", ...shared];
    if (body.length <= GZIP_ABOVE_BYTES || !acceptsGzip(getHeader(call.request, "accept-encoding")))
      return respond(call, 200, [...headers, "content-length", String(body.length)], body);
    const zipped = await (prepared.zipped ??= promisify(gzip)(body));
    return respond(
      call,
      200,
      [...headers, "content-encoding", "gzip", "content-length", String(zipped.length)],
      zipped,
    );
  };
}

async function share(made: Kept, gone: AbortSignal): Promise<Prepared> {
  const leave = () => {
    made.waiting -= 1;
    if (made.waiting === 0) made.abandon();
  };
  made.waiting += 1;
  gone.addEventListener("abort", leave);
  try {
    return await made.prepared;
  } finally {
    gone.removeEventListener("abort", leave);
  }
}
