import { createCipheriv, createDecipheriv } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError } from "./domain/errors.ts";

/**
 * Seals signing secrets at rest: AES-256-GCM, bound to the row they belong to. The key file holds one key, or while all is being
 * sealed anew several, the newest first.
 */
export type SecretBox = {
  /** Belongs inside the transaction that stores it: a rotation of the key waits for that. */
  seal: (plain: string, rowId: string) => Buffer;
  open: (sealed: Uint8Array, rowId: string) => string;
  /**
   * Whether the key file opens one of them, or there are none. It is read now: with it the next one is sealed, whatever other
   * key is still in memory.
   */
  opensAny: (rows: readonly { id: string; sealed: Uint8Array }[]) => boolean;
  /** Puts a new key before those in the file. */
  addKey: () => void;
  /** Leaves the newest key alone in the file, if all that is stored opens with it. */
  dropOldKeys: (
    allOpen: (opensWithNewest: (sealed: Uint8Array, rowId: string) => boolean) => boolean,
  ) => void;
};

const NONCE = 12;
const TAG = 16;
const KEY = 32;

/** The keys lie beside the database, not in it, so that a copied database file opens nothing. Made at the first use. */
export function openSecretBox(
  keyPath: string,
  random: (bytes: number) => Buffer,
  isDryRun: () => boolean,
): SecretBox {
  let known: Buffer[] = [];
  const load = (): Buffer[] =>
    (known = isDryRun() ? (readKeys(keyPath) ?? [random(KEY)]) : readOrCreateKeys(keyPath, random));
  const write = (keys: Buffer[]) => replaceKeys(keyPath, (known = keys), random);

  return {
    seal(plain, rowId) {
      // Read each time: somebody may have rotated it.
      const [key] = load() as [Buffer];
      const nonce = random(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(rowId));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, rowId) {
      // Makes none: a new key opens nothing that is stored, and would hide that the right one is gone.
      const plain =
        openWithAny(known, sealed, rowId) ??
        openWithAny((known = readKeys(keyPath) ?? []), sealed, rowId);
      if (plain !== undefined) return plain;
      throw new AppError(
        "signing_unavailable",
        "A signing secret does not open with the master key.",
        {
          fix: `put the key file back that belongs to this database: ${keyPath}; deskbell doctor says what does not open`,
        },
      );
    },
    opensAny(rows) {
      const keys = readKeys(keyPath) ?? [];
      return (
        rows.length === 0 ||
        rows.some(({ id, sealed }) => openWithAny(keys, sealed, id) !== undefined)
      );
    },
    addKey: () => write([random(KEY), ...load()]),
    dropOldKeys(allOpen) {
      const [newest] = load() as [Buffer];
      if (allOpen((sealed, rowId) => openWith(newest, sealed, rowId) !== undefined))
        write([newest]);
    },
  };
}

const openWithAny = (keys: Buffer[], sealed: Uint8Array, rowId: string): string | undefined =>
  keys
    .values()
    .map((key) => openWith(key, sealed, rowId))
    .find((plain) => plain !== undefined);

function openWith(key: Buffer, sealed: Uint8Array, rowId: string): string | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE))
    .setAAD(Buffer.from(rowId))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  try {
    return (
      decipher.update(sealed.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8")
    );
  } catch {
    return undefined;
  }
}

function readOrCreateKeys(path: string, random: (bytes: number) => Buffer): Buffer[] {
  for (;;) {
    const keys = readKeys(path);
    if (keys) return keys;
    createKeys(path, random);
  }
}

/** undefined: there is no such file. */
function readKeys(path: string): Buffer[] | undefined {
  const text = readText(path);
  const keys = text
    ?.trim()
    .split("\n")
    .map((line) => Buffer.from(line, "base64"));
  if (keys?.every(({ length }) => length === KEY) ?? true) return keys;
  throw new AppError(
    "signing_unavailable",
    `The master key file does not hold ${KEY}-byte keys in base64, one a line.`,
    {
      fix: `put the key file back that belongs to this database: ${path}; if it is lost for good, remove this one, then give each endpoint a new secret: deskbell webhooks rotate-secret ID --force`,
    },
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new AppError("signing_unavailable", `The master key file cannot be read: ${code}.`, {
      fix: `make ${path} a file that belongs to the user who runs the daemon`,
    });
  }
}

/** Written aside and linked into place: two processes that start at once end with one whole key. */
function createKeys(path: string, random: (bytes: number) => Buffer): void {
  const draft = writeDraft(path, [random(KEY)], random);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** Written aside and moved into place: who reads meanwhile finds the old keys whole or the new ones. */
function replaceKeys(path: string, keys: Buffer[], random: (bytes: number) => Buffer): void {
  renameSync(writeDraft(path, keys, random), path);
  // Before anything is sealed with the new one: a power cut must not bring the old file back.
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function writeDraft(path: string, keys: Buffer[], random: (bytes: number) => Buffer): string {
  const draft = `${path}.${random(6).toString("hex")}`;
  const text = keys.map((key) => `${key.toString("base64")}\n`).join("");
  writeFileSync(draft, text, { mode: 0o600, flag: "wx", flush: true });
  return draft;
}
