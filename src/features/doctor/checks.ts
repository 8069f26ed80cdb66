import { hasEnded } from "../../domain/api-key.ts";
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import type { Config } from "../../config.ts";
import { isTimezone } from "../../domain/local-time.ts";
import { countOf, isoSeconds, quote, shellQuote, summarizeNames } from "../../domain/text.ts";
import { maxInFlight, PERMITS } from "../../domain/webhooks/endpoint-health.ts";
import { RAISE_OPEN_FILE_LIMIT } from "../../platform/open-file-limit.ts";
import { readMasterKeys } from "../../platform/secret-box.ts";
import type { EventRow } from "../../store/events.ts";
import type { Program } from "../../store/database/file-identity.ts";
import type { DatabaseFacts } from "./store.ts";
import type { ListedKey } from "../../store/keys.ts";
import { CLOCK_TOLERANCE_MS } from "../../app/operations/clock-conditions.ts";
import type { Finding } from "../../domain/conditions/registry.ts";

const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
/**
 * The number of connections that a daemon should be able to have. A trusted proxy alone may open
 * them all, because the limits of one client do not apply to it.
 */
const MAX_CONNECTIONS = 4096;
const MAX_WEBHOOKS = maxInFlight(PERMITS);
/** An estimate of the daemon's other open files, such as the database and loaded modules. */
const OTHER_FILES = 200;

/** A command whose output contains the restore command. */
const RESTORE = "deskbell backup list";

const problem = (text: string, fix: string): Finding[] => [{ text, fix }];
const critical = (text: string, fix: string): Finding[] => [{ text, fix, severity: "critical" }];
const advice = (text: string, fix: string): Finding[] => [{ text, fix, isAdvice: true }];

export function checkDatabaseFacts(facts: DatabaseFacts): Finding[] {
  const { bytes, schema, knownSchema, damage, orphansIn } = facts;
  if (damage !== null)
    return critical(`the database is damaged: ${damage}. Restore a backup`, RESTORE);
  if (bytes === 0) return critical("the database file is empty", RESTORE);
  if (schema === 0) return critical("the database was not created by deskbell", RESTORE);
  if (schema > knownSchema)
    return critical(
      `the database was written by a newer deskbell (schema ${schema}; this one supports ${knownSchema})`,
      "start the newer deskbell, or restore a backup made by this version",
    );
  if (schema < knownSchema)
    return advice(
      `the database was written by an older deskbell (schema ${schema}): the next command migrates it to ${knownSchema}`,
      "deskbell backup",
    );
  if (orphansIn.length === 0) return [];
  const tables = orphansIn.join(", ");
  return problem(`rows in ${tables} refer to rows that do not exist: restore a backup`, RESTORE);
}

/** Reports an unfinished rotation of the master key, in which the key file has several keys. */
export function checkRotation({ masterKeyPath }: Config): Finding[] {
  const count = readMasterKeys(masterKeyPath).length;
  if (count < 2) return [];
  return problem(
    `${masterKeyPath} has ${count} keys, because a rotation of the master key was interrupted or is still running: until one is complete, the old key authenticates backups too`,
    "deskbell keys rotate-master, unless a rotation is running now",
  );
}

/** A warning about a program that contains an SQLite of its own. */
const WAL_RISK = "if its SQLite is older than 3.51.3, it can corrupt the database";
const LITESTREAM = "litestream";
/** The first version whose SQLite cannot corrupt the database. */
const SAFE_LITESTREAM = "0.5.17";

/** Returns whether Litestream has the database open, or had it open earlier. */
export const usesLitestream = (programs: readonly Program[], hasTables: boolean): boolean =>
  hasTables || programs.some(({ name }) => name === LITESTREAM);

/** Returns the version of Litestream; null if it is unknown or Litestream is not installed. */
export function readLitestreamVersion(): string | null {
  const { stdout } = spawnSync(LITESTREAM, ["version"], { encoding: "utf8", timeout: 2000 });
  return /\d+\.\d+\.\d+/.exec(stdout ?? "")?.[0] ?? null;
}

