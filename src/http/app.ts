import { createKeyUsage } from "../app/keys.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../app/runtime.ts";
import { createPipeline, groupByPath, type Route } from "./pipeline/pipeline.ts";
import { createGetClientAddress } from "./auth/client-address.ts";
import { docsRoutes } from "./handlers/docs.ts";
import { createAccessControl } from "./auth/access-control.ts";
import { createRateLimits } from "./auth/rate-limits.ts";
import { createListener, type Listener } from "./transport/listener.ts";
import { createMetrics } from "./pipeline/metrics.ts";
import { createResponseObserver } from "./pipeline/response-observer.ts";
import type { Router } from "./pipeline/router.ts";
import type { HandlerDeps } from "./pipeline/route-definition.ts";
import { ROUTES } from "./routes.ts";
import { createLongPolls } from "./handlers/changes/long-polls.ts";
import { createListHandler } from "./handlers/catalog/list-cache.ts";

export type App = {
  /** Answers a request that came without a socket. */
  request: (...asked: Parameters<Router["request"]>) => Promise<Response>;
  /** Answers what comes from one. */
  listener: Listener;
  /** Writes what was counted since the last time. */
  flush: () => void;
  /** Answers at once whoever waits for something to happen. */
  shutDown: () => void;
};

/** The routes with those who answer. */
const bindRoutes = (parts: HandlerDeps): Route[] => [
  ...ROUTES.map((row) => ({ ...row, handle: row.handle(parts) }) as Route),
  ...docsRoutes(parts.rt, ROUTES),
];

/** For an API that runs without what sends. */
const sendNothing: SendOnce = () =>
  Promise.resolve({
    outcome: { kind: "refused", error: "nothing is sent from here" },
    address: null,
  });

/** The whole API. Whichever way a request comes in, it is judged and answered in one place. */
export function createApp(rt: Runtime, sendOnce: SendOnce = sendNothing): App {
  const clientAddress = createGetClientAddress(rt.config.http.trustedProxies);
  const keyUse = createKeyUsage(rt);
  const limits = createRateLimits(rt);
  const gate = createAccessControl(rt, keyUse, limits, clientAddress);
  const metrics = createMetrics();
  const room = createLongPolls(rt);
  const answering = createPipeline(rt, gate, createResponseObserver(rt, metrics, clientAddress));
  const places = groupByPath(
    bindRoutes({
      rt,
      accessControl: gate,
      longPolls: room,
      metrics,
      sendOnce,
      listHandler: createListHandler(rt),
    }),
  );
  let router: Promise<Router> | undefined;
  // h3 is made of the web's Request and Response, which take Node 30 ms to load: for the first request that needs it.
  const loadRouter = () =>
    (router ??= import("./pipeline/router.ts").then(({ createRouter }) =>
      createRouter(places, answering),
    ));
  return {
    request: async (...asked) => (await loadRouter()).request(...asked),
    listener: createListener(places, answering, loadRouter),
    flush() {
      limits.flush();
      keyUse.flush();
    },
    shutDown: room.close,
  };
}
