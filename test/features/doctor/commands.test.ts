import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openSecretBox, readMasterKeys } from "../../../src/platform/secret-box.ts";
import {
  runProgram,
  type CommandResult,
  startProgram,
  type StartedProgram,
  createTempFolder,
  createTerminal,
} from "../../support/cli.ts";
import { PROGRAM } from "../../support/program.ts";
import { SALON } from "../../support/samples.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

type Checks = {
  checks: { about: string; findings: { text: string; fix: string; isAdvice?: true }[] }[];
};

/** Loads the sample salon with an endpoint, and starts a daemon with a limit of open files. */
async function startDaemon(
  limit: string,
  ...options: string[]
): Promise<{
  daemon: StartedProgram;
  examine: () => Promise<CommandResult>;
}> {
  const dataDir = join(createTempFolder(), "data");
  const { deskbell: run } = createTerminal({ dataDir });
  await run(`catalog apply ${SALON}`);
  await run(
    "webhooks create --name till --url http://127.0.0.1:9/ --event ticket.checked_in --allow-private",
  );
  const limited = {
    ...PROGRAM,
    command: ["/bin/sh", "-c", `${limit}; exec "$0" "$@"`, ...PROGRAM.command] as const,
  };
  const daemon = startProgram(["serve", "--port", "0", "--data-dir", dataDir, ...options], {
    program: limited,
  });
  await expect
    .poll(() => run("status").then(({ stdout }) => stdout))
    .toContain("running at http://127");
  return { daemon, examine: () => run("doctor") };
}

test("doctor exits with 0 if nothing is wrong", async () => {
  const { examine } = await startDaemon("ulimit -n 8192", "--alert-url", "http://127.0.0.1:9/");
  const { code, stdout, stderr } = await examine();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^daemon\tok\tresponds at http:\/\/127\.0\.0\.1:\d+\t$/m);
  expect(stdout.match(/^(?!backups)\w+\t\w+/gm)).toEqual([
    "files\tok",
    "database\tok",
    "programs\tok",
    "keys\tok",
    "secrets\tok",
    "visits\tok",
    "clock\tok",
    "disk\tok",
    "history\tok",
    "daemon\tok",
    "webhooks\tok",
  ]);
});

test("doctor advises an alert URL and a higher limit of open files", async () => {
  const { examine } = await startDaemon("ulimit -n 600");
  const { code, stdout } = await examine();
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^daemon\tadvice\tthe daemon may open at most 600 files: under load it needs 6551 \(.*2254 webhooks in flight.*\)\t/m,
  );
  expect(stdout).toMatch(
    /^webhooks\tadvice\tno alert is sent .* has no --alert-url and no --alert-mail\t/m,
  );
});

test("doctor reports a daemon that does not respond", async () => {
  const { daemon, examine } = await startDaemon("true");
  daemon.child.kill("SIGSTOP");
  const { code, stdout } = await examine();
  daemon.child.kill("SIGCONT");
  expect({ code, daemon: /^daemon\twrong.*$/m.exec(stdout)?.[0] }).toEqual({
    code: 6,
    daemon: expect.stringMatching(
      /^daemon\twrong\tthe daemon does not respond at \S+: no response within 3 s\trestart it: /,
    ),
  });
});

test("doctor prints problems and fixes on a terminal, in a pipe and as JSON", async () => {
  const { deskbell, dataDir } = createTerminal({ program: "npx deskbell" });
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("webhooks create --name x --url http://127.0.0.1:9/ --event all --allow-private");
  chmodSync(dataDir, 0o750);
  const db = new Database(join(dataDir, "deskbell.db"));
  // Earlier versions accepted control characters in names.
  db.exec(
    "UPDATE endpoint SET failing_since = 1, failure_count = 2, name = 'x' || char(27) || '[2J'",
  );
  db.close();

  const piped = await deskbell("doctor");
  expect(piped).toMatchObject({ code: 6, stderr: "" });
  expect(piped.stdout).toContain(
    `files\twrong\tother users of this machine can access ${dataDir}\tchmod -R go= ${dataDir}\n`,
  );
  expect(piped.stdout).toContain("daemon\twrong\tthe daemon is not running\tnpx deskbell serve\n");
  expect(piped.stdout).toMatch(
    /^webhooks\twrong\tthe endpoint 'x␛\[2J' of salon-aurora has failed 2 times since \S+\tnpx deskbell deliveries list --failed --endpoint whe_\w+$/m,
  );

  const shown = await createTerminal({ isTTY: true, dataDir }).deskbell("doctor --no-color");
  expect(shown.stdout).toContain("✓ database  SQLite ");
  expect(shown.stdout).toContain("✗ daemon    the daemon is not running\n  deskbell serve\n");
  expect(shown.stdout).toMatch(
    /^! webhooks  no alert is sent .*\n  deskbell serve --alert-url URL/m,
  );
  expect(shown.stdout).not.toMatch(/[\x00-\x08\x1b]/);

  const { data } = JSON.parse((await deskbell("doctor --json")).stdout) as { data: Checks };
  const ofCore = data.checks.filter(({ about }) => about !== "backups");
  expect(ofCore.map(({ about, findings }) => [about, findings.length])).toEqual([
    ["files", 1],
    ["database", 0],
    ["programs", 0],
    ["keys", 0],
    ["secrets", 0],
    ["visits", 0],
    ["clock", 0],
    ["disk", 0],
    ["history", 0],
    ["daemon", 1],
    ["webhooks", 2],
  ]);
  execFileSync("sh", ["-c", data.checks[0]?.findings[0]?.fix ?? "false"]);
  expect((await deskbell("doctor")).stdout).toMatch(/^files\tok\t/);
});

