import { posix } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw, gzip as gzipWithCallback } from "node:zlib";

// Writes archives with equal bytes on every machine: sorted, with fixed owners, modes and times.

export type Entry = {
  /** A relative path without a slash at the end. */
  path: string;
  /** The content of a file. An entry with neither content nor a link is a folder. */
  content?: Buffer | string;
  /** The target of a symbolic link. */
  link?: string;
  /** Permissions; by default 0644 for a file and 0755 for a folder. */
  mode?: number;
  /** User and group ID; by default 0. */
  owner?: number;
};

/** The level of compression, from 1 to 9. */
const level = 6;
export const gzip = (data: Buffer | string): Promise<Buffer> =>
  promisify<Buffer | string, { level: number }, Buffer>(gzipWithCallback)(data, { level });

const comparePaths = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : 1);

/** Returns the entries, together with those of their parent folders that are not listed. */
function withParents(entries: readonly Entry[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const entry of entries) {
    all.set(entry.path, entry);
    for (let path = posix.dirname(entry.path); path !== "."; path = posix.dirname(path))
      if (!entries.some((listed) => listed.path === path)) all.set(path, { path });
  }
  return [...all.values()].sort(comparePaths);
}

const BLOCK_BYTES = 512;
const padTo = (size: number, data: Buffer): Buffer[] => [
  data,
  Buffer.alloc((size - (data.length % size)) % size),
];

/**
 * Returns a tar archive (ustar).
 * @param prefix beginning of every path, such as `./` in a Debian package
 */
export function tar(entries: readonly Entry[], seconds: number, prefix = ""): Buffer {
  const blocks = withParents(entries).flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    return [tarHeader(entry, content.length, seconds, prefix), ...padTo(BLOCK_BYTES, content)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function tarHeader(
  { path, content, link, mode, owner = 0 }: Entry,
  size: number,
  seconds: number,
  prefix: string,
): Buffer {
  const [type, usualMode] =
    content !== undefined ? ["0", 0o644] : link !== undefined ? ["2", 0o777] : ["5", 0o755];
  const name = `${prefix}${path}${type === "5" ? "/" : ""}`;
  if (Buffer.byteLength(name) > 100) throw new Error(`The path is too long for tar: ${name}`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, offset: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, "0"), offset);
  header.write(name, 0);
  octal(mode ?? usualMode, 100, 7);
  octal(owner, 108, 7);
  octal(owner, 116, 7);
  octal(size, 124, 11);
  octal(seconds, 136, 11);
  header.write(type, 156);
  header.write(link ?? "", 157);
  header.write("ustar\x0000", 257);
  if (owner === 0) for (const offset of [265, 297]) header.write("root", offset);
  // The checksum is computed over the header with spaces in place of the checksum.
  header.fill(" ", 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header.write("\0 ", 154);
  return header;
}

/** Returns an ar archive, the outer format of a Debian package. */
export function ar(files: readonly { name: string; content: Buffer }[], seconds: number): Buffer {
  const members = files.map(({ name, content }) => {
    const fields = [name.padEnd(16), String(seconds).padEnd(12), "0".padEnd(6), "0".padEnd(6)];
    const header = `${fields.join("")}${"100644".padEnd(8)}${String(content.length).padEnd(10)}\`\n`;
    return Buffer.concat([
      Buffer.from(header),
      content,
      Buffer.from(content.length % 2 === 0 ? "" : "\n"),
    ]);
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...members]);
}

/** Returns a zip archive of files. Windows opens it without other programs. */
export async function zip(entries: readonly Entry[], seconds: number): Promise<Buffer> {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { path, content = "" } of [...entries].sort(comparePaths)) {
    const data = Buffer.from(content);
    const packed = await promisify<Buffer, { level: number }, Buffer>(deflateRaw)(data, { level });
    // The header has version, flags (names are UTF-8), method (deflate), time, checksum, sizes and
    // length of the name.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(dosTime(seconds), 6);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(Buffer.byteLength(path), 22);
    const name = Buffer.from(path);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), common, place, name);
    const file = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed]);
    files.push(file);
    offset += file.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, index, end]);
}

/** Returns a UTC date and time in MS-DOS format. */
function dosTime(seconds: number): number {
  const at = new Date(seconds * 1000);
  const date =
    ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}
