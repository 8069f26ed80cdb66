import type { NeededScope } from "../domain/api-key.ts";
import type { HeaderName } from "./openapi/headers.ts";
import { emptyBody } from "./pipeline/body.ts";
import type {
  Access,
  HandlerDeps,
  OpenHandler,
  PartnerHandler,
  ResponseSpec,
  RouteDefinition,
  RouteSpec,
} from "./pipeline/route.ts";

// Every route of the core and of features uses these constructors of routes and their responses.

/** Returns the path of a route below a business. An empty `rest` is the business itself. */
export const pathOf = (rest: string): string =>
  `/v1/businesses/:slug${rest === "" ? "" : `/${rest}`}`;

type Spec = Omit<RouteSpec, "group" | "method" | "path" | "scope" | "isAboveBusinesses">;
type Operation = Spec & Access;

const withMethod =
  (method: RouteSpec["method"]) =>
  (group: RouteSpec["group"], rest: string, operation: Operation): RouteDefinition => ({
    ...operation,
    group,
    method,
    path: pathOf(rest),
  });

export const get = withMethod("GET");
export const post = withMethod("POST");
export const patch = withMethod("PATCH");
export const remove = withMethod("DELETE");

/** Returns a route that is outside `/v1/businesses` and needs no key. `path` is the full path. */
export const openGet = (
  path: string,
  operation: Spec & { handle: (deps: HandlerDeps) => OpenHandler },
): RouteDefinition => ({ ...operation, group: "Operations", method: "GET", path, scope: "open" });

/**
 * Returns a route whose path names no business, for keys for several businesses. `path` begins
 * below `/v1/`.
 */
export const routeOfPartner = (
  method: RouteSpec["method"],
  path: string,
  operation: Spec & {
    scope: NeededScope;
    handle: (deps: HandlerDeps) => PartnerHandler;
  },
): RouteDefinition => ({
  ...operation,
  isAboveBusinesses: true,
  group: "Partners",
  method,
  path: `/v1/${path}`,
});

/** The body of a request that has no fields and may therefore be empty. */
export const EMPTY_BODY = { schema: emptyBody, isOptional: true };

type Responses = Record<number, ResponseSpec>;
type Body = NonNullable<ResponseSpec["body"]>;

const PRIVATE = ["Cache-Control"] as const;
const VERSIONED = ["ETag", "Cache-Control"] as const;
export const CACHEABLE = ["ETag", "Cache-Control", "Vary"] as const;

export const responseOf = (
  status: number,
  description: string,
  body: Body,
  headers: readonly HeaderName[] = PRIVATE,
): Responses => ({ [status]: { description, body, headers } });

/** Describes a 200 response with an object that has no ETag. */
export const unversioned = (description: string, body: Body): Responses =>
  responseOf(200, description, body);

/** Describes a 200 response with an object that has an ETag. */
export const versioned = (description: string, body: Body): Responses =>
  responseOf(200, description, body, VERSIONED);

/** Describes a 200 response with one page of a list, which links to the next page. */
export const paged = (description: string, body: Body): Responses =>
  responseOf(200, description, body, [...PRIVATE, "Link"]);

/**
 * Describes a 200 response with an ETag, and the 304 response for a client that has this ETag.
 * @param headers headers of both responses
 * @param moreOf200 headers of the 200 only
 */
export const conditional = (
  description: string,
  body: Body,
  headers: readonly HeaderName[] = VERSIONED,
  moreOf200: readonly HeaderName[] = [],
): Responses => ({
  ...responseOf(200, description, body, [...headers, ...moreOf200]),
  304: { description: "Not modified: the ETag in If-None-Match still matches.", headers },
});

/** Describes a 201 response with a new object that has an ETag and a URL of its own. */
export const created = (description: string, body: Body): Responses =>
  responseOf(201, description, body, ["Location", ...VERSIONED]);

/**
 * Describes the 200 response to a dry run, and the 201 response with a new object that has an ETag
 * and a URL of its own.
 */
export const createdOrDry = (noun: string, body: Body): Responses => ({
  ...versioned(dryRunOf(noun), body),
  ...created(`The new ${noun}.`, body),
});

/**
 * Describes the 200 response to a dry run, and the 201 response with a new object that has no ETag.
 */
export const createdUnversioned = (noun: string, body: Body): Responses => ({
  ...unversioned(dryRunOf(noun), body),
  ...responseOf(201, `The new ${noun}.`, body),
});

const dryRunOf = (noun: string): string => `With \`dryRun=true\`: the ${noun} as it would be.`;

/** Describes the 204 response to a request that deletes an object. */
export const deleted = (description: string): Responses => ({ 204: { description } });
