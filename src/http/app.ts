import { createAvailabilityFinder } from "../app/availability/availability.ts";
import type { RequestListener } from "node:http";
import { createKeyUsage } from "../app/keys.ts";
import type { Runtime } from "../app/runtime.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import { AccessControl } from "./auth/access-control.ts";
import { createGetClientAddress, createSharedAddressDetector } from "./auth/client-address.ts";
import { createOperators } from "./auth/operators.ts";
import { createRateLimits } from "./auth/rate-limits.ts";
import { ScanQueue } from "./handlers/availability/scan-queue.ts";
import { createListHandler } from "./handlers/catalog/list-responses.ts";
import { createLongPolls } from "./handlers/changes/long-polls.ts";
import { securityTxtRoute } from "./handlers/server-documents.ts";
import { createApiCaller } from "./pipeline/api-caller.ts";
import { createMetrics } from "./pipeline/metrics.ts";
import { createPipeline } from "./pipeline/pipeline.ts";
import { createResponseObserver, type ResponseObserver } from "./pipeline/response-observer.ts";
import type { RequestWatch } from "./pipeline/request-watch.ts";
import {
  type CreatePages,
  groupByPath,
  type HandlerDeps,
  type Route,
  type RouteDefinition,
  type SharedObject,
} from "./pipeline/route.ts";
import type { Router } from "./pipeline/router.ts";
import { AVAILABILITY_PATH } from "./routes.ts";
import { createListener } from "./transport/listener.ts";

/**
 * Returns whether many clients usually request a path: a path of the API, or the first page of a
 * business. Other paths tell little, because a monitor or a single device may request one of them
 * all day.
 */
const isOfClient = (path: string): boolean => path.startsWith("/v1/") || path === "/b/:slug";

export type App = {
  /** Responds to a request of the Web API, without a connection. */
  request: (...args: Parameters<Router["request"]>) => Promise<Response>;
  /** Responds to a request that Node has received. */
  listener: RequestListener;
  /** Saves what the app counts in memory, such as request counts and the use of keys. */
  flush: () => void;
  shutDown: () => void;
};

const sendNothing: SendOnce = () =>
  Promise.resolve({
    outcome: { kind: "refused", error: "this process does not send webhooks" },
    address: null,
  });

/** What the daemon loads before it serves. An API without `sendOnce` sends no test webhooks. */
export type AppParts = Pick<HandlerDeps, "monitoring"> & {
  routes: readonly RouteDefinition[];
  pages: readonly CreatePages[];
  sendOnce?: SendOnce | undefined;
};

export function createApp(
  rt: Runtime,
  { routes, pages, monitoring, sendOnce = sendNothing }: AppParts,
): App {
  const getClientAddress = createGetClientAddress(rt.config.http.trustedProxies);
  const keyUsage = createKeyUsage(rt);
  const limits = createRateLimits(rt);
  const accessControl = new AccessControl(rt, keyUsage, limits, getClientAddress);
  const metrics = createMetrics();
  const longPolls = createLongPolls(rt);
  const scanQueue = new ScanQueue(rt.monotonic);
  const observe = createResponseObserver(rt, metrics, getClientAddress);
  const operators = createOperators(rt);
  const sharedAddress = createSharedAddressDetector(rt);
  const watch: RequestWatch = { onResponse: null };
  const observeAll: ResponseObserver = (routePath, context, response) => {
    // Scans for availability pause for the requests that are recorded here. Requests for
    // availability are not recorded, because a client that is alone would then wait for its own
    // requests.
    if (routePath.path !== AVAILABILITY_PATH) scanQueue.recordRequest();
    // Requests to other paths are not recorded, because they may be health checks that a proxy
    // itself sends.
    if (isOfClient(routePath.path)) sharedAddress.record(context.request);
    observe(routePath, context, response);
    watch.onResponse?.(routePath.path, context, response);
  };
  const pipeline = createPipeline(rt, accessControl, observeAll, getClientAddress);
  const listHandler = createListHandler(rt, metrics);
  // Several routes of a feature can share one object, such as a cache. The first route that opens
  // the object creates it. The key in the map is the function that creates the object.
  const sharedObjects = new Map<unknown, SharedObject>();
  const deps: HandlerDeps = {
    rt,
    accessControl,
    longPolls,
    scanQueue,
    findAvailability: createAvailabilityFinder(rt),
    metrics,
    sendOnce,
    listHandler,
    monitoring,
    openShared: <T extends SharedObject>(create: (rt: Runtime) => T): T => {
      const shared = (sharedObjects.get(create) as T | undefined) ?? create(rt);
      sharedObjects.set(create, shared);
      return shared;
    },
    operators,
    watch,
  };
  const api = createApiCaller(
    routes,
    // `routePaths` is assigned below, before the first call looks up a path in it.
    (path) => routePaths.find((routePath) => routePath.path === path),
    pipeline,
  );
  const routePaths = groupByPath([
    ...routes.map((route) => ({ ...route, handle: route.handle(deps) }) as Route),
    securityTxtRoute(rt),
    ...pages.flatMap((create) => create(rt, { ...deps, api })),
  ]);
  let router: Promise<Router> | undefined;
  // The router is loaded on demand: Node takes 30 ms to load the Web API classes that h3 uses.
  const loadRouter = () =>
    (router ??= import("./pipeline/router.ts").then(({ createRouter }) =>
      createRouter(routePaths, pipeline),
    ));
  return {
    request: async (...args) => (await loadRouter()).request(...args),
    listener: createListener(routePaths, pipeline, loadRouter),
    flush() {
      limits.flush();
      keyUsage.flush();
      sharedAddress.flush();
      operators.flush();
    },
    shutDown() {
      longPolls.close();
      for (const shared of sharedObjects.values()) shared.stop();
    },
  };
}
