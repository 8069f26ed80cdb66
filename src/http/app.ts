import { createKeyUse } from "../app/keys.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../runtime.ts";
import { createAnswering, placesOf, type Route } from "./answering.ts";
import { createClientAddress } from "./gate/client-address.ts";
import { docsRoutes } from "./docs/serve.ts";
import { createGate } from "./gate/gate.ts";
import { createLimits } from "./gate/limits.ts";
import { createListener, type Listener } from "./wire/listener.ts";
import { createMetrics } from "./metrics.ts";
import { createObserve } from "./observe.ts";
import type { Router } from "./router.ts";
import type { Parts } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { createWaitingRoom } from "./changes/waiting-room.ts";
import { createViews } from "./catalog/view-cache.ts";

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
const bindRoutes = (parts: Parts): Route[] => [
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
  const clientAddress = createClientAddress(rt.config.http.trustedProxies);
  const keyUse = createKeyUse(rt);
  const limits = createLimits(rt);
  const gate = createGate(rt, keyUse, limits, clientAddress);
  const metrics = createMetrics();
  const room = createWaitingRoom(rt);
  const answering = createAnswering(rt, gate, createObserve(rt, metrics, clientAddress));
  const places = placesOf(
    bindRoutes({ rt, gate, room, metrics, sendOnce, serve: createViews(rt) }),
  );
  let router: Promise<Router> | undefined;
  // h3 is made of the web's Request and Response, which take Node 30 ms to load: for the first request that needs it.
  const loadRouter = () =>
    (router ??= import("./router.ts").then(({ createRouter }) => createRouter(places, answering)));
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
