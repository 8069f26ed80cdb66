import { GROUPS, type RouteSpec } from "../pipeline/route-definition.ts";
import { describeSharedHeaders } from "./response-headers.ts";
import { describeSchemas, type JsonObject } from "./json-schema.ts";
import { describeOperation, templatePathOf, REQUEST_HEADERS } from "./operation.ts";
import { describeSharedProblems } from "./problem-responses.ts";
import { describeWebhooks, WEBHOOK_HEADERS } from "./webhooks.ts";

type Described = {
  routes: readonly RouteSpec[];
  /** Empty: at the address that the description was fetched from. */
  publicUrl: string;
  version: string;
  /** Answers have nothing but what is described; for tests. */
  isClosed?: boolean;
};

const ABOUT = `A business's catalog for its partners, and signed webhooks that tell of its changes.

- Money is in minor units, percentages are in basis points, times are in the business's timezone.
- Ids are opaque, 40 characters at most; what stands before the \`_\` tells the kind of thing.
- Every address that answers GET answers HEAD as well, and OPTIONS with its methods; any other is 405 \`method_not_allowed\`.
- Errors are problem documents (RFC 9457): go by \`code\`.
- Within v1 only additions are made. Ignore the fields and events that you do not know.
- What cannot be read as HTTP is refused with 400 \`malformed_request\`, 408, 431, 501 or 505, before it comes to any route.`;

/** The API as an OpenAPI document. What it says comes from the table of routes and from the schemas that the code's types come from. */
export const describeApi = ({
  routes,
  publicUrl,
  version,
  isClosed = false,
}: Described): JsonObject => ({
  openapi: "3.1.1",
  info: {
    title: "deskbell",
    version,
    summary: "A small business's catalog and its webhooks",
    description: ABOUT,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: publicUrl === "" ? "/" : publicUrl }],
  tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
  paths: describePaths(routes),
  webhooks: describeWebhooks(),
  components: {
    schemas: describeSchemas({ isClosed }),
    headers: describeSharedHeaders(),
    parameters: describeSentHeaders(),
    responses: describeSharedProblems(),
    securitySchemes: {
      ApiKey: {
        type: "http",
        scheme: "bearer",
        description:
          "A secret key (deskbell_sk_…) or a restricted one (deskbell_rk_…). Keep it on the server.",
      },
      MetricsToken: {
        type: "http",
        scheme: "bearer",
        description: "The operator's token for /metrics.",
      },
    },
  },
});

function describePaths(routes: readonly RouteSpec[]): JsonObject {
  const byPath = Map.groupBy(routes, templatePathOf);
  return Object.fromEntries(
    [...byPath].map(([path, group]) => [
      path,
      Object.fromEntries(
        group.map((route) => [route.method.toLowerCase(), describeOperation(route)]),
      ),
    ]),
  );
}

const describeSentHeaders = (): JsonObject =>
  Object.fromEntries(
    Object.entries({ ...REQUEST_HEADERS, ...WEBHOOK_HEADERS }).map(([name, header]) => [
      name,
      { name, in: "header", ...header },
    ]),
  );
