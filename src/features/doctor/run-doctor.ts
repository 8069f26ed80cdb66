import { byteSize, countOf } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import { type Config, hasAlertChannel } from "../../config.ts";
import { countGuests } from "../../app/bookings/guests.ts";
import { describeOwner } from "../../app/businesses.ts";
import { isMasterKeyUsed, iterateSecrets } from "../../app/master-key.ts";
import type { Runtime } from "../../app/runtime.ts";
import { listForeignPrograms } from "../../store/database/file-identity.ts";
import { type DatabaseFacts, readDatabaseFacts } from "./store.ts";
import {
  type DaemonResponse,
  checkDaemonResponse,
  checkDatabaseFacts,
  checkGainedScopes,
  checkGuests,
  checkKeyExpiry,
  checkKeyHashes,
  checkOpenFileLimit,
  checkOrphanedVisits,
  checkPrograms,
  checkRotation,
  checkUnsentEvents,
  checkTimezones,
  readLitestreamVersion,
  usesLitestream,
} from "./checks.ts";
import { readOpenFileLimit } from "../../platform/open-file-limit.ts";
import {
  checkFilePermissions,
  listFilePermissions,
} from "../../app/operations/file-permissions.ts";
import {
  type ConditionCode,
  conditionKind,
  type HealthCondition,
  type CheckResult,
  type Finding,
} from "../../domain/conditions/registry.ts";
import { clockAheadMs } from "../../app/operations/clock-conditions.ts";
import { loadInspections } from "../../app/operations/inspection.ts";
import { loadChecks } from "../../app/operations/conditions.ts";
import { readStatus, type Status } from "../../app/operations/status.ts";

type DoctorDeps = {
  open: () => Promise<Runtime>;
  askDaemon: (url: string) => Promise<DaemonResponse>;
};

const RESTORE = "stop the daemon and restore a backup: deskbell backup list";

/**
 * Conditions that the report leaves out, because `doctor` checks them itself, more strictly, before
 * it opens the data.
 */
const CHECKED_BEFORE: ReadonlySet<ConditionCode> = new Set(["files.exposed"]);

/**
 * Runs all checks, which change nothing. After a finding about the database file, no further check
 * runs, because each of them would read the file.
 */
export async function* runDoctor(
  config: Config,
  { open, askDaemon }: DoctorDeps,
): AsyncGenerator<CheckResult> {
  const files = listFilePermissions(config);
  if (files.length > 0)
    yield {
      about: "files",
      summary: `${files.length} in ${config.dataDir}`,
      findings: checkFilePermissions(files).map((finding) => ({
        ...finding,
        code: "files.exposed",
        severity: conditionKind("files.exposed").severity,
      })),
    };
  const { facts, ...database } = inspectDatabaseFile(config.databasePath);
  yield database;
  if (facts === undefined || database.findings.length > 0) return;
  yield inspectPrograms(config, facts);
  const rt = await open();
  const status = readStatus(rt, await loadChecks());
  const inspections = await loadInspections();
  const unlisted = new Set(status.problems.filter(({ code }) => !CHECKED_BEFORE.has(code)));
  /** Returns the conditions with these subjects, and removes them from `unlisted`. */
  const take = (...about: HealthCondition["about"][]): Finding[] =>
    [...unlisted]
      .filter((condition) => about.includes(condition.about))
      .map((condition) => {
        unlisted.delete(condition);
        const { code, severity, text, command } = condition;
        return { code, severity, text, fix: command };
      });

  yield inspectKeys(rt, take("key"));
  const secrets = [...iterateSecrets(rt)].length;
  yield {
    about: "secrets",
    summary: `${secrets} encrypted`,
    findings: [...take("secret"), ...checkRotation(config)],
  };
  yield inspectVisits(rt);
  yield inspectClock(rt, take("clock"));
  yield {
    about: "disk",
    summary: `${byteSize(status.freeBytes)} free`,
    findings: take("disk", "database"),
  };
  yield {
    about: "history",
    summary: `${byteSize(status.history.bytes)} of ${byteSize(status.history.maxBytes)}, kept ${status.history.keepDays} days`,
    findings: take("history"),
  };
  yield await inspectDaemon(
    rt,
    status.daemon,
    take("daemon", "delivery-worker", "proxy", "certificate"),
    askDaemon,
  );
  yield inspectWebhooks(rt, take("endpoint", "delivery"));
  for (const { about, inspect } of inspections) yield inspect(rt, status, take(about));
  // A feature may report a condition with a subject that no check above lists.
  for (const { about } of unlisted) yield { about, summary: "", findings: take(about) };
}

