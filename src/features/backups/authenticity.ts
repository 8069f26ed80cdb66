import { existsSync } from "node:fs";
import { appendTag, type FoundTag, hashWhole, readTag } from "./tag.ts";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { createMasterKey, keyFingerprintOf, readMasterKeys } from "../../platform/secret-box.ts";
import { readOwnEpoch } from "./own-epoch.ts";
import { readServerFacts } from "./store/read-backup.ts";
import { readErasureList } from "./erasure-list.ts";
import { isMakingLastCopy } from "./handover/state.ts";
import { hashFile } from "./checksums.ts";

type Random = (bytes: number) => Buffer;

/**
 * Authenticates a new backup with the master key. If there is no key, one is created for a backup
 * without encrypted data; any other backup stays without a tag.
 * @param createdAt epoch ms
 * @returns the SHA-256 of the file
 */
export function tagBackup(config: Config, path: string, createdAt: number, random: Random): string {
  const { server, schema, needsKey } = readServerFacts(path);
  if (readMasterKeys(config.masterKeyPath).length === 0 && !needsKey)
    createMasterKey(config.masterKeyPath, random);
  const keys = readMasterKeys(config.masterKeyPath);
  const [key] = keys;
  if (key === undefined) return hashWhole(path);
  const facts = {
    server,
    createdAt,
    schema,
    epoch: readOwnEpoch(config),
    ...(isMakingLastCopy(config) && { isLast: true }),
  };
  const dataKeys = needsKey ? keys.map(keyFingerprintOf) : [];
  return appendTag(path, { ...facts, dataKeys, erased: readErasureList(config) }, key);
}

/** Reads the tag of a backup. The bytes of the database are not compared with it. */
export const readBackupTag = ({ masterKeyPath }: Config, path: string): FoundTag =>
  readTag(path, readMasterKeys(masterKeyPath));

/**
 * Returns whether a backup is marked as the last one before a handover although this server goes
 * on, because the handover was cancelled or has failed. Such a backup is not copied: a restore of
 * the copy on another server would not need --fenced, which confirms that this server is stopped.
 */
export function isFormerLast(config: Config, path: string): boolean {
  if (isMakingLastCopy(config)) return false;
  try {
    const found = readBackupTag(config, path);
    return found.kind === "authentic" && found.tag.isLast === true;
  } catch {
    // A backup that cannot be read is reported when it is copied.
    return false;
  }
}

/** Reads the tag of a backup, and compares the whole file with it. */
export async function authenticate(config: Config, path: string): Promise<FoundTag> {
  const found = readBackupTag(config, path);
  if (found.kind !== "authentic") return found;
  const { bytes, sha256 } = found.tag;
  return (await hashFile(path, undefined, bytes)) === sha256 ? found : { kind: "altered" };
}

type Unauthentic = Exclude<FoundTag["kind"], "authentic">;

/** Returns why it is not known who made a backup. */
export function describeRefusal(
  kind: Unauthentic,
  path: string,
  { masterKeyPath }: Config,
): string {
  switch (kind) {
    case "none":
      return `${path} has no authentication tag: version 0.2, Litestream or another program made it, its server had no master key at the time, or the tag was removed`;
    case "no_key":
      return `${path} cannot be authenticated, because there is no master key ${masterKeyPath}`;
    case "other_key":
      return `${path} was authenticated with another master key than ${masterKeyPath}`;
    case "altered":
      return `${path} was changed after it was made`;
  }
}

/**
 * Returns why a new backup of this server has no tag, and the command that makes one with a tag.
 */
export function describeMissingTag({ masterKeyPath }: Config): { why: string; fix: string } {
  if (readMasterKeys(masterKeyPath).length > 0)
    return { why: "version 0.2 or another program made it", fix: "deskbell backup" };
  const state = existsSync(masterKeyPath) ? "contains no key" : "is missing";
  return {
    why: `the master key ${masterKeyPath} ${state}`,
    fix: `install -m 600 FILE ${shellQuote(masterKeyPath)} (a copy of the key), then deskbell backup`,
  };
}

const UNTRUSTED =
  "which lists the keys, endpoints, calendars and destinations that the file adds, and disables them";

/** @param command the command that accepts the file although it is not authentic */
export function unauthenticError(
  kind: Unauthentic,
  path: string,
  config: Config,
  command = `deskbell restore ${shellQuote(path)} --untrusted`,
): AppError {
  const needsKey = kind === "no_key" || kind === "other_key";
  const copyKey = needsKey
    ? `copy the master key of the server that made it to ${shellQuote(config.masterKeyPath)}, with mode 0600; without that key, `
    : "";
  return new AppError(
    "state_refuses",
    `${describeRefusal(kind, path, config)}. Whoever can write to its folder may have put API keys or prices into it.`,
    { fix: `${copyKey}${command}, ${UNTRUSTED}` },
  );
}
