import { hash } from "node:crypto";
import { isTimezone } from "../../domain/local-time.ts";
import { shellQuote } from "../../domain/text.ts";
import { maxInFlight, PERMITS } from "../../domain/webhooks/permits.ts";
import type { EventRow } from "../../store/events.ts";
import type { DatabaseFacts } from "../../store/read-only-database.ts";
import type { ListedKey } from "../../store/keys.ts";
import { type Finding, summarizeNames, isoSeconds } from "./health-conditions.ts";
import { lstatSync, readdirSync, statSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";

const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
/** More than two clocks of one machine ever differ. */
const CLOCK_TOLERANCE_MS = 60_000;
/** The daemon's limit when it is behind a proxy. */
const MAX_CONNECTIONS = 4096;
const MAX_WEBHOOKS = maxInFlight(PERMITS);
/** The database, logs, sockets and libraries. */
const OTHER_FILES = 200;

/** Its output contains the restore command. */
const RESTORE = "deskbell backup list";

export function checkDatabaseFacts(facts: DatabaseFacts): Finding[] {
  const { schema, knownSchema, damage, orphansIn } = facts;
  if (damage !== null)
    return [{ text: `the database is damaged: ${damage}. Restore a backup`, fix: RESTORE }];
  if (schema === 0) return [{ text: "the database was not created by deskbell", fix: RESTORE }];
  if (schema > knownSchema)
    return [
      {
        text: `the database was written by a newer deskbell (schema ${schema}; this one supports ${knownSchema})`,
        fix: "start the newer deskbell, or restore a backup made by this version",
      },
    ];
  if (schema < knownSchema)
    return [
      {
        text: `the database was written by an older deskbell (schema ${schema}): the next command migrates it to ${knownSchema}`,
        fix: "deskbell backup",
        isAdvice: true,
      },
    ];
  if (orphansIn.length === 0) return [];
  return [
    {
      text: `rows in ${orphansIn.join(", ")} refer to rows that do not exist: restore a backup`,
      fix: RESTORE,
    },
  ];
}

export const checkKeyHashes = (notHashed: readonly string[]): Finding[] =>
  notHashed.map((id) => ({
    text: `the key ${id} is not stored as a hash`,
    fix: `deskbell keys revoke ${id}`,
  }));

/** Reports keys that have expired or are about to, and are not revoked. */
export function checkKeyExpiry(
  keys: readonly ListedKey[],
  slugOf: (businessId: string) => string,
  now: number,
): Finding[] {
  return keys.flatMap(({ id, name, kind, scopes, expiresAt, revokedAt, businessId }) => {
    if (expiresAt === null || revokedAt !== null || expiresAt > now + EXPIRES_SOON_MS) return [];
    if (expiresAt <= now)
      return [
        {
          text: `the key '${name}' has expired`,
          fix: `deskbell keys revoke ${id}`,
          isAdvice: true as const,
        },
      ];
    const rights =
      kind === "SECRET" ? "--secret" : scopes.map((scope) => `--scope ${scope}`).join(" ");
    return [
      {
        text: `the key '${name}' expires at ${isoSeconds(expiresAt)}`,
        fix: `deskbell keys create --business ${slugOf(businessId)} --name ${shellQuote(name)} ${rights}`,
        isAdvice: true as const,
      },
    ];
  });
}

/** Reports unsent events whose bytes no longer match their hash. */
export function checkUnsentEvents(
  events: Iterable<Pick<EventRow, "id" | "body" | "sha256">>,
): Finding[] {
  const altered: string[] = [];
  for (const { id, body, sha256 } of events)
    if (!hash("sha256", body, "buffer").equals(sha256)) altered.push(id);
  if (altered.length === 0) return [];
  return [
    {
      text: `${summarizeNames(altered)} ${altered.length === 1 ? "was" : "were"} altered in the database file and will not be sent: restore a backup made before that`,
      fix: RESTORE,
    },
  ];
}

export function checkClock(now: number, newestAt: number): Finding[] {
  if (newestAt <= now + CLOCK_TOLERANCE_MS) return [];
  const text = `the system clock says ${isoSeconds(now)}, but the newest record is from ${isoSeconds(newestAt)}`;
  return [{ text, fix: "sudo timedatectl set-ntp true" }];
}

export const checkTimezones = (
  businesses: readonly { slug: string; timezone: string }[],
): Finding[] =>
  businesses
    .filter(({ timezone }) => !isTimezone(timezone))
    .map(({ slug, timezone }) => ({
      text: `this Node does not know the time zone '${timezone}' of ${slug}`,
      fix: "install a newer Node, or set another zone in the catalog file: deskbell catalog apply FILE",
    }));

/** The daemon's clock, or why it did not respond. */
export type DaemonResponse = { at: number } | { reason: string };

export function checkDaemonResponse(url: string, response: DaemonResponse, now: number): Finding[] {
  if ("reason" in response)
    return [
      {
        text: `the daemon does not respond at ${url}: ${response.reason}`,
        fix: "restart it: deskbell serve",
      },
    ];
  if (Math.abs(response.at - now) <= CLOCK_TOLERANCE_MS) return [];
  const text = `the daemon's clock says ${isoSeconds(response.at)}, this command's ${isoSeconds(now)}`;
  return [
    {
      text,
      fix: "run both on the same machine, or set both clocks: sudo timedatectl set-ntp true",
    },
  ];
}

/** @param endpoints each may keep one more connection open @param limit null if unknown */
export function checkOpenFileLimit(limit: number | null, endpoints: number): Finding[] {
  const others = OTHER_FILES + endpoints;
  const needed = MAX_CONNECTIONS + MAX_WEBHOOKS + others;
  if (limit === null || limit >= needed) return [];
  const what = `${MAX_CONNECTIONS} connections, ${MAX_WEBHOOKS} webhooks in flight and ${others} others`;
  return [
    {
      text: `the daemon may open at most ${limit} files: under load it needs ${needed} (${what})`,
      fix: "set LimitNOFILE=65536 in its unit (deskbell systemd-unit), or run ulimit -n 65536 before starting it",
      isAdvice: true,
    },
  ];
}

export type FilePermissions = { path: string; mode: number; uid: number };

const GROUP_AND_OTHERS = 0o077;

/** The data folder first, then everything in it. */
export function listFilePermissions({ dataDir }: Config): FilePermissions[] {
  const inside = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
    join(dataDir, name),
  );
  return [toPermissions(dataDir, statSync(dataDir)), ...inside.flatMap(permissionsOf)];
}

