import { GROUPS, type RouteSpec } from "../../src/http/pipeline/route.ts";
import { describeSharedHeaders } from "./headers.ts";
import { describeSchemas, type JsonObject } from "./json-schema.ts";
import { describeOperation, templatePathOf, REQUEST_HEADERS } from "./operation.ts";
import { describeSharedProblems } from "./problem-responses.ts";
import { loadSchemas } from "../../src/http/openapi/schemas.ts";
import { describeWebhooks, WEBHOOK_HEADERS } from "./webhooks.ts";

const schemas = await loadSchemas();

type Options = {
  routes: readonly RouteSpec[];
  version: string;
  /** Forbids undocumented fields in responses; for tests. */
  isClosed?: boolean;
};

const OVERVIEW = `Read a business's catalog, search for free slots, and receive signed webhooks when something changes.

Money amounts are integers in minor units, percentages are in basis points, and times have the offset of the business's time zone.

IDs are opaque strings of at most 40 characters; the prefix before the \`_\` names the kind of object.

Every route that supports GET also supports HEAD. OPTIONS lists the methods of a route; other methods return 405 \`method_not_allowed\`.

Errors are problem documents (RFC 9457). Use \`code\` in your program; \`detail\` is for people.

Changes within v1 are additions only. Ignore fields and events that you do not know.

A request that is not valid HTTP is rejected before it reaches a route, with 400 \`malformed_request\`, 408, 431, 501 or 505.`;

/** Generates the OpenAPI document from the route table and the schemas. */
export const describeApi = ({ routes, version, isClosed = false }: Options) => ({
  openapi: "3.1.1",
  info: {
    title: "deskbell",
    version,
    summary: "A small business's catalog and webhooks",
    description: OVERVIEW,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/" }],
  tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
  paths: describePaths(routes),
  webhooks: describeWebhooks(),
  components: {
    schemas: describeSchemas(schemas, isClosed),
    headers: describeSharedHeaders(),
    parameters: describeHeaderParameters(),
    responses: describeSharedProblems(),
    securitySchemes: {
      ApiKey: {
        type: "http",
        scheme: "bearer",
        description:
          "Secret key (deskbell_sk_…) or restricted key (deskbell_rk_…). Keep it on your server.",
      },
      MetricsToken: {
        type: "http",
        scheme: "bearer",
        description: "Token for /metrics, which `deskbell metrics token` prints on the server.",
      },
    },
  },
});

function describePaths(routes: readonly RouteSpec[]): JsonObject {
  const byPath = Map.groupBy(routes, templatePathOf);
  return Object.fromEntries(
    [...byPath].map(([path, sharing]) => [
      path,
      Object.fromEntries(
        sharing.map((route) => [route.method.toLowerCase(), describeOperation(route)]),
      ),
    ]),
  );
}

const describeHeaderParameters = (): JsonObject =>
  Object.fromEntries(
    Object.entries({ ...REQUEST_HEADERS, ...WEBHOOK_HEADERS }).map(([name, header]) => [
      name,
      { name, in: "header", ...header },
    ]),
  );
