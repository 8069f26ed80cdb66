import { isatty } from "node:tty";
import { ALERT_FLAGS } from "../alert-flags.ts";
import { command } from "../command.ts";
import { EXIT, usageError } from "../failure.ts";
import { limitHeapGrowth } from "../v8-flags.ts";
import { DEFAULT_PORT } from "../running/port.ts";
import { untilStopped } from "../running/stop-signal.ts";
import { choice, duration, integer, size, withEnvironment, text, texts, toggle } from "../flags.ts";

export const definition = command({
  flags: {
    host: withEnvironment(
      "DESKBELL_HOST",
      text("address", "address to listen on (default 127.0.0.1)"),
    ),
    port: withEnvironment(
      "DESKBELL_PORT",
      integer(0, 65_535, `port to listen on; 0 chooses a free one (default ${DEFAULT_PORT})`),
    ),
    tlsCert: withEnvironment(
      "DESKBELL_TLS_CERT",
      text("file", "serve HTTPS with this certificate chain (PEM); SIGHUP reloads it"),
    ),
    tlsKey: withEnvironment(
      "DESKBELL_TLS_KEY",
      text("file", "private key of the certificate (PEM)"),
    ),
    allowHttp: toggle("for testing: allow webhooks to http URLs"),
    allowPrivate: texts(
      "cidr",
      "for testing: allow webhooks to this private address range (repeatable)",
    ),
    maxInFlightPerHost: withEnvironment(
      "DESKBELL_MAX_IN_FLIGHT_PER_HOST",
      integer(
        1,
        1024,
        "maximum concurrent deliveries to one host, except to endpoints with --allow-private (default 8)",
      ),
    ),
    ...ALERT_FLAGS,
    alertLinks: toggle(
      "add links to alerts about visits that wait for a decision, by which the reader accepts or declines them; needs --public-url (env: DESKBELL_ALERT_LINKS=1)",
    ),
    guestMail: withEnvironment(
      "DESKBELL_GUEST_MAIL",
      text(
        "from",
        "mail guests about the visits that they book on a page, from this address, by the mail server of --smtp-url-file; needs --public-url",
      ),
    ),
    publicUrl: text("url", "URL at which partners reach the API behind a proxy"),
    contact: withEnvironment(
      "DESKBELL_CONTACT",
      text(
        "address",
        "your mail address or https URL, shown in /.well-known/security.txt and /openapi.json",
      ),
    ),
    trustedProxy: texts("cidr", "trust X-Forwarded-For from this address range (repeatable)"),
    metricsTokenFile: text(
      "file",
      "file with a bearer token for /metrics, besides the one that deskbell metrics token prints",
    ),
    cacheSize: withEnvironment(
      "DESKBELL_CACHE_SIZE",
      size("memory for cached responses (default 100MB)", ["0MB", "100GB"]),
    ),
    keepDays: withEnvironment(
      "DESKBELL_KEEP_DAYS",
      integer(9, 3650, "days for which delivered events and catalog changes are kept (default 30)"),
    ),
    keepSize: withEnvironment(
      "DESKBELL_KEEP_SIZE",
      size(
        "size of events, deliveries and catalog changes above which the oldest are deleted earlier (default 10GB)",
        ["10MB", "1000TB"],
      ),
    ),
    backupEvery: withEnvironment(
      "DESKBELL_BACKUP_EVERY",
      duration("time between two backups (default: every night at 03:17)", ["5m", "7d"]),
    ),
    backupDir: withEnvironment(
      "DESKBELL_BACKUP_DIR",
      text("folder", "copy each backup to this folder, on another disk or machine, and verify it"),
    ),
    backupCommand: withEnvironment(
      "DESKBELL_BACKUP_COMMAND",
      text(
        "command",
        "run this shell command after each backup, to upload $DESKBELL_BACKUP_FILE (at most 6 hours)",
      ),
    ),
    backupWithKey: toggle(
      "also copy the master key to --backup-dir, and pass its path to --backup-command as $DESKBELL_BACKUP_KEY: who has both can decrypt the signing secrets (env: DESKBELL_BACKUP_WITH_KEY=1)",
    ),
    accessLog: toggle("log every request"),
    strictPermissions: toggle(
      "refuse to start if other users can access the data or its secrets (default: log a warning)",
    ),
    logFormat: choice(
      ["auto", "json", "pretty"],
      "log format on stderr; auto is JSON unless stderr is a terminal",
    ),
  },
  examples: [
    "serve",
    "serve --host 0.0.0.0 --port 443 --tls-cert /etc/deskbell/chain.pem --tls-key /etc/deskbell/key.pem",
  ],
  async run(cli, { host = "127.0.0.1", port = DEFAULT_PORT, tlsCert, tlsKey, ...flags }) {
    const tls = tlsFiles(tlsCert, tlsKey);
    const { startDaemon } = await import("../running/daemon.ts");
    // Handlers of signals are installed first: by default, SIGHUP ends the process and SIGUSR1
    // opens Node's debugger. A terminal sends SIGHUP when it closes; a service manager sends it to
    // ask for a reload.
    let onSignal: (signal: NodeJS.Signals) => void = () => {};
    // `isatty` is cheaper than `process.stdin`, which opens the terminal and loads file streams.
    const stopsOnHangUp = !tls && isatty(0);
    process.on("SIGUSR1", (signal) => onSignal(signal));
    if (!stopsOnHangUp) process.on("SIGHUP", (signal) => onSignal(signal));
    const stopped = untilStopped(stopsOnHangUp ? undefined : ["SIGINT", "SIGTERM"]);
    const config = cli.config({
      ...flags,
      allowHttp: flags.allowHttp || undefined,
      allowPrivate: undefinedIfEmpty(flags.allowPrivate),
      trustedProxies: undefinedIfEmpty(flags.trustedProxy),
      accessLog: flags.accessLog || undefined,
      strictPermissions: flags.strictPermissions || undefined,
      allowPlaintext: flags.allowPlaintext || undefined,
      alertLinks: flags.alertLinks || undefined,
      cacheBytes: flags.cacheSize,
      keepBytes: flags.keepSize,
      backupEveryMs: flags.backupEvery,
      backupWithKey: flags.backupWithKey || undefined,
    });
    const daemon = await startDaemon(config, { host, port, tls });
    // `limitHeapGrowth` makes Node load a module, which would delay the start.
    limitHeapGrowth();
    onSignal = (signal) => {
      if (tls && signal === "SIGHUP") daemon.renewCertificate();
      else daemon.log("info", "ignored a signal", { signal });
    };
    daemon.log("info", "serving", {
      url: daemon.url,
      docs: `${daemon.url}/docs`,
      data: config.dataDir,
    });
    const { reason, exitCode, makesLastCopy } = await Promise.race([
      stopped.then((signal) => ({ reason: signal, exitCode: EXIT.ok, makesLastCopy: true })),
      daemon.ended.then((end) => ({ reason: end, exitCode: EXIT.ok, makesLastCopy: false })),
      daemon.failed.then((failure) => ({
        reason: failure,
        exitCode: EXIT.failure,
        makesLastCopy: false,
      })),
    ]);
    daemon.log("info", "stopping", { reason });
    if (makesLastCopy) return (await daemon.stopWithLastCopy()) ? EXIT.ok : EXIT.failure;
    await daemon.stop();
    return exitCode;
  },
});

/**
 * Returns the files for HTTPS; undefined if neither is given.
 * @throws AppError usage if only one is given
 */
export function tlsFiles(
  cert: string | undefined,
  key: string | undefined,
): { cert: string; key: string } | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  // Equal values can only be two undefined values here.
  if (cert === key) return undefined;
  throw usageError(
    `${cert ? "--tls-key" : "--tls-cert"} is missing: HTTPS needs a certificate and its key.`,
    "deskbell serve --tls-cert FILE --tls-key FILE",
  );
}

/** Returns undefined for an unused flag, so that the environment variable applies. */
const undefinedIfEmpty = (values: string[]): string[] | undefined =>
  values.length > 0 ? values : undefined;
