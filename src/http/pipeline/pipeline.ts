import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { createIdSource } from "../../domain/ids.ts";
import type { Credential } from "../../store/keys.ts";
import type { AccessControl } from "../auth/access-control.ts";
import type { GetClientAddress } from "../auth/client-address.ts";
import { compressLarge } from "./cached-response.ts";
import { createHandleOnce } from "./idempotency.ts";
import { respondWithProblem } from "./problems.ts";
import {
  type HttpRequest,
  type HttpResponse,
  MAX_URL_LENGTH,
  type RawHeaders,
  type RequestContext,
  respond,
  toRawHeaders,
  type HandlerResult,
} from "./request-context.ts";
import type { ResponseObserver } from "./response-observer.ts";
import { type Route, type RoutePath, UNKNOWN_PATH } from "./route.ts";

export const API_VERSION = "1.0";
const CORS_HEADERS = toRawHeaders({
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Catalog-Version, X-Service-Sequence, Link, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
});
// Pages of other origins may not send Authorization, because a page must not contain a key.
const PREFLIGHT_HEADERS = toRawHeaders({
  "access-control-allow-headers": "If-None-Match, Accept-Language",
  "access-control-max-age": "86400",
});

/** Number of base-32 digits of the counter in a request ID. */
const COUNTER_DIGITS = 6;

export type Pipeline = {
  /**
   * Handles a request. The checks run in this order: URL length, path, method, whether the
   * server may write, key, business, scope, rate limit, Idempotency-Key, parameters. An error
   * becomes a problem response: nothing is thrown.
   */
  handle: (routePath: RoutePath, request: HttpRequest) => HandlerResult;
  /** Responds to a request that failed before it reached a route. */
  reject: (request: HttpRequest, error: unknown) => HttpResponse;
};

/**
 * Returns the key to which the reply of a request belongs. All keys of a partner share one ID at a
 * business, and therefore share replies. The reply to a rotation contains a secret, so it belongs
 * to the rotated key alone.
 */
const findReplyOwner = (route: Route, key: Credential): Pick<Credential, "id" | "name"> =>
  route.rotatesKey ? { ...key, id: key.secretKeyId } : key;

export function createPipeline(
  rt: Runtime,
  accessControl: AccessControl,
  observe: ResponseObserver,
  getClientAddress: GetClientAddress,
): Pipeline {
  const nextRequestId = createRequestIds(rt);
  const handleOnce = createHandleOnce(rt);

  const createContext = (routePath: RoutePath, request: HttpRequest): RequestContext => {
    const requestId = nextRequestId();
    const responseHeaders: RawHeaders = ["request-id", requestId, "api-version", API_VERSION];
    if (routePath.allowsCors) responseHeaders.push(...CORS_HEADERS);
    return {
      request,
      requestId,
      now: rt.now(),
      startedAt: rt.monotonic(),
      responseHeaders,
      keyId: null,
      body: null,
      saveReply: null,
    };
  };

  const dispatch = (routePath: RoutePath, context: RequestContext): HandlerResult => {
    const { method, path, search, params } = context.request;
    if (path.length + search.length > MAX_URL_LENGTH)
      throw new AppError(
        "uri_too_long",
        `The URL is too long: path and query may have at most ${MAX_URL_LENGTH} characters.`,
      );
    if (routePath === UNKNOWN_PATH)
      throw new AppError(
        "route_not_found",
        "No route matches this path; see /docs for the routes.",
      );
    const route = routePath.byMethod.get(method);
    if (!route) return respondToOtherMethod(context, routePath);
    if (route.method !== "GET") rt.assertMayWrite();
    const slug = params["slug"] ?? "";
    if (route.scope === "open" || route.scope === "public") {
      if (route.scope === "open") accessControl.limitOpen(context);
      else accessControl.limitPublic(context, slug);
      return route.handle(context);
    }
    // Reads are not audited, so they run without an actor, which is faster.
    if (route.isAboveBusinesses) {
      const key = accessControl.authorizePartner(context, route.scope);
      const handle = () => route.handle(context, key);
      return route.method === "GET" ? handle() : dispatchWrite(route, context, key, handle);
    }
    const key = accessControl.authorize(context, slug, route.scope, route.rotatesKey);
    return route.method === "GET"
      ? route.handle(context, key)
      : dispatchWrite(route, context, findReplyOwner(route, key), () => route.handle(context, key));
  };

  const dispatchWrite = (
    route: Route,
    context: RequestContext,
    key: Pick<Credential, "id" | "name">,
    handle: () => HandlerResult,
  ): HandlerResult => {
    const address = getClientAddress(context.request);
    return rt.runAs({ via: "http", id: key.id, name: key.name, address }, () =>
      route.method === "POST"
        ? handleOnce(context, key, handle, route.needsIdempotencyKey === true)
        : handle(),
    );
  };

  const finish = (
    routePath: RoutePath,
    context: RequestContext,
    response: HttpResponse,
  ): HttpResponse => {
    observe(routePath, context, response);
    // A HEAD response has the headers of the GET response, including Content-Length (RFC 9110).
    return context.request.method === "HEAD" ? { ...response, body: null } : response;
  };

  const compressAndFinish = (
    routePath: RoutePath,
    context: RequestContext,
    response: HttpResponse,
  ): HandlerResult => {
    const compressed = compressLarge(context, response);
    return compressed instanceof Promise
      ? compressed.then((smaller) => finish(routePath, context, smaller))
      : finish(routePath, context, compressed);
  };

  const finishLater = (
    routePath: RoutePath,
    context: RequestContext,
    result: Promise<HttpResponse>,
  ): HandlerResult =>
    result
      .catch((error: unknown) => respondWithProblem(rt, context, error))
      .then((response) => compressAndFinish(routePath, context, response));

  return {
    // This method creates no closure, because V8 would then allocate memory for its variables.
    handle(routePath, request) {
      const context = createContext(routePath, request);
      try {
        const result = dispatch(routePath, context);
        return result instanceof Promise
          ? finishLater(routePath, context, result)
          : compressAndFinish(routePath, context, result);
      } catch (error) {
        return compressAndFinish(routePath, context, respondWithProblem(rt, context, error));
      }
    },
    reject(request, error) {
      const context = createContext(UNKNOWN_PATH, request);
      return finish(UNKNOWN_PATH, context, respondWithProblem(rt, context, error));
    },
  };
}

/** Responds to OPTIONS, and rejects a method that the path does not support. */
function respondToOtherMethod(
  context: RequestContext,
  { allow, allowsCors }: RoutePath,
): HttpResponse {
  context.responseHeaders.push("allow", allow);
  if (context.request.method !== "OPTIONS")
    throw new AppError("method_not_allowed", `This path supports only ${allow}.`);
  const preflightHeaders = allowsCors
    ? ["access-control-allow-methods", allow, ...PREFLIGHT_HEADERS]
    : [];
  return respond(context, 204, preflightHeaders);
}

/**
 * Returns a function that creates request IDs: a random prefix, then a counter, which is cheap. The
 * prefix changes when the counter begins again.
 */
function createRequestIds(rt: Runtime): () => string {
  const newId = createIdSource(rt.now, (bytes) =>
    Uint8Array.from({ length: bytes }, () => rt.randomFraction() * 256),
  );
  let prefix = "";
  let count = 0;
  return () => {
    if (count === 0) prefix = newId("req").slice(0, -COUNTER_DIGITS);
    const digits = count.toString(32).padStart(COUNTER_DIGITS, "0");
    count = (count + 1) % 32 ** COUNTER_DIGITS;
    return prefix + digits;
  };
}
