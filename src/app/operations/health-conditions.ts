import { hasEnded } from "../../domain/api-key.ts";
import { lostFileError } from "../../store/file-identity.ts";
import { readOnlyDiskError } from "../../store/storage-error.ts";
import {
  type ConditionCode,
  type HealthCondition,
  openCondition,
  type Severity,
} from "../../domain/conditions/registry.ts";
import { byteSize, shellQuote } from "../../domain/text.ts";
import { listFastKeys } from "../bookings/booking-limits.ts";
import { listHoarders } from "../bookings/hold-limits.ts";
import { slugOf } from "../businesses.ts";
import { describeFreeSpace, RESERVE_BYTES, type Runtime } from "../runtime.ts";
import { readBackupState } from "./backup-state.ts";
import type { DaemonRow } from "../../store/live.ts";
import type { ChannelFailure } from "../alerts/channel-queue.ts";
import type { History } from "./history.ts";

export const checkDaemonRunning = (isRunning: boolean): HealthCondition[] =>
  isRunning ? [] : [openCondition("daemon.stopped", "the daemon is not running", "deskbell serve")];

/** ACME clients renew 30 days before expiry; warn only if that has failed. */
export const CERTIFICATE_WARN_DAYS = 14;

/** @param expiresAt of the certificate that the daemon uses; null without HTTPS */
export function checkCertificate(expiresAt: number | null, now: number): HealthCondition[] {
  if (expiresAt === null || expiresAt >= now + CERTIFICATE_WARN_DAYS * 86_400_000) return [];
  const [code, state] =
    expiresAt <= now
      ? (["tls.expired", "has expired, and clients reject it"] as const)
      : (["tls.expiring", "expires soon"] as const);
  return [
    openCondition(
      code,
      `the certificate of the API ${state} (${isoSeconds(expiresAt)}): renew it, then reload it`,
      "systemctl reload deskbell, or send SIGHUP to the daemon",
      { since: expiresAt <= now ? expiresAt : null },
    ),
  ];
}

export const checkBrowserKeys = (rt: Runtime): HealthCondition[] =>
  rt.store.keys
    .listSeenInBrowser(rt.now())
    .map(({ id, name, businessId }) =>
      openCondition(
        "key.in_browser",
        `the secret key '${name}' of ${slugOf(rt, businessId)} was sent by a web page: every visitor of that page can read it`,
        `deskbell keys rotate ${id} --overlap 0s`,
        { business: slugOf(rt, businessId), subject: { id, name } },
      ),
    );

export const checkUnusedHolds = (rt: Runtime): HealthCondition[] =>
  listHoarders(rt).flatMap(({ keyId, made, used }) => {
    const key = rt.store.keys.findById(keyId);
    if (key === undefined || hasEnded(key, rt.now())) return [];
    const business = slugOf(rt, key.businessId);
    return openCondition(
      "holds.unused",
      `the key '${key.name}' of ${business} has let most of ${made} holds expire in 24 hours and booked ${used}, so it can have 3 at a time: it may keep times from guests`,
      "ask the partner to release the holds that guests leave, and to send Visitor-Id, as /docs/taking-bookings says",
      { business, subject: { id: keyId, name: key.name } },
    );
  });

export const checkFastBookings = (rt: Runtime): HealthCondition[] =>
  listFastKeys(rt).map(({ key: { id, name, businessId }, recent, busiest }) => {
    const business = slugOf(rt, businessId);
    return openCondition(
      "key.booking_fast",
      `the key '${name}' of ${business} has made ${recent} bookings and reservations in two hours, and at most ${busiest} in an hour of the week before`,
      `deskbell bookings list --business ${business} --key ${id} --created-since 2h`,
      { business, subject: { id, name } },
    );
  });

/** @param address the only one of the daemon's clients */
export const checkSharedAddress = (address: string | null | undefined): HealthCondition[] =>
  address
    ? [
        openCondition(
          "proxy.one_address",
          `all clients share the address ${address}, and with it one rate limit: a proxy hides their own. It must send X-Forwarded-For, and deskbell must trust it (serve --trusted-proxy ${address})`,
          "deskbell guide behind-a-proxy",
        ),
      ]
    : [];

/** @param path what was asked for without the metrics token */
export const checkRefusedMetrics = (path: string | null | undefined): HealthCondition[] =>
  path
    ? [
        openCondition(
          "metrics.refused",
          `a program on this machine asked for ${path} without the metrics token and was refused. If it is your monitoring, give it the token. If you know no such program, a proxy on this machine forwards requests of strangers: block /metrics in the proxy`,
          "deskbell metrics token",
        ),
      ]
    : [];

/** Reports that clients had more connections than the limit of open files leaves room for. */
export function checkConnections(running: DaemonRow | undefined): HealthCondition[] {
  const client = running?.connectionsFull;
  if (client === null || client === undefined) return [];
  const owner = client === "" ? "this machine and trusted proxies" : client;
  return [
    openCondition(
      "connections.full",
      `within the last 10 minutes, clients had as many connections as the daemon may open with its limit of ${running?.openFiles ?? "some"} open files, most of them ${owner}: the largest clients lost connections, idle ones first`,
      client === ""
        ? "set LimitNOFILE=65536 in its unit (deskbell systemd-unit), or run ulimit -n 65536 before starting it"
        : `block ${client} in the firewall; if it is a proxy of yours: deskbell serve --trusted-proxy ${client}`,
    ),
  ];
}

