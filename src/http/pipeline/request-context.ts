import type { IncomingHttpHeaders } from "node:http";

/** Name, value, name, value: written as they are, where a Headers object costs a third of the throughput. */
export type RawHeaders = string[];

/** A request, whichever way it came in. */
export type HttpRequest = {
  method: string;
  /** As it was sent, without the query. */
  path: string;
  /** Empty, or with its question mark. */
  search: string;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** The other end of the socket, which is not yet the client: there may be a proxy between. */
  peerAddress: string;
  /** The same for all that comes over one socket. */
  connection: object;
  body: () => ReadableStream<Uint8Array> | null;
  /** Told when the client hangs up. */
  disconnected: () => AbortSignal;
};

/** A request on its way to its answer. */
export type RequestContext = {
  request: HttpRequest;
  requestId: string;
  /** When it came in: epoch milliseconds, and on the clock that never jumps. */
  now: number;
  startedAt: number;
  /** Grows while the request is judged: whatever goes wrong later, these are sent. */
  responseHeaders: RawHeaders;
  /** Whose key it came with, once that is known. */
  keyId: string | null;
};

/** What goes back, to be written by whichever way the request came in. */
export type HttpResponse = { status: number; headers: RawHeaders; body: Buffer | null };

export const toRawHeaders = (headers: Record<string, string>): RawHeaders =>
  Object.entries(headers).flat();

export const getHeader = (asked: HttpRequest, name: string): string | undefined => {
  const value = asked.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
};

/** The path as it may be logged: somebody may have put a key into it. */
export const redactPath = ({ path }: HttpRequest): string =>
  path.includes("deskbell_") ? path.replace(/(deskbell_[sr]k_)\w+/g, "$1…") : path;

/** The end of a call: `headers` go after those that it has gathered. */
export function respond(
  call: RequestContext,
  status: number,
  headers: RawHeaders,
  body: Buffer | null = null,
): HttpResponse {
  call.responseHeaders.push(...headers);
  return { status, headers: call.responseHeaders, body };
}

export const respondJson = (
  call: RequestContext,
  status: number,
  value: unknown,
  headers: RawHeaders = [],
): HttpResponse =>
  respondBytes(call, status, "application/json", Buffer.from(JSON.stringify(value)), headers);

export const respondBytes = (
  call: RequestContext,
  status: number,
  type: string,
  body: Buffer,
  headers: RawHeaders = [],
): HttpResponse =>
  respond(
    call,
    status,
    ["content-type", type, "content-length", String(body.length), ...headers],
    body,
  );
