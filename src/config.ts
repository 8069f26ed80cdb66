import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  parseAlertFormat,
  parseContact,
  parseMailAddress,
  parseUrl,
  readSecret,
} from "./config-values.ts";
import type { AlertFormat } from "./domain/conditions/alert-url.ts";
import { AppError } from "./domain/errors.ts";
import { followLink } from "./platform/durable-file.ts";
import type { LogFormat } from "./platform/log.ts";
import { listCacheFolders, type Machine, userDataDir } from "./platform/user-folders.ts";

/**
 * The configuration is plain data, so that it can be passed to worker threads. Flags override the
 * environment.
 */
export type Config = {
  dataDir: string;
  databasePath: string;
  masterKeyPath: string;
  backupFolder: string;
  /** Whether to create the data folder; false in a worker thread. */
  mayCreate: boolean;
  logFormat: LogFormat;
  /** Exceptions to the rule that URLs of endpoints need https and a public address. */
  urlAllowances: { allowHttp: boolean; allowPrivate: string[] };
  /**
   * The most deliveries in flight to one host, over all endpoints that the operator does not trust.
   */
  maxInFlightPerHost: number;
  http: HttpConfig;
  history: HistoryBudget;
  backups: BackupPlan;
  alerts: AlertConfig;
  /** The sender of mails to guests, over the mail server of the alerts; null for no mails. */
  guestMail: string | null;
  /** Whether passwords of mail and NATS servers may be sent without TLS. */
  allowPlaintext: boolean;
  /** Whether the daemon refuses to start if other users can access its secrets. */
  strictPermissions: boolean;
};

export type HistoryBudget = {
  /** The number of days after which delivered events and catalog changes are deleted. */
  keepDays: number;
  /** The size above which the oldest delivered events and catalog changes are deleted earlier. */
  maxBytes: number;
};

/** Each setting is null, or false, if it is not configured. */
export type BackupPlan = {
  /** The time between two backups; null for one every night. */
  everyMs: number | null;
  /** A second folder for backups, for example on another disk. */
  dir: string | null;
  /** A command that the shell runs after each backup. */
  command: string | null;
  /** Whether the master key is copied with the backups. */
  withKey: boolean;
};

/** Alerts are only logged if there is neither a URL nor a mail address. */
export type AlertConfig = {
  url: string | null;
  /** Null means the format that the service at the URL expects. */
  format: AlertFormat | null;
  /** Recipients of alerts, separated by commas. */
  mail: string | null;
  /** The URL of the mail server, with its password. */
  smtpUrl: string | null;
  smtpUrlFile: string | null;
  heartbeatUrl: string | null;
  /** Whether the password of the mail server may be sent without TLS. */
  allowPlaintext: boolean;
  /** Whether an alert about a visit that waits for a decision has links to accept or decline it. */
  links: boolean;
};

type HttpConfig = {
  /** Address ranges whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  /** The URL of the server, without a trailing slash; if empty, it is taken from each request. */
  publicUrl: string;
  /** A mailto or https URL of the operator, for partners and whoever finds a vulnerability. */
  contact: string | null;
  /** A token that /metrics accepts besides the one in the data folder. */
  metricsToken: string | null;
  metricsTokenFile: string | null;
  accessLog: boolean;
  /** The maximum size of the response cache. */
  cacheBytes: number;
};

export type ConfigFlags = {
  dataDir?: string | undefined;
  logFormat?: string | undefined;
  allowHttp?: boolean | undefined;
  allowPrivate?: string[] | undefined;
  maxInFlightPerHost?: number | undefined;
  trustedProxies?: string[] | undefined;
  publicUrl?: string | undefined;
  contact?: string | undefined;
  metricsTokenFile?: string | undefined;
  accessLog?: boolean | undefined;
  cacheBytes?: number | undefined;
  keepDays?: number | undefined;
  keepBytes?: number | undefined;
  backupEveryMs?: number | undefined;
  backupDir?: string | undefined;
  backupCommand?: string | undefined;
  backupWithKey?: boolean | undefined;
  alertUrl?: string | undefined;
  alertFormat?: string | undefined;
  alertMail?: string | undefined;
  smtpUrlFile?: string | undefined;
  heartbeatUrl?: string | undefined;
  alertLinks?: boolean | undefined;
  guestMail?: string | undefined;
  allowPlaintext?: boolean | undefined;
  strictPermissions?: boolean | undefined;
};

const DEFAULT_MAX_IN_FLIGHT_PER_HOST = 8;
const DEFAULT_KEEP_DAYS = 30;
/**
 * This size has room for 30 days of 10,000 businesses that each make five changes a day, with three
 * events per change.
 */