/**
 * Recommends stopping programs that open the database with an SQLite of their own, and reports an
 * old Litestream. If the version of Litestream is unknown, the advice to stop includes Litestream.
 * @param litestream whether Litestream is used, and its version, which is null if unknown
 */
export function checkPrograms(
  programs: readonly Program[],
  litestream: { isUsed: boolean; version: string | null },
): Finding[] {
  const { isUsed, version } = litestream;
  const findings = programs
    .filter(({ name }) => name !== LITESTREAM || version === null)
    .flatMap(({ pid, name }) =>
      advice(
        `${quote(name)} (process ${pid}) has the database open: ${WAL_RISK}`,
        `stop it (kill ${pid}), and let it read a backup instead: deskbell backup`,
      ),
    );
  const risk = `versions before ${SAFE_LITESTREAM} have an SQLite that can corrupt the database`;
  const fix = `install Litestream ${SAFE_LITESTREAM} or newer, and restart it`;
  if (isUsed && version === null)
    findings.push(
      ...advice(
        `Litestream has replicated the database: ${risk}`,
        `litestream version, then ${fix}`,
      ),
    );
  else if (isUsed && version !== null && isOlder(version, SAFE_LITESTREAM))
    findings.push(...problem(`Litestream ${version} replicates the database: ${risk}`, fix));
  return findings;
}

/** Returns whether a version such as `0.5.17` is older than another. */
const isOlder = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) < 0;

/**
 * Reports guest data that the master key does not decrypt.
 * @param found `lost`: how many of the `total` guests have data that no key decrypts. `isKeyUsed`:
 * whether the key file decrypts other data, so that it must not be replaced
 */
export function checkGuests(
  { total, lost, isKeyUsed }: { total: number; lost: number; isKeyUsed: boolean },
  { masterKeyPath }: Pick<Config, "masterKeyPath">,
): Finding[] {
  if (lost === 0) return [];
  const which = lost === total ? "all" : `${lost} of ${total}`;
  const text = `the data of ${which} guests cannot be decrypted with ${masterKeyPath}.`;
  const path = shellQuote(masterKeyPath);
  return isKeyUsed
    ? problem(
        `${text} Add the key file that backup --master-key-out wrote: the present key decrypts other data`,
        `cat FILE >> ${path} && deskbell keys rotate-master`,
      )
    : problem(
        `${text} Restore the key file that backup --master-key-out wrote`,
        `install -m 600 FILE ${path}`,
      );
}

/** @param businesses each with the IDs of future visits whose service, staff or table is gone */
export const checkOrphanedVisits = (
  businesses: readonly { slug: string; ids: readonly string[] }[],
): Finding[] =>
  businesses
    .filter(({ ids }) => ids.length > 0)
    .flatMap(({ slug, ids }) => {
      const [id = ""] = ids;
      const noun = id.startsWith("bkg") ? "bookings" : "reservations";
      return problem(
        `${countOf(ids.length, "future visit")} of ${slug} ${ids.length === 1 ? "has" : "have"} a service, staff member or table that was deleted: ${summarizeNames(ids)}`,
        `deskbell ${noun} show ${id} --business ${slug}, then reschedule or cancel it`,
      );
    });

export const checkKeyHashes = (notHashed: readonly string[]): Finding[] =>
  notHashed.map((id) => ({
    text: `the key ${id} is not stored as a hash`,
    fix: `deskbell keys revoke ${id}`,
  }));

export function checkKeyExpiry(
  keys: readonly ListedKey[],
  describeOwner: (key: ListedKey) => string,
  now: number,
): Finding[] {
  return keys.flatMap((key) => {
    const { id, name, kind, scopes, expiresAt, revokedAt, partnerId } = key;
    if (expiresAt === null || revokedAt !== null || expiresAt > now + EXPIRES_SOON_MS) return [];
    if (expiresAt <= now)
      return advice(
        `the key '${name}' of ${describeOwner(key)} has expired`,
        `deskbell keys revoke ${id}`,
      );
    const rights =
      kind === "SECRET" ? "--secret" : scopes.map((scope) => `--scope ${scope}`).join(" ");
    return advice(
      `the key '${name}' of ${describeOwner(key)} expires at ${isoSeconds(expiresAt)}`,
      // `keys create` cannot replace the key of a partner, which is for several businesses.
      partnerId === null
        ? `deskbell keys create --business ${describeOwner(key)} --name ${shellQuote(name)} ${rights}`
        : `deskbell keys update ${id} --expires 365d`,
    );
  });
}

