import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { readMigrations } from "../../../src/platform/assets.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { runProgram } from "../../support/cli.ts";
import { spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { type Program, PROGRAM } from "../../support/program.ts";
import { createReceiver } from "../../support/receiver.ts";
import { canMount, mountSmallDisk } from "../../support/small-disk.ts";
import { assertTook, patient } from "../../support/patience.ts";

// This proof needs root to mount a small disk.

const RESUMES_MS = 5000;
const SERVICES = "/v1/businesses/salon-aurora/services";

/** Starts a daemon on a small disk, with a delivery in flight. */
async function startOnSmallDisk(program = PROGRAM) {
  const disk = mountSmallDisk(160);
  const on = ["--data-dir", join(disk.folder, "data")];
  const run = (...args: string[]) => runProgram([...args, ...on]);
  expect(await run("seed", "salon")).toMatchObject({ code: 0 });
  const key = (await run("keys", "create", "--name", "site", "--secret")).stdout.trim();
  // The first delivery is in flight when the disk fills up, so its outcome cannot be stored.
  const partner = await createReceiver([{ hold: true }, {}]);
  await run(
    "webhooks",
    "create",
    "--name",
    "a",
    "--url",
    partner.url,
    "--event",
    "service.updated",
    "--allow-private",
  );
  const daemon = spawnDaemonOf(program, join(disk.folder, "data"));
  const url = await waitForUrl(daemon);
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  expect(await run("services", "update", "beard-trim", "--price", "91.00")).toMatchObject({
    code: 0,
  });
  await partner.waitForRequests(1);
  const createEndpoint = () => {
    const body = JSON.stringify({
      name: "b",
      url: "https://93.184.215.14/",
      events: ["service.updated"],
    });
    return ask("/v1/businesses/salon-aurora/webhooks", { method: "POST", body });
  };
  return { disk, run, partner, daemon, ask, createEndpoint };
}

async function createEndpointOnFullDisk(program: Program): Promise<Response> {
  const { disk, createEndpoint } = await startOnSmallDisk(program);
  disk.fill();
  return createEndpoint();
}

/** Creates a database of the oldest version on a disk without space for its backup. */
function fillDiskBeforeMigration() {
  const disk = mountSmallDisk(16);
  const path = join(disk.folder, "deskbell.db");
  const db = new Database(path);
  db.exec(readMigrations()[0] ?? "");
  db.pragma("user_version = 1");
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(4000000))");
  db.close();
  const before = readFileSync(path);
  // The migrations need less than this space, the backup more.
  writeFileSync(join(disk.folder, "reserve"), Buffer.alloc(2_500_000));
  disk.fill();
  rmSync(join(disk.folder, "reserve"));
  return { disk, path, before };
}

/** Returns the program with two bugs: it does not look for free space, and ignores failed commits. */
const breakWrites = () =>
  breakProgram(
    {
      file: "src/app/disk-space.ts",
      find: "if (free >= RESERVE_BYTES) return;",
      replace: "return;",
    },
    {
      file: "src/store/database/database.ts",
      find: "      commit.run();\n",
      replace: "      try { commit.run(); } catch {}\n",
    },
  );

describe.skipIf(!canMount())("on a full disk", () => {
  test(
    "reads continue on a full disk, writes are refused, and deliveries resume within five seconds of freeing space",
    async () => {
      const { disk, run, partner, daemon, ask, createEndpoint } = await startOnSmallDisk();
      disk.fill();
      partner.release();
      for (const query of ["", "?limit=3", "?includeVariants=true", "?limit=4"])
        expect((await ask(SERVICES + query)).status).toBe(200);
      const refused = await createEndpoint();
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ code: "storage_full" });
      expect(await run("services", "update", "beard-trim", "--price", "92.00")).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^error: Only .* free on the disk of \/.*\/data: no new data is accepted\.\nfix: free some space; pending deliveries are still sent, and writes resume automatically \(exit 5\)\n$/,
        ),
      });
      expect((await ask(SERVICES)).status).toBe(200);
      expect(partner.requests.length).toBeLessThanOrEqual(2);

      const before = partner.requests.length;
      disk.free();
      const freedAt = performance.now();
      await expect
        .poll(
          async () => (await run("services", "update", "beard-trim", "--price", "93.00")).code,
          {
            timeout: patient(RESUMES_MS),
          },
        )
        .toBe(0);
      await partner.waitForRequests(before + 1);
      const resumedAfterMs = performance.now() - freedAt;
      assertTook("The return of writes and deliveries", resumedAfterMs, RESUMES_MS);
      const settled = async () => {
        const { data } = JSON.parse((await run("deliveries", "list", "--json")).stdout) as {
          data: { status: string }[];
        };
        return data.map(({ status }) => status);
      };
      await expect.poll(settled, { timeout: patient(10_000) }).toEqual(["DELIVERED", "DELIVERED"]);
      const prices = partner.requests.map(
        ({ body }) =>
          (JSON.parse(body.toString()) as { data: { object: { priceCents: number } } }).data.object
            .priceCents,
      );
      expect(new Set(prices)).toEqual(new Set([9100, 9300]));
      daemon.child.kill("SIGTERM");
      expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
      if (!isRecording()) return;
      const { status } = await createEndpointOnFullDisk(breakWrites());
      recordClaim({
        group: "faults",
        claim:
          "On a full disk, nothing is accepted that cannot be stored, and all can still be read",
        done: "A disk was filled to the last byte while a delivery was in flight, and freed later.",
        figure: `5 of 5 reads were answered, and 2 of 2 writes were refused; writes and deliveries resumed ${Math.round(resumedAfterMs)} ms after the disk was freed.`,
        control: {
          done: "A program that ignores that the disk is full got a write.",
          figure: `It responded with ${status}.`,
          hasFailed: status !== 503,
        },
        seed: "none",
      });
    },
    patient(90_000),
  );

  test("a database is not migrated if there is no space for its backup", async () => {
    const { disk, path, before } = fillDiskBeforeMigration();
    const { code, stderr } = await runProgram(["status", "--data-dir", disk.folder]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /^error: No space in .*backups for the backup .* is unchanged\.\nfix: free/,
      ),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(disk.folder, "backups"))).toEqual([]);
    disk.free();
    expect(await runProgram(["status", "--data-dir", disk.folder])).toMatchObject({ code: 6 });
    expect(readdirSync(join(disk.folder, "backups"))).toHaveLength(1);
    if (!isRecording()) return;
    const control = fillDiskBeforeMigration();
    const withoutBackup = breakProgram({
      file: "src/store/database/schema.ts",
      find: "if (isSafeguarded) backup = safeguard.backUp(to);",
      replace: "",
    });
    await runProgram(["status", "--data-dir", control.disk.folder], { program: withoutBackup });
    const isChanged = !readFileSync(control.path).equals(control.before);
    recordClaim({
      group: "faults",
      claim: "An update does not change the data when there is no space for a backup of them",
      done: "A command was run on the data of an older version, on a disk without space for a copy.",
      figure:
        "It was refused, and the data stayed the same, byte for byte; with space, it made the backup.",
      control: {
        done: "A program that migrates without a backup was run on the same disk.",
        figure: isChanged ? "The data were changed." : "The data stayed the same.",
        hasFailed: isChanged,
      },
      seed: "none",
    });
  });
});