const DEFAULT_KEEP_BYTES = 10_000_000_000;
/** Room for the services of 10,000 small businesses. The cache grows only as needed. */
const DEFAULT_CACHE_BYTES = 100_000_000;

/** Returns the configuration. An empty variable counts as unset. systemd sets STATE_DIRECTORY. */
export function readConfig(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const dataDir = resolve(
    flags.dataDir ??
      (env.DESKBELL_DATA_DIR ||
        env.STATE_DIRECTORY ||
        checkoutDataDir() ||
        userDataDir(env, MACHINE)),
  );
  const logFormat = flags.logFormat ?? (env.DESKBELL_LOG_FORMAT || "auto");
  if (logFormat !== "auto" && logFormat !== "json" && logFormat !== "pretty")
    throw new AppError("usage", `--log-format must be auto, json or pretty, not '${logFormat}'.`);
  const alerts = readAlertConfig(flags, env);
  return {
    dataDir,
    // The lock and the other files beside the database must be the same under each of its names.
    databasePath: followLink(join(dataDir, "deskbell.db")),
    masterKeyPath: join(dataDir, "master.key"),
    backupFolder: join(dataDir, "backups"),
    mayCreate: true,
    logFormat,
    urlAllowances: {
      allowHttp: flags.allowHttp ?? isEnvEnabled("DESKBELL_ALLOW_HTTP", env),
      allowPrivate:
        flags.allowPrivate ?? env.DESKBELL_ALLOW_PRIVATE?.split(",").filter(Boolean) ?? [],
    },
    maxInFlightPerHost: flags.maxInFlightPerHost ?? DEFAULT_MAX_IN_FLIGHT_PER_HOST,
    http: readHttpConfig(flags, env),
    history: {
      keepDays: flags.keepDays ?? DEFAULT_KEEP_DAYS,
      maxBytes: flags.keepBytes ?? DEFAULT_KEEP_BYTES,
    },
    backups: readBackupPlan(flags, env),
    alerts,
    guestMail: readGuestMail(flags, env, alerts),
    allowPlaintext: isPlaintextAllowed(flags, env),
    strictPermissions: flags.strictPermissions ?? isEnvEnabled("DESKBELL_STRICT_PERMISSIONS", env),
  };
}

function readBackupPlan(flags: ConfigFlags, env: NodeJS.ProcessEnv): BackupPlan {
  const dir = (flags.backupDir ?? env.DESKBELL_BACKUP_DIR) || null;
  return {
    everyMs: flags.backupEveryMs ?? null,
    dir: dir === null ? null : resolve(dir),
    command: (flags.backupCommand ?? env.DESKBELL_BACKUP_COMMAND) || null,
    withKey: flags.backupWithKey ?? isEnvEnabled("DESKBELL_BACKUP_WITH_KEY", env),
  };
}

function readAlertConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv): AlertConfig {
  const formatName = flags.alertFormat ?? (env.DESKBELL_ALERT_FORMAT || null);
  const format = formatName === null ? null : parseAlertFormat(formatName);
  const smtpUrlFile = flags.smtpUrlFile ?? (env.DESKBELL_SMTP_URL_FILE || null);
  const config = {
    url: parseUrl("--alert-url", flags.alertUrl ?? env.DESKBELL_ALERT_URL),
    format,
    mail: flags.alertMail ?? (env.DESKBELL_ALERT_MAIL || null),
    smtpUrl: readSecret("--smtp-url-file", smtpUrlFile, env.DESKBELL_SMTP_URL),
    smtpUrlFile,
    heartbeatUrl: parseUrl("--heartbeat-url", flags.heartbeatUrl ?? env.DESKBELL_HEARTBEAT_URL),
    allowPlaintext: isPlaintextAllowed(flags, env),
    links: flags.alertLinks ?? isEnvEnabled("DESKBELL_ALERT_LINKS", env),
  };
  if (config.smtpUrl !== null && !/^smtps?:$/.test(URL.parse(config.smtpUrl)?.protocol ?? ""))
    throw new AppError(
      "usage",
      "DESKBELL_SMTP_URL must be an smtp or smtps URL, such as smtps://user:password@mail.example.com.",
    );
  if (config.mail !== null && config.smtpUrl === null)
    throw new AppError("usage", "--alert-mail needs a mail server.", {
      fix: "set DESKBELL_SMTP_URL, or name a file with the URL: --smtp-url-file FILE",
    });
  return config;
}

