import { patient } from "./patience.ts";

/** The limit of a wait for a condition: much longer than it takes, even on a busy machine. */
export const WAITS = { timeout: patient(15_000), interval: 5 };
