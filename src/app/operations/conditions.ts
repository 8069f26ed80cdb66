import {
  conditionKind,
  fingerprintOf,
  type HealthCondition,
  openCondition,
  withoutCovered,
} from "../../domain/conditions/registry.ts";
import type { DaemonRow } from "../../store/daemon-rows.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { Runtime } from "../runtime.ts";
import { checkUndecided } from "../bookings/booking-alerts.ts";
import { DamagedDatabaseError } from "../../store/database/storage-error.ts";
import {
  checkCorruptEvents,
  checkDeliveryWorker,
  checkEndpoint,
  checkLateDeliveries,
  checkNetwork,
  checkPaused,
  checkSigningSecrets,
  checkUnreliable,
} from "./delivery-conditions.ts";
import { checkDataFolder } from "./file-permissions.ts";
import { checkCertificate } from "../../domain/conditions/certificate.ts";
import { checkClock, checkDaemonClock, clockAheadMs } from "./clock-conditions.ts";
import {
  checkConnections,
  checkDaemonRunning,
  checkRefusedMetrics,
  checkSharedAddress,
} from "./daemon-conditions.ts";
import {
  checkDamage,
  checkErasedLog,
  checkHistory,
  checkStorage,
  damageCondition,
} from "./storage-conditions.ts";
import {
  checkBrowserKeys,
  checkEndedKeys,
  checkExpiringKeys,
  checkFastBookings,
  checkKeySecrets,
  checkUnusedHolds,
} from "./key-conditions.ts";
import { readHistory } from "./history.ts";

type DaemonState = { isRunning: boolean; startedAt: number | null };

type CheckInput = {
  daemon: DaemonState;
  /** The row that the running daemon has saved; undefined if none runs. */
  running: DaemonRow | undefined;
  endpoints: EndpointRow[];
};

export type Check = (rt: Runtime, input: CheckInput) => HealthCondition[];

/** A check of the storage may take microseconds only: `/readyz` runs it for each request. */
export type StorageCheck = (rt: Runtime) => HealthCondition[];

/**
 * The checks of all health conditions. To add a condition:
 *
 * 1. add its code, severity and area to CORE_CONDITIONS in domain/conditions/registry.ts;
 * 2. write a check in the file of its subject, such as storage-conditions.ts: a function that
 *    returns `openCondition(code, text, command)` for each instance that is open, and an empty
 *    array if there is none. A check only reads, takes less than a millisecond (a check of
 *    endpoints, a few microseconds for each), and does not throw if the disk is full or gone;
 * 3. list the check here, and add a way to cause the condition to test/support/conditions.ts.
 *
 * `status`, `doctor`, `/readyz`, `/metrics`, the log and alerts report every listed check.
 */
const CORE_CHECKS: Check[] = [
  (_, { daemon }) => checkDaemonRunning(daemon.isRunning),
  (rt, { daemon }) => checkDeliveryWorker(rt, daemon.startedAt),
  (rt, { endpoints, daemon }) => checkLateDeliveries(rt, endpoints, daemon.startedAt),
  (_, { running }) => checkSharedAddress(running?.sharedAddress),
  (_, { running }) => checkConnections(running),
  (_, { running }) => checkRefusedMetrics(running?.metricsRefused),
  (rt, { running }) => checkCertificate(running?.certificateExpiresAt ?? null, rt.now()),
  checkSigningSecrets,
  (rt, { endpoints }) => checkNetwork(rt, endpoints),
  (rt, { endpoints }) => endpoints.flatMap((endpoint) => checkEndpoint(rt, endpoint)),
  (rt, { endpoints }) => checkPaused(rt, endpoints),
  (rt, { endpoints }) => checkUnreliable(rt, endpoints),
  checkCorruptEvents,
  checkBrowserKeys,
  checkKeySecrets,
  (rt, { endpoints }) => checkExpiringKeys(rt, endpoints),
  (rt, { endpoints }) => checkEndedKeys(rt, endpoints),
  checkUnusedHolds,
  checkFastBookings,
  checkUndecided,
  checkErasedLog,
  (rt) => checkHistory(readHistory(rt)),
  (rt, { daemon }) => checkClock(rt.now(), newestRecordAt(rt, daemon.startedAt)),
  (rt) =>
    checkDataFolder(rt.config).map(({ text, fix }) => openCondition("files.exposed", text, fix)),
];

/**
 * Returns the times (epoch ms) since which conditions have been open, by the conditions'
 * fingerprints.
 */
export type FindOpenSince = (rt: Runtime) => ReadonlyMap<string, number>;

