import type { Scope } from "../domain/api-key.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Credential } from "../store/keys.ts";
import { type Answer, answerWith, type Asked, type Call, flat, type FlatHeaders } from "./call.ts";
import type { Gate } from "./gate/gate.ts";
import type { Observe } from "./observe.ts";
import { answerProblem } from "./problem-response.ts";
import { createRequestIds } from "./request-ids.ts";

export type Handled = Answer | Promise<Answer>;

/** One line of the API's table: what a key needs for it, and who answers. */
export type Route = { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string } & (
  | { scope: Scope; handle: (call: Call, key: Credential) => Handled }
  /** "public": anybody, limited by address. "open": anybody, as often as they like. */
  | { scope: "public" | "open"; handle: (call: Call) => Handled }
);

/** An address with all that answers there. */
export type Place = {
  path: string;
  byMethod: ReadonlyMap<string, Route>;
  /** The methods, as Allow has them. */
  allowed: string;
  isPublic: boolean;
};

export const API_VERSION = "1.0";
export const MAX_URL_LENGTH = 8192;
const CORS = flat({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
});

/** Where nothing is. */
export const NOWHERE: Place = { path: "(none)", byMethod: new Map(), allowed: "", isPublic: false };

export const placesOf = (routes: readonly Route[]): Place[] =>
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

export type Answering = {
  /** Judges a request in this order: method, key, slug, scope, limit, parameters. It never throws. */
  answer: (place: Place, asked: Asked) => Handled;
  /** Answers one that did not get as far as a place. */
  refuse: (asked: Asked, error: unknown) => Answer;
};

export function createAnswering(rt: Runtime, gate: Gate, observe: Observe): Answering {
  const nextRequestId = createRequestIds(rt);

  const begin = (place: Place, asked: Asked): Call => {
    const requestId = nextRequestId();
    const headers: FlatHeaders = ["request-id", requestId, "api-version", API_VERSION];
    if (place.isPublic) headers.push(...CORS);
    return { asked, requestId, now: rt.now(), startedAt: rt.monotonic(), headers, keyId: null };
  };

  const judge = (place: Place, call: Call): Handled => {
    const { method, path, search, params } = call.asked;
    if (path.length + search.length > MAX_URL_LENGTH)
      throw new AppError(
        "uri_too_long",
        `An address may have ${MAX_URL_LENGTH} characters at most.`,
      );
    if (place === NOWHERE)
      throw new AppError(
        "route_not_found",
        "Nothing answers at this address: /docs names those that do.",
      );
    const route = place.byMethod.get(method);
    if (!route) return answerOtherMethod(call, place);
    if (route.scope === "open") return route.handle(call);
    if (route.scope === "public") {
      gate.admitAnybody(call);
      return route.handle(call);
    }
    return route.handle(call, gate.admit(call, params["slug"] ?? "", route.scope));
  };

  const finish = (place: Place, call: Call, answer: Answer): Answer => {
    observe(place, call, answer);
    // RFC 9110: the same headers, its length too.
    return call.asked.method === "HEAD" ? { ...answer, body: null } : answer;
  };

  return {
    answer(place, asked) {
      const call = begin(place, asked);
      try {
        const handled = judge(place, call);
        if (!(handled instanceof Promise)) return finish(place, call, handled);
        return handled
          .catch((error: unknown) => answerProblem(rt, call, error))
          .then((answer) => finish(place, call, answer));
      } catch (error) {
        return finish(place, call, answerProblem(rt, call, error));
      }
    },
    refuse(asked, error) {
      const call = begin(NOWHERE, asked);
      return finish(NOWHERE, call, answerProblem(rt, call, error));
    },
  };
}

function answerOtherMethod(call: Call, { allowed, isPublic }: Place): Answer {
  call.headers.push("allow", allowed);
  if (call.asked.method !== "OPTIONS")
    throw new AppError("method_not_allowed", `This address answers ${allowed} only.`);
  const preflight = isPublic
    ? ["access-control-allow-methods", allowed, "access-control-max-age", "86400"]
    : [];
  return answerWith(call, 204, preflight);
}
