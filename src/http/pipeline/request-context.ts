import type { IncomingHttpHeaders } from "node:http";

/** Names and values in turn, as Node writes them. Headers objects cost a third of throughput. */
export type RawHeaders = string[];

/** Enough for `ids` with 500 IDs. With the other headers, Node allows 16 KiB. */
export const MAX_URL_LENGTH = 14 * 1024;
export const MAX_BODY_BYTES = 64 * 1024;

/** A request from a socket or from `App.request`. */
export type HttpRequest = {
  method: string;
  /** The path as received, still percent-encoded, without the query. */
  path: string;
  search: string;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** The client, or a proxy in front of it. */
  peerAddress: string;
  /** An object that all requests of one connection share. */
  connection: object;
  body: () => ReadableStream<Uint8Array> | null;
  disconnected: () => AbortSignal;
};

export type RequestContext = {
  request: HttpRequest;
  requestId: string;
  /** Epoch milliseconds. */
  now: number;
  /** Time of receipt on the monotonic clock. */
  startedAt: number;
  responseHeaders: RawHeaders;
  /** Null until the request is authenticated. */
  keyId: string | null;
  /** Set once the body is being read: a request with an Idempotency-Key reads it twice. */
  body: Promise<Buffer> | null;
  /** Set once the body has been parsed; nobody changes it. */
  json?: Readonly<Record<string, unknown>>;
  /** Stores a reply that can be replayed; null without an Idempotency-Key. */
  saveReply: ((reply: HttpResponse) => void) | null;
};

export type HttpResponse = { status: number; headers: RawHeaders; body: Buffer | null };

export const toRawHeaders = (headers: Record<string, string>): RawHeaders =>
  Object.entries(headers).flat();

export const getHeader = (request: HttpRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
};

export type HandlerResult = HttpResponse | Promise<HttpResponse>;

/** Appends `headers` to those collected in the context. */
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

/** Keeps a browser from guessing another type from the content. */
export const NO_SNIFF: RawHeaders = ["x-content-type-options", "nosniff"];

export const contentHeaders = (type: string, body: Buffer): RawHeaders => [
  "content-type",
  type,
  ...NO_SNIFF,
  "content-length",
  String(body.length),
];
