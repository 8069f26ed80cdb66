import type { z } from "zod";
import type { AvailabilityFinder } from "../../app/availability/availability.ts";
import type { Monitoring } from "../../app/operations/monitoring.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { SendOnce } from "../../app/webhooks/test-endpoint.ts";
import type { NeededScope } from "../../domain/api-key.ts";
import type { Credential, PartnerCredential } from "../../store/keys.ts";
import type { AccessControl } from "../auth/access-control.ts";
import type { Operators } from "../auth/operators.ts";
import type { ScanQueue } from "../handlers/availability/scan-queue.ts";
import type { ListHandler } from "../handlers/catalog/list-responses.ts";
import type { LongPolls } from "../handlers/changes/long-polls.ts";
import type { HeaderName } from "../openapi/headers.ts";
import type { SchemaName } from "../openapi/schemas.ts";
import type { Metrics } from "./metrics.ts";
import type { Parameters } from "./parameters.ts";
import type { HttpCode } from "./problem-codes.ts";
import type { RequestWatch } from "./request-watch.ts";
import type { HandlerResult, RequestContext } from "./request-context.ts";

export type KeyHandler = (context: RequestContext, key: Credential) => HandlerResult;
/**
 * Handles a request to a route whose path names no business. The request has a partner's key for
 * several businesses.
 */
export type PartnerHandler = (context: RequestContext, key: PartnerCredential) => HandlerResult;
export type OpenHandler = (context: RequestContext) => HandlerResult;

export type Route = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Whether a request without an Idempotency-Key is rejected. */
  needsIdempotencyKey?: boolean;
  /** Whether the request rotates its key. */
  rotatesKey?: boolean;
  /** Whether pages of any origin may read the responses, for a route outside the API. */
  isForAnyOrigin?: boolean;
  /** Whether a route of another feature with the same path replaces this one. */
  isReplaceable?: boolean;
  /**
   * Whether the path with a slash at its end redirects to the route, because people type such
   * paths.
   */
  allowsSlash?: boolean;
} & (
  | { scope: NeededScope; isAboveBusinesses?: false; handle: KeyHandler }
  | { scope: NeededScope; isAboveBusinesses: true; handle: PartnerHandler }
  /**
   * A route that needs no key. An "open" route is outside /v1/businesses and has a rate limit of
   * its own.
   */
  | { scope: "public" | "open"; isAboveBusinesses?: false; handle: OpenHandler }
);

/** A request that a feature sends to a route of the API while it handles another request. */
export type ApiCall = {
  operationId: string;
  params: Readonly<Record<string, string>>;
  search?: string;
  body?: object | undefined;
  headers?: Readonly<Record<string, string>>;
};

/** The response of the API. `body` is null if the response has none. */
export type ApiReply = { status: number; body: unknown; isReplayed: boolean };

/** The API for callers within the server, such as the tools of agents. */
export type ApiCaller = {
  findRoute: (operationId: string) => RouteDefinition | undefined;
  /**
   * Sends a request through the pipeline, with the key, the address and the visitor of the request
   * that causes it. Keys, scopes, limits, idempotency and errors therefore work as for any client
   * of the API.
   */
  call: (from: RequestContext, call: ApiCall) => Promise<ApiReply>;
};

/** The dependencies of page routes: those of the API's handlers, and the API itself. */
export type PageDeps = HandlerDeps & { api: ApiCaller };

/**
 * Returns routes that the OpenAPI document leaves out: pages for people, and routes of other
 * protocols.
 */
export type CreatePages = (rt: Runtime, deps: PageDeps) => Route[];

export type RoutePath = {
  path: string;
  byMethod: ReadonlyMap<string, Route>;
  allow: string;
  allowsCors: boolean;
};

export const UNKNOWN_PATH: RoutePath = {
  path: "(none)",
  byMethod: new Map(),
  allow: "",
  allowsCors: false,
};

/**
 * Returns whether pages of any origin may read the responses. Routes that need a key are excluded,
 * because anyone who opens a page could copy the key.
 */
export const allowsCors = ({ scope, path }: Pick<RouteSpec, "scope" | "path">): boolean =>
  scope === "public" || path === "/openapi.json";

/** Returns whether a request may have If-Match: it changes an object that has a version. */
export const changesVersion = ({ method, path }: Pick<RouteSpec, "method" | "path">): boolean =>
  method !== "GET" && path.includes("/:id") && !UNVERSIONED_OBJECT.test(path);

const UNVERSIONED_OBJECT = /\/(?:holds|deliveries)\/:id/;

