import { writeParameters } from "./handlers/bookings/writes.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import type { HandlerDeps, KeyHandler, ResponseSpec, RouteDefinition } from "./pipeline/route.ts";

// What the tables of routes have in common.

const VERSIONED = ["ETag", "Cache-Control"] as const;
export const path = (rest: string): string => `/v1/businesses/:slug/${rest}`;

export const ok = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: VERSIONED },
});
export const unversioned = (
  description: string,
  body: NonNullable<ResponseSpec["body"]>,
): Record<number, ResponseSpec> => ({
  200: { description, body, headers: ["Cache-Control"] },
});
export const readable = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  ...ok(description, body),
  304: {
    description: "Not modified: the ETag in If-None-Match still matches.",
    headers: VERSIONED,
  },
});
export const listed = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: ["Cache-Control", "Link"] },
});
export const created = (noun: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: {
    description: `With \`dryRun=true\`: the ${noun} as it would be.`,
    body,
    headers: VERSIONED,
  },
  201: { description: `The new ${noun}.`, body, headers: ["Location", ...VERSIONED] },
});

type Action = Pick<
  RouteDefinition,
  "operationId" | "summary" | "description" | "body" | "responses" | "problems"
> & {
  scope: "bookings.write" | "bookings.manage" | "tickets.write";
  needsIdempotencyKey?: boolean;
  takesVisitor?: boolean;
  handle: (deps: HandlerDeps) => KeyHandler;
};

export const post = (
  group: RouteDefinition["group"],
  rest: string,
  action: Action,
): RouteDefinition => ({
  ...action,
  group,
  method: "POST",
  path: path(rest),
  query: writeParameters,
});
