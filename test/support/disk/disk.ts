import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SeededRandom } from "../../../src/domain/seeded-random.ts";
import type { Change } from "./log.ts";

type DataChange = Extract<Change, { kind: "write" | "truncate" }>;
type NameChange = Extract<Change, { kind: "create" | "mkdir" | "unlink" | "rename" | "link" }>;

/**
 * What a power cut leaves of the changes that no sync has stored: nothing, the first ones, some, or
 * only some sectors of some. Names always survive in their order, as on file systems with a
 * journal.
 */
export const CUTS = ["nothing", "first", "some", "sectors"] as const;
export type Cut = (typeof CUTS)[number] | "everything";

const SECTOR_BYTES = 512;
/** A folder has this number in place of a file's number. */
const FOLDER = -1;

/** The bytes of a file, in a buffer that grows in large steps. */
class Content {
  private bytes: Buffer;
  private size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  copy = (): Content => new Content(Buffer.from(this.read()));
  read = (): Buffer => this.bytes.subarray(0, this.size);

  apply(change: DataChange): void {
    if (change.kind === "write") this.write(change.offset, change.data);
    else {
      this.grow(change.size);
      this.bytes.fill(0, change.size);
      this.size = change.size;
    }
  }

  write(offset: number, data: Buffer): void {
    const end = offset + data.length;
    this.grow(end);
    data.copy(this.bytes, offset);
    this.size = Math.max(this.size, end);
  }

  private grow(size: number): void {
    if (size <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes, Buffer.alloc(size * 2 - this.bytes.length)]);
  }
}

type StoredFile = { path: string; file: number; bytes: Buffer | undefined };

/** Reads all files but the -shm file, which is never on a disk: SQLite rebuilds it. */
export const readFolder = (folder: string): StoredFile[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith("-shm"))
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const found = statSync(path);
      if (found.isDirectory()) return { path, file: FOLDER, bytes: undefined };
      return { path, file: found.ino, bytes: readFileSync(path) };
    });

/** A disk that applies the changes of a log, and knows which of them a power cut can lose. */
export class Disk {
  readonly acknowledged: string[] = [];
  readonly folder: string;
  private readonly names = new Map<string, number>();
  private readonly stored = new Map<number, Content>();
  private readonly unsynced = new Map<number, DataChange[]>();
  private unsyncedNames: NameChange[] = [];

  /** @param before what the folder contained before its changes were recorded */
  constructor(folder: string, before: readonly StoredFile[]) {
    this.folder = folder;
    for (const { path, file, bytes } of before) {
      this.names.set(path, file);
      if (bytes) this.stored.set(file, new Content(Buffer.from(bytes)));
    }
  }

  apply(change: Change): void {
    switch (change.kind) {
      case "acknowledge":
        return void this.acknowledged.push(change.text);
      case "write":
      case "truncate":
        return void this.changesOf(change.file).push(change);
      case "sync":
        return this.sync(change.file, change.covered);
      case "syncFolder":
        for (const name of this.unsyncedNames)
          if (name.at < change.covered) changeNames(this.names, name);
        this.unsyncedNames = this.unsyncedNames.filter(({ at }) => at >= change.covered);
        return;
      case "create":
        // A new file may have the number of a deleted file, whose content must not appear in it.
        this.stored.set(change.file, new Content());
        this.unsynced.set(change.file, []);
        return void this.unsyncedNames.push(change);
      default:
        this.unsyncedNames.push(change);
    }
  }

  private changesOf(file: number): DataChange[] {
    const changes = this.unsynced.get(file) ?? [];
    this.unsynced.set(file, changes);
    return changes;
  }

  private sync(file: number, covered: number): void {
    const changes = this.changesOf(file);
    const later = changes.findIndex(({ at }) => at >= covered);
    const done = changes.splice(0, later === -1 ? changes.length : later);
    const content = this.stored.get(file) ?? new Content();
    for (const change of done) content.apply(change);
    this.stored.set(file, content);
  }

  /** Replaces folder `to` by what the disk contains after a power cut. */
  cutPower(cut: Cut, random: SeededRandom, to: string): void {
    const pending = [...this.unsyncedNames, ...[...this.unsynced.values()].flat()];
    const isOrdered = cut === "nothing" || cut === "first" || cut === "everything";
    const first = random.pick([-1, ...pending.map(({ at }) => at)]);
    const last = { nothing: -1, first, everything: Infinity, some: -1, sectors: -1 }[cut];
    const survives = ({ at }: Change) => (isOrdered ? at <= last : random.chance(0.5));
    // All names up to this position in the log survive.
    const spared = isOrdered ? last : random.pick([-1, ...this.unsyncedNames.map(({ at }) => at)]);
    const names = new Map(this.names);
    for (const name of this.unsyncedNames) if (name.at <= spared) changeNames(names, name);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true, mode: 0o700 });
    for (const [path, file] of names) {
      const target = join(to, path.slice(this.folder.length));
      mkdirSync(file === FOLDER ? target : dirname(target), { recursive: true, mode: 0o700 });
      if (file === FOLDER) continue;
      const content = (this.stored.get(file) ?? new Content()).copy();
      for (const change of this.changesOf(file).filter(survives))
        if (cut === "sectors" && change.kind === "write") tear(content, change, random);
        else content.apply(change);
      writeFileSync(target, content.read(), { mode: 0o600 });
    }
  }
}

function changeNames(names: Map<string, number>, change: NameChange): void {
  switch (change.kind) {
    case "create":
      return void names.set(change.path, change.file);
    case "mkdir":
      return void names.set(change.path, FOLDER);
    case "unlink":
      return void names.delete(change.path);
    default: {
      const file = names.get(change.from);
      if (file === undefined) throw new Error(`The log has no file ${change.from}.`);
      names.set(change.to, file);
      if (change.kind === "rename") names.delete(change.from);
    }
  }
}

/** Applies about half of the sectors of a write. */
function tear(
  content: Content,
  { offset, data }: Extract<Change, { kind: "write" }>,
  random: SeededRandom,
): void {
  for (let start = 0; start < data.length;) {
    const end = Math.min(data.length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES));
    if (random.chance(0.5)) content.write(offset + start, data.subarray(start, end));
    start = end;
  }
}
