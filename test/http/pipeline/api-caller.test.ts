import { expect, test } from "vitest";
import { createApiCaller } from "../../../src/http/pipeline/api-caller.ts";
import type { HttpRequest, RequestContext } from "../../../src/http/pipeline/request-context.ts";
import type { Pipeline } from "../../../src/http/pipeline/pipeline.ts";
import type { RouteDefinition, RoutePath } from "../../../src/http/pipeline/route.ts";

const ROUTE = {
  method: "POST",
  path: "/v1/businesses/:slug/bookings/:id/cancel",
  operationId: "cancelBooking",
} as RouteDefinition;

const FROM = {
  request: {
    headers: {
      authorization: "Bearer key",
      "visitor-id": "ana",
      "x-forwarded-for": "10.0.0.1",
      "accept-encoding": "gzip",
      "content-length": "999",
      "content-type": "application/json",
      "idempotency-key": "of the outer request",
      "if-none-match": "*",
    },
    peerAddress: "127.0.0.1",
    connection: {},
    disconnected: () => new AbortController().signal,
  } as unknown as HttpRequest,
} as RequestContext;

function createCaller(body: string | null) {
  const handled: HttpRequest[] = [];
  const pipeline: Pick<Pipeline, "handle"> = {
    handle(_routePath, request) {
      handled.push(request);
      return {
        status: 200,
        headers: ["idempotency-replayed", "true"],
        body: body === null ? null : Buffer.from(body),
      };
    },
  };
  const findPath = (path: string) => ({ path }) as RoutePath;
  return { handled, ...createApiCaller([ROUTE], findPath, pipeline as Pipeline) };
}

test("an internal API call has the key, address and visitor of the client's request, and a body of its own", async () => {
  const { call, handled } = createCaller('{"data":1}');
  const reply = await call(FROM, {
    operationId: "cancelBooking",
    params: { slug: "a b", id: "bkg_1" },
    search: "?dryRun=true",
    body: { reason: "ill" },
    headers: { "idempotency-key": "own" },
  });
  expect(reply).toEqual({ status: 200, body: { data: 1 }, isReplayed: true });
  const [request] = handled as [HttpRequest];
  expect(request).toMatchObject({
    method: "POST",
    path: "/v1/businesses/a%20b/bookings/bkg_1/cancel",
    search: "?dryRun=true",
    params: { slug: "a b", id: "bkg_1" },
    peerAddress: "127.0.0.1",
  });
  expect(request.headers).toEqual({
    authorization: "Bearer key",
    "visitor-id": "ana",
    "x-forwarded-for": "10.0.0.1",
    "content-type": "application/json",
    "content-length": "16",
    "idempotency-key": "own",
  });
  expect(await new Response(request.body()).json()).toEqual({ reason: "ill" });
});

test("a call without a body sends no body and no Content-Type, and an empty response has the body null", async () => {
  const { call, handled } = createCaller(null);
  const params = { slug: "shop", id: "bkg_1" };
  expect((await call(FROM, { operationId: "cancelBooking", params })).body).toBeNull();
  expect(handled[0]?.body()).toBeNull();
  expect(handled[0]?.headers["content-type"]).toBeUndefined();
});

test("a call of an operation that the server does not have is a bug", async () => {
  const { call, findRoute } = createCaller(null);
  expect(findRoute("cancelBooking")).toBe(ROUTE);
  expect(findRoute("createTicketOrder")).toBeUndefined();
  await expect(call(FROM, { operationId: "createTicketOrder", params: {} })).rejects.toThrow(
    "There is no route createTicketOrder.",
  );
});
