import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, vi } from "vitest";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import { type StartedProgram, startProgram } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { createServer, type FixCase, type Server, setClock } from "../../support/fixes.ts";
import { BIN } from "../../support/program.ts";
import { createReceiver } from "../../support/receiver.ts";
import { SALON } from "../../support/samples.ts";
import { damage, newestBackup } from "./backups.ts";

// These cases are about messages on the daemon, doctor, and another machine that takes over.

const salon = "--business salon-aurora";
const SITE = `keys create --name site --scope services.read ${salon}`;
const TILL = `webhooks create --name till --url http://127.0.0.1:9/h --event all --allow-private ${salon}`;

const prints =
  (line: string, text: string | RegExp) =>
  async ({ attempt }: Server): Promise<void> => {
    const { stdout, stderr } = await attempt(line);
    expect(stdout + stderr).toMatch(text);
  };

/** Creates data at the real time, because daemons are processes with clocks of their own. */
async function createAtRealTime(): Promise<Server> {
  setClock(vi.getRealSystemTime());
  const server = await createServer();
  await server.deskbell(`catalog apply ${SALON}`);
  return server;
}

/** Copies the newest backup to the folder `copies`, as a server with --backup-dir would. */
function copyBackup(server: Server): void {
  mkdirSync(join(server.folder, "copies"));
  const backup = newestBackup(server);
  copyFileSync(backup, join(server.folder, "copies", backup.split("/").at(-1) ?? ""));
}

/** Restores the copies in the folder `other`, which stands for the machine that takes over. */
async function takeOver({ runWords, dataDir, folder }: Server): Promise<void> {
  mkdirSync(join(folder, "other"), { mode: 0o700 });
  copyFileSync(join(dataDir, "master.key"), join(folder, "other/master.key"));
  const line = "--data-dir other restore --latest copies --fenced --yes";
  expect(await runWords(line.split(" "))).toMatchObject({ code: 0 });
}

/** Hands the server over, with the copy in the folder `copies`. */
async function handOver({ deskbell, folder }: Server): Promise<void> {
  mkdirSync(join(folder, "copies"));
  await deskbell("handover --to copies");
}

const removeData = ({ dataDir }: Server): void => {
  for (const path of globSync(join(dataDir, "deskbell.db*"))) rmSync(path);
};

const keepCopy = (server: Server): void =>
  copyFileSync(newestBackup(server), join(server.folder, "copy.db"));

const isRunning = prints("status", /running at http:/);

/** Returns a case of an alerting rule for Prometheus, whose description names a command. */
const rule = (text: string): FixCase => ({
  text: `description: ${text}`,
  line: "metrics rules",
  // The description names `status`, which fails here, because no daemon runs.
  fails: true,
  outcome: /./,
});

const RECEIVER = { URL: "" };
const startReceiver = async (): Promise<void> => {
  RECEIVER.URL = (await createReceiver()).url;
};

let waiting: StartedProgram | undefined;
let opened: Database.Database | undefined;

