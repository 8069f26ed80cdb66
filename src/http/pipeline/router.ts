import { type RequestListener, STATUS_CODES } from "node:http";
import { H3, type H3Event, type HTTPError } from "h3";
import { toNodeHandler } from "h3/node";
import { FastResponse } from "srvx";
import { AppError } from "../../domain/errors.ts";
import { NO_STORE } from "./business-response.ts";
import type { Pipeline } from "./pipeline.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type RequestContext,
  respond,
} from "./request-context.ts";
import { groupByPath, type RoutePath, UNKNOWN_PATH } from "./route.ts";

export type Router = { request: H3["request"]; listener: RequestListener };

export function createRouter(
  routePaths: readonly RoutePath[],
  { handle, reject }: Pipeline,
): Router {
  const handleEvent = async (routePath: RoutePath, event: H3Event) => {
    const request = toHttpRequest(event);
    return toResponse(await handle(findSpelled(request.path, routePath), request));
  };
  const h3 = new H3({
    silent: true,
    onError: (error, event) => toResponse(reject(toHttpRequest(event), unwrapError(error))),
  });
  for (const routePath of routePaths)
    h3.all(routePath.path, (event) => handleEvent(routePath, event));
  h3.all("/**", (event) => handleEvent(UNKNOWN_PATH, event));
  return { request: h3.request.bind(h3), listener: toNodeHandler(h3) as RequestListener };
}

/**
 * Returns the route of a path that h3 has matched with `routePath`. A path with an additional slash
 * at its end gets a redirect if the route allows the slash. Any other spelling gets `UNKNOWN_PATH`.
 */
function findSpelled(path: string, routePath: RoutePath): RoutePath {
  if (isSpelledAs(path, routePath)) return routePath;
  const get = routePath.byMethod.get("GET");
  const isSlashed = path.endsWith("/") && isSpelledAs(path.slice(0, -1), routePath);
  if (!isSlashed || !get?.allowsSlash) return UNKNOWN_PATH;
  const [slashed = UNKNOWN_PATH] = groupByPath([
    { method: "GET", path: routePath.path, scope: "open", handle: redirectWithoutSlash },
  ]);
  return slashed;
}

/** Redirects to the path without the slash at its end. */
function redirectWithoutSlash(context: RequestContext): HttpResponse {
  const { path, search } = context.request;
  const last = path.slice(0, -1).split("/").at(-1);
  // A relative URL stays correct behind a proxy that serves deskbell below a path.
  const location = `../${last}${search}`;
  return respond(context, 308, ["location", location, "content-length", "0", ...NO_STORE]);
}

/**
 * Returns whether a path is spelled like its route. h3 normalizes URLs, so /x/../metrics, /metrics/
 * and /%6detrics would pass a proxy that denies /metrics.
 */
function isSpelledAs(path: string, routePath: RoutePath): boolean {
  const segments = path.split("/");
  const pattern = routePath.path.split("/");
  return (
    segments.length === pattern.length &&
    pattern.every((part, i) => part.startsWith(":") || part === segments[i])
  );
}

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Returns the path of a request target.
 * @param target in the origin form or the absolute form (RFC 9112, section 3.2)
 */
const pathOf = (target: string): string => target.replace(ORIGIN, "").split("?", 1)[0] ?? "";

function toHttpRequest({ req, url, runtime, context }: H3Event): HttpRequest {
  // A request of `App.request` has no socket.
  const node = runtime?.node?.req;
  return {
    method: req.method,
    path: node?.url === undefined ? url.pathname : pathOf(node.url),
    search: url.search,
    params: Object.fromEntries(
      Object.entries(context.params ?? {}).map(([name, text]) => [name, decodeParam(text)]),
    ),
    headers: node?.headers ?? { host: url.host, ...Object.fromEntries(req.headers) },
    connection: node?.socket ?? req,
    peerAddress: node?.socket?.remoteAddress ?? "127.0.0.1",
    body: () => req.body,
    disconnected: () => req.signal,
  };
}

/** Decodes a path parameter. h3 leaves parameters encoded, but has rejected invalid encodings. */
const decodeParam = (text: string): string =>
  text.includes("%") ? decodeURIComponent(text) : text;

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

/** Returns the error that a handler threw. h3's own errors are about URLs that it cannot parse. */
function unwrapError(error: HTTPError): unknown {
  if (error.unhandled) return error.cause;
  return error.status < 500
    ? new AppError("route_not_found", "The URL path is not validly percent-encoded.")
    : error;
}
