import { cpSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { catalogId } from "../../../src/domain/ids.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder, runProgram, startProgram } from "../../support/cli.ts";
import { waitForUrl } from "../../support/daemon.ts";
import {
  CONTENTS,
  createTemplates,
  WRITING_COMMANDS,
  type WritingCommand,
} from "../../support/disk/commands.ts";
import {
  countCalls,
  createPlanFile,
  type FaultPlan,
  NO_FAULTS,
  writePlan,
} from "../../support/disk/fault-plan.ts";
import { canPreload, createFolderInMemory, prepareDisk } from "../../support/disk/library.ts";
import { listLost } from "../../support/disk/oracle.ts";
import { listMissingDeliveries } from "../../support/missing-deliveries.ts";
import { patient } from "../../support/patience.ts";
import { PROGRAM } from "../../support/program.ts";
import { startPartner, waitForDeliveries } from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

// This proof kills a writer at the n-th call that changes the disk. The writer is a command, or the
// daemon while it handles requests. A kill at a random moment would hardly ever fall between two
// such calls.

const ALL = Object.keys(WRITING_COMMANDS);
const COMMANDS = chooseScale(["services update"], ALL, ALL);
const STEP = chooseScale(40, 1, 150);
const KILLED_DAEMONS = chooseScale(1, 400, 3);
const CONTROL_STEP = chooseScale(1, 1, 2);
const SEED = chooseSeed(31);
/** Runs with other seeds kill at other calls, so that several short runs together reach most of them. */
const FIRST_CALL = 1 + (SEED % STEP);

/** All calls that change the disk, by their letters in `library.c`. */
const CHANGES = "CDLMRSTUW";
/** A negative error kills the process. */
const KILL = -constants.signals.SIGKILL;
const killAt = (call: number): FaultPlan => ({
  kinds: CHANGES,
  first: call,
  last: call,
  error: KILL,
});
const COUNT_CALLS: FaultPlan = { ...NO_FAULTS, kinds: CHANGES };

function prepare() {
  const disk = prepareDisk(createFolderInMemory());
  const planFile = join(disk.folder, "faults");
  createPlanFile(planFile);
  const dataDir = join(disk.dataDir, "data");
  return { dataDir, planFile, env: { ...disk.env, DISK_FAULTS: planFile } };
}

/** Errors of a repeated command that show that the killed one had its effect. */
const IS_DONE = /already exists|already named|not available|is not free|taken/;

describe.skipIf(!canPreload)("killed at any call that changes the disk", () => {
  test(
    "a command killed at any call to the disk has its whole effect or none, and can be repeated",
    { timeout: patient(3_600_000) },
    async () => {
      const { dataDir, planFile, env } = prepare();
      const templates = createTempFolder();
      await createTemplates(templates, COMMANDS);

      async function runKilled(command: WritingCommand, plan: FaultPlan, program = PROGRAM) {
        const copyOf = join(templates, command.template);
        rmSync(dataDir, { recursive: true, force: true });
        cpSync(copyOf, dataDir, { recursive: true });
        const args = command.args(copyOf, templates).map((arg) => arg.replace(copyOf, dataDir));
        writePlan(planFile, plan);
        const options = { env, program };
        const result = await runProgram([...args, "--data-dir", dataDir], options);
        const calls = countCalls(planFile);
        writePlan(planFile, NO_FAULTS);
        const runAgain = () => runProgram([...args, "--data-dir", dataDir], options);
        return { ...result, calls, runAgain };
      }

      /** Returns what was wrong after a kill. */
      async function findProblems(command: WritingCommand, call: number): Promise<string[]> {
        const { code, signal, stdout, runAgain } = await runKilled(command, killAt(call));
        const lost = [
          ...listLost(dataDir, CONTENTS[command.template]),
          ...(command.listLost?.(dataDir) ?? []),
        ];
        // A process that has printed its result may end before the call at which it is killed.
        if (signal === null)
          return [...lost, ...(code === 0 ? await command.listMissing(dataDir, stdout) : [])];
        const next = await runAgain();
        if (next.code === 0) return [...lost, ...(await command.listMissing(dataDir, next.stdout))];
        return IS_DONE.test(next.stderr) ? lost : [...lost, next.stderr];
      }

      const failures: string[] = [];
      let kills = 0;
      for (const name of COMMANDS) {
        const command = WRITING_COMMANDS[name] as WritingCommand;
        const { code, stderr, calls } = await runKilled(command, COUNT_CALLS);
        expect(code, stderr).toBe(0);
        for (let call = FIRST_CALL; call <= calls; call += STEP) {
          kills += 1;
          for (const problem of await findProblems(command, call))
            failures.push(`${name}, killed at call ${call}: ${problem}`);
        }
      }
      expect(failures.slice(0, 10)).toEqual([]);
      if (!isRecording()) return;

      /** A program with a bug: it stores deliveries after the transaction of their event. */
      const late = breakProgram({
        file: "src/app/events.ts",
        find: "  rt.store.deliveries.insert(deliveries);\n",
        replace: "  process.nextTick(() => rt.store.deliveries.insert(deliveries));\n",
      });
      const update = WRITING_COMMANDS["services update"] as WritingCommand;
      const { calls } = await runKilled(update, COUNT_CALLS, late);
      let found = 0;
      for (let call = calls; call > 0 && found === 0; call -= CONTROL_STEP) {
        await runKilled(update, killAt(call), late);
        if (listLost(dataDir, CONTENTS.subscribed).length > 0) found = call;
      }
      recordClaim({
        group: "crash",
        claim: "A command that is killed at any call leaves its whole effect or none",
        done: `${COMMANDS.length} commands were killed at each ${STEP === 1 ? "" : `${STEP}th `}call that changes the disk, ${kills} times in all, and run again.`,
        figure:
          "No kill left half an effect or an event without its deliveries, and each next run worked.",
        control: {
          done: "A program that stores deliveries after the transaction of their event was killed at one call after the other.",
          figure: `Killed at call ${found} of ${calls}, it left an event without its delivery.`,
          hasFailed: found > 0,
        },
        seed: STEP === 1 ? "none" : SEED,
      });
    },
  );

  test(
    "a daemon that is killed at any call keeps what it acknowledged, and no request has two effects",
    { timeout: patient(60_000 + KILLED_DAEMONS * 10_000) },
    async () => {
      const random = createSeededRandom(SEED);
      const templates = createTempFolder();
      const template = join(templates, "salon");
      await createTemplates(templates, ["keys create"]);
      const on = (folder: string) => ["--data-dir", folder];
      const partner = await startPartner(random, 0.1);
      const webhook = `--name site --url ${partner.url} --event all --allow-private`.split(" ");
      await runProgram(["webhooks", "create", ...webhook, ...on(template)]);
      const key = "keys create --name site --secret --limit-minute 100000 --limit-hour 100000";
      const secret = (await runProgram([...key.split(" "), ...on(template)])).stdout.trim();
      const { dataDir, planFile, env } = prepare();
      const serve = async (program = PROGRAM) => {
        const args = ["serve", "--port", "0", "--log-format", "json", ...on(dataDir)];
        const daemon = startProgram(args, { env, program });
        return { daemon, send: createClient(await waitForUrl(daemon), secret) };
      };

      /** Kills the daemon at a call while a partner books. Returns what was wrong afterwards. */
      async function killOnce(call: number, program = PROGRAM): Promise<Outcome> {
        rmSync(dataDir, { recursive: true, force: true });
        cpSync(template, dataDir, { recursive: true });
        const first = await serve(program);
        const slots = await first.send("GET", SLOTS);
        const requests = (slots.data as { slots: { bookingRequest: object }[] }).slots
          .filter((_, i) => i % 4 === 0)
          // The last times are booked, because the first ones can become too soon to book while a
          // slow machine starts a daemon again.
          .slice(-BOOKINGS)
          .map(({ bookingRequest }, i) => ({ key: `booking-${i}`, body: bookingRequest }));
        expect(requests).toHaveLength(BOOKINGS);
        writePlan(planFile, call === 0 ? COUNT_CALLS : killAt(call));
        const acknowledged = new Map<string, string>();
        let cut: (typeof requests)[number] | undefined;
        for (const request of requests) {
          const id = await book(first.send, request).catch(() => null);
          if (id === null) {
            cut = request;
            break;
          }
          acknowledged.set(request.key, id);
        }
        const calls = countCalls(planFile);
        if (call === 0) first.daemon.child.kill("SIGKILL");
        const { signal } = await first.daemon.waitForExit();
        writePlan(planFile, NO_FAULTS);
        const db = new Database(join(dataDir, "deskbell.db"));
        const missing = listMissingDeliveries(db);
        db.close();
        if (call === 0 || missing.length > 0) return { calls, signal, problems: missing };

        const second = await serve();
        const problems: string[] = [];
        for (const request of requests.filter(({ key }) => acknowledged.has(key))) {
          const id = await book(second.send, request);
          if (id !== acknowledged.get(request.key)) problems.push(`${request.key} was lost`);
        }
        if (cut !== undefined) acknowledged.set(cut.key, await book(second.send, cut));
        const { data } = await second.send("GET", "/bookings?limit=100");
        const stored = (data as { id: string }[]).map(({ id }) => id);
        const expected = [...acknowledged.values()];
        if (stored.toSorted().join() !== expected.toSorted().join())
          problems.push(`${stored.length} bookings stored, ${expected.length} acknowledged`);
        await waitForDeliveries(dataDir);
        const told = new Set(partner.received.map(({ objectId }) => objectId));
        for (const id of expected) if (!told.has(id)) problems.push(`no delivery of ${id}`);
        second.daemon.child.kill("SIGKILL");
        await second.daemon.waitForExit();
        return { calls, signal, problems };
      }

      const { calls } = await killOnce(0);
      let kills = 0;
      for (let run = 0; run < KILLED_DAEMONS; run++) {
        const call = random.integer(1, calls);
        const { signal, problems } = await killOnce(call);
        if (signal === "SIGKILL") kills += 1;
        expect(problems, `killed at call ${call} of ${calls}`).toEqual([]);
      }
      expect(kills).toBeGreaterThan(0);
      if (!isRecording()) return;
      recordClaim({
        group: "crash",
        claim: "A daemon that is killed at any call has done what it acknowledged, once",
        done: `A partner made ${BOOKINGS} bookings over HTTP ${KILLED_DAEMONS} times, and the daemon was killed at a random one of ${calls} calls that change the disk; the request that was cut off was repeated with its idempotency key.`,
        figure: `After ${kills} kills, no acknowledged booking was lost, nothing was booked twice, and no delivery was missing.`,
        control: await runControl(async (call, program) => killOnce(call, program)),
        seed: SEED,
      });
    },
  );
});

type Outcome = { calls: number; signal: NodeJS.Signals | null; problems: string[] };

const BOOKINGS = 4;
const SERVICE = catalogId("svc", "salon-aurora", "beard-trim");
const SLOTS = `/availability?serviceIds=${SERVICE}&granularity=next&limit=100&includeBookingRequest=true`;

type Send = ReturnType<typeof createClient>;

function createClient(url: string, secret: string) {
  return async (method: string, path: string, key?: string, body?: object) => {
    const response = await fetch(`${url}/v1/businesses/salon-aurora${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(key !== undefined && { "idempotency-key": key, "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { data: unknown };
  };
}

async function book(send: Send, { key, body }: { key: string; body: object }): Promise<string> {
  const { data } = await send("POST", "/bookings", key, body);
  return (data as { id: string }).id;
}

/**
 * The bug writes a booking late, with several calls, so a kill at every fourth call hits some of
 * these writes.
 */
const STRIDE = 4;

/** Returns the numbers from 1 to `last`: each `STRIDE`th one, then those between. */
const byStride = (last: number): number[] =>
  Array.from({ length: last }, (_, i) => i + 1).toSorted((a, b) => (a % STRIDE) - (b % STRIDE));

/** Kills a daemon with a bug, which stores deliveries after the transaction of their event. */
async function runControl(
  killOnce: (call: number, program: typeof PROGRAM) => Promise<Outcome>,
): Promise<Claim["control"]> {
  const late = breakProgram({
    file: "src/app/events.ts",
    find: "  rt.store.deliveries.insert(deliveries);\n",
    replace: "  process.nextTick(() => rt.store.deliveries.insert(deliveries));\n",
  });
  const { calls } = await killOnce(0, late);
  for (const call of byStride(calls)) {
    const { problems } = await killOnce(call, late);
    if (problems.length === 0) continue;
    return {
      done: `A daemon that stores deliveries after the transaction of their event was killed at every ${STRIDE}th call, then at those between.`,
      figure: `Killed at call ${call}, it left ${problems.length} events without their delivery.`,
      hasFailed: true,
    };
  }
  return {
    done: "A daemon stored deliveries late.",
    figure: "Nothing was found.",
    hasFailed: false,
  };
}
