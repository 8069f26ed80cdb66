import { spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { type CommandResult, runProgram } from "../../support/cli.ts";
import { createSeededSalon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { createReceiver } from "../../support/receiver.ts";
import { patient } from "../../support/patience.ts";

// strace makes fsync fail as on a broken disk. Some containers forbid strace.

const STRACE = "strace";
const FAIL = ["-f", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"];
const canInject = spawnSync(STRACE, [...FAIL, "-o", "/dev/null", "true"]).status === 0;
const FAILED = /The disk that holds \S+deskbell\.db( \(.* on .*\))? failed: disk I\/O error/;

async function failEveryFsync(pid: number): Promise<void> {
  const strace = spawn(STRACE, [...FAIL, "-o", "/dev/null", "-p", String(pid)]);
  onTestFinished(() => void strace.kill());
  await new Promise((resolve) => strace.stderr.once("data", resolve));
}

/** Returns the program with a bug: it ignores every error of a commit. */
const breakCommit = () =>
  breakProgram({
    file: "src/store/database/database.ts",
    find: "      commit.run();\n",
    replace: "      try { commit.run(); } catch {}\n",
  });
const CONTROL = "A program that ignores the error did the same.";
const UPDATE = ["services", "update", "beard-trim", "--price", "77.00"];

/** Runs a command that changes a price, while every fsync fails. */
async function runCommand(program = PROGRAM): Promise<CommandResult> {
  const { dataDir } = await createSeededSalon();
  const command = [STRACE, ...FAIL, "-o", "/dev/null", ...program.command] as const;
  return runProgram([...UPDATE, "--data-dir", dataDir], { program: { ...program, command } });
}

/** Creates a webhook endpoint over HTTP, after every fsync has begun to fail. */
async function sendRequest(program = PROGRAM) {
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell("keys", "create", "--name", "site", "--secret");
  const target = ["--url", "https://93.184.215.14/", "--event", "service.updated"];
  // The first endpoint creates the master key, whose own fsync must not fail here.
  await deskbell("webhooks", "create", "--name", "a", ...target);
  const daemon = spawnDaemonOf(program, dataDir);
  const url = await waitForUrl(daemon);
  await failEveryFsync(daemon.pid);
  const body = JSON.stringify({
    name: "b",
    url: "https://93.184.215.14/b",
    events: ["service.updated"],
  });
  const response = await fetch(`${url}/v1/businesses/salon-aurora/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  return { daemon, response };
}

/** Starts a delivery, after every fsync has begun to fail. */
async function deliver(program = PROGRAM) {
  const { dataDir, deskbell } = await createSeededSalon();
  const partner = await createReceiver();
  const endpoint = ["--name", "a", "--url", partner.url, "--event", "service.updated"];
  await deskbell("webhooks", "create", ...endpoint, "--allow-private");
  const daemon = spawnDaemonOf(program, dataDir);
  await waitForUrl(daemon);
  await failEveryFsync(daemon.pid);
  await deskbell(...UPDATE);
  return { daemon, partner };
}

const DAEMON_ENDED = { code: 1, stderr: expect.stringMatching(FAILED) };

describe.skipIf(!canInject)("after a failed fsync", { timeout: patient(60_000) }, () => {
  test("a command names the disk and the file after a failed fsync", async () => {
    expect(await runCommand()).toMatchObject({ code: 5, stderr: expect.stringMatching(FAILED) });
    if (!isRecording()) return;
    const { code } = await runCommand(breakCommit());
    recordClaim({
      group: "faults",
      claim: "A command does not report success when the disk has failed to store its change",
      done: "A command changed the price of a service, while strace let every fsync fail.",
      figure: "It exited with 5 and named the disk and the file.",
      control: { done: CONTROL, figure: `It exited with ${code}.`, hasFailed: code !== 5 },
      seed: "none",
    });
  });

  test("the HTTP thread responds with 503 after a failed fsync, and then ends the daemon", async () => {
    const { daemon, response } = await sendRequest();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: "storage_failed" });
    expect(await daemon.waitForExit()).toMatchObject(DAEMON_ENDED);
    if (!isRecording()) return;
    const { status } = (await sendRequest(breakCommit())).response;
    recordClaim({
      group: "faults",
      claim: "No partner is told that a change was made when the disk has failed to store it",
      done: "A partner requested a change over HTTP, while strace let every fsync of the daemon fail.",
      figure: "The response was 503, and the daemon ended and named the disk.",
      control: { done: CONTROL, figure: `The response was ${status}.`, hasFailed: status !== 503 },
      seed: "none",
    });
  });

  test("the delivery thread ends the daemon after a failed fsync", async () => {
    const { daemon } = await deliver();
    expect(await daemon.waitForExit()).toMatchObject(DAEMON_ENDED);
    if (!isRecording()) return;
    const broken = await deliver(breakCommit());
    await broken.partner.waitForRequests(1);
    // The outcome of a delivery is stored within milliseconds, so the daemon has tried to store it
    // when this time is over.
    await sleep(2000);
    const { exitCode, signalCode } = broken.daemon.child;
    const isRunning = exitCode === null && signalCode === null;
    recordClaim({
      group: "faults",
      claim: "The daemon ends when the disk has failed to store the outcome of a delivery",
      done: "The daemon made a delivery, while strace let every fsync of it fail.",
      figure: "The daemon ended and named the disk.",
      control: {
        done: CONTROL,
        figure: isRunning ? "It continued." : "It ended.",
        hasFailed: isRunning,
      },
      seed: "none",
    });
  });
});
