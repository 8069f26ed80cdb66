import type { HttpRequest } from "./request-context.ts";
import type { Pipeline } from "./pipeline.ts";
import type { ApiCall, ApiCaller, Route, RouteDefinition, RoutePath } from "./route.ts";

/** A call does not copy headers that describe a single request. All others describe the client. */
const NOT_COPIED = [
  "accept",
  "accept-encoding",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "transfer-encoding",
];

export function createApiCaller(
  definitions: readonly RouteDefinition[],
  findPath: (path: string) => RoutePath | undefined,
  pipeline: Pipeline,
): ApiCaller {
  const findRoute = (operationId: string) =>
    definitions.find((route) => route.operationId === operationId);
  return {
    findRoute,
    async call(from, { operationId, ...call }) {
      const route = findRoute(operationId);
      const routePath = route && findPath(route.path);
      if (route === undefined || routePath === undefined)
        throw new Error(`There is no route ${operationId}.`);
      const { status, headers, body } = await pipeline.handle(
        routePath,
        toRequest(route, from.request, call),
      );
      return {
        status,
        body: body === null || body.length === 0 ? null : JSON.parse(body.toString()),
        isReplayed: headers.includes("idempotency-replayed"),
      };
    },
  };
}

function toRequest(
  { method, path }: Pick<Route, "method" | "path">,
  from: HttpRequest,
  { params, search = "", body, headers }: Omit<ApiCall, "operationId">,
): HttpRequest {
  const bytes = body && Buffer.from(JSON.stringify(body));
  const copied = Object.entries(from.headers).filter(([name]) => !NOT_COPIED.includes(name));
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
    search,
    params,
    headers: {
      ...Object.fromEntries(copied),
      ...(bytes && {
        "content-type": "application/json",
        "content-length": String(bytes.length),
      }),
      ...headers,
    },
    peerAddress: from.peerAddress,
    connection: from.connection,
    body: () => (bytes ? (new Blob([bytes]).stream() as ReadableStream<Uint8Array>) : null),
    disconnected: () => from.disconnected(),
  };
}
