import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "./domain/errors.ts";
import type { LogFormat } from "./log.ts";

/** What the program was told, flags over environment. A plain value: it is handed to the courier's thread as it is. */
export type Config = {
  dataDir: string;
  databasePath: string;
  masterKeyPath: string;
  /** false in a thread, which finds everything made. */
  mayCreate: boolean;
  logFormat: LogFormat;
  /** Where endpoints may point besides https on public addresses. */
  lab: { allowHttp: boolean; allowPrivate: string[] };
};

export type ConfigFlags = {
  dataDir?: string | undefined;
  logFormat?: string | undefined;
  allowHttp?: boolean | undefined;
  allowPrivate?: string[] | undefined;
};

/** The only reader of the environment. */
export function readConfig(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const dataDir = resolve(flags.dataDir ?? env.DESKBELL_DATA_DIR ?? env.STATE_DIRECTORY ?? defaultDataDir(env));
  const logFormat = flags.logFormat ?? env.DESKBELL_LOG_FORMAT ?? "auto";
  if (logFormat !== "auto" && logFormat !== "json" && logFormat !== "pretty")
    throw new AppError("usage", `--log-format must be auto, json or pretty, not '${logFormat}'.`);
  return {
    dataDir,
    databasePath: join(dataDir, "deskbell.db"),
    masterKeyPath: join(dataDir, "master.key"),
    mayCreate: true,
    logFormat,
    lab: {
      allowHttp: flags.allowHttp ?? envSwitch("DESKBELL_ALLOW_HTTP", env),
      allowPrivate: flags.allowPrivate ?? env.DESKBELL_ALLOW_PRIVATE?.split(",").filter(Boolean) ?? [],
    },
  };
}

/** A switch in the environment: `1` and `true` turn it on. */
export const envSwitch = (name: string, env: NodeJS.ProcessEnv = process.env): boolean =>
  env[name] === "1" || env[name] === "true";

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  // A checkout keeps its data with it (ignored by git).
  if (existsSync("package.json") && existsSync("bin/deskbell.js")) return ".deskbell";
  if (process.getuid?.() === 0) return "/var/lib/deskbell";
  return join(env.XDG_DATA_HOME ?? join(homedir(), ".local/share"), "deskbell");
}
