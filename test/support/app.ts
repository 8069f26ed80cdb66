import { type App, type AppParts, createApp } from "../../src/http/app.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { loadMonitoring } from "../../src/app/operations/monitoring.ts";
import { PAGES, ROUTES } from "./routes.ts";

const monitoring = await loadMonitoring();

/** Creates the API with the routes, pages and checks of all features. */
export const createTestApp = (rt: Runtime, sendOnce?: AppParts["sendOnce"]): App =>
  createApp(rt, { routes: ROUTES, pages: PAGES, monitoring, sendOnce });
