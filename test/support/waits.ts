import { patient } from "./patience.ts";

/** Options of a wait for a condition. The limit is much longer than it takes on a busy machine. */
export const WAITS = { timeout: patient(45_000), interval: 5 };
