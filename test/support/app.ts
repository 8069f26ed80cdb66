import { type App, type AppParts, createApp } from "../../src/http/app.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { CHECKS } from "./checks.ts";
import { ROUTES } from "./routes.ts";

/** Creates the API with the routes and checks of all features. */
export const createTestApp = (rt: Runtime, sendOnce?: AppParts["sendOnce"]): App =>
  createApp(rt, { routes: ROUTES, checks: CHECKS, ...(sendOnce && { sendOnce }) });
