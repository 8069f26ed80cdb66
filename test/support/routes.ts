import { loadFromFeatures } from "../../src/features/index.ts";
import { loadRoutes } from "../../src/http/routes.ts";

/** All routes, those of features included. */
export const ROUTES = await loadRoutes();

export const PAGES = await loadFromFeatures("pages");