export const fixes: FixCase[] = [
  rule("deskbell backup"),
  rule("deskbell deliveries list --status PENDING"),
  rule("deskbell status"),
  rule("deskbell status --severity {}"),
  {
    text: 'description: "Check that the daemon runs: deskbell status"',
    line: "metrics rules",
    fails: true,
    outcome: /the daemon is not running/,
  },
  {
    text: "deskbell keys create --business {} --name {} {}",
    given: [`${SITE} --expires 7d`],
    line: "doctor",
    outcome: /^deskbell_rk_/m,
  },
  {
    text: "deskbell keys revoke {}",
    name: "a key that expires",
    given: [`${SITE} --expires 7d`],
    arrange: ({ edit }) => edit("UPDATE api_key SET expires_at = created_at"),
    line: "doctor",
    adds: "--yes",
    outcome: "the message is gone",
  },
  {
    text: "deskbell keys rotate {}",
    given: [SITE],
    arrange: ({ edit }) => edit("DELETE FROM api_key_secret"),
    line: "doctor",
    outcome: "the message is gone",
  },
  {
    text: "deskbell keys update {} --all-scopes no",
    given: [`keys create --name site --secret ${salon}`],
    arrange: ({ edit }) => edit("UPDATE api_key SET gained_scopes = 'KEPT'"),
    line: "doctor",
    outcome: "the message is gone",
  },
  {
    text: "deskbell keys update {} --all-scopes yes",
    given: [`keys create --name site --secret ${salon}`],
    arrange: ({ edit }) => edit("UPDATE api_key SET gained_scopes = 'REMOVED'"),
    line: "doctor",
    outcome: "the message is gone",
  },
  {
    text: "deskbell doctor --help",
    line: "doctor --servers servers.txt",
    outcome: /--standby/,
  },
  {
    text: "deskbell doctor --standby FOLDER --servers FILE, with the servers file of the proxy",
    given: ["backup"],
    arrange: (server) => {
      copyBackup(server);
      server.write("servers.txt", "main http://10.0.0.1:80 http://127.0.0.1:9\n");
    },
    line: "doctor --standby copies --data-dir other",
    fill: { FOLDER: "copies", FILE: "servers.txt" },
    adds: "--data-dir other",
    fails: true,
    outcome: /^proxy\tok\tstandby of/m,
  },
  {
    text: "deskbell systemd-unit{} | sudo tee {}",
    line: "systemd-unit",
    outcome: /^ExecStart=/m,
  },
  {
    text: "# Created by: deskbell systemd-unit",
    line: "systemd-unit",
    outcome: /^ExecStart=/m,
  },
  {
    text: "deskbell restore {}",
    given: ["backup"],
    arrange: damage,
    line: "serve --port 0",
    adds: "--yes",
    outcome: /^Restored/m,
  },
  {
    text: "no backup in {} is intact: look for a copy in another place, then run deskbell restore FILE",
    given: ["backup"],
    arrange: (server) => {
      keepCopy(server);
      rmSync(newestBackup(server));
      damage(server);
    },
    line: "serve --port 0",
    fill: { FILE: "copy.db" },
    adds: "--yes",
    outcome: /^Restored/m,
  },
  {
    text: "stop it with kill {}, then restore a backup: deskbell restore FILE",
    given: ["backup"],
    arrange: (server) => {
      keepCopy(server);
      opened = new Database(join(server.dataDir, "deskbell.db"));
      opened.pragma("user_version");
      removeData(server);
    },
    line: `services list ${salon}`,
    before: () => void opened?.close(),
    fill: { FILE: "copy.db" },
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "Create a new key for each partner whose key was disabled: deskbell keys create --business SLUG --name NAME --scope SCOPE",
    given: [SITE, "backup"],
    line: async (server) => {
      keepCopy(server);
      server.edit("DELETE FROM api_key_secret; DELETE FROM api_key");
      writeFileSync(join(server.dataDir, "master.key"), `${Buffer.alloc(32).toString("base64")}\n`);
      return (await server.attempt("restore copy.db --untrusted --yes")).stderr;
    },
    fill: { SLUG: "salon-aurora", NAME: "site", SCOPE: "services.read" },
    outcome: /^deskbell_rk_/m,
  },
  { text: "deskbell handover --help", line: "handover", outcome: /--cancel/ },
  {
    text: "Handed over with the copy {}. On the other server: deskbell restore --latest {}",
    arrange: ({ folder }) => mkdirSync(join(folder, "copies")),
    line: "handover --to copies",
    adds: "--yes",
    outcome: /nothing is lost/,
  },
  {
    text: "The other server was handed over with this copy, so nothing is lost, and it refuses to start. Start this one: deskbell serve --backup-dir {}",
    data: createAtRealTime,
    arrange: handOver,
    line: "restore --latest copies --yes",
    outcome: isRunning,
  },
  {
    text: "run the command on that server; to return to this one, hand over there, then run deskbell restore --latest {} here; if no server has restored the copy, deskbell handover --cancel",
    arrange: handOver,
    line: "businesses delete cafe-lumen --yes",
    runs: [1],
    outcome: "line succeeds",
  },
  {
    text: "wait until the handover has ended; if it was interrupted, deskbell handover --cancel",
    arrange: ({ dataDir, folder }) =>
      writeFileSync(
        join(dataDir, "deskbell.db.handover"),
        JSON.stringify({ state: "begun", to: folder, at: 1 }),
      ),
    line: "businesses delete cafe-lumen --yes",
    outcome: "line succeeds",
  },
  {
    text: "to return to this server, run deskbell handover on the other one, then deskbell restore --latest {}; if that is impossible, switch the other one off and add --fenced; if no other one has run since, rm {}",
    given: [TILL, "backup"],
    arrange: async (server) => {
      copyBackup(server);
      await takeOver(server);
    },
    line: "serve --port 0 --backup-dir copies",
    runs: [1],
    adds: "--fenced --yes",
    outcome: /^Restored/m,
  },
  {
    text: "to finish it, run on the machine that takes over: deskbell restore --latest {} --fenced; to keep the server before it instead, rm {} and start that one",
    given: [TILL, "backup"],
    arrange: async (server) => {
      copyBackup(server);
      server.write("copies/epoch-1", "takeover begun at 2026-11-20T09:00:00Z by /data on other\n");
    },
    line: "serve --port 0 --backup-dir copies",
    adds: "--yes",
    outcome: /^Restored/m,
  },
  {
    text: "deskbell restore --latest {} --fenced, when that server is stopped; for a new server, name a folder of its own",
    given: [TILL, "backup"],
    arrange: (server) => {
      copyBackup(server);
      removeData(server);
      rmSync(join(server.dataDir, "backups"), { recursive: true });
    },
    line: "serve --port 0 --backup-dir copies",
    adds: "--yes",
    outcome: prints(`services list ${salon}`, /^cut\t/m),
  },
  {
    text: "What was changed or booked after {} is lost. The other server refuses to start with --backup-dir {}; start this one with it: deskbell serve --backup-dir {}",
    data: createAtRealTime,
    given: ["backup"],
    arrange: (server) => {
      copyBackup(server);
      removeData(server);
      rmSync(join(server.dataDir, "backups"), { recursive: true });
    },
    line: "restore --latest copies --fenced --yes",
    outcome: isRunning,
  },
  { text: "deskbell serve", data: createAtRealTime, line: "status", outcome: isRunning },
  {
    text: "start the server, which creates it: deskbell serve",
    data: createAtRealTime,
    line: "metrics token",
    outcome: "line succeeds",
  },
  {
    text: "deskbell serve --alert-url URL, or {}",
    data: createAtRealTime,
    arrange: startReceiver,
    line: "alerts test",
    fill: RECEIVER,
    outcome: prints("alerts test", /\tsent$/m),
  },
  {
    text: "deskbell serve --alert-url URL, or set DESKBELL_ALERT_URL in its environment",
    data: createAtRealTime,
    given: [TILL],
    arrange: startReceiver,
    line: "doctor",
    fill: RECEIVER,
    outcome: "the message is gone",
  },
  {
    text: "deskbell alerts test",
    data: createAtRealTime,
    arrange: async (server) => {
      await startReceiver();
      await waitForUrl(spawnDaemon(server.dataDir, "--alert-url", RECEIVER.URL));
      const rt = openRuntime(readConfig({ dataDir: server.dataDir }, {}), 5000);
      const failure = { since: rt.now(), error: "HTTP 500" };
      rt.tx(() => rt.openStore(createAlertStore).put("channel", "--alert-url", failure));
      rt.close();
    },
    line: "status",
    outcome: /^--alert-url\tsent$/m,
  },
  {
    text: "deskbell serve --keep-size SIZE (larger), or --keep-days N (fewer)",
    data: createAtRealTime,
    arrange: ({ edit }) => edit(`UPDATE history SET cut_until = ${Date.now()}`),
    line: "status",
    fill: { SIZE: "20GB" },
    outcome: prints("status", /of 20\.0 GB/),
  },
  {
    text: "The daemon is not running, so nothing is sent. Start it: deskbell serve",
    data: createAtRealTime,
    given: [TILL, "services update cut --name Trim", "deliveries list"],
    line: async ({ dataDir, fillIds }) => {
      // The command waits until the daemon has sent the delivery.
      const line = fillIds("deliveries redeliver dlv_… --wait");
      waiting = startProgram([...line.split(" "), "--data-dir", dataDir]);
      await waiting.waitForOutput(/Start it: .*\n/);
      return waiting.output().replaceAll(BIN, "deskbell");
    },
    outcome: async () => {
      const { code, stderr } = (await waiting?.waitForExit()) ?? {};
      expect([code, stderr]).toEqual([0, expect.stringContaining("All have been attempted.")]);
    },
  },
  {
    text: "use a key of this business: deskbell keys create --name listen --scope webhooks.read --business {}",
    arrange: async (server) => {
      const { url } = await createReceiver([{ status: 403, body: "{}" }]);
      server.write("listen.key", "deskbell_rk_other\n");
      RECEIVER.URL = url;
    },
    line: async ({ attempt }) => {
      const target = "--forward-to http://127.0.0.1:9/ --key-file listen.key";
      const { stderr } = await attempt(`webhooks listen ${target} --api ${RECEIVER.URL} ${salon}`);
      return stderr;
    },
    outcome: /^deskbell_rk_/m,
  },
  {
    text: "deskbell serve --backup-dir FOLDER (on another disk), or --backup-command COMMAND (to upload them)",
    data: createAtRealTime,
    given: ["backup"],
    arrange: ({ folder }) => mkdirSync(join(folder, "copies")),
    line: "doctor",
    fill: { FOLDER: "copies" },
    outcome: async ({ deskbell, folder }) => {
      await deskbell("backup");
      expect(globSync(join(folder, "copies/*.db"))).not.toEqual([]);
    },
  },
];
