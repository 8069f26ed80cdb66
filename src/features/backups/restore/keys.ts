import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readDataKeys } from "../tag.ts";
import type { Config } from "../../../config.ts";
import { countOf, shellQuote, summarizeNames } from "../../../domain/text.ts";
import {
  keyFingerprintOf,
  listOldKeyPaths,
  oldKeyPath,
  openSecretBox,
  decryptWithAny,
  readMasterKeys,
} from "../../../platform/secret-box.ts";
import { countGuestsWhere, readSecrets } from "../store/read-backup.ts";
import { reencryptGuests, toSealed } from "../../../app/bookings/guests.ts";
import { reencryptReplies } from "../../../app/idempotent-replies.ts";
import { iterateSecrets } from "../../../app/master-key.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { canDecryptSecret, reencryptSecret } from "../../../app/webhooks/endpoint-secrets.ts";
import { listBackupsIn } from "../backups.ts";
import { listReplacedData } from "./replaced-data.ts";
import { listBackupFolders } from "../retag.ts";
import type { Finding } from "../../../domain/conditions/registry.ts";

// A rotation of the master key does not change the data of the backups, which only the old key
// decrypts. The old key is kept in a file of its own. It decrypts backups but authenticates none,
// so nobody can make an accepted backup with a stolen old key.

/** The names of the key copies that `serve --backup-with-key` makes in the folder of the copies. */
const COPIED_KEY = /^master-[0-9a-f]{16}\.key$/;

/**
 * Returns the keys that only decrypt: the keys that rotations have replaced, and the copies of keys
 * next to the backup `file`.
 */
export function readOldKeys({ masterKeyPath }: Config, file: string): Buffer[] {
  const folder = dirname(file);
  const copied = readdirSync(folder).filter((name) => COPIED_KEY.test(name));
  return [...listOldKeyPaths(masterKeyPath), ...copied.map((name) => join(folder, name))].flatMap(
    readMasterKeys,
  );
}

/**
 * The number of values that no key decrypts, and the fingerprints of the missing keys that the
 * backup names.
 */
export type UnreadableData = {
  secrets: number;
  guests: number;
  keys: string[];
  /** The loss and the command that adds the missing key; null if everything can be decrypted. */
  warning: string | null;
};

/** Tries all keys on everything that is encrypted in a backup, and counts what none decrypts. */
export function findUnreadable(config: Config, file: string): UnreadableData {
  const keys = [...readMasterKeys(config.masterKeyPath), ...readOldKeys(config, file)];
  const known = new Set(keys.map(keyFingerprintOf));
  const isLost = ({ id, sealed }: { id: string; sealed: Buffer }) =>
    decryptWithAny(keys, sealed, id) === undefined;
  const lost = {
    secrets: readSecrets(file).filter(isLost).length,
    guests: countGuestsWhere(file, (row) => isLost(toSealed(row))),
    keys: (readDataKeys(file) ?? []).filter((name) => !known.has(name)),
  };
  return { ...lost, warning: describeLoss(config, file, lost) };
}

function describeLoss(
  config: Config,
  file: string,
  { secrets, guests, keys }: Omit<UnreadableData, "warning">,
): string | null {
  const lost = [
    ...(secrets > 0 ? [countOf(secrets, "signing secret")] : []),
    ...(guests > 0 ? [`the data of ${countOf(guests, "guest")}`] : []),
  ];
  if (lost.length === 0) return null;
  const which = keys.length > 0 ? ` ${keys.join(" and ")}` : " that encrypted them";
  return `No key here decrypts ${lost.join(" and ")} of ${file}: the master key${which} is missing. fix: ${copyKeyCommand(config, keys[0])} with a copy of that key, before the restore`;
}

/**
 * Returns the command that adds a copy of a missing key. If there is no current key, the copy
 * becomes the current key, so that it also authenticates backups.
 * @param fingerprint becomes part of the file's name; default: "copy", for an unknown key
 */
