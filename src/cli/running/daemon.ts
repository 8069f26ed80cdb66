import { setTimeout as sleep } from "node:timers/promises";
import { withEqualFailures } from "../../app/webhooks/test-endpoint.ts";
import { readOpenFileLimit } from "../../platform/open-file-limit.ts";
import { checkSecretFiles } from "../../app/operations/file-permissions.ts";
import { type Config, hasAlertChannel } from "../../config.ts";
import type { DaemonControl } from "../../app/feature-hooks.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { OnAttempt, WorkerFailure } from "../../delivery/start.ts";
import { startServer } from "../../http/server.ts";
import { retryWhileBusy } from "../../http/pipeline/idempotency.ts";
import type { Log } from "../../platform/log.ts";
import { openRuntime, prepareDataFolder, type Runtime } from "../../app/runtime.ts";
import { acquireDaemonLock } from "../../store/database/database.ts";
import { DamagedDatabaseError, storageError } from "../../store/database/storage-error.ts";
import { DAEMON } from "../../domain/audit.ts";
import { AppError } from "../../domain/errors.ts";
import { assertAddressRanges, isLoopbackHost } from "../../domain/addresses.ts";
import { assertPortAvailable } from "./port.ts";
import { type PausableDeliveries, startPausableDeliveries } from "./pausable-deliveries.ts";
import { lazySendOnce } from "./send-once.ts";

export type DaemonOptions = {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  /** PEM files; with them, the API is served over HTTPS. */
  tls?: { cert: string; key: string } | undefined;
  onAttempt?: OnAttempt;
};

export type Daemon = {
  url: string;
  log: Log;
  /** Resolves with the reason if the daemon must end; the error is logged. */
  failed: Promise<string>;
  /** Resolves with the reason if a feature ends the daemon, as after a handover. */
  ended: Promise<string>;
  /** Reads the certificate files again. */
  renewCertificate: () => void;
  /** Stops accepting requests, finishes the deliveries in flight and closes the data. */
  stop: () => Promise<void>;
  /**
   * Stops like `stop`, and makes a last copy if --backup-dir is set.
   * @returns false if the copy could not be made
   */
  stopWithLastCopy: () => Promise<boolean>;
};

/**
 * The HTTP thread never blocks on another writer: it retries asynchronously, then responds with
 * 503.
 */
const HTTP_BUSY_TIMEOUT_MS = 0;

/**
 * Starts the HTTP API and the delivery worker. If one part fails to start, the parts before it are
 * stopped.
 * @throws AppError usage for an invalid setting; not_permitted with --strict-permissions if other
 *   users can access secrets; state_refuses if another daemon uses the data or the port is in use
 */
export async function startDaemon(
  config: Config,
  { host, port, tls, onAttempt }: DaemonOptions,
): Promise<Daemon> {
  assertAddressRanges("--trusted-proxy", config.http.trustedProxies);
  assertAddressRanges("--allow-private", config.urlAllowances.allowPrivate);
  assertReachableLinks(config);
  const exposedFiles = checkSecretFiles(config, tls?.key);
  const ofFeatures = await loadFromFeatures("daemon");
  const parts = new AsyncDisposableStack();
  try {
    await assertPortAvailable(host, port);
    prepareDataFolder(config);
    const prepared = await Promise.all(ofFeatures.map(({ prepare }) => prepare(config)));
    const lastCopies = prepared.flatMap(({ stopped = [] }) => stopped);
    // The lock is taken before the database is opened: two daemons that start together must not
    // recover or migrate it at the same time.
    const lock = acquireDaemonLock(config.databasePath);
    parts.defer(lock.release);
    const syncFailed = Promise.withResolvers<Failure>();
    const ended = Promise.withResolvers<string>();
    let refusal: AppError | undefined;
    const rt = openRuntime(config, HTTP_BUSY_TIMEOUT_MS, {
      actor: () => DAEMON,
      isDaemon: true,
      assertMayWrite() {
        if (refusal) throw refusal;
      },
      onSyncFailed(error) {
        const { message, fix } = storageError(error, config.databasePath) as AppError;
        rt.log("error", message, { fix });
        syncFailed.resolve({ reason: "the disk failed", message, fix });
      },
    });
    parts.defer(rt.close);
    let needsLastCopy = false;
    let isCopyMade = true;
    parts.defer(async () => {
      if (needsLastCopy)
        for (const makeCopy of lastCopies) isCopyMade = (await makeCopy(rt)) && isCopyMade;
    });
    await assertDatabaseUsable(rt);
    for (const { opened } of prepared) opened(rt);
    for (const { text, fix } of exposedFiles) rt.log("warn", text, { fix });
    // Other connections run the checkpoints, so that no request waits for one.
    rt.store.file.disableCheckpoints();
    // The API starts before the worker, so that the two starts do not compete for the processor.
    // The API also stops first: `parts` disposes in reverse order, so `pause` is registered before
    // `server.close`.
    let deliveries: PausableDeliveries | undefined;
    parts.defer(async () => deliveries?.pause());
    // All endpoint tests that get no response take equally long, so that partners cannot find
    // closed ports.
    const sendOnce = withEqualFailures(rt, lazySendOnce(rt), waitUnlessAborted);
    const server = await startServer(rt, { host, port, tls, sendOnce });
    parts.defer(server.close);
    const worker = await startPausableDeliveries(config, { onAttempt });
    deliveries = worker;
    // The modules that send alerts are loaded now: an upgrade could remove them before they are
    // needed.
    const report = await loadFailureReport(config);
    const workerDied = worker.died.then((failure) => ({
      reason: "delivery worker died",
      ...failure,
    }));
    const alertBeforeEnding = async ({ reason, message, fix }: Failure): Promise<string> => {
      await report({ message: `the daemon has ended: ${message}`, fix });
      return reason;
    };
    const saveCertificateExpiry = () =>
      saveState(rt, () => rt.store.daemon.saveCertificateExpiry(server.certificateExpiresAt()));
    await saveAddress(rt, server.url);
    await saveCertificateExpiry();
    const control: DaemonControl = {
      pauseDeliveries: worker.pause,
      refuseWrites(error) {
        // Counts in memory can be saved only before writes are refused.
        server.flush();
        refusal = error;
      },
      async resume() {
        refusal = undefined;
        await worker.resume();
      },
      end: ended.resolve,
    };
    for (const { started } of prepared) if (started) parts.defer(started(rt, control));
    return {
      url: server.url,
      log: rt.log,
      renewCertificate: () => {
        server.reloadCertificate();
        void saveCertificateExpiry();
      },
      failed: Promise.race([syncFailed.promise, workerDied]).then(alertBeforeEnding),
      ended: ended.promise,
      stop: () => parts.disposeAsync(),
      stopWithLastCopy: async () => {
        needsLastCopy = true;
        await parts.disposeAsync();
        return isCopyMade;
      },
    };
  } catch (error) {
    await parts.disposeAsync();
    // An error has only one fix, so one feature explains it.
    const [explainer] = ofFeatures;
    const explained =
      error instanceof DamagedDatabaseError && explainer
        ? await explainer.explainDamage(config, error)
        : error;
    await alertRefusedStart(config, explained);
    throw explained;
  }
}

