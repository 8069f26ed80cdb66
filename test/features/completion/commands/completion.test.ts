import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { SHELLS } from "../../../../src/features/completion/commands/completion.ts";
import { readAsset } from "../../../../src/platform/assets.ts";
import { runProgram, createTempFolder, createTerminal } from "../../../support/cli.ts";
import { PROGRAM } from "../../../support/program.ts";
import { hasTmux, openTmux } from "../../../support/tmux.ts";
import { SALON, writeVenue } from "../../../support/samples.ts";

async function createTwoBusinesses() {
  const terminal = createTerminal();
  await terminal.deskbell(`catalog apply ${SALON}`);
  await terminal.deskbell(`catalog apply ${writeVenue()}`);
  const { stdout } = await terminal.deskbell(
    "keys create --business kita-live --name door --secret --json",
  );
  const { id: keyId } = (JSON.parse(stdout) as { data: { id: string } }).data;
  // Earlier versions accepted control characters in names.
  const db = new Database(join(terminal.dataDir, "deskbell.db"));
  db.exec("UPDATE api_key SET name = 'door ' || char(27) || '[2J'");
  db.close();
  const complete = async (words: string) => {
    const { code, stdout, stderr } = await terminal.deskbell(`__complete -- ${words}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\t")[0]);
  };
  return { ...terminal, keyId, complete };
}

test("completion offers commands, options and fixed values even without data", async () => {
  const { deskbell, dataDir } = createTerminal({ dataDir: join(createTempFolder(), "data") });
  const ask = async (words: string) =>
    (await deskbell(`__complete -- ${words}`)).stdout.replaceAll(/\t.*/g, "");
  expect(await ask("bu")).toBe("businesses\n");
  expect(await ask("desk ''")).toBe("create\nlink\nlist\nrevoke\n");
  expect(await ask("keys create --limit")).toBe("--limit-minute\n--limit-hour\n");
  expect(await ask("keys create --name x --scope webhooks.")).toBe(
    "webhooks.read\nwebhooks.write\n",
  );
  expect(await ask("--json keys --data-d")).toBe("--data-dir\n");
  expect(await ask("deliveries list --status=EX")).toBe("--status=EXHAUSTED\n");
  expect(await ask("events trigger catalog.")).toBe("catalog.changed\n");
  expect(await ask("completion ''")).toBe(`${SHELLS.join("\n")}\n`);
  expect(await ask("businesses delete ''")).toBe("");
  expect(existsSync(dataDir)).toBe(false);
});

const COMPLETED: [words: string, expected: string[]][] = [
  ["businesses show ''", ["kita-live", "salon-aurora"]],
  ["services list --business ''", ["kita-live", "salon-aurora"]],
  ["services list --business=ki", ["--business=kita-live"]],
  ["services show rehearsal-", ["rehearsal-a", "rehearsal-b"]],
  ["--business salon-aurora services show rehearsal-", []],
  ["services update cut-and", ["cut-and-blow-dry"]],
  ["staff show da", ["daniel"]],
  ["time-off create ma", ["maya"]],
  ["promotions show midw", ["midweek-blowout"]],
  ["public-events show night", ["night-freight"]],
  [
    "webhooks create --event ticket_order.c",
    ["ticket_order.created", "ticket_order.confirmed", "ticket_order.cancelled"],
  ],
  ["bookings create --service cut --staff sof", ["sofia"]],
  ["bookings show ''", []],
  ["services show cut ''", []],
  ["services nonsense ''", []],
  ["services list --limit ''", []],
  ["keys create --name --scope", []],
  ["-- services show cut-and", ["cut-and-blow-dry"]],
];

test("completion offers slugs, keys and IDs from the data", async () => {
  const { complete } = await createTwoBusinesses();
  for (const [words, expected] of COMPLETED)
    expect({ words, found: await complete(words) }).toEqual({ words, found: expected });
});

test("completion offers key IDs with escaped names, without revoked keys", async () => {
  const { deskbell, keyId, complete } = await createTwoBusinesses();
  const { stdout } = await deskbell("__complete -- keys show key_");
  expect(stdout).toBe(`${keyId}\tdoor ␛[2J\n`);
  await deskbell(`keys revoke ${keyId} --yes`);
  expect(await complete("keys show ''")).toEqual([]);
});

test("completion leaves out values with shell syntax", async () => {
  const { deskbell } = createTerminal();
  const evil = ["$(reboot)", "`id`", "a;b", "../x y", "-rf", "ok-key"];
  const file = {
    catalog: 1,
    business: { slug: "shop", name: "S", timezone: "UTC", currency: "EUR" },
    services: [],
  };
  const services = evil.map((key) => ({ key, name: key, durationMin: 30, price: 1 }));
  await deskbell("catalog apply -", JSON.stringify({ ...file, services }));
  await deskbell("catalog apply -", JSON.stringify({ ...file, services: services.slice(-1) }));
  expect((await deskbell("__complete -- services show ''")).stdout).toBe("ok-key\tok-key\n");
});

test("completion prints no error for a damaged database or an invalid command line", async () => {
  const { deskbell, dataDir } = createTerminal({ dataDir: createTempFolder() });
  writeFileSync(join(dataDir, "deskbell.db"), "not a database".repeat(300));
  for (const words of [
    "services show ''",
    "keys show",
    "--business",
    "--business=",
    "-- -- --",
    "--data-dir /dev/null keys show ''",
  ])
    expect(await deskbell(`__complete -- ${words}`)).toMatchObject({ code: 0, stderr: "" });
});

test("completion does not migrate an older database", async () => {
  const { deskbell, dataDir } = await createTwoBusinesses();
  const { default: Database } = await import("better-sqlite3");
  const path = join(dataDir, "deskbell.db");
  const db = new Database(path);
  db.pragma("user_version = 5");
  expect((await deskbell("__complete -- services show ''")).stdout).toBe("");
  expect(db.pragma("user_version", { simple: true })).toBe(5);
  db.close();
});

test.each(["tcsh", "''"])("completion for the unknown shell %s is a usage error", async (shell) => {
  expect(await createTerminal().deskbell(`completion ${shell}`)).toMatchObject({
    code: 2,
    stdout: "",
  });
});

test("help does not list __complete", async () => {
  expect((await createTerminal().deskbell("--help")).stdout).not.toContain("__complete");
});

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
for (const shell of ["zsh", "fish"])
  if (!has(shell))
    console.warn(
      `${shell} is not installed, so its completion is not tested (apt-get install ${shell})`,
    );

/** Loads the sample salon, and puts the built program on a PATH as `deskbell`. */
async function installOnPath() {
  const folder = createTempFolder();
  const program = join(folder, "deskbell");
  writeFileSync(program, `#!/bin/sh\nexec ${PROGRAM.command.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of SHELLS)
    writeFileSync(join(folder, `completion.${shell}`), readAsset(`data/completion.${shell}`));
  const dataDir = join(folder, "data");
  expect(await runProgram(["catalog", "apply", SALON, "--data-dir", dataDir])).toMatchObject({
    code: 0,
  });
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    DESKBELL_DATA_DIR: dataDir,
    HOME: folder,
    HISTFILE: "/dev/null",
  };
  const runScript = (shell: string, script: string): string =>
    execFileSync(shell, ["-c", script], {
      encoding: "utf8",
      env: { ...process.env, ...env },
      cwd: folder,
    });
  return { folder, env, runScript };
}

test("bash completes commands, options and keys, even after = and :", async () => {
  const { folder, runScript } = await installOnPath();
  const complete = (line: string, ...typed: string[]): string => {
    const list = typed.map((word) => `'${word}'`).join(" ");
    return runScript(
      "bash",
      `. ${folder}/completion.bash
       COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(deskbell ${list}) COMP_CWORD=${typed.length}
       _deskbell; printf '%s\n' "\${COMPREPLY[@]}"`,
    );
  };
  expect(complete("deskbell serv", "serv")).toBe("services\nserve\n");
  expect(complete("deskbell services show cut", "services", "show", "cut")).toBe(
    "cut\ncut-and-blow-dry\n",
  );
  expect(complete("deskbell services ", "services", "")).toBe("list\nshow\ncreate\nupdate\n");
  expect(
    complete("deskbell services list --business=", "services", "list", "--business", "="),
  ).toBe("salon-aurora\n");
  expect(
    complete("deskbell services list --business=sa", "services", "list", "--business", "=", "sa"),
  ).toBe("salon-aurora\n");
});

test.runIf(has("fish"))("fish completes commands and keys with descriptions", async () => {
  const { folder, runScript } = await installOnPath();
  const complete = (line: string) =>
    runScript("fish", `source ${folder}/completion.fish; complete -C '${line}'`);
  expect(complete("deskbell services up")).toBe(
    "update\tUpdate a service or one of its variants.\n",
  );
  expect(complete("deskbell staff show ")).toContain("daniel\tDaniel Reyes\n");
  expect(complete("deskbell init completion.b")).toContain("completion.bash");
});

test.runIf(hasTmux)("Tab completes commands and file names in an interactive bash", async () => {
  const { folder, env } = await installOnPath();
  const shell = openTmux(100, 24);
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  shell.press("-l", `cd ${folder}; ${settings.join(" ")} PS1='bash> ' bash --norc -i`);
  shell.press("Enter");
  await shell.waitForText(/bash> $|bash>\s*$/);
  shell.press("-l", ". completion.bash; clear");
  shell.press("Enter");
  shell.press("-l", "deskbell busi\tl\t--b\tsal\t");
  expect(await shell.waitForText(/deskbell businesses list --business salon-aurora/)).toBeTruthy();
  shell.press("C-u");
  shell.press("-l", "deskbell init completion.z\t");
  await shell.waitForText(/deskbell init completion\.zsh/);
});

test.runIf(hasTmux && has("zsh"))(
  "Tab completes commands and keys in an interactive zsh",
  async () => {
    const { folder, env } = await installOnPath();
    const shell = openTmux(100, 24);
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    shell.press("-l", `cd ${folder}; ${settings.join(" ")} zsh -f -i`);
    shell.press("Enter");
    shell.press(
      "-l",
      "PS1='zsh> '; autoload -U compinit; compinit -u -D; source completion.zsh; clear",
    );
    shell.press("Enter");
    await shell.waitForText(/^zsh>/m);
    shell.press("-l", "deskbell busi\tl\t--b\tsal\t");
    expect(
      await shell.waitForText(/deskbell businesses list --business salon-aurora/),
    ).toBeTruthy();
    shell.press("C-u");
    shell.press("-l", "deskbell staff show \t");
    await shell.waitForText(/daniel +-- Daniel Reyes/);
  },
);
