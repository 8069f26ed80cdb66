import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { createKeyUse } from "../app/keys.ts";
import type { Runtime } from "../runtime.ts";
import { createAnswering, placesOf, type Route } from "./answering.ts";
import { answerAvailability } from "./availability.ts";
import {
  eventsView,
  menuView,
  promotionsView,
  serviceCategoriesView,
  servicesView,
  staffView,
} from "./catalog-views.ts";
import { answerChanges } from "./changes.ts";
import { createClientAddress } from "./client-address.ts";
import { createGate, type Gate } from "./gate.ts";
import { createLimits } from "./limits.ts";
import { createListener, type Listener } from "./listener.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createObserve } from "./observe.ts";
import { answerHealth, answerMetrics, answerReadiness } from "./operations.ts";
import { createRouter } from "./router.ts";
import { createWaitingRoom, type WaitingRoom } from "./waiting-room.ts";
import { createViews } from "./view-cache.ts";
import { createWebhook } from "./webhooks.ts";

type Parts = { gate: Gate; room: WaitingRoom; metrics: Metrics };

/** Every route with what a key needs for it. */
function routesOf(rt: Runtime, { gate, room, metrics }: Parts): Route[] {
  const serve = createViews(rt);
  const of = (path: string) => `/v1/businesses/:slug/${path}`;
  return [
    { method: "GET", path: "/healthz", scope: "open", handle: answerHealth },
    { method: "GET", path: "/readyz", scope: "open", handle: answerReadiness(rt, () => room.closing.aborted) },
    { method: "GET", path: "/metrics", scope: "open", handle: answerMetrics(rt, metrics) },
    { method: "GET", path: of("menu"), scope: "services.read", handle: serve(menuView) },
    { method: "GET", path: of("services"), scope: "services.read", handle: serve(servicesView) },
    { method: "GET", path: of("service-categories"), scope: "services.read", handle: serve(serviceCategoriesView) },
    { method: "GET", path: of("staff"), scope: "services.read", handle: serve(staffView) },
    { method: "GET", path: of("promotions"), scope: "services.read", handle: serve(promotionsView) },
    { method: "GET", path: of("events/catalog"), scope: "services.read", handle: serve(eventsView) },
    { method: "GET", path: of("availability"), scope: "public", handle: answerAvailability(rt, gate) },
    { method: "GET", path: of("changes"), scope: "webhooks.read", handle: answerChanges(rt, room) },
    { method: "POST", path: of("webhooks"), scope: "webhooks.write", handle: createWebhook(rt) },
  ];
}

export type App = {
  /** Answers a request that came without a socket. */
  request: H3["request"];
  /** Answers what comes from one. */
  listener: Listener;
  /** Writes what was counted since the last time. */
  flush: () => void;
  /** Answers at once whoever waits for something to happen. */
  shutDown: () => void;
};

/** The whole API. Whichever way a request comes in, it is judged and answered in one place. */
export function createApp(rt: Runtime): App {
  const clientAddress = createClientAddress(rt.config.http.trustedProxies);
  const keyUse = createKeyUse(rt);
  const limits = createLimits(rt);
  const gate = createGate(rt, keyUse, limits, clientAddress);
  const metrics = createMetrics();
  const room = createWaitingRoom(rt);
  const answering = createAnswering(rt, gate, createObserve(rt, metrics, clientAddress));
  const places = placesOf(routesOf(rt, { gate, room, metrics }));
  const router = createRouter(places, answering);
  return {
    request: (...asked) => router.request(...asked),
    listener: createListener(places, answering, toNodeHandler(router) as Listener),
    flush() {
      limits.flush();
      keyUse.flush();
    },
    shutDown: room.close,
  };
}
