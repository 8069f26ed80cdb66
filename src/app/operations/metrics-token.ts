import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { errorInWords } from "../../domain/errors.ts";
import { createDurably } from "../../platform/durable-file.ts";
import { type Runtime, systemRandom } from "../runtime.ts";

/** The token is in the data folder, which only the daemon's user can read. */
export const metricsTokenPath = ({ dataDir }: Config): string => join(dataDir, "metrics.token");

/** Returns the token that the daemon has created; null if there is none. */
export function readMetricsToken(config: Config): string | null {
  try {
    return readFileSync(metricsTokenPath(config), "utf8").trim() || null;
  } catch {
    return null;
  }
}

/**
 * Returns the tokens that the daemon accepts: the token in the data folder, which the daemon
 * creates at its first start, and the configured token. The daemon also starts if the disk is full
 * and no token can be created.
 */
export function openMetricsTokens({ config, log }: Runtime): string[] {
  const configured = config.http.metricsToken;
  const created = readMetricsToken(config) ?? createMetricsToken(config, log);
  return [created, configured].filter((token) => token !== null);
}

function createMetricsToken(config: Config, log: Runtime["log"]): string | null {
  const token = `deskbell_mt_${systemRandom(24).toString("hex")}`;
  try {
    createDurably(metricsTokenPath(config), `${token}\n`);
    return token;
  } catch (error) {
    log("warn", "could not create the metrics token", { reason: errorInWords(error) });
    return null;
  }
}