/**
 * Reports the secret keys that got access to bookings and guest data by the upgrade to version 0.2,
 * until the operator has decided about each.
 */
export const checkGainedScopes = (
  keys: readonly ListedKey[],
  describeOwner: (key: ListedKey) => string,
  now: number,
): Finding[] =>
  keys
    .filter((key) => !hasEnded(key, now))
    .flatMap((key) => {
      const { id, name, gainedScopes } = key;
      const who = `the secret key '${name}' of ${describeOwner(key)}`;
      if (gainedScopes === "KEPT")
        return advice(
          `${who}, made by version 0.1, gained access to bookings and guest data by the upgrade to 0.2, and has used it: confirm this with --all-scopes yes, or take it back`,
          `deskbell keys update ${id} --all-scopes no`,
        );
      if (gainedScopes === "REMOVED")
        return advice(
          `${who}, made by version 0.1, had gained access to bookings and guest data by the upgrade to 0.2, and lost it because it has booked nothing: confirm this with --all-scopes no, or give it back`,
          `deskbell keys update ${id} --all-scopes yes`,
        );
      return [];
    });

/** Reports events whose body no longer has the stored SHA-256. */
export function checkUnsentEvents(
  events: Iterable<Pick<EventRow, "id" | "body" | "sha256">>,
): Finding[] {
  const altered: string[] = [];
  for (const { id, body, sha256 } of events)
    if (!hash("sha256", body, "buffer").equals(sha256)) altered.push(id);
  if (altered.length === 0) return [];
  return problem(
    `${summarizeNames(altered)} ${altered.length === 1 ? "was" : "were"} altered in the database file and will not be sent: restore a backup made before that`,
    RESTORE,
  );
}

export const checkTimezones = (
  businesses: readonly { slug: string; timezone: string }[],
): Finding[] =>
  businesses
    .filter(({ timezone }) => !isTimezone(timezone))
    .map(({ slug, timezone }) => ({
      text: `this Node does not know the time zone '${timezone}' of ${slug}`,
      fix: "install a newer Node, or a newer single executable of deskbell",
    }));

/** The time of the daemon's clock, from the header `Date`; or why the daemon did not respond. */
export type DaemonResponse = { at: number } | { reason: string };

export function checkDaemonResponse(url: string, response: DaemonResponse, now: number): Finding[] {
  if ("reason" in response)
    return critical(
      `the daemon does not respond at ${url}: ${response.reason}`,
      "restart it: deskbell serve",
    );
  if (Math.abs(response.at - now) <= CLOCK_TOLERANCE_MS) return [];
  return problem(
    `the daemon's clock says ${isoSeconds(response.at)}, this command's ${isoSeconds(now)}`,
    "run both on the same machine, or set both clocks: sudo timedatectl set-ntp true",
  );
}

/**
 * Advises to raise the limit of open files if the daemon could reach it under load.
 * @param limit how many files the daemon may open; null if unknown
 * @param endpoints the number of endpoints, each of which may keep one more connection open
 */
export function checkOpenFileLimit(limit: number | null, endpoints: number): Finding[] {
  const otherFiles = OTHER_FILES + endpoints;
  const needed = MAX_CONNECTIONS + MAX_WEBHOOKS + otherFiles;
  if (limit === null || limit >= needed) return [];
  const what = `${MAX_CONNECTIONS} connections, ${MAX_WEBHOOKS} webhooks in flight and ${otherFiles} others`;
  return advice(
    `the daemon may open at most ${limit} files: under load it needs ${needed} (${what})`,
    RAISE_OPEN_FILE_LIMIT,
  );
}
