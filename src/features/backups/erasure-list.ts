import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { deriveKey } from "./tag.ts";
import type { Config } from "../../config.ts";
import {
  appendDurably,
  replaceDurably,
  syncFolder,
  withPathInErrors,
} from "../../platform/durable-file.ts";
import { readMasterKeys } from "../../platform/secret-box.ts";

// A backup still contains guests that were erased after it. The IDs of their visits are therefore
// in a file next to the master key. Restoring a backup does not replace this list, and erases its
// guests again. The list also has the businesses that have moved to another server, because an
// older backup would bring them back and their times would be booked twice. And it has the revoked
// keys, desks and calendars, because an older backup would make stolen secrets valid again. Copies
// of the list go with the backups, for a restore on another machine. A copy says when the list was
// complete, and is signed: whoever can write to the backups must not be able to bring erased guests
// or revoked access back, or to erase guests and revoke access.

const VISIT_ID = /^(?:bkg|rsv|tor)_[0-9a-z]+$/;
const REVOKED = /^revoked ([a-z]+_[0-9a-z]+)$/;
const MOVED = /^(biz_[0-9a-z]+) ([0-9a-f]+) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

export type MovedBusiness = {
  id: string;
  /** The ID of the server that the business has left. */
  server: string;
  /** The time of the move, epoch ms. */
  movedAt: number;
};

/** Returns the line of the list for a business that has moved. */
export const movedLine = ({ id, server, movedAt }: MovedBusiness): string =>
  `${id} ${server} ${new Date(movedAt).toISOString()}`;

/** Returns the line of the list for a key, or for access of a feature, that was revoked. */
export const revokedLine = (id: string): string => `revoked ${id}`;

/** Returns the visits, moves and revoked access that lines of the list name. */
export const parseErasures = (lines: readonly string[]) => ({
  visitIds: lines.filter((line) => VISIT_ID.test(line)),
  revoked: lines.flatMap((line) => REVOKED.exec(line)?.[1] ?? []),
  moved: lines.flatMap((line): MovedBusiness[] => {
    const [, id = "", server = "", movedAt = ""] = MOVED.exec(line) ?? [];
    return id === "" ? [] : [{ id, server, movedAt: Date.parse(movedAt) }];
  }),
});

export const ERASURE_LIST = "erased-guests.txt";

export const erasureListPath = ({ masterKeyPath }: Pick<Config, "masterKeyPath">): string =>
  join(dirname(masterKeyPath), ERASURE_LIST);

/** Appends to the list and waits until it is on the disk. */
export function addToErasureList(config: Config, lines: readonly string[]): void {
  const path = erasureListPath(config);
  const isNew = !existsSync(path);
  // Each entry begins a new line, because a power cut may have cut off the last one.
  appendDurably(path, lines.map((line) => `\n${line}`).join(""));
  if (isNew) syncFolder(dirname(path));
}

/** Returns the size of the list in bytes, which identifies its content: the list never shrinks. */
export const measureErasureList = (config: Config): number =>
  statSync(erasureListPath(config), { throwIfNoEntry: false })?.size ?? 0;

export const readErasureList = (config: Pick<Config, "masterKeyPath">): string[] =>
  selectValid(readLines(erasureListPath(config)));

/**
 * The facts about a copy of the list. The signature of the copy covers these facts and the lines.
 */
type CopyFacts = {
  server: string;
  /** When the list was complete, epoch ms. */
  asOf: number;
};

const FACTS = "# deskbell-erased-guests 1 ";
const SIGNATURE = "# hmac-sha256 ";

const sign = (text: string, masterKey: Buffer): Buffer =>
  createHmac("sha256", deriveKey(masterKey, "erasure list 1")).update(text).digest();

/**
 * Writes a signed copy of the list to a folder of backups and returns its path. An empty list is
 * copied, too.
 */
export function copyErasureList(config: Config, folder: string, facts: CopyFacts): string {
  const target = join(folder, ERASURE_LIST);
  const lines = [`${FACTS}${JSON.stringify(facts)}`, ...readErasureList(config)];
  const text = lines.map((line) => `${line}\n`).join("");
  const [key] = readMasterKeys(config.masterKeyPath);
  const signature = key === undefined ? "" : `${SIGNATURE}${sign(text, key).toString("hex")}\n`;
  replaceDurably(target, text + signature);
  return target;
}

/** If no key of this server has signed the copy, `facts` is null. */
export type ErasureCopy = { lines: string[]; facts: CopyFacts | null };

/** Reads the copy of the list in a folder of backups; it is empty if there is none. */
export function readErasureCopy({ masterKeyPath }: Config, folder: string): ErasureCopy {
  const lines = readLines(join(folder, ERASURE_LIST));
  const signedLines = lines.findLastIndex((line) => line.startsWith(SIGNATURE));
  const signature = Buffer.from(lines[signedLines]?.slice(SIGNATURE.length) ?? "", "hex");
  const text = lines
    .slice(0, Math.max(signedLines, 0))
    .map((line) => `${line}\n`)
    .join("");
  const isSigned = readMasterKeys(masterKeyPath).some((key) => {
    const expected = sign(text, key);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isSigned || !lines[0]?.startsWith(FACTS)) return { lines: selectValid(lines), facts: null };
  // The text after the signature is not signed, so it is ignored.
  return {
    lines: selectValid(lines.slice(0, signedLines)),
    facts: JSON.parse(lines[0].slice(FACTS.length)) as CopyFacts,
  };
}

const selectValid = (lines: readonly string[]): string[] =>
  lines.filter((line) => [VISIT_ID, MOVED, REVOKED].some((form) => form.test(line)));

function readLines(path: string): string[] {
  try {
    return withPathInErrors(path, () => readFileSync(path, "utf8").split("\n"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
