import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTerminal } from "../../support/cli.ts";
import { CUTS, Disk, readFolder } from "../../support/disk/disk.ts";
import { canPreload, createFolderInMemory, prepareDisk } from "../../support/disk/library.ts";
import { type Change, readLog } from "../../support/disk/log.ts";
import { listLost } from "../../support/disk/oracle.ts";
import { recordWork } from "../../support/disk/recorded-work.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

// A library that is loaded into deskbell records every change of its data folder, and every sync.
// The disk is then rebuilt as a power cut at a random moment would have left it, and opened.

const CUT_COUNT = chooseScale(24, 5000, 500);
const CONTROL_CUTS = chooseScale(8, 300, 100);
const SEED = chooseSeed(7);

type Work = ReturnType<typeof recordWork>;

/** Sets prices and creates an endpoint, whose signing secret creates the master key. */
const changePrices = (work: Work): Promise<void> =>
  work.write([1, 2, 3, 4, 5, 6].map((n) => `price ${9000 + n}`).toSpliced(4, 0, "endpoint"));

async function runForADay(work: Work): Promise<void> {
  const key = await work.createKey();
  await work.setPrice(9100);
  await work.serveAndBook(key, chooseScale(0, 300, 40));
}

describe.skipIf(!canPreload)("after a power cut", () => {
  test(
    "everything that was acknowledged is there after a power cut at any moment",
    { timeout: patient(900_000) },
    async () => {
      const { dataDir, ...disk } = prepareDisk();
      await createTerminal({ dataDir }).deskbell("seed salon");
      const before = readFolder(dataDir);
      const work = recordWork({ dataDir, ...disk });
      await chooseScale(changePrices, runForADay)(work);

      const changes = readLog(work.log);
      const image = createFolderInMemory();
      const start = () => new Disk(dataDir, before);
      expectComplete(start(), changes, image);
      const found = cutPower(start(), changes, CUT_COUNT, image);
      expect(found.failures.slice(0, 5)).toEqual([]);
      expect(found.acknowledged).toBeGreaterThan(CUT_COUNT);
      if (!isRecording()) return;
      const control = cutPower(start(), withSynchronousNormal(changes), CONTROL_CUTS, image);
      recordClaim({
        group: "power",
        claim: "After a power cut, every acknowledged change is there and the database is intact",
        done: `The power was cut ${CUT_COUNT} times at random positions in ${changes.length} recorded changes of the disk.`,
        figure: `None of ${found.acknowledged} acknowledgements was lost, and no database was damaged.`,
        control: {
          done: `The power was cut ${CONTROL_CUTS} times in the same changes under synchronous=NORMAL.`,
          figure: `${control.failures.length} cuts lost acknowledged changes.`,
          hasFailed: control.failures.length > 0,
        },
        seed: SEED,
      });
    },
  );
});

/**
 * Asserts that the log is complete: applying all its changes must give the content of the folder.
 */
function expectComplete(disk: Disk, log: Change[], image: string): void {
  for (const change of log) disk.apply(change);
  disk.cutPower("everything", createSeededRandom(SEED), image);
  const contents = (folder: string) =>
    readFolder(folder).map(({ path, bytes }) => [
      path.slice(folder.length),
      bytes?.toString("latin1"),
    ]);
  const folder = disk.folder;
  expect(contents(image).map(([name]) => name)).toEqual(contents(folder).map(([name]) => name));
  expect(JSON.stringify(contents(image)) === JSON.stringify(contents(folder))).toBe(true);
}

/** Cuts the power at random positions, half of them right after an acknowledgement. */
function cutPower(disk: Disk, log: Change[], count: number, image: string) {
  const random = createSeededRandom(SEED);
  const confirmedAt = log.flatMap(({ kind }, i) => (kind === "acknowledge" ? [i] : []));
  const position = () =>
    random.chance(0.5) ? random.integer(0, log.length) : random.pick(confirmedAt) + 1;
  const positions = Array.from({ length: count }, position).sort((a, b) => a - b);
  const failures: string[] = [];
  let acknowledged = 0;
  for (let at = 0; at <= log.length; at++) {
    for (; positions[0] === at; positions.shift()) {
      const cut = random.pick(CUTS);
      disk.cutPower(cut, random, image);
      acknowledged += disk.acknowledged.length;
      const lost = listLost(image, disk.acknowledged);
      if (lost.length > 0) failures.push(`${cut} survives a cut at ${at}: ${lost.join(", ")}`);
    }
    const change = log[at];
    if (change) disk.apply(change);
  }
  return { failures, acknowledged };
}

/**
 * Returns the changes that SQLite would make with synchronous=NORMAL: it would sync the WAL only
 * before it copies the WAL to the database.
 */
function withSynchronousNormal(changes: Change[]): Change[] {
  const logs = new Set<number>();
  for (const change of changes)
    if (change.kind === "create" && change.path.endsWith("-wal")) logs.add(change.file);
  return changes.filter((change, i) => {
    if (change.kind !== "sync" || !logs.has(change.file)) return true;
    const next = changes.find(({ kind }, j) => j > i && kind === "write");
    return next?.kind === "write" && !logs.has(next.file);
  });
}
