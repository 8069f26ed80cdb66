import type { z } from "zod";
import type { SendOnce } from "../../app/webhooks/test-endpoint.ts";
import type { Scope } from "../../domain/api-key.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Credential } from "../../store/keys.ts";
import type { HandlerResult } from "./pipeline.ts";
import type { RequestContext } from "./request-context.ts";
import type { AccessControl } from "../auth/access-control.ts";
import type { Metrics } from "./metrics.ts";
import type { HeaderName } from "../openapi/headers.ts";
import type { SchemaName } from "../openapi/schemas.ts";
import type { Parameters } from "./parameters.ts";
import type { HttpCode } from "./problems.ts";
import type { ListHandler } from "../handlers/catalog/list-cache.ts";
import type { LongPolls } from "../handlers/changes/long-polls.ts";

/** What one status of a route means and carries. Schemas go by name: building them all is for who reads the description. */
export type ResponseSpec = {
  description: string;
  /** A schema's name, or the media type of what is no JSON; absent: no body. */
  body?: SchemaName | `text/${string}`;
  /** Besides those of every answer. */
  headers?: readonly HeaderName[];
};

/** What a route is, takes and gives. What its key, its parameters and its body can make go wrong follows from these. */
export type RouteSpec = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  scope: Scope | "public" | "open";
  /** Its name in clients that are generated. */
  operationId: string;
  group: Group;
  summary: string;
  description?: string;
  query?: Parameters;
  requestHeaders?: readonly "Idempotency-Key"[];
  body?: { schema: z.ZodObject; isOptional?: boolean };
  responses: Record<number, ResponseSpec>;
  /** Codes of problems that do not follow from the rest. */
  problems?: readonly HttpCode[];
};

export const GROUPS = {
  Catalog: "What a business offers. Lists are complete unless `limit` is given.",
  Availability: "When a visit can be booked, or a table is free.",
  Webhooks: "Who is told of changes, and what became of what was sent.",
  Changes: "The same events to be fetched, for whoever was down or cannot be called.",
  Operations: "For who runs the box. No key, no limits.",
} as const;

export type Group = keyof typeof GROUPS;

/** What those who answer are made of. */
export type HandlerDeps = {
  rt: Runtime;
  accessControl: AccessControl;
  longPolls: LongPolls;
  metrics: Metrics;
  sendOnce: SendOnce;
  listHandler: ListHandler;
};

/** A line of the table of routes: with whoever answers, once the parts are there. */
export type RouteDefinition = Omit<RouteSpec, "scope"> &
  (
    | {
        scope: Scope;
        handle: (parts: HandlerDeps) => (call: RequestContext, key: Credential) => HandlerResult;
      }
    | {
        scope: "public" | "open";
        handle: (parts: HandlerDeps) => (call: RequestContext) => HandlerResult;
      }
  );
