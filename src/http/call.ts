import ipaddr from "ipaddr.js";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";

/** Header pairs: srvx writes them as they are, where a Headers object costs a third of the throughput. */
export type HeaderPairs = [string, string][];

/** What one request has to say about itself in every answer, an error's too. */
export type Call = {
  event: H3Event;
  requestId: string;
  /** Grows while the request is judged: whatever goes wrong later, these are sent. */
  headers: HeaderPairs;
};

// Node's own table of request headers is at hand; through a Headers object the same costs several times as much.
export const header = (event: H3Event, name: string): string | undefined => {
  const node = event.runtime?.node;
  if (!node) return event.req.headers.get(name) ?? undefined;
  const value = node.req?.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
};

/** Who is asking. A proxy's word for it (X-Forwarded-For) is anybody's to write, so that only the socket counts. */
export function clientAddress(event: H3Event): string {
  const address = event.req.ip ?? "127.0.0.1";
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}

/** Whom a limit by address counts together: one IPv6 subscriber has a whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

export const respond = (
  call: Call,
  status: number,
  headers: HeaderPairs,
  body: Uint8Array<ArrayBuffer> | null,
): Response =>
  new FastResponse(call.event.req.method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer> | null), {
    status,
    headers: headers.length > 0 ? [...call.headers, ...headers] : call.headers,
  });

export function respondJson(call: Call, status: number, value: unknown, headers: HeaderPairs = []): Response {
  const body = Buffer.from(JSON.stringify(value));
  return respond(
    call,
    status,
    [["content-type", "application/json"], ["content-length", String(body.length)], ...headers],
    body,
  );
}