/** Returns the checks of the core and of all features. */
export async function loadChecks(): Promise<Check[]> {
  const [damage, added, openSince] = await Promise.all([
    loadFromFeatures("damage"),
    loadFromFeatures("checks"),
    loadFromFeatures("openSince"),
  ]);
  return [checkStorage, checkDamage, ...damage, ...CORE_CHECKS, ...added].map((check) =>
    withOpenSince(check, openSince),
  );
}

/** Adds the time since which a condition has been open, if the check does not know it. */
function withOpenSince(check: Check, openSince: readonly FindOpenSince[]): Check {
  return (rt, input) => {
    const found = runCheck(rt, check, input);
    if (found.every(({ since }) => since !== null)) return found;
    const openTimes = new Map(openSince.flatMap((findOpenSince) => [...findOpenSince(rt)]));
    return found.map((condition) => ({
      ...condition,
      since: condition.since ?? openTimes.get(fingerprintOf(condition)) ?? null,
    }));
  };
}

/** Returns every health condition that is open. */
const listConditions = (
  rt: Runtime,
  checks: readonly Check[],
  daemon: DaemonState,
): HealthCondition[] => [...iterateConditions(rt, checks, daemon)].flat().filter(isFirstDamage);

function* iterateConditions(
  rt: Runtime,
  checks: readonly Check[],
  daemon: DaemonState,
): Iterable<HealthCondition[]> {
  const running = daemon.isRunning ? rt.store.daemon.find() : undefined;
  const input = { daemon, running, endpoints: rt.store.endpoints.list() };
  for (const check of checks) yield check(rt, input);
}

/**
 * Returns the conditions that a check finds. If the check meets damage of the database, the damage
 * is returned instead.
 */
function runCheck(rt: Runtime, check: Check, input: CheckInput): HealthCondition[] {
  try {
    return check(rt, input);
  } catch (error) {
    if (error instanceof DamagedDatabaseError) return [damageCondition(error.message)];
    throw error;
  }
}

/** Returns false for damage of the database if an earlier condition in `all` reports damage. */
function isFirstDamage({ code }: HealthCondition, i: number, all: HealthCondition[]): boolean {
  return code !== "database.damaged" || all.findIndex((other) => other.code === code) === i;
}

/**
 * Returns the open conditions for a person: a condition that follows from another one is left out.
 * The checks use the time of the daemon's clock, because deliveries would seem late if the clock of
 * this process were ahead.
 */
export function listForOperator(
  rt: Runtime,
  checks: readonly Check[],
  daemon: DaemonState,
): HealthCondition[] {
  const running = daemon.isRunning ? rt.store.daemon.find() : undefined;
  const aheadMs = clockAheadMs(rt, running);
  const atDaemonsTime: Runtime = { ...rt, now: () => rt.now() - aheadMs };
  return withoutCovered([
    ...listConditions(atDaemonsTime, checks, daemon),
    ...checkDaemonClock(rt.now(), aheadMs),
  ]);
}

/**
 * Lists the open conditions for the daemon. The daemon itself calls this function, so it is known
 * to run.
 */
export const listDaemonConditions = (rt: Runtime, checks: readonly Check[]): HealthCondition[] =>
  listConditions(rt, checks, runningDaemon(rt));

/**
 * Lists the same conditions as `listDaemonConditions`, and waits for `rest` after each check. With
 * thousands of endpoints, all checks together take tens of milliseconds, in which the thread would
 * send no webhook.
 * @returns undefined if `rest` resolves to false, which ends the checks
 */
export async function listDaemonConditionsInSteps(
  rt: Runtime,
  checks: readonly Check[],
  rest: () => Promise<boolean>,
): Promise<HealthCondition[] | undefined> {
  const found: HealthCondition[] = [];
  for (const conditions of iterateConditions(rt, checks, runningDaemon(rt))) {
    found.push(...conditions);
    if (!(await rest())) return undefined;
  }
  return found.filter(isFirstDamage);
}

const runningDaemon = (rt: Runtime): DaemonState => ({
  isRunning: true,
  startedAt: rt.store.daemon.find()?.startedAt ?? null,
});

/**
 * Returns the open conditions during which the server should not receive requests.
 * @param damage the checks of features for damage of the database
 */
export const listUnreadyConditions = (
  rt: Runtime,
  damage: readonly StorageCheck[],
): HealthCondition[] =>
  [checkStorage, checkDamage, ...damage]
    .flatMap((check) => check(rt))
    .filter(({ code }) => conditionKind(code).isUnready)
    .filter(isFirstDamage);

/** Returns when the newest event was written, or when the daemon started if that is later. */
const newestRecordAt = (rt: Runtime, startedAt: number | null): number =>
  Math.max(startedAt ?? 0, rt.store.events.list({}, 1)[0]?.createdAt ?? 0);
