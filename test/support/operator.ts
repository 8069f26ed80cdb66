import { readMetricsToken } from "../../src/app/operations/metrics-token.ts";
import type { Config } from "../../src/config.ts";

/** Returns a request of the operator, with the token in the data folder of a started server. */
export const asOperator = ({ config }: { config: Config }): RequestInit => ({
  headers: { authorization: `Bearer ${readMetricsToken(config)}` },
});
