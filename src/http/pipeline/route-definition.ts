import type { z } from "zod";
import type { SendOnce } from "../../app/webhooks/test-endpoint.ts";
import type { Scope } from "../../domain/api-key.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Credential } from "../../store/keys.ts";
import type { HandlerResult } from "./route-path.ts";
import type { RequestContext } from "./request-context.ts";
import type { AccessControl } from "../auth/access-control.ts";
import type { Metrics } from "./metrics.ts";
import type { HeaderName } from "../openapi/headers.ts";
import type { SchemaName } from "../openapi/schemas.ts";
import type { Parameters } from "./parameters.ts";
import type { HttpCode } from "./problems.ts";
import type { ListHandler } from "../handlers/catalog/list-cache.ts";
import type { ScanQueue } from "../handlers/availability/scan-queue.ts";
import type { LongPolls } from "../handlers/changes/long-polls.ts";

/** A response of a route. Schemas are named, so that only the OpenAPI document loads them all. */
export type ResponseSpec = {
  description: string;
  /** A schema name, or the media type of a body that is not JSON; absent if there is no body. */
  body?: SchemaName | `text/${string}`;
  /** In addition to the headers of every response. */
  headers?: readonly HeaderName[];
};

/** Describes a route. Its possible problems are derived from its scope, parameters and body. */
export type RouteSpec = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  scope: Scope | "public" | "open";
  /** The method name in generated clients. */
  operationId: string;
  group: Group;
  summary: string;
  description?: string;
  query?: Parameters;
  requestHeaders?: readonly "Idempotency-Key"[];
  body?: { schema: z.ZodObject; isOptional?: boolean };
  responses: Record<number, ResponseSpec>;
  /** Problem codes in addition to the derived ones. */
  problems?: readonly HttpCode[];
};

export const GROUPS = {
  Catalog: "What a business offers. Lists are complete unless the request has a `limit`.",
  Availability: "Free slots for visits and tables.",
  Webhooks: "Webhook endpoints and their deliveries.",
  Changes: "The event feed, for clients that missed webhooks or cannot receive them.",
  Operations: "For the operator. These routes need no API key and have no rate limits.",
} as const;

export type Group = keyof typeof GROUPS;

/** Dependencies passed to route handlers. */
export type HandlerDeps = {
  rt: Runtime;
  accessControl: AccessControl;
  longPolls: LongPolls;
  scanQueue: ScanQueue;
  metrics: Metrics;
  sendOnce: SendOnce;
  listHandler: ListHandler;
};

/** A route with a function that creates its handler. */
export type RouteDefinition = Omit<RouteSpec, "scope"> &
  (
    | {
        scope: Scope;
        handle: (deps: HandlerDeps) => (context: RequestContext, key: Credential) => HandlerResult;
      }
    | {
        scope: "public" | "open";
        handle: (deps: HandlerDeps) => (context: RequestContext) => HandlerResult;
      }
  );
