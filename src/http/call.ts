import type { IncomingHttpHeaders } from "node:http";

/** Name, value, name, value: written as they are, where a Headers object costs a third of the throughput. */
export type FlatHeaders = string[];

/** A request, whichever way it came in. */
export type Asked = {
  method: string;
  /** As it was sent, without the query. */
  path: string;
  /** Empty, or with its question mark. */
  search: string;
  params: Readonly<Record<string, string>>;
  sent: IncomingHttpHeaders;
  /** The other end of the socket, which is not yet the client: there may be a proxy between. */
  peer: string;
  /** The same for all that comes over one socket. */
  connection: object;
  body: () => ReadableStream<Uint8Array> | null;
  /** Told when the client hangs up. */
  gone: () => AbortSignal;
};

/** A request on its way to its answer. */
export type Call = {
  asked: Asked;
  requestId: string;
  /** When it came in: epoch milliseconds, and on the clock that never jumps. */
  now: number;
  startedAt: number;
  /** Grows while the request is judged: whatever goes wrong later, these are sent. */
  headers: FlatHeaders;
  /** Whose key it came with, once that is known. */
  keyId: string | null;
};

/** What goes back, to be written by whichever way the request came in. */
export type Answer = { status: number; headers: FlatHeaders; body: Buffer | null };

export const flat = (headers: Record<string, string>): FlatHeaders =>
  Object.entries(headers).flat();

export const header = (asked: Asked, name: string): string | undefined => {
  const value = asked.sent[name];
  return typeof value === "string" ? value : value?.join(", ");
};

/** The path as it may be logged: somebody may have put a key into it. */
export const loggedPath = ({ path }: Asked): string =>
  path.includes("deskbell_") ? path.replace(/(deskbell_[sr]k_)\w+/g, "$1…") : path;

/** The end of a call: `headers` go after those that it has gathered. */
export function answerWith(
  call: Call,
  status: number,
  headers: FlatHeaders,
  body: Buffer | null = null,
): Answer {
  call.headers.push(...headers);
  return { status, headers: call.headers, body };
}

export const answerJson = (
  call: Call,
  status: number,
  value: unknown,
  headers: FlatHeaders = [],
): Answer =>
  answerBytes(call, status, "application/json", Buffer.from(JSON.stringify(value)), headers);

export const answerBytes = (
  call: Call,
  status: number,
  type: string,
  body: Buffer,
  headers: FlatHeaders = [],
): Answer =>
  answerWith(
    call,
    status,
    ["content-type", type, "content-length", String(body.length), ...headers],
    body,
  );