const waitUnlessAborted = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(Math.max(0, ms), undefined, { signal }).catch(() => {});

type Failure = WorkerFailure & { reason: string };

/**
 * Returns a function that reports a failure. Nothing is loaded if there is no channel for alerts.
 */
async function loadFailureReport(
  config: Config,
): Promise<(failure: WorkerFailure) => Promise<unknown>> {
  const reports = hasAlertChannel(config.alerts) ? await loadFromFeatures("failures") : [];
  return (failure) => Promise.all(reports.map((report) => report(config, failure)));
}

/**
 * Codes of errors about the data, which cause an alert. A port in use or a wrong option concerns
 * only whoever starts the daemon.
 */
const ALERTED_CODES = new Set(["storage_failed", "storage_full", "not_permitted"]);

/**
 * Alerts that the daemon does not start. A supervisor would otherwise retry again and again in
 * silence.
 */
async function alertRefusedStart(config: Config, error: unknown): Promise<void> {
  const known = error instanceof AppError ? error : storageError(error, config.databasePath);
  if (known === undefined || !ALERTED_CODES.has(known.code)) return;
  const { message, fix } = known;
  const report = await loadFailureReport(config);
  await report({ message: `the daemon does not start: ${message}`, fix });
}

/** Checking a larger file would delay the start by seconds; the nightly backup checks it. */
const MAX_CHECKED_BYTES = 250_000_000;

/**
 * Checks that the database is intact and can be written.
 * @throws AppError if the database is damaged or read-only
 */
export async function assertDatabaseUsable(rt: Runtime): Promise<void> {
  const saveBudget = () => rt.store.history.saveBudget(rt.config.history);
  try {
    const damage = rt.store.file.findDamage(MAX_CHECKED_BYTES);
    if (damage !== null) throw new DamagedDatabaseError(rt.config.databasePath, damage);
    // The limits of the history must be saved anyway. This write shows whether the database is
    // read-only.
    await retryWhileBusy(rt, () => rt.tx(saveBudget));
  } catch (error) {
    const known = error instanceof AppError ? error : storageError(error, rt.config.databasePath);
    // The daemon starts even if the database is busy or the disk is full.
    if (known?.code !== "busy" && known?.code !== "storage_full") throw known ?? error;
    rt.log("warn", "could not save how much history is kept", { reason: known.message });
  }
}

/** Stores the URL and settings for the commands that show the state of the daemon. */
function saveAddress(rt: Runtime, url: string): Promise<void> {
  const { everyMs, dir, command } = rt.config.backups;
  const row = {
    url,
    publicUrl: rt.config.http.publicUrl,
    startedAt: rt.now(),
    clockSource: rt.machineClock.source(),
    clockOffsetMs: Math.round(rt.machineClock.offset()),
    hasAlertUrl: hasAlertChannel(rt.config.alerts),
    mailsGuests: rt.config.guestMail !== null,
    openFiles: readOpenFileLimit(),
    backupEveryMs: everyMs,
    copiesBackups: dir !== null || command !== null,
  };
  return saveState(rt, () => rt.store.daemon.save(row));
}

/** Saves a part of the daemon's state. A failure is logged and does not stop the daemon. */
const saveState = (rt: Runtime, save: () => void): Promise<void> =>
  retryWhileBusy(rt, () => rt.tx(save)).catch((error: Error) =>
    rt.log("warn", "could not save the state of the daemon", { reason: error.message }),
  );

/**
 * Checks that links in alerts and mails will begin with https; links to this machine need not.
 * @throws AppError usage if --public-url has no such URL
 */
function assertReachableLinks({ alerts, guestMail, http }: Config): void {
  const { protocol, host } = URL.parse(http.publicUrl) ?? {};
  const flag = alerts.links ? "--alert-links" : "--guest-mail";
  if (!alerts.links && guestMail === null) return;
  if (protocol === "https:" || (host && isLoopbackHost(host))) return;
  throw new AppError(
    "usage",
    `${flag} needs --public-url with the https URL of this server, which the links begin with.`,
    {
      fix: alerts.links
        ? "deskbell serve --alert-links --public-url https://api.example.com"
        : "deskbell serve --guest-mail bookings@example.com --public-url https://api.example.com",
    },
  );
}
