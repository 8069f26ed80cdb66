import { STATUS_CODES } from "node:http";
import { H3, type H3Event, type HTTPError } from "h3";
import { toNodeHandler } from "h3/node";
import { FastResponse } from "srvx";
import { AppError } from "../../domain/errors.ts";
import { type Pipeline, UNKNOWN_PATH, type RoutePath } from "./pipeline.ts";
import type { HttpResponse, HttpRequest } from "./request-context.ts";
import type { Listener } from "../transport/listener.ts";

export type Router = { request: H3["request"]; listener: Listener };

/** h3 finds the place that an address names. */
export function createRouter(places: readonly RoutePath[], { handle, reject }: Pipeline): Router {
  const answerAt = async (place: RoutePath, event: H3Event) =>
    toResponse(await handle(place, askedOf(event)));
  const h3 = new H3({
    silent: true,
    onError: (error, event) => toResponse(reject(askedOf(event), originOf(error))),
  });
  for (const place of places) h3.all(place.path, (event) => answerAt(place, event));
  h3.all("/**", (event) => answerAt(UNKNOWN_PATH, event));
  return { request: h3.request.bind(h3), listener: toNodeHandler(h3) as Listener };
}

function askedOf({ req, url, runtime, context }: H3Event): HttpRequest {
  const node = runtime?.node?.req;
  return {
    method: req.method,
    path: url.pathname,
    search: url.search,
    params: Object.fromEntries(
      Object.entries(context.params ?? {}).map(([name, text]) => [name, decode(text)]),
    ),
    headers: node?.headers ?? Object.fromEntries(req.headers),
    connection: node?.socket ?? req,
    peerAddress: node?.socket?.remoteAddress ?? "127.0.0.1",
    body: () => req.body,
    disconnected: () => req.signal,
  };
}

/** h3 hands parameters over as they were sent; what cannot be decoded it has refused before. */
const decode = (sent: string): string => (sent.includes("%") ? decodeURIComponent(sent) : sent);

function toResponse({ status, headers, body }: HttpResponse): Response {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2)
    pairs.push([headers[i] as string, headers[i + 1] as string]);
  const statusText = STATUS_CODES[status] ?? "";
  return new FastResponse(body as Buffer<ArrayBuffer> | null, {
    status,
    statusText,
    headers: pairs,
  });
}

/** What was thrown, out of what h3 makes of it. Its own complaints are about addresses that cannot be read. */
function originOf(error: HTTPError): unknown {
  if (error.unhandled) return error.cause;
  return error.status < 500
    ? new AppError("route_not_found", "This address cannot be read.")
    : error;
}