/** Returns the routes by path. A path with GET also accepts HEAD. */
export const groupByPath = (routes: readonly Route[]): RoutePath[] =>
  [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => {
    // The map keeps the last route of each method, so a replaceable route must come before the
    // route that replaces it.
    const replaceableFirst = group.toSorted(
      (a, b) => Number(b.isReplaceable ?? false) - Number(a.isReplaceable ?? false),
    );
    const byMethod = new Map<string, Route>(replaceableFirst.map((route) => [route.method, route]));
    const get = byMethod.get("GET");
    if (get) byMethod.set("HEAD", get);
    return {
      path,
      byMethod,
      allow: [...byMethod.keys(), "OPTIONS"].join(", "),
      allowsCors: [...byMethod.values()].some(
        (route) => route.isForAnyOrigin === true || allowsCors(route),
      ),
    };
  });

/**
 * A possible response. Schemas are referred to by name, so that only the OpenAPI document loads all
 * of them.
 */
export type ResponseSpec = {
  description: string;
  /** The name of a schema, or the media type of a body that is not JSON. */
  body?: SchemaName | `text/${string}`;
  /** Headers in addition to those of every response. */
  headers?: readonly HeaderName[];
};

/**
 * A route as documented. Most of its problems are derived from its scope, parameters and body.
 * Schemas are built when first used: building all took a sixth of the time until the daemon was
 * ready.
 */
export type RouteSpec = {
  method: Route["method"];
  path: string;
  scope: Route["scope"];
  /**
   * Whether the path names no business, such as /v1/changes. A partner uses the route with a key
   * for several businesses.
   */
  isAboveBusinesses?: boolean;
  needsIdempotencyKey?: boolean;
  rotatesKey?: boolean;
  /** Whether a request may name a visitor in Visitor-Id. */
  takesVisitor?: boolean;
  operationId: string;
  group: Group;
  summary: string;
  description: string;
  query?: () => Parameters;
  /** Parameters of the path that no other route has, by name. */
  pathParameters?: Readonly<Record<string, { description: string; example: string }>>;
  body?: { schema: () => z.ZodObject; isOptional?: boolean };
  responses: Record<number, ResponseSpec>;
  problems?: readonly HttpCode[];
};

export const GROUPS = {
  Catalog: "What a business offers. Lists are complete unless the request has a `limit`.",
  Availability: "Free slots for visits and tables.",
  Bookings:
    "Hold times, book them, and manage bookings and table reservations. The guide [Taking bookings](/docs/taking-bookings) shows the whole flow.",
  Tickets: "Ticket orders for public events.",
  Webhooks: "Webhook endpoints and their deliveries.",
  Keys: "The API key of the request: what it may do, what it has used of its limits, and its rotation.",
  Changes: "The event feed, for clients that missed webhooks or cannot receive them.",
  Partners:
    "For the key of a partner that reaches several businesses. With it, the routes below a business work for each of them, too. Over several servers, these routes are below `/servers/{name}/`.",
  Operations:
    "For the operator. These routes need no API key. Each address can send 600 requests per minute.",
} as const;

export type Group = keyof typeof GROUPS;

/** An object that the routes of a feature share. */
export type SharedObject = { stop: () => void };

export type HandlerDeps = {
  rt: Runtime;
  accessControl: AccessControl;
  longPolls: LongPolls;
  scanQueue: ScanQueue;
  findAvailability: AvailabilityFinder;
  metrics: Metrics;
  sendOnce: SendOnce;
  listHandler: ListHandler;
  monitoring: Monitoring;
  /**
   * Returns the object that `create` makes. The object is created only once for this app, and
   * stopped with the app.
   */
  openShared: <T extends SharedObject>(create: (rt: Runtime) => T) => T;
  operators: Operators;
  watch: RequestWatch;
};

type KeyAccess = {
  scope: NeededScope;
  isAboveBusinesses?: false;
  handle: (deps: HandlerDeps) => KeyHandler;
};
type PartnerAccess = {
  scope: NeededScope;
  isAboveBusinesses: true;
  handle: (deps: HandlerDeps) => PartnerHandler;
};
type OpenAccess = {
  scope: "public" | "open";
  isAboveBusinesses?: false;
  handle: (deps: HandlerDeps) => OpenHandler;
};

/** Who may use a route, and its handler. */
export type Access = KeyAccess | PartnerAccess | OpenAccess;

export type RouteDefinition = Omit<RouteSpec, "scope" | "isAboveBusinesses"> & Access;
