import type { Scope } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Credential } from "../../store/keys.ts";
import {
  type HttpResponse,
  respond,
  type HttpRequest,
  type RequestContext,
  toRawHeaders,
  type RawHeaders,
} from "./request-context.ts";
import type { AccessControl } from "../auth/access-control.ts";
import type { ResponseObserver } from "./response-observer.ts";
import { respondWithProblem } from "./problem-response.ts";
import { createRequestIds } from "./request-ids.ts";

export type HandlerResult = HttpResponse | Promise<HttpResponse>;

/** One line of the API's table: what a key needs for it, and who answers. */
export type Route = { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string } & (
  | { scope: Scope; handle: (call: RequestContext, key: Credential) => HandlerResult }
  /** "public": anybody, limited by address. "open": anybody, as often as they like. */
  | { scope: "public" | "open"; handle: (call: RequestContext) => HandlerResult }
);

/** An address with all that answers there. */
export type RoutePath = {
  path: string;
  byMethod: ReadonlyMap<string, Route>;
  /** The methods, as Allow has them. */
  allowed: string;
  isPublic: boolean;
};

export const API_VERSION = "1.0";
export const MAX_URL_LENGTH = 8192;
const CORS = toRawHeaders({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
});

/** Where nothing is. */
export const UNKNOWN_PATH: RoutePath = {
  path: "(none)",
  byMethod: new Map(),
  allowed: "",
  isPublic: false,
};

export const groupByPath = (routes: readonly Route[]): RoutePath[] =>
  [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => {
    const byMethod = new Map<string, Route>(group.map((route) => [route.method, route]));
    const get = byMethod.get("GET");
    if (get) byMethod.set("HEAD", get);
    return {
      path,
      byMethod,
      allowed: [...byMethod.keys(), "OPTIONS"].join(", "),
      isPublic: group.some(({ scope }) => scope === "public"),
    };
  });

export type Pipeline = {
  /** Judges a request in this order: method, key, slug, scope, limit, parameters. It never throws. */
  handle: (place: RoutePath, asked: HttpRequest) => HandlerResult;
  /** Answers one that did not get as far as a place. */
  reject: (asked: HttpRequest, error: unknown) => HttpResponse;
};

export function createPipeline(
  rt: Runtime,
  gate: AccessControl,
  observe: ResponseObserver,
): Pipeline {
  const nextRequestId = createRequestIds(rt);

  const begin = (place: RoutePath, asked: HttpRequest): RequestContext => {
    const requestId = nextRequestId();
    const headers: RawHeaders = ["request-id", requestId, "api-version", API_VERSION];
    if (place.isPublic) headers.push(...CORS);
    return {
      request: asked,
      requestId,
      now: rt.now(),
      startedAt: rt.monotonic(),
      responseHeaders: headers,
      keyId: null,
    };
  };

  const judge = (place: RoutePath, call: RequestContext): HandlerResult => {
    const { method, path, search, params } = call.request;
    if (path.length + search.length > MAX_URL_LENGTH)
      throw new AppError(
        "uri_too_long",
        `An address may have ${MAX_URL_LENGTH} characters at most.`,
      );
    if (place === UNKNOWN_PATH)
      throw new AppError(
        "route_not_found",
        "Nothing answers at this address: /docs names those that do.",
      );
    const route = place.byMethod.get(method);
    if (!route) return answerOtherMethod(call, place);
    if (route.scope === "open") return route.handle(call);
    if (route.scope === "public") {
      gate.limitByAddress(call);
      return route.handle(call);
    }
    return route.handle(call, gate.authorize(call, params["slug"] ?? "", route.scope));
  };

  const finish = (place: RoutePath, call: RequestContext, answer: HttpResponse): HttpResponse => {
    observe(place, call, answer);
    // RFC 9110: the same headers, its length too.
    return call.request.method === "HEAD" ? { ...answer, body: null } : answer;
  };

  return {
    handle(place, asked) {
      const call = begin(place, asked);
      try {
        const handled = judge(place, call);
        if (!(handled instanceof Promise)) return finish(place, call, handled);
        return handled
          .catch((error: unknown) => respondWithProblem(rt, call, error))
          .then((answer) => finish(place, call, answer));
      } catch (error) {
        return finish(place, call, respondWithProblem(rt, call, error));
      }
    },
    reject(asked, error) {
      const call = begin(UNKNOWN_PATH, asked);
      return finish(UNKNOWN_PATH, call, respondWithProblem(rt, call, error));
    },
  };
}

function answerOtherMethod(call: RequestContext, { allowed, isPublic }: RoutePath): HttpResponse {
  call.responseHeaders.push("allow", allowed);
  if (call.request.method !== "OPTIONS")
    throw new AppError("method_not_allowed", `This address answers ${allowed} only.`);
  const preflight = isPublic
    ? ["access-control-allow-methods", allowed, "access-control-max-age", "86400"]
    : [];
  return respond(call, 204, preflight);
}