/** Returns nothing for a file deleted meanwhile, and for a link, whose own mode means nothing. */
function permissionsOf(path: string): FilePermissions[] {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file === undefined || file.isSymbolicLink() ? [] : [toPermissions(path, file)];
}

const toPermissions = (
  path: string,
  { mode, uid }: { mode: number; uid: number },
): FilePermissions => ({
  path,
  mode,
  uid,
});

/** Everything in the data folder must belong to its owner and be closed to other users. */
export function checkFilePermissions([folder, ...files]: readonly FilePermissions[]): Finding[] {
  if (folder === undefined) return [];
  const findings: Finding[] = [];
  const open = [folder, ...files].filter(({ mode }) => (mode & GROUP_AND_OTHERS) !== 0);
  if (open.length > 0)
    findings.push({
      text: `other users of this machine can access ${summarizeNames(pathsOf(open))}`,
      fix: `chmod -R go= ${shellQuote(folder.path)}`,
    });
  const foreign = files.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0)
    findings.push({
      text: `${summarizeNames(pathsOf(foreign))} ${foreign.length === 1 ? "is" : "are"} not owned by user ${folder.uid}, who owns the folder`,
      fix: `sudo chown -R ${folder.uid} ${shellQuote(folder.path)}`,
    });
  return findings;
}

const pathsOf = (files: readonly FilePermissions[]): string[] => files.map(({ path }) => path);

/** Max open files of this process, sockets included; null if the system does not provide it. */
export function readOpenFileLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
