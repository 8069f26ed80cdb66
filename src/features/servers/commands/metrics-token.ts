import { text } from "../../../cli/flags.ts";

/** The flag of the commands that ask several servers; `serve` has a flag of the same name. */
export const metricsTokenFlag = text(
  "file",
  "file with the bearer token for /metrics of the servers (env: DESKBELL_METRICS_TOKEN_FILE)",
);
