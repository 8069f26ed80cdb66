import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listBackups, verifyBackup } from "../../../src/features/backups/backups.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { readConfig } from "../../../src/config.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder } from "../../support/cli.ts";
import {
  CONTENTS,
  createTemplates,
  WRITING_COMMANDS,
  type WritingCommand,
} from "../../support/disk/commands.ts";
import { CUTS, Disk, readFolder } from "../../support/disk/disk.ts";
import { canPreload, createFolderInMemory, prepareDisk } from "../../support/disk/library.ts";
import { type Change, readLog } from "../../support/disk/log.ts";
import { listLost } from "../../support/disk/oracle.ts";
import { recordWork } from "../../support/disk/recorded-work.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

// The power is cut at every change of the disk by the commands that replace or copy the database.

const SEED = chooseSeed(7);
const COMMANDS = chooseScale(
  ["restore"],
  ["migration", "backup", "restore"],
  ["migration", "backup", "restore"],
);
/** The test suite cuts the power at some points, in one way each. */
const POINTS = chooseScale(6, Infinity, 30);
const IN_EVERY_WAY = chooseScale(false, true);

describe.skipIf(!canPreload)("after a power cut at any point of", () => {
  test.each(COMMANDS)(
    "all data and every finished backup are intact after a power cut at any point of a %s",
    { timeout: patient(900_000) },
    async (name) => {
      const command = WRITING_COMMANDS[name] as WritingCommand;
      const templates = createTempFolder();
      await createTemplates(templates, [name]);
      const { dataDir, ...disk } = prepareDisk();
      cpSync(join(templates, command.template), dataDir, { recursive: true });
      const before = readFolder(dataDir);
      const work = recordWork({ dataDir, ...disk });
      await work.deskbell(...command.args(dataDir, templates));
      work.confirm("done");

      const changes = readLog(work.log);
      const start = () => new Disk(dataDir, before);
      const found = await cutEverywhere(start(), changes, command);
      expect(found.failures.slice(0, 5)).toEqual([]);
      if (!isRecording()) return;
      const unsynced = changes.filter(({ kind }) => kind !== "sync" && kind !== "syncFolder");
      const control = await cutEverywhere(start(), unsynced, command);
      recordClaim({
        group: "power",
        claim: `A power cut at any point of a ${name} damages no data and no finished backup`,
        done: `The power was cut ${found.cuts} times at the ${changes.length} points of a ${name}.`,
        figure: "Nothing was lost or damaged.",
        control: {
          done: "The same cuts were made on a disk that ignores fsync.",
          figure: `${control.failures.length} of ${control.cuts} lost or damaged something.`,
          hasFailed: control.failures.length > 0,
        },
        seed: SEED,
      });
    },
  );
});

async function cutEverywhere(disk: Disk, log: Change[], command: WritingCommand) {
  const random = createSeededRandom(SEED);
  const image = createFolderInMemory();
  const step = Math.max(1, log.length / POINTS);
  const failures: string[] = [];
  let cuts = 0;
  for (let at = 0; at <= log.length; at++) {
    // The power is always cut at the end, and in every way, because everything acknowledged must
    // survive there. A disk that ignores fsync loses some of it there with every seed.
    const isEnd = at === log.length;
    const isPoint = isEnd || Math.floor(at / step) !== Math.floor((at - 1) / step);
    for (const cut of isPoint ? (IN_EVERY_WAY || isEnd ? CUTS : [random.pick(CUTS)]) : []) {
      disk.cutPower(cut, random, image);
      const problems = await listProblems(image, disk.acknowledged.length > 0, command);
      if (problems.length > 0) failures.push(`${cut} survives a cut at ${at}: ${problems.join()}`);
      cuts += 1;
    }
    const change = log[at];
    if (change) disk.apply(change);
  }
  return { failures, cuts };
}

async function listProblems(image: string, isDone: boolean, command: WritingCommand) {
  const problems: string[] = [];
  for (const { path } of listBackups(readConfig({ dataDir: image }, {})))
    await verifyBackup(path).catch((error: unknown) => problems.push(String(error)));
  problems.push(...listLost(image, CONTENTS[command.template]));
  problems.push(...(command.listLost?.(image) ?? []));
  return isDone ? [...problems, ...(await command.listMissing(image, ""))] : problems;
}
