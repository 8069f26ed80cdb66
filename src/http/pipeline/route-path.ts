import type { Scope } from "../../domain/api-key.ts";
import type { Credential } from "../../store/keys.ts";
import type { HttpResponse, RequestContext } from "./request-context.ts";

export type HandlerResult = HttpResponse | Promise<HttpResponse>;

/** One route with its handler and the scope that a key needs for it. */
export type Route = { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string } & (
  | { scope: Scope; handle: (context: RequestContext, key: Credential) => HandlerResult }
  /** "public": no key, rate-limited by address. "open": no key and no limit. */
  | { scope: "public" | "open"; handle: (context: RequestContext) => HandlerResult }
);

/** A path with its routes. */
export type RoutePath = {
  path: string;
  byMethod: ReadonlyMap<string, Route>;
  /** The value of the Allow header. */
  allow: string;
  isPublic: boolean;
};

/** The route path used when no other matches (404). */
export const UNKNOWN_PATH: RoutePath = {
  path: "(none)",
  byMethod: new Map(),
  allow: "",
  isPublic: false,
};

/** Groups routes by path. A path with GET also accepts HEAD. */
export const groupByPath = (routes: readonly Route[]): RoutePath[] =>
  [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => {
    const byMethod = new Map<string, Route>(group.map((route) => [route.method, route]));
    const get = byMethod.get("GET");
    if (get) byMethod.set("HEAD", get);
    return {
      path,
      byMethod,
      allow: [...byMethod.keys(), "OPTIONS"].join(", "),
      isPublic: group.some(({ scope }) => scope === "public"),
    };
  });
