import { appendFileSync, readFileSync } from "node:fs";

/**
 * A change of the disk, in the order of the log. `file` is the file's identity, whatever its name;
 * `at` is the position of the record in the log.
 */
export type Change = { at: number } & (
  | { kind: "create" | "mkdir" | "unlink"; file: number; path: string }
  | { kind: "rename" | "link"; from: string; to: string }
  | { kind: "write"; file: number; offset: number; data: Buffer }
  | { kind: "truncate"; file: number; size: number }
  /** A sync of a file stores all its changes before position `covered`. */
  | { kind: "sync"; file: number; covered: number }
  | { kind: "syncFolder"; covered: number }
  /** The program has acknowledged a change. */
  | { kind: "acknowledge"; text: string }
);

const HEADER_BYTES = 24;
const ACKNOWLEDGE = "A";

/**
 * Appends an acknowledgement of the program. The acknowledged changes come before it in the log.
 */
export function acknowledge(log: string, text: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(ACKNOWLEDGE.charCodeAt(0), 0);
  header.writeUInt32LE(Buffer.byteLength(text), 4);
  appendFileSync(log, Buffer.concat([header, Buffer.from(text)]));
}

/** Reads the log of `library.c`, which describes the format. */
export function readLog(path: string): Change[] {
  const log = readFileSync(path);
  const changes: Change[] = [];
  for (let at = 0; at < log.length;) {
    const length = log.readUInt32LE(at + 4);
    const data = log.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    changes.push({ at, ...parseChange(log.subarray(at, at + HEADER_BYTES), data) });
    at += HEADER_BYTES + length;
  }
  return changes;
}

type Unplaced<C> = C extends unknown ? Omit<C, "at"> : never;

function parseChange(header: Buffer, data: Buffer): Unplaced<Change> {
  const letter = String.fromCharCode(header.readUInt32LE(0));
  const file = Number(header.readBigUInt64LE(8));
  const offset = Number(header.readBigInt64LE(16));
  const [path = "", second = ""] = "CMURL".includes(letter) ? data.toString().split("\0") : [];
  switch (letter) {
    case "C":
      return { kind: "create", file, path };
    case "M":
      return { kind: "mkdir", file, path };
    case "U":
      return { kind: "unlink", file, path };
    case "R":
      return { kind: "rename", from: path, to: second };
    case "L":
      return { kind: "link", from: path, to: second };
    case "W":
      return { kind: "write", file, offset, data };
    case "T":
      return { kind: "truncate", file, size: offset };
    case "S":
      return { kind: "sync", file, covered: offset };
    case "D":
      return { kind: "syncFolder", covered: offset };
    case ACKNOWLEDGE:
      return { kind: "acknowledge", text: data.toString() };
    default:
      throw new Error(`Unknown record '${letter}' in the log of the disk.`);
  }
}
