import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
} from "node:crypto";
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorInWords, AppError } from "../domain/errors.ts";
import { createDurably, followLink, syncFolder } from "./durable-file.ts";
import { NONCE_BYTES, decryptTogether, type SealedRow, TAG_BYTES } from "./gcm-batch.ts";

/**
 * Encrypts stored texts with AES-256-GCM. A text can be decrypted only with the ID of its row. The
 * key file holds one key. During a rotation it holds several, the newest first.
 */
export type SecretBox = {
  /**
   * Call it inside the transaction that stores the result: a key rotation waits for that
   * transaction.
   */
  encrypt: (plain: string, rowId: string) => Buffer;
  decrypt: (sealed: Uint8Array, rowId: string) => string;
  /**
   * Decrypts many rows much faster than one by one. Returns undefined if the newest known key does
   * not decrypt all of them; `decrypt` also tries the other keys.
   */
  decryptTogether: (rows: readonly SealedRow[]) => string[] | undefined;
  /**
   * Returns whether the key file decrypts at least one of the rows, or there are no rows. The file
   * is read each time, because `encrypt` uses the key on disk, not the one in memory.
   */
  decryptsAny: (rows: Iterable<SealedRow>) => boolean;
  /**
   * Returns the rows that no key in the file decrypts. The file is read each time, because it may
   * have been replaced.
   */
  listUndecryptable: <Row extends SealedRow>(rows: Row[]) => Row[];
  /**
   * Returns the HMAC of a text under a key that is derived from the newest master key for this
   * purpose; undefined if there is no master key. No master key is created.
   */
  mac: (purpose: string, text: string) => Buffer | undefined;
  addKey: () => void;
  /**
   * Moves all keys but the newest to files of their own, if `allDecrypt` confirms that the newest
   * key suffices. The moved keys only decrypt backups.
   * @returns the paths of these files
   */
  dropOldKeys: (
    allDecrypt: (decryptsWithNewest: (sealed: Uint8Array, rowId: string) => boolean) => boolean,
  ) => string[];
};

const KEY_BYTES = 32;
/** Number of rows that `listUndecryptable` decrypts together. */
const BATCH_ROWS = 1000;

/**
 * Returns a SecretBox. The key file is created on first use, except in a dry run. It is separate
 * from the database, so that a copy of the database reveals no secret.
 * @param oldKeys keys that are tried if no key in the file decrypts a text; they never encrypt
 */
export function openSecretBox(
  keyPath: string,
  random: (bytes: number) => Buffer,
  isDryRun: () => boolean,
  oldKeys: readonly Buffer[] = [],
): SecretBox {
  /** The keys that were last read from the file, the newest first; none before the first read. */
  let known: Buffer[] = [];
  const load = (): Buffer[] =>
    (known = isDryRun()
      ? (readKeys(keyPath) ?? [random(KEY_BYTES)])
      : readOrCreateKeys(keyPath, random));
  const write = (keys: Buffer[]) => replaceKeys(keyPath, (known = keys), random);

  return {
    encrypt(plain, rowId) {
      // The file is read each time, because the key may have been rotated.
      const [key] = load() as [Buffer];
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(rowId));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt(sealed, rowId) {
      // The file is read again only if the known keys fail. No key is created here: a new key
      // decrypts nothing and would hide that the right one is missing.
      const plain =
        decryptWithAny(known, sealed, rowId) ??
        decryptWithAny((known = readKeys(keyPath) ?? []), sealed, rowId) ??
        decryptWithAny(oldKeys, sealed, rowId);
      if (plain !== undefined) return plain;
      throw new AppError(
        "signing_unavailable",
        "Encrypted data cannot be decrypted with the master key.",
        {
          fix: `restore the key file of this database: ${keyPath}; deskbell status lists the affected secrets`,
        },
      );
    },
    decryptTogether(rows) {
      if (known.length === 0) known = readMasterKeys(keyPath);
      const [key] = known;
      return key && decryptTogether(prepare(key), rows);
    },
    decryptsAny(rows) {
      const keys = readKeys(keyPath) ?? [];
      let hasRows = false;
      for (const { id, sealed } of rows) {
        if (decryptWithAny(keys, sealed, id) !== undefined) return true;
        hasRows = true;
      }
      return !hasRows;
    },
    listUndecryptable(rows) {
      const keys = readMasterKeys(keyPath);
      const [newest] = keys;
      // The daemon tries all secrets every 10 s, and the newest key almost always decrypts all.
      // The rows are tried in batches, because all guests together could take hundreds of MB.
      const batches = Array.from({ length: Math.ceil(rows.length / BATCH_ROWS) }, (_, i) =>
        rows.slice(i * BATCH_ROWS, (i + 1) * BATCH_ROWS),
      );
      const doubtful = batches.filter(
        (batch) => !newest || decryptTogether(prepare(newest), batch) === undefined,
      );
      return doubtful
        .flat()
        .filter(({ id, sealed }) => decryptWithAny(keys, sealed, id) === undefined);
    },
    mac(purpose, text) {
      if (known.length === 0) known = readKeys(keyPath) ?? [];
      const [key] = known;
      if (key === undefined) return undefined;
      const derived = createHmac("sha256", key).update(purpose).digest();
      return createHmac("sha256", derived).update(text).digest();
    },
    addKey: () => write([random(KEY_BYTES), ...(readKeys(keyPath) ?? [])]),
    dropOldKeys(allDecrypt) {
      const [newest, ...older] = load() as [Buffer, ...Buffer[]];
      if (!allDecrypt((sealed, rowId) => decryptWith(newest, sealed, rowId) !== undefined))
        return [];
      const files = older.map((key) => ({ key, path: oldKeyPath(keyPath, keyFingerprintOf(key)) }));
      for (const { key, path } of files) replaceKeys(path, [key], random);
      write([newest]);
      return files.map(({ path }) => path);
    },
  };
}

