import { loadRoutes } from "../../src/http/routes.ts";

/** All routes, those of features included. */
export const ROUTES = await loadRoutes();
