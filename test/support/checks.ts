import { loadChecks } from "../../src/app/operations/conditions.ts";

/** The checks of all health conditions, those of features included. */
export const CHECKS = await loadChecks();