function inspectPrograms(
  { databasePath }: Config,
  { hasLitestreamTables }: DatabaseFacts,
): CheckResult {
  const programs = listForeignPrograms(databasePath);
  const isUsed = usesLitestream(programs, hasLitestreamTables);
  const version = isUsed ? readLitestreamVersion() : null;
  const others =
    programs.length === 0
      ? "no other program has the database open"
      : `the database is open in ${countOf(programs.length, "other program")}`;
  return {
    about: "programs",
    summary: version === null ? others : `Litestream ${version}`,
    findings: checkPrograms(programs, { isUsed, version }),
  };
}

/** Checks the database file. `facts` is undefined if the file cannot be read. */
function inspectDatabaseFile(path: string): CheckResult & { facts?: DatabaseFacts } {
  try {
    const facts = readDatabaseFacts(path);
    const summary = `SQLite ${facts.sqlite}, schema ${facts.schema}, ${byteSize(facts.bytes)} read`;
    return { about: "database", summary, findings: checkDatabaseFacts(facts), facts };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The error for a damaged file was written for backups: its fix is to choose another backup.
    const isDamaged = error.code === "invalid_input";
    const fix = isDamaged || error.fix === undefined ? RESTORE : error.fix;
    return {
      about: "database",
      summary: path,
      findings: [{ severity: "critical", text: error.message, fix }],
    };
  }
}

function inspectKeys(rt: Runtime, conditions: Finding[]): CheckResult {
  const keys = rt.store.keys.list();
  const findings = [
    ...checkKeyHashes(rt.store.keySecrets.listNotHashed()),
    ...conditions,
    ...checkKeyExpiry(keys, (key) => describeOwner(rt, key), rt.now()),
    ...checkGainedScopes(keys, (key) => describeOwner(rt, key), rt.now()),
  ];
  return { about: "keys", summary: `${keys.length}, stored as hashes`, findings };
}

function inspectVisits(rt: Runtime): CheckResult {
  const { total, lost } = countGuests(rt);
  const orphaned = rt.store.businesses.listIds().map(({ id, slug }) => ({
    slug,
    ids: [rt.store.bookings, rt.store.reservations].flatMap((visits) =>
      visits.listOrphaned(id, rt.now()),
    ),
  }));
  return {
    about: "visits",
    summary: `data of ${countOf(total, "guest")}, encrypted`,
    findings: [
      ...checkGuests({ total, lost, isKeyUsed: isMasterKeyUsed(rt) }, rt.config),
      ...checkOrphanedVisits(orphaned),
    ],
  };
}

function inspectClock(rt: Runtime, conditions: Finding[]): CheckResult {
  const businesses = rt.store.businesses.list();
  const zones = businesses.map(({ slug, doc }) => ({ slug, timezone: doc.timezone }));
  const summary = countOf(new Set(zones.map(({ timezone }) => timezone)).size, "time zone");
  return {
    about: "clock",
    summary,
    findings: [...conditions, ...checkTimezones(zones)],
  };
}

async function inspectDaemon(
  rt: Runtime,
  { isRunning, url }: Status["daemon"],
  conditions: Finding[],
  askDaemon: DoctorDeps["askDaemon"],
): Promise<CheckResult> {
  // If the daemon does not run, or its limit is unknown, the limit of this process is checked.
  const limit = (isRunning ? rt.store.daemon.find()?.openFiles : null) ?? readOpenFileLimit();
  const findings = [...conditions, ...checkOpenFileLimit(limit, rt.store.endpoints.list().length)];
  if (url !== null) {
    // `aheadMs` is subtracted, because a health condition already reports how far the clock is
    // ahead.
    const aheadMs = clockAheadMs(rt, rt.store.daemon.find());
    findings.push(...checkDaemonResponse(url, await askDaemon(url), rt.now() - aheadMs));
  }
  const running = url === null ? "running" : `responds at ${url}`;
  return { about: "daemon", summary: isRunning ? running : "not running", findings };
}

function inspectWebhooks(rt: Runtime, conditions: Finding[]): CheckResult {
  const endpoints = rt.store.endpoints.list().length;
  const canAlert =
    rt.store.daemon.find()?.hasAlertUrl === true || hasAlertChannel(rt.config.alerts);
  const findings = [...conditions, ...checkUnsentEvents(rt.store.events.iterateUndelivered())];
  if (endpoints > 0 && !canAlert)
    findings.push({
      text: "no alert is sent when an endpoint starts to fail: the daemon has no --alert-url and no --alert-mail",
      fix: "deskbell serve --alert-url URL, or set DESKBELL_ALERT_URL in its environment",
      isAdvice: true,
    });
  return { about: "webhooks", summary: countOf(endpoints, "endpoint"), findings };
}
