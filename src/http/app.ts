import { H3, type H3Event, type HTTPError } from "h3";
import { createKeyUse, type KeyUse } from "../app/keys.ts";
import type { Scope } from "../domain/api-key.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Credential } from "../store/keys.ts";
import { answerAvailability } from "./availability.ts";
import { type Call, type HeaderPairs, respond } from "./call.ts";
import {
  eventsView,
  menuView,
  promotionsView,
  serviceCategoriesView,
  servicesView,
  staffView,
} from "./catalog-views.ts";
import { createGate } from "./gate.ts";
import { respondProblem } from "./problem-response.ts";
import { createRequestIds } from "./request-ids.ts";
import { createViews } from "./view-cache.ts";
import { createWebhook } from "./webhooks.ts";

type Answer = Response | Promise<Response>;
type Route = { method: "GET" | "POST"; path: string } & (
  | { scope: Scope; handle: (call: Call, key: Credential) => Answer }
  | { scope: "public"; handle: (call: Call, slug: string) => Answer }
);

/** Every route with what a key needs for it. */
function routesOf(rt: Runtime): Route[] {
  const serve = createViews(rt);
  return [
    { method: "GET", path: "/businesses/:slug/menu", scope: "services.read", handle: serve(menuView) },
    { method: "GET", path: "/businesses/:slug/services", scope: "services.read", handle: serve(servicesView) },
    {
      method: "GET",
      path: "/businesses/:slug/service-categories",
      scope: "services.read",
      handle: serve(serviceCategoriesView),
    },
    { method: "GET", path: "/businesses/:slug/staff", scope: "services.read", handle: serve(staffView) },
    { method: "GET", path: "/businesses/:slug/promotions", scope: "services.read", handle: serve(promotionsView) },
    { method: "GET", path: "/businesses/:slug/events/catalog", scope: "services.read", handle: serve(eventsView) },
    { method: "GET", path: "/businesses/:slug/availability", scope: "public", handle: answerAvailability(rt) },
    { method: "POST", path: "/businesses/:slug/webhooks", scope: "webhooks.write", handle: createWebhook(rt) },
  ];
}

const BASE = "/v1";
const API_VERSION = "1.0";
const MAX_URL_LENGTH = 8192;
const CORS: HeaderPairs = [
  ["access-control-allow-origin", "*"],
  ["access-control-expose-headers", "ETag, Retry-After, RateLimit, RateLimit-Policy, Request-Id"],
];

/** The whole API. A request is judged in this order: route, method, key, slug, scope, limit, parameters. */
export function createApp(rt: Runtime, keyUse: KeyUse = createKeyUse(rt)): H3 {
  const nextRequestId = createRequestIds(rt);
  const gate = createGate(rt, keyUse);

  const begin = (event: H3Event, headers: HeaderPairs = []): Call => {
    const requestId = nextRequestId();
    const call: Call = {
      event,
      requestId,
      headers: [["request-id", requestId], ["api-version", API_VERSION], ...headers],
    };
    event.context["call"] = call;
    if (event.url.pathname.length + event.url.search.length > MAX_URL_LENGTH)
      throw new AppError("uri_too_long", `An address may have ${MAX_URL_LENGTH} characters at most.`);
    return call;
  };

  const app = new H3({
    silent: true,
    onError(error, event) {
      const call = (event.context["call"] as Call | undefined) ?? begin(event);
      return respondProblem(rt, call, originOf(error));
    },
  });

  for (const [path, routes] of Map.groupBy(routesOf(rt), (route) => route.path)) {
    const byMethod = new Map<string, Route>(routes.map((route) => [route.method, route]));
    const get = byMethod.get("GET");
    if (get) byMethod.set("HEAD", get);
    const allowed = [...byMethod.keys(), "OPTIONS"].join(", ");
    const cors = routes.some((route) => route.scope === "public") ? CORS : undefined;

    app.all(BASE + path, (event) => {
      const call = begin(event, cors);
      const route = byMethod.get(event.req.method);
      if (!route) return answerOtherMethod(call, allowed, cors !== undefined);
      const slug = decodeSlug(event.context.params?.["slug"] ?? "");
      if (route.scope !== "public") return route.handle(call, gate.admit(call, slug, route.scope));
      gate.admitAnybody(call);
      return route.handle(call, slug);
    });
  }

  app.all("/**", (event) => {
    begin(event);
    throw new AppError("route_not_found", "Nothing answers at this address.");
  });
  return app;
}

/** h3 hands parameters over as they were sent; what cannot be decoded it has refused before. */
const decodeSlug = (sent: string): string => (sent.includes("%") ? decodeURIComponent(sent) : sent);

function answerOtherMethod(call: Call, allowed: string, isPublic: boolean): Response {
  call.headers.push(["allow", allowed]);
  if (call.event.req.method !== "OPTIONS")
    throw new AppError("method_not_allowed", `This address answers ${allowed} only.`);
  const preflight: HeaderPairs = [
    ["access-control-allow-methods", allowed],
    ["access-control-max-age", "86400"],
  ];
  return respond(call, 204, isPublic ? preflight : [], null);
}

/** What was thrown, out of what h3 makes of it. Its own complaints are about addresses that cannot be read. */
function originOf(error: HTTPError): unknown {
  if (error.unhandled) return error.cause;
  return error.status < 500 ? new AppError("route_not_found", "This address cannot be read.") : error;
}