/** More than two clocks of one machine ever differ. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** @param newestAt when the newest record was written */
export function checkClock(now: number, newestAt: number): HealthCondition[] {
  if (newestAt <= now + CLOCK_TOLERANCE_MS) return [];
  return [
    openCondition(
      "clock.wrong",
      `the system clock says ${isoSeconds(now)}, but the newest record is from ${isoSeconds(newestAt)}`,
      "sudo timedatectl set-ntp true",
    ),
  ];
}

/**
 * Returns by how much the clock of this process is ahead of the one of the running daemon (ms). It is
 * 0 for a small difference, and if the daemon is from another machine or its clock is not known.
 */
export function clockAheadMs({ machineClock }: Runtime, daemon: DaemonRow | undefined): number {
  if (daemon?.clockSource !== machineClock.source()) return 0;
  const aheadMs = Math.round(machineClock.offset() - (daemon.clockOffsetMs ?? 0));
  return Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS ? 0 : aheadMs;
}

/** @param now of this process @param aheadMs of the daemon's clock */
export const checkDaemonClock = (now: number, aheadMs: number): HealthCondition[] =>
  aheadMs === 0
    ? []
    : [
        openCondition(
          "clock.differs",
          `the clock of this command says ${isoSeconds(now)}, the daemon's ${isoSeconds(now - aheadMs)}, which is used here: one of them is faked, such as by faketime`,
          "env -u LD_PRELOAD date -u; then start the one that differs without faketime",
        ),
      ];

/** Several times the reserve below which no new data is accepted. */
const LOW_BYTES = 500_000_000;

/** Reports a disk that is almost full or full, or that no longer has the database. */
export function checkStorage(rt: Runtime): HealthCondition[] {
  const { databasePath, dataDir } = rt.config;
  const loss = rt.findLoss();
  if (loss !== undefined) {
    const { message, fix = "" } = lostFileError(databasePath, loss);
    return [openCondition("storage.gone", message, fix)];
  }
  if (rt.isDiskReadOnly()) {
    const { message, fix = "" } = readOnlyDiskError(databasePath);
    return [openCondition("storage.read_only", message, fix)];
  }
  const command = `df -h ${shellQuote(dataDir)}`;
  const free = rt.freeBytes();
  if (free >= LOW_BYTES) return [];
  const text = describeFreeSpace(rt, free);
  return free < RESERVE_BYTES
    ? [openCondition("storage.full", `${text}: no new data is accepted.`, command)]
    : [openCondition("storage.low", text, command)];
}

/** Reports damage that the last nightly backup found, and a row without which nothing works. */
export function checkDamage({ config, store }: Runtime): HealthCondition[] {
  const missing = store.file.findMissingRow();
  if (missing !== undefined)
    return [damageCondition(`${config.databasePath} is damaged: ${missing}.`)];
  const failure = readBackupState(config, "failure");
  if (failure?.isDamaged !== true) return [];
  const found = `${config.databasePath} is damaged (found at ${isoSeconds(failure.at)}).`;
  return [damageCondition(found, failure.at)];
}

/** @param text a sentence */
export const damageCondition = (text: string, since: number | null = null): HealthCondition =>
  openCondition(
    "database.damaged",
    `${text.replace(/\.$/, "")}: stop the daemon and restore a backup`,
    "deskbell backup list",
    { since },
  );

/** Longer than a backup of a large file reads it. */
const LOG_KEPT_MS = 30 * 60_000;

/** Reports a read that has kept the log from being emptied since guests were erased. */
export function checkErasedLog({ config, store, now }: Runtime): HealthCondition[] {
  const since = store.file.findLogKeptSince();
  if (since === null || now() - since < LOG_KEPT_MS) return [];
  const log = `${config.databasePath}-wal`;
  return [
    openCondition(
      "guests.in_log",
      `${log} still has the data of guests who were erased at ${isoSeconds(since)}, because a program reads the database without a pause`,
      `lsof ${shellQuote(log)}; then end the program that is not deskbell`,
    ),
  ];
}

/** Reports events that were deleted earlier than intended, because the history was too large. */
export function checkHistory({ cutUntil, keepDays, maxBytes }: History): HealthCondition[] {
  if (cutUntil === null) return [];
  return [
    openCondition(
      "history.cut",
      `history was cut: delivered events and catalog changes up to ${isoSeconds(cutUntil)} were deleted before their ${keepDays} days were up, because the history is larger than ${byteSize(maxBytes)}`,
      "deskbell serve --keep-size SIZE (larger), or --keep-days N (fewer)",
    ),
  ];
}

/** Reports channels of alerts that have failed several times in a row. */
export const checkAlertChannels = (rt: Runtime): HealthCondition[] =>
  rt.store.alertState
    .list<ChannelFailure>("channel")
    .map(({ key: name, value: { since, error } }) =>
      openCondition(
        "alerts.failing",
        `${name} has failed since ${isoSeconds(since)}: ${error}`,
        "deskbell alerts test",
        { subject: { id: name, name }, since },
      ),
    );

export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A problem that `doctor` found. */
export type Finding = {
  text: string;
  fix: string;
  /** Of a health condition. */
  code?: ConditionCode;
  /** Without one, it counts as a warning. */
  severity?: Severity;
  /** Nothing is broken; this is a recommendation. */
  isAdvice?: true;
};

/** `summary`: what was examined. */
export type Check = { about: string; summary: string; findings: Finding[] };

const MAX_NAMES = 5;

/** `a, b, c, d, e and 3 more` */
export function summarizeNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}
