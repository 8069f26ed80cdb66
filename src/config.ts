import { existsSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { AppError } from "./domain/errors.ts";
import type { LogFormat } from "./log.ts";

/** What the program was told, flags over environment. A plain value: it is handed to the courier's thread as it is. */
export type Config = {
  dataDir: string;
  databasePath: string;
  masterKeyPath: string;
  backupFolder: string;
  /** false in a thread, which finds everything made. */
  mayCreate: boolean;
  logFormat: LogFormat;
  /** Where endpoints may point besides https on public addresses. */
  urlAllowances: { allowHttp: boolean; allowPrivate: string[] };
  http: HttpConfig;
  /** Where the operator is told what goes wrong; null: in the log alone. */
  alertUrl: string | null;
};

type HttpConfig = {
  /** Address ranges of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  /** Where partners reach the API, without a slash at its end; empty: at the address that they ask. */
  publicUrl: string;
  /** Opens /metrics to other machines; null: to none. */
  metricsToken: string | null;
  accessLog: boolean;
};

export type ConfigFlags = {
  dataDir?: string | undefined;
  logFormat?: string | undefined;
  allowHttp?: boolean | undefined;
  allowPrivate?: string[] | undefined;
  trustedProxies?: string[] | undefined;
  publicUrl?: string | undefined;
  metricsTokenFile?: string | undefined;
  accessLog?: boolean | undefined;
  alertUrl?: string | undefined;
};

/** The only reader of the environment, where a variable that is empty says as little as one that is not set. */
export function readConfig(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const dataDir = resolve(
    flags.dataDir ?? (env.DESKBELL_DATA_DIR || env.STATE_DIRECTORY || defaultDataDir(env)),
  );
  const logFormat = flags.logFormat ?? (env.DESKBELL_LOG_FORMAT || "auto");
  if (logFormat !== "auto" && logFormat !== "json" && logFormat !== "pretty")
    throw new AppError("usage", `--log-format must be auto, json or pretty, not '${logFormat}'.`);
  return {
    dataDir,
    databasePath: join(dataDir, "deskbell.db"),
    masterKeyPath: join(dataDir, "master.key"),
    backupFolder: join(dataDir, "backups"),
    mayCreate: true,
    logFormat,
    urlAllowances: {
      allowHttp: flags.allowHttp ?? isEnvEnabled("DESKBELL_ALLOW_HTTP", env),
      allowPrivate:
        flags.allowPrivate ?? env.DESKBELL_ALLOW_PRIVATE?.split(",").filter(Boolean) ?? [],
    },
    http: readHttpConfig(flags, env),
    alertUrl: readAlertUrl(flags.alertUrl ?? env.DESKBELL_ALERT_URL),
  };
}

function readAlertUrl(text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new AppError("usage", "--alert-url must be an http or https URL.");
}

function readHttpConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv): HttpConfig {
  const trustedProxies =
    flags.trustedProxies ?? env.DESKBELL_TRUSTED_PROXIES?.split(",").filter(Boolean) ?? [];
  const publicUrl = flags.publicUrl ?? env.DESKBELL_PUBLIC_URL ?? "";
  if (publicUrl !== "" && !/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? ""))
    throw new AppError(
      "usage",
      "--public-url must be an http or https URL, such as https://api.example.com.",
    );
  return {
    trustedProxies,
    publicUrl: publicUrl.replace(/\/+$/, ""),
    metricsToken: readMetricsToken(flags.metricsTokenFile, env),
    accessLog: flags.accessLog ?? isEnvEnabled("DESKBELL_ACCESS_LOG", env),
  };
}

function readMetricsToken(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  const path = file ?? (env.DESKBELL_METRICS_TOKEN_FILE || undefined);
  if (path === undefined) return env.DESKBELL_METRICS_TOKEN || null;
  try {
    const token = readFileSync(path, "utf8").trim();
    if (token !== "") return token;
  } catch {
    // Told below: empty or not to be read, it opens nothing.
  }
  throw new AppError("usage", `--metrics-token-file: there is no token to be read in ${path}.`);
}

/** Of a partner, who has no data here; a flag would show it to everybody on the machine. */
export const readApiKey = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env.DESKBELL_API_KEY;

/** A terminal that can neither move its cursor nor clear its screen. */
export const isDumbTerminal = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env.TERM === "dumb";

/** A switch in the environment: `1` and `true` turn it on. */
export const isEnvEnabled = (name: string, env: NodeJS.ProcessEnv = process.env): boolean =>
  env[name] === "1" || env[name] === "true";

/**
 * Sets what ink and React read once, as they are imported: React's production build, and no colours where none are wanted
 * (ink does not know NO_COLOR; with both variables set Node prints a warning over the screen).
 */
export function prepareForInk(wantsColour: boolean, env: NodeJS.ProcessEnv = process.env): void {
  env.NODE_ENV ??= "production";
  // Other tools' word for a development build, with which ink looks for a debugger of its own.
  delete env.DEV;
  if (wantsColour && !env.NO_COLOR) return;
  delete env.NO_COLOR;
  env.FORCE_COLOR = "0";
}

/** Where the executable may unpack what cannot be used from within it, best first; one that is named is the only one. */
export function cacheFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const named = env.DESKBELL_CACHE_DIR || env.CACHE_DIRECTORY;
  if (named) return [resolve(named)];
  const home = homeOf(env);
  const usual = [env.XDG_CACHE_HOME, home && join(home, ".cache")].find(
    (path) => path && isAbsolute(path),
  );
  const shared = join(tmpdir(), `deskbell-${process.getuid?.() ?? "cache"}`);
  return usual ? [join(usual, "deskbell"), shared] : [shared];
}

/** A user without a name has no home either. */
function homeOf(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return env.HOME || homedir() || undefined;
  } catch {
    return undefined;
  }
}

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  // A checkout keeps its data with it (ignored by git).
  if (existsSync("package.json") && existsSync("bin/deskbell.js")) return ".deskbell";
  if (process.getuid?.() === 0) return "/var/lib/deskbell";
  const home = homeOf(env);
  if (!env.XDG_DATA_HOME && home === undefined)
    throw new AppError("usage", "There is no home folder to keep the data in.", {
      fix: "name a folder with --data-dir",
    });
  return join(env.XDG_DATA_HOME || join(home ?? "", ".local/share"), "deskbell");
}