test.for([
  {
    when: "before it encrypted anything",
    interrupt: async ({ key }: RotatedServer) =>
      openSecretBox(key, randomBytes, () => false).addKey(),
  },
  {
    when: "before it removed the old key",
    interrupt: async ({ key, deskbell }: RotatedServer) => {
      const oldKey = readFileSync(key, "utf8");
      await deskbell("keys rotate-master");
      appendFileSync(key, oldKey);
    },
  },
])(
  "doctor reports a rotation of the master key interrupted $when, with a command that completes the rotation",
  async ({ interrupt }) => {
    const { deskbell, dataDir } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    await deskbell(
      "webhooks create --name till --url http://127.0.0.1:9/ --event all --allow-private",
    );
    const key = join(dataDir, "master.key");
    const findInSecrets = async () => {
      const { data } = JSON.parse((await deskbell("doctor --json")).stdout) as { data: Checks };
      return data.checks.find(({ about }) => about === "secrets")?.findings;
    };
    expect(await findInSecrets()).toEqual([]);
    const [oldKey] = readMasterKeys(key) as [Buffer];

    await interrupt({ key, deskbell });
    expect(readMasterKeys(key)).toContainEqual(oldKey);
    const findings = await findInSecrets();
    expect(findings).toMatchObject([
      { text: expect.stringContaining(`${key} has 2 keys, because a rotation`) },
    ]);
    const [command = ""] = findings?.[0]?.fix.split(",") ?? [];
    expect(await deskbell(command.replace(/^deskbell /, ""))).toMatchObject({ code: 0 });

    expect(await findInSecrets()).toEqual([]);
    expect(readMasterKeys(key)).toHaveLength(1);
    expect(readMasterKeys(key)).not.toContainEqual(oldKey);
  },
);

type RotatedServer = { key: string; deskbell: ReturnType<typeof createTerminal>["deskbell"] };

test("doctor reports a damaged database and skips the checks that read it", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const db = new Database(join(dataDir, "deskbell.db"));
  db.unsafeMode();
  db.pragma("writable_schema = ON");
  db.exec("UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'event'");
  db.close();
  const { code, stdout } = await deskbell("doctor");
  expect({ code, about: stdout.match(/^\w+\t\w+/gm) }).toEqual({
    code: 6,
    about: ["files\tok", "database\twrong"],
  });
});

test("doctor without a data folder exits with 3", async () => {
  const { deskbell } = createTerminal({ dataDir: join(createTempFolder(), "data") });
  expect(await deskbell("doctor")).toMatchObject({ code: 3, stdout: "" });
});

test("status reports altered events and a secret key used by a web page", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(
    "webhooks create --name till --url http://127.0.0.1:9/ --event all --allow-private",
  );
  await deskbell("keys create --name site --secret");
  for (let i = 0; i < 3; i++) await deskbell(`services update beard-trim --price ${90 + i}`);
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec(`
    UPDATE delivery SET status = 'CORRUPT', next_attempt_at = NULL;
    UPDATE delivery_count SET status = 'CORRUPT';
    UPDATE api_key SET browser_seen_at = created_at + 1000`);
  const [newest] = db.prepare("SELECT id FROM delivery ORDER BY id DESC").pluck().all() as string[];
  db.close();
  const { code, stdout } = await deskbell("status");
  expect(code).toBe(6);
  expect(stdout).toMatch(
    new RegExp(
      `^problem\tthe event of ${newest}(, dlv_\\w+){4} and 4 more was altered in the database file`,
      "m",
    ),
  );
  expect(stdout).toMatch(
    /^problem\tthe secret key 'site' of salon-aurora was sent by a web page.*\tdeskbell keys rotate key_\w+ --overlap 0s$/m,
  );
  expect((await deskbell("deliveries cancel --status CORRUPT --yes")).stderr).toContain(
    "Cancelled 9 deliveries.",
  );
  expect((await deskbell("status")).stdout).not.toContain("was altered in the database file");
});

test("files of the data folder are 0600 and folders 0700, whatever the umask", async () => {
  const dataDir = join(createTempFolder(), "data");
  const withOpenUmask = {
    ...PROGRAM,
    command: ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', ...PROGRAM.command] as const,
  };
  const options = { program: withOpenUmask };
  await runProgram(["catalog", "apply", SALON, "--data-dir", dataDir], options);
  const add = "webhooks create --name till --url http://127.0.0.1:9/ --event all --allow-private";
  await runProgram([...add.split(" "), "--data-dir", dataDir], options);
  const daemon = startProgram(
    ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir],
    options,
  );
  await daemon.waitForOutput(/"serving"/);
  await runProgram(["backup", "--data-dir", dataDir], options);
  const modes = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) => {
    const file = lstatSync(join(dataDir, name));
    return `${(file.mode & 0o777).toString(8)} ${file.isDirectory() ? "folder" : "file"}`;
  });
  expect(lstatSync(dataDir).mode & 0o777).toBe(0o700);
  expect(modes.filter((mode) => mode !== "600 file" && mode !== "700 folder")).toEqual([]);
  expect(modes.length).toBeGreaterThan(4);
});

test("doctor reports a missing row of a table as damage", async () => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  db.exec("DELETE FROM server");
  db.close();
  const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
  expect(await deskbell("doctor")).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("the row of its table 'server' is missing"),
  });
});