function readGuestMail(
  flags: ConfigFlags,
  env: NodeJS.ProcessEnv,
  { smtpUrl }: AlertConfig,
): string | null {
  const sender = parseMailAddress("--guest-mail", flags.guestMail ?? env.DESKBELL_GUEST_MAIL);
  if (sender === null || smtpUrl !== null) return sender;
  throw new AppError("usage", "--guest-mail needs a mail server.", {
    fix: "set DESKBELL_SMTP_URL, or name a file with the URL: --smtp-url-file FILE",
  });
}

const isPlaintextAllowed = (flags: ConfigFlags, env: NodeJS.ProcessEnv): boolean =>
  flags.allowPlaintext ?? isEnvEnabled("DESKBELL_ALLOW_PLAINTEXT", env);

export const hasAlertChannel = ({ url, mail }: AlertConfig): boolean =>
  url !== null || mail !== null;

function readHttpConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv): HttpConfig {
  const trustedProxies =
    flags.trustedProxies ?? env.DESKBELL_TRUSTED_PROXIES?.split(",").filter(Boolean) ?? [];
  const publicUrl = flags.publicUrl ?? env.DESKBELL_PUBLIC_URL ?? "";
  if (publicUrl !== "" && !/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? ""))
    throw new AppError(
      "usage",
      "--public-url must be an http or https URL, such as https://api.example.com.",
    );
  const metricsTokenFile = flags.metricsTokenFile ?? (env.DESKBELL_METRICS_TOKEN_FILE || null);
  return {
    trustedProxies,
    publicUrl: publicUrl.replace(/\/+$/, ""),
    contact: parseContact(flags.contact ?? env.DESKBELL_CONTACT),
    metricsToken: readSecret("--metrics-token-file", metricsTokenFile, env.DESKBELL_METRICS_TOKEN),
    metricsTokenFile,
    accessLog: flags.accessLog ?? isEnvEnabled("DESKBELL_ACCESS_LOG", env),
    cacheBytes: flags.cacheBytes ?? DEFAULT_CACHE_BYTES,
  };
}

/**
 * Returns the API key of `webhooks listen`. A flag would show it, because any user can list the
 * arguments of a process.
 */
export const readApiKey = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env.DESKBELL_API_KEY;

/**
 * Returns the environment for a program that is started, with more variables. The variables of
 * deskbell are left out, because they contain secrets.
 */
export function environmentWith(
  variables: Record<string, string>,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !/^DESKBELL_/i.test(name));
  return { ...Object.fromEntries(inherited), ...variables };
}

/**
 * Returns why the systemd service has ended, for a command in ExecStopPost; undefined after a
 * regular stop.
 */
export function readServiceFailure(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { SERVICE_RESULT = "success", EXIT_STATUS = "" } = env;
  return SERVICE_RESULT === "success" ? undefined : `${SERVICE_RESULT} ${EXIT_STATUS}`.trim();
}

/**
 * Returns the user who ran sudo. The operator uses sudo to run commands as the owner of the data.
 */
export const readSudoUser = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  env.SUDO_USER || undefined;

/** Returns whether npm runs this program: `npx deskbell`, `npm start` or a script of a package. */
export const isStartedByNpm = (env: NodeJS.ProcessEnv = process.env): boolean =>
  Boolean(env.npm_command);

/** Returns whether the terminal cannot move its cursor. */
export const isDumbTerminal = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env.TERM === "dumb";

export const isEnvEnabled = (name: string, env: NodeJS.ProcessEnv = process.env): boolean =>
  env[name] === "1" || env[name] === "true";

/**
 * Sets the variables that ink and React read when imported: React's production build, and no
 * colours if unwanted. ink ignores NO_COLOR. If both NO_COLOR and FORCE_COLOR are set, Node prints
 * a warning over the screen.
 */
export function prepareForInk(wantsColour: boolean, env: NodeJS.ProcessEnv = process.env): void {
  env.NODE_ENV ??= "production";
  // With DEV set, ink tries to connect to a debugger.
  delete env.DEV;
  if (wantsColour && !env.NO_COLOR) return;
  delete env.NO_COLOR;
  env.FORCE_COLOR = "0";
}

/** Returns the folders for caches, the best first, or only the folder that a variable names. */
export const cacheFolders = (env: NodeJS.ProcessEnv = process.env): string[] =>
  listCacheFolders(env, MACHINE);

const MACHINE: Machine = { platform: process.platform, userId: process.getuid?.() };

/** Returns the data folder of a checkout, a folder that git ignores; undefined elsewhere. */
const checkoutDataDir = (): string | undefined =>
  existsSync("package.json") && existsSync("bin/deskbell.js") ? ".deskbell" : undefined;
