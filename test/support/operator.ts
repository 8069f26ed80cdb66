import { readMetricsToken } from "../../src/app/operations/metrics-token.ts";
import type { Config } from "../../src/config.ts";

/** The request of an operator, with the token in the data folder of a server that has started. */
export const asOperator = ({ config }: { config: Config }): RequestInit => ({
  headers: { authorization: `Bearer ${readMetricsToken(config)}` },
});