/** Returns the first 16 hexadecimal digits of the SHA-256 of a file that has only this key. */
export const keyFingerprintOf = (key: Buffer): string => hash("sha256", toLine(key)).slice(0, 16);

/** Returns the file of a key that a rotation has replaced. */
export const oldKeyPath = (keyPath: string, fingerprint: string): string =>
  `${keyPath}.old-${fingerprint}`;

/** Returns the files of the keys that rotations have replaced. These keys only decrypt backups. */
export function listOldKeyPaths(keyPath: string): string[] {
  const prefix = oldKeyPath(basename(keyPath), "");
  const folder = dirname(keyPath);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}

/** Returns the decrypted text; undefined if none of the keys decrypts it. */
export function decryptWithAny(
  keys: readonly Buffer[],
  sealed: Uint8Array,
  rowId: string,
): string | undefined {
  for (const key of keys) {
    const plain = decryptWith(key, sealed, rowId);
    if (plain !== undefined) return plain;
  }
  return undefined;
}

/** A key is prepared once, because a rotation or doctor decrypts thousands of texts one by one. */
const prepared = new WeakMap<Buffer, KeyObject>();

function prepare(key: Buffer): KeyObject {
  const preparedKey = prepared.get(key) ?? createSecretKey(key);
  prepared.set(key, preparedKey);
  return preparedKey;
}

function decryptWith(key: Buffer, sealed: Uint8Array, rowId: string): string | undefined {
  // A text that is too short is refused here, because Node throws an error of its own for a tag
  // with too few bytes.
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", prepare(key), sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(rowId))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    // GCM returns the whole text at once. Asking for a string would create a decoder for each text.
    const plain = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    decipher.final();
    return plain.toString();
  } catch {
    return undefined;
  }
}

function readOrCreateKeys(path: string, random: (bytes: number) => Buffer): Buffer[] {
  for (;;) {
    const keys = readKeys(path);
    if (keys) return keys;
    createMasterKey(path, random);
  }
}

/** Returns the keys, the newest first; none if the file is missing, unreadable or invalid. */
export function readMasterKeys(path: string): Buffer[] {
  try {
    return readKeys(path) ?? [];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

function readKeys(path: string): Buffer[] | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const keys = text
    .trim()
    .split("\n")
    .map((line) => Buffer.from(line, "base64"));
  if (keys.every(({ length }) => length === KEY_BYTES)) return keys;
  throw new AppError(
    "signing_unavailable",
    `Invalid master key file: expected ${KEY_BYTES}-byte keys in base64, one per line.`,
    {
      fix: `restore the key file of this database: ${path}; if it is lost, remove this one, then give each endpoint a new secret: deskbell webhooks rotate-secret ID --force`,
    },
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    // The file may be readable the next time, so an error of the disk must not look like a wrong
    // key.
    if (code === "EIO")
      throw new AppError(
        "storage_failed",
        `The disk that holds ${path} failed: ${errorInWords(error)}.`,
        {
          fix: "look for disk errors with dmesg",
        },
      );
    throw new AppError(
      "signing_unavailable",
      `The master key file cannot be read: ${errorInWords(error)}.`,
      {
        fix: `make ${path} a file that belongs to the user who runs the daemon`,
      },
    );
  }
}

/**
 * Creates the key file: links a draft into place, so that two processes that start together share
 * one key.
 */
export function createMasterKey(link: string, random: (bytes: number) => Buffer): void {
  const path = followLink(link);
  const draft = writeDraft(path, [random(KEY_BYTES)], random);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
  // The folder is synced before anything encrypted with the key is stored, so that a power cut
  // cannot take the key file away.
  syncFolder(dirname(path));
}

/** Replaces the keys by renaming a draft: readers see either the old keys or the new ones. */
function replaceKeys(link: string, keys: Buffer[], random: (bytes: number) => Buffer): void {
  // A key file that lies elsewhere must not keep the old key while a file replaces the link to it.
  const path = followLink(link);
  renameSync(writeDraft(path, keys, random), path);
  // The folder is synced before anything is encrypted with the new key, so that a power cut cannot
  // bring the old file back.
  syncFolder(dirname(path));
}

function writeDraft(path: string, keys: Buffer[], random: (bytes: number) => Buffer): string {
  const draft = `${path}.${random(6).toString("hex")}`;
  createDurably(draft, keys.map(toLine).join(""));
  return draft;
}

const toLine = (key: Buffer): string => `${key.toString("base64")}\n`;
