import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "../../app/idempotent-replies.ts";

/**
 * Names and values in turn, as Node writes them. `Headers` objects would cost a third of the
 * throughput.
 */
export type RawHeaders = string[];

/** Longest URL, with room for 500 `ids`. Node allows 16 KiB together with the other headers. */
export const MAX_URL_LENGTH = 14 * 1024;
export const MAX_BODY_BYTES = 64 * 1024;

/** A request from a socket or from `App.request`. */
export type HttpRequest = {
  method: string;
  /** The path as received, still percent-encoded, without the query. */
  path: string;
  /** The query, with or without its `?`. */
  search: string;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** The address of the client, or of a proxy in front of it. */
  peerAddress: string;
  /**
   * An object that identifies the connection, such as its socket. The last API key is cached for
   * each connection.
   */
  connection: object;
  body: () => ReadableStream<Uint8Array> | null;
  /** Returns a signal that is aborted when the client disconnects. */
  disconnected: () => AbortSignal;
};

export type RequestContext = {
  request: HttpRequest;
  requestId: string;
  /** Time of receipt on the wall clock, in epoch milliseconds. */
  now: number;
  /** Time of receipt on the monotonic clock, in milliseconds. */
  startedAt: number;
  responseHeaders: RawHeaders;
  /** ID of the API key; null until the request is authenticated. */
  keyId: string | null;
  /** Null until the body is read. The body of a request with an Idempotency-Key is used twice. */
  body: Promise<Buffer> | null;
  /** The parsed body; missing until it is parsed. No code changes it. */
  json?: Readonly<Record<string, unknown>>;
  /** Stores the reply to a request with an Idempotency-Key; null for others. */
  saveReply: ((reply: Reply) => void) | null;
};

export type HttpResponse = { status: number; headers: RawHeaders; body: Buffer | null };

export const toRawHeaders = (headers: Record<string, string>): RawHeaders =>
  Object.entries(headers).flat();

export const getHeader = (request: HttpRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
};

export type HandlerResult = HttpResponse | Promise<HttpResponse>;

/** Returns a response with `headers` after those collected in the context. */
export function respond(
  context: RequestContext,
  status: number,
  headers: RawHeaders,
  body: Buffer | null = null,
): HttpResponse {
  context.responseHeaders.push(...headers);
  return { status, headers: context.responseHeaders, body };
}

export const respondJson = (
  context: RequestContext,
  status: number,
  value: unknown,
  headers: RawHeaders = [],
): HttpResponse =>
  respondBytes(context, status, "application/json", Buffer.from(JSON.stringify(value)), headers);

export const respondBytes = (
  context: RequestContext,
  status: number,
  type: string,
  body: Buffer,
  headers: RawHeaders = [],
): HttpResponse => respond(context, status, [...contentHeaders(type, body), ...headers], body);

/** A header that keeps browsers from guessing another type from the content. */
export const NO_SNIFF: RawHeaders = ["x-content-type-options", "nosniff"];

export const contentHeaders = (type: string, body: Buffer): RawHeaders => [
  "content-type",
  type,
  ...NO_SNIFF,
  "content-length",
  String(body.length),
];
