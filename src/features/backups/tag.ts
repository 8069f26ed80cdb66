import { createHash, createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { fstatSync, fsyncSync, readSync, writeSync } from "node:fs";
import { useFile } from "../../platform/durable-file.ts";

// A backup is an SQLite file, followed by a text that authenticates it. SQLite reads as many pages
// as its header counts, so every program still opens the file, and a copy of the file keeps the
// text. data/guides/backups-and-restore.md describes the format.

/** Facts that are authenticated together with the bytes of the database. */
export type BackupFacts = {
  /** The ID of the server; empty if a version without such an ID made the database. */
  server: string;
  /** The time at which the backup was made, epoch ms. */
  createdAt: number;
  schema: number;
  /** The number of the takeover by which the server got its data; 0 if there was none. */
  epoch: number;
  /** Whether the server was handed over with this backup, and stored nothing afterwards. */
  isLast?: boolean;
  /**
   * The fingerprints of the master keys with which the data may be encrypted; a tag of an earlier
   * build lacks them.
   */
  dataKeys?: string[];
  /** The lines of the list of erased guests, moved businesses and revoked access. */
  erased: string[];
};

export type BackupTag = BackupFacts & {
  /** The size of the database, after which the text begins. */
  bytes: number;
  /** SHA-256 of the database, as hexadecimal digits. */
  sha256: string;
};

/**
 * `none`: the file has no tag. `no_key`: this machine has no master key. `other_key`: the key of
 * another server, or a key from before a rotation, made the tag. `altered`: the file or its tag was
 * changed.
 */
type TagDefect = "none" | "no_key" | "other_key" | "altered";
export type FoundTag = { kind: "authentic"; tag: BackupTag } | { kind: TagDefect };

const FIRST_LINE = "deskbell-backup 1";
const PAGE_BYTES = 4096;
/**
 * Matches the last line of the text: `deskbell-tag`, the offset of the text in the file (16
 * digits), and the HMAC.
 */
const LAST_LINE = /^deskbell-tag (\d{16}) ([0-9a-f]{64})\n$/;
const FINGERPRINT = /^[0-9a-f]{16}$/;
const HMAC_DIGITS = 64;
const LAST_LINE_BYTES = "deskbell-tag ".length + 16 + 1 + HMAC_DIGITS + 1;
/** The text lists erased visits, and 64 MiB have room for two million of them. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Derives the key for one purpose, such as `backup tag 1`. A signature that was made for one
 * purpose is never accepted for another.
 */
export const deriveKey = (masterKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", masterKey, "", `deskbell ${purpose}`, 32));

const tagKey = (masterKey: Buffer): Buffer => deriveKey(masterKey, "backup tag 1");

/** Returns a name that identifies a key without revealing it. */
const keyName = (key: Buffer): string => hash("sha256", key).slice(0, 16);

/**
 * Appends the tag to a database file and waits until it is on the disk.
 * @returns the SHA-256 of the whole file
 */
export function appendTag(path: string, facts: BackupFacts, masterKey: Buffer): string {
  return useFile(path, "r+", (file) => {
    const bytes = fstatSync(file).size;
    const digest = hashStart(file, bytes);
    const text = tagText({ ...facts, bytes, sha256: digest.copy().digest("hex") }, masterKey);
    writeAll(file, text, bytes);
    fsyncSync(file);
    return digest.update(text).digest("hex");
  });
}

/**
 * Replaces the tag of a file with one that another key authenticates. If the SHA-256 of the
 * database differs from the one in its tag, the file stays unchanged, because a new tag would hide
 * the damage.
 * @returns the SHA-256 of the whole file; undefined if its content has changed
 */
export function replaceTag(path: string, tag: BackupTag, masterKey: Buffer): string | undefined {
  return useFile(path, "r+", (file) => {
    const digest = hashStart(file, tag.bytes);
    if (digest.copy().digest("hex") !== tag.sha256) return undefined;
    const text = tagText(tag, masterKey);
    // Both texts have the same length, so an interruption leaves a wrong tag and no damage.
    writeAll(file, text, tag.bytes);
    fsyncSync(file);
    return digest.update(text).digest("hex");
  });
}

/** Returns the SHA-256 of a whole file. */
export function hashWhole(path: string): string {
  return useFile(path, "r", (file) => hashStart(file, fstatSync(file).size).digest("hex"));
}

function tagText({ erased, ...facts }: BackupTag, masterKey: Buffer): Buffer {
  const key = tagKey(masterKey);
  const head = JSON.stringify({ ...facts, key: keyName(key) });
  const body = [FIRST_LINE, head, ...erased].map((line) => `${line}\n`).join("");
  const unpaddedBytes = Buffer.byteLength(body) + LAST_LINE_BYTES;
  // Empty lines fill the last page, because some programs compute the number of pages from the size
  // of the file.
  const bytesInLastPage = (facts.bytes + unpaddedBytes) % PAGE_BYTES;
  const padding = "\n".repeat((PAGE_BYTES - bytesInLastPage) % PAGE_BYTES);
  const signed = `${body}${padding}deskbell-tag ${String(facts.bytes).padStart(16, "0")} `;
  return Buffer.from(`${signed}${createHmac("sha256", key).update(signed).digest("hex")}\n`);
}

/**
 * Reads the tag at the end of a file. The database itself is not read: compare its SHA-256 with
 * that of the tag.
 * @param masterKeys the keys to try; the tag is authentic if one of them made it
 */
export function readTag(path: string, masterKeys: readonly Buffer[]): FoundTag {
  const text = readText(path);
  if (text === undefined) return { kind: "none" };
  const lines = text.body.split("\n");
  const head = parseHead(lines[1]);
  if (lines[0] !== FIRST_LINE || head === undefined) return { kind: "altered" };
  if (masterKeys.length === 0) return { kind: "no_key" };
  const key = masterKeys.map(tagKey).find((candidate) => isSigned(text, candidate));
  if (key === undefined) {
    const isKnown = masterKeys.map(tagKey).map(keyName).includes(head.key);
    return { kind: isKnown ? "altered" : "other_key" };
  }
  const { key: _, ...facts } = head;
  if (facts.bytes !== text.offset) return { kind: "altered" };
  const erased = lines.slice(2, -1).filter((line) => line !== "");
  return { kind: "authentic", tag: { ...facts, erased } };
}

/**
 * Returns the fingerprints of the master keys with which the data may be encrypted; undefined if
 * the file names none. The fingerprints are not authenticated, so use them only to name keys.
 */
export function readDataKeys(path: string): string[] | undefined {
  const text = readText(path);
  return text && parseHead(text.body.split("\n")[1])?.dataKeys;
}

type TagText = {
  /** Where the text begins in the file, which is the size of the database. */
  offset: number;
  /** The text without its last line. */
  body: string;
  /** The bytes that the HMAC authenticates. */
  signed: Buffer;
  hmac: Buffer;
};

function isSigned({ signed, hmac }: TagText, key: Buffer): boolean {
  return timingSafeEqual(createHmac("sha256", key).update(signed).digest(), hmac);
}

/**
 * Returns whether the end of a file has the form of a tag. The tag is not authenticated, so anybody
 * may have written it.
 */
export function hasTag(path: string): boolean {
  return useFile(path, "r", (file) => findText(file) !== undefined);
}

function findText(file: number): { offset: number; length: number; hmac: string } | undefined {
  const { size } = fstatSync(file);
  if (size < LAST_LINE_BYTES) return undefined;
  const last = readAt(file, size - LAST_LINE_BYTES, LAST_LINE_BYTES).toString("latin1");
  const [, digits, hmac] = LAST_LINE.exec(last) ?? [];
  if (hmac === undefined) return undefined;
  const offset = Number(digits);
  const length = size - offset;
  const isText = length >= LAST_LINE_BYTES && length <= MAX_TEXT_BYTES;
  return isText ? { offset, length, hmac } : undefined;
}

function readText(path: string): TagText | undefined {
  return useFile(path, "r", (file) => {
    const found = findText(file);
    if (found === undefined) return undefined;
    const { offset, length, hmac } = found;
    const text = readAt(file, offset, length);
    const signed = text.subarray(0, length - HMAC_DIGITS - 1);
    const body = text.subarray(0, length - LAST_LINE_BYTES).toString();
    return { offset, body, signed, hmac: Buffer.from(hmac, "hex") };
  });
}

type Head = Omit<BackupTag, "erased"> & { key: string };

function parseHead(line = ""): Head | undefined {
  try {
    const head = JSON.parse(line) as Partial<Head> | null;
    const { server, createdAt, schema, epoch, bytes, sha256, key, dataKeys } = head ?? {};
    const isValid =
      typeof server === "string" &&
      typeof sha256 === "string" &&
      typeof key === "string" &&
      (dataKeys ?? []).every((name) => FINGERPRINT.test(name)) &&
      [createdAt, schema, epoch, bytes].every(Number.isSafeInteger);
    return isValid ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a digest of the first bytes of a file, to which further bytes can be added. */
function hashStart(file: number, bytes: number): ReturnType<typeof createHash> {
  const digest = createHash("sha256");
  for (let at = 0; at < bytes; at += CHUNK_BYTES)
    digest.update(readAt(file, at, Math.min(CHUNK_BYTES, bytes - at)));
  return digest;
}

/** Reads bytes of a file; fewer than `length` at its end. */
function readAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, buffer, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
}
