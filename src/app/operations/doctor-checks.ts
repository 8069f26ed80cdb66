import { hash } from "node:crypto";
import { isTimezone } from "../../domain/business-time.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { maxInFlight, PERMITS } from "../../domain/webhooks/permits.ts";
import type { EventRow } from "../../store/events.ts";
import type { DatabaseFacts } from "../../store/database-facts.ts";
import type { ListedKey } from "../../store/keys.ts";
import { type Finding, summarizeNames } from "./finding.ts";
import { isoSeconds } from "./health-conditions.ts";

const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
/** Clocks of one machine never differ by so much; and what is on file was written before now. */
const CLOCK_TOLERANCE_MS = 60_000;
/** That the daemon takes from a proxy. */
const MOST_CONNECTIONS = 4096;
const MOST_WEBHOOKS = maxInFlight(PERMITS);
/** What is open anyway. */
const OTHER_FILES = 200;

/** It says how to go on. */
const RESTORE = "deskbell backup list";

export function checkDatabase(facts: DatabaseFacts): Finding[] {
  const { schema, knownSchema, damage, orphansIn } = facts;
  if (damage !== null)
    return [{ text: `the database is damaged: ${damage}. Restore a backup`, fix: RESTORE }];
  if (schema === 0) return [{ text: "the database is not one of deskbell's", fix: RESTORE }];
  if (schema > knownSchema)
    return [
      {
        text: `the database is of a newer deskbell (schema ${schema}, this one knows ${knownSchema})`,
        fix: "start the newer deskbell, or restore a backup made by this version",
      },
    ];
  if (schema < knownSchema)
    return [
      {
        text: `the database is of an older deskbell (schema ${schema}): the first command of this one brings it to ${knownSchema}`,
        fix: "deskbell backup",
        isAdvice: true,
      },
    ];
  if (orphansIn.length === 0) return [];
  return [
    {
      text: `rows in ${orphansIn.join(", ")} belong to nothing: restore a backup`,
      fix: RESTORE,
    },
  ];
}

export const checkKeyHashes = (notHashed: readonly string[]): Finding[] =>
  notHashed.map((id) => ({
    text: `${id} is on file otherwise than as a hash`,
    fix: `deskbell keys revoke ${id}`,
  }));

/** Keys that have ended or are about to, and are not revoked. */
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

/** Events that have still to be sent, and whose bytes are no longer those that were written. */
export function checkUnsentEvents(
  events: Iterable<Pick<EventRow, "id" | "body" | "sha256">>,
): Finding[] {
  const changed: string[] = [];
  for (const { id, body, sha256 } of events)
    if (!hash("sha256", body, "buffer").equals(sha256)) changed.push(id);
  if (changed.length === 0) return [];
  return [
    {
      text: `${summarizeNames(changed)} ${changed.length === 1 ? "was" : "were"} changed in the file and will not be sent: restore a backup that has it whole`,
      fix: RESTORE,
    },
  ];
}

export function checkClock(now: number, newestAt: number): Finding[] {
  if (newestAt <= now + CLOCK_TOLERANCE_MS) return [];
  const text = `the clock says ${isoSeconds(now)}, but the newest record was made at ${isoSeconds(newestAt)}`;
  return [{ text, fix: "sudo timedatectl set-ntp true" }];
}

export const checkTimezones = (
  businesses: readonly { slug: string; timezone: string }[],
): Finding[] =>
  businesses
    .filter(({ timezone }) => !isTimezone(timezone))
    .map(({ slug, timezone }) => ({
      text: `this Node knows no time zone '${timezone}', in which ${slug} is`,
      fix: "install a newer Node, or name another zone in the catalog file: deskbell catalog apply FILE",
    }));

/** What the daemon says when it is asked. */
export type DaemonResponse = { at: number } | { reason: string };

export function checkDaemonResponse(url: string, answer: DaemonResponse, now: number): Finding[] {
  if ("reason" in answer)
    return [
      {
        text: `the daemon does not answer at ${url}: ${answer.reason}`,
        fix: "restart it: deskbell serve",
      },
    ];
  if (Math.abs(answer.at - now) <= CLOCK_TOLERANCE_MS) return [];
  const text = `the daemon's clock says ${isoSeconds(answer.at)}, this command's ${isoSeconds(now)}`;
  return [
    {
      text,
      fix: "run both on the same machine, or set both clocks: sudo timedatectl set-ntp true",
    },
  ];
}

/** Each endpoint may keep a connection open besides. @param limit null: the system does not tell */
export function checkOpenFileLimit(limit: number | null, endpoints: number): Finding[] {
  const others = OTHER_FILES + endpoints;
  const needed = MOST_CONNECTIONS + MOST_WEBHOOKS + others;
  if (limit === null || limit >= needed) return [];
  const what = `${MOST_CONNECTIONS} connections, ${MOST_WEBHOOKS} webhooks on their way and ${others} others`;
  return [
    {
      text: `the daemon may have ${limit} files open: under load it needs ${needed} (${what})`,
      fix: "LimitNOFILE=65536 in its unit (deskbell systemd-unit), or ulimit -n 65536 before it starts",
      isAdvice: true,
    },
  ];
}