function copyKeyCommand({ masterKeyPath }: Config, fingerprint = "copy"): string {
  const target = existsSync(masterKeyPath) ? oldKeyPath(masterKeyPath, fingerprint) : masterKeyPath;
  return `install -m 600 FILE ${shellQuote(target)}`;
}

/**
 * Encrypts with the current master key the data that only an older key decrypts. The data stay as
 * they are if there is no current key.
 * @param options `withSecrets`: whether to encrypt signing secrets, and stored replies, which
 * contain secrets, too. The value is false for a file that is not authentic, because somebody who
 * has stolen an old key could have put known signing secrets into the file.
 */
export function reencryptRestored(
  rt: Runtime,
  oldKeys: Buffer[],
  { withSecrets }: { withSecrets: boolean },
): void {
  const { masterKeyPath } = rt.config;
  if (oldKeys.length === 0 || readMasterKeys(masterKeyPath).length === 0) return;
  const secrets = openSecretBox(masterKeyPath, rt.random, rt.isDryRun, oldKeys);
  const rtWithOldKeys: Runtime = { ...rt, secrets };
  reencryptGuests(rtWithOldKeys);
  if (!withSecrets) return;
  for (const row of Array.from(iterateSecrets(rtWithOldKeys)))
    if (canDecryptSecret(rtWithOldKeys, row))
      reencryptSecret(rtWithOldKeys, row.id, secrets.decrypt(row.sealed, row.id));
  reencryptReplies(rtWithOldKeys);
}

/** The keys that a backup needs. A file or folder without `dataKeys` may need any key. */
type BackupKeys = { path: string; dataKeys?: string[] | undefined };

/**
 * Lists the backups on this machine and in the last --backup-dir, and the data that restores have
 * replaced.
 */
const listBackupKeys = (rt: Runtime): BackupKeys[] => [
  ...listBackupFolders(rt).filter(existsSync).flatMap(listBackupKeysIn),
  ...listReplacedData(rt.config).map(readKeysOf),
];

function listBackupKeysIn(folder: string): BackupKeys[] {
  try {
    return listBackupsIn(folder).map(readKeysOf);
  } catch {
    // The disk of the copies may not be mounted, which another condition reports.
    return [{ path: folder }];
  }
}

function readKeysOf({ path }: { path: string }): BackupKeys {
  try {
    return { path, dataKeys: readDataKeys(path) };
  } catch {
    // A file that cannot be read, for example because of a bad sector, may need any key.
    return { path };
  }
}

/**
 * Reports keys that backups need and nobody has, and recommends deleting keys that no backup needs.
 */
export function checkBackupKeys(rt: Runtime): Finding[] {
  const { config } = rt;
  const { masterKeyPath } = config;
  const knownBackups = listBackupKeys(rt);
  const findings: Finding[] = [];
  const listAvailable = (path: string) =>
    [...readMasterKeys(masterKeyPath), ...readOldKeys(config, path)].map(keyFingerprintOf);
  const missing = knownBackups.flatMap(({ path, dataKeys }) => {
    if (dataKeys === undefined) return [];
    const available = listAvailable(path);
    return dataKeys.filter((key) => !available.includes(key)).map((key) => ({ path, key }));
  });
  for (const [key, backups] of Map.groupBy(missing, (entry) => entry.key))
    findings.push({
      text: `the master key ${key} is missing, without which nobody can decrypt the guests and signing secrets of ${summarizeNames(backups.map(({ path }) => path))}`,
      fix: `${copyKeyCommand(config, key)}; if it is lost, delete these backups`,
    });
  for (const path of listOldKeyPaths(masterKeyPath)) {
    const keysInFile = readMasterKeys(path).map(keyFingerprintOf);
    const isNeeded = knownBackups.some(
      ({ dataKeys }) => dataKeys === undefined || dataKeys.some((key) => keysInFile.includes(key)),
    );
    if (!isNeeded)
      findings.push({
        text: `no backup that deskbell knows needs the old master key ${basename(path)}`,
        fix: `rm ${shellQuote(path)}, if no copy in another place is older than its rotation`,
        isAdvice: true,
      });
  }
  return findings;
}
