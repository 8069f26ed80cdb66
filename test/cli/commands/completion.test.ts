import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCompletion, SHELLS } from "../../../src/assets.ts";
import { runProgram, createTempFolder, createTerminal } from "../../support/cli.ts";
import { PROGRAM } from "../../support/program.ts";
import { hasTmux, openTmux } from "../../support/tmux.ts";

async function seeded() {
  const box = createTerminal();
  await box.deskbell("seed salon");
  await box.deskbell("seed venue");
  const { stdout } = await box.deskbell(
    "keys create --business kita-live --name 'door \u001b[2J' --secret --json",
  );
  const { id: keyId } = (JSON.parse(stdout) as { data: { id: string } }).data;
  const ask = async (words: string) => {
    const { code, stdout, stderr } = await box.deskbell(`__complete -- ${words}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\t")[0]);
  };
  return { ...box, keyId, ask };
}

test("what is known without data is completed without data", async () => {
  const { deskbell, dataDir } = createTerminal();
  const ask = async (words: string) =>
    (await deskbell(`__complete -- ${words}`)).stdout.replaceAll(/\t.*/g, "");
  expect(await ask("bu")).toBe("businesses\n");
  expect(await ask("businesses ''")).toBe("list\nshow\nremove\n");
  expect(await ask("catalog import ''")).toBe("square\ncsv\n");
  expect(await ask("keys create --limit")).toBe("--limit-minute\n--limit-hour\n");
  expect(await ask("keys create --name x --scope webhooks.")).toBe(
    "webhooks.read\nwebhooks.write\n",
  );
  expect(await ask("--json keys --data-d")).toBe("--data-dir\n");
  expect(await ask("deliveries list --status=EX")).toBe("--status=EXHAUSTED\n");
  expect(await ask("events trigger catalog.")).toBe("catalog.changed\n");
  expect(await ask("seed ''")).toBe("restaurant\nsalon\nvenue\nall\n");
  expect(await ask("completion ''")).toBe(`${SHELLS.join("\n")}\n`);
  expect(await ask("businesses remove ''")).toBe("");
  expect(existsSync(dataDir)).toBe(false);
});

const COMPLETED: [words: string, expected: string[]][] = [
  ["businesses show ''", ["kita-live", "salon-aurora"]],
  ["services list --business ''", ["kita-live", "salon-aurora"]],
  ["services list --business=ki", ["--business=kita-live"]],
  ["services show rehearsal-", ["rehearsal-a", "rehearsal-b"]],
  ["--business salon-aurora services show rehearsal-", []],
  ["services set cut-and", ["cut-and-blow-dry"]],
  ["staff show da", ["daniel"]],
  ["time-off add ma", ["maya"]],
  ["promotions show midw", ["midweek-blowout"]],
  ["public-events show night", ["night-freight"]],
  ["orders create --event night", ["night-freight"]],
  [
    "webhooks add --event ticket_order.c",
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

test("what the box holds is completed where a command takes it", async () => {
  const { ask } = await seeded();
  for (const [words, expected] of COMPLETED)
    expect({ words, found: await ask(words) }).toEqual({ words, found: expected });
});

test("ids of keys and endpoints are offered with their names, made harmless; a revoked key is not", async () => {
  const { deskbell, keyId, ask } = await seeded();
  const { stdout } = await deskbell("__complete -- keys show key_");
  expect(stdout).toBe(`${keyId}\tdoor ␛[2J\n`);
  await deskbell(`keys revoke ${keyId} --yes`);
  expect(await ask("keys show ''")).toEqual([]);
});

test("nothing that a shell would run is ever put on its line", async () => {
  const { deskbell } = createTerminal();
  const evil = ["$(reboot)", "`id`", "a;b", "../x y", "-rf", "ok-key"];
  const file = {
    catalog: 1,
    business: { slug: "shop", name: "S", timezone: "UTC", currency: "EUR" },
    services: [],
  };
  const services = evil.map((key) => ({ key, name: key, durationMin: 30, price: 1 }));
  await deskbell("seed -", JSON.stringify({ ...file, services }));
  await deskbell("seed -", JSON.stringify({ ...file, services: services.slice(-1) }));
  expect((await deskbell("__complete -- services show ''")).stdout).toBe("ok-key\tok-key\n");
});

test("whatever is on the line and whatever is on file, completion fails in silence", async () => {
  const { deskbell, dataDir } = createTerminal();
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "deskbell.db"), "no database at all".repeat(300));
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

test("a box of an older schema is left as it is", async () => {
  const { deskbell, dataDir } = await seeded();
  const { default: Database } = await import("better-sqlite3");
  const path = join(dataDir, "deskbell.db");
  const db = new Database(path);
  db.pragma("user_version = 5");
  expect((await deskbell("__complete -- services show ''")).stdout).toBe("");
  expect(db.pragma("user_version", { simple: true })).toBe(5);
  db.close();
});

test.each(["tcsh", "''"])("there is no completion for %s", async (shell) => {
  expect(await createTerminal().deskbell(`completion ${shell}`)).toMatchObject({
    code: 2,
    stdout: "",
  });
});

test("no help lists the command that the shells ask", async () => {
  expect((await createTerminal().deskbell("--help")).stdout).not.toContain("__complete");
});

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
for (const shell of ["zsh", "fish"])
  if (!has(shell))
    console.warn(`${shell} is not here: its completion is not tried (apt-get install ${shell})`);

/** The salon, and a PATH on which `deskbell` is the built program. */
async function onPath() {
  const folder = createTempFolder();
  const program = join(folder, "deskbell");
  writeFileSync(program, `#!/bin/sh\nexec ${PROGRAM.command.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of SHELLS)
    writeFileSync(join(folder, `completion.${shell}`), readCompletion(shell));
  const dataDir = join(folder, "data");
  expect(await runProgram(["seed", "salon", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    DESKBELL_DATA_DIR: dataDir,
    HOME: folder,
    HISTFILE: "/dev/null",
  };
  const ask = (shell: string, script: string): string =>
    execFileSync(shell, ["-c", script], {
      encoding: "utf8",
      env: { ...process.env, ...env },
      cwd: folder,
    });
  return { folder, env, ask };
}

test("bash completes commands, options and keys, also behind = and :", async () => {
  const { folder, ask } = await onPath();
  const words = (line: string, ...typed: string[]): string => {
    const list = typed.map((word) => `'${word}'`).join(" ");
    return ask(
      "bash",
      `. ${folder}/completion.bash
       COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(deskbell ${list}) COMP_CWORD=${typed.length}
       _deskbell; printf '%s\n' "\${COMPREPLY[@]}"`,
    );
  };
  expect(words("deskbell serv", "serv")).toBe("serve\nservices\nservice\n");
  expect(words("deskbell services show cut", "services", "show", "cut")).toBe(
    "cut\ncut-and-blow-dry\n",
  );
  expect(words("deskbell services ", "services", "")).toBe("list\nshow\nset\n");
  expect(words("deskbell services list --business=", "services", "list", "--business", "=")).toBe(
    "salon-aurora\n",
  );
  expect(
    words("deskbell services list --business=sa", "services", "list", "--business", "=", "sa"),
  ).toBe("salon-aurora\n");
});

test.runIf(has("fish"))("fish completes commands and keys with what they are", async () => {
  const { folder, ask } = await onPath();
  const complete = (line: string) =>
    ask("fish", `source ${folder}/completion.fish; complete -C '${line}'`);
  expect(complete("deskbell services se")).toBe(
    "set\tChange a service, or one of its variants, and tell the partners.\n",
  );
  expect(complete("deskbell staff show ")).toContain("daniel\tDaniel Reyes\n");
  expect(complete("deskbell init completion.b")).toContain("completion.bash");
});

test.runIf(hasTmux)(
  "a tab completes on a real terminal in bash, and a file where a file is asked for",
  async () => {
    const { folder, env } = await onPath();
    const shell = openTmux(100, 24);
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    shell.press("-l", `cd ${folder}; ${settings.join(" ")} PS1='bash> ' bash --norc -i`);
    shell.press("Enter");
    await shell.waitForText(/bash> $|bash>\s*$/);
    shell.press("-l", ". completion.bash; clear");
    shell.press("Enter");
    shell.press("-l", "deskbell busi\tl\t--b\tsal\t");
    expect(
      await shell.waitForText(/deskbell businesses list --business salon-aurora/),
    ).toBeTruthy();
    shell.press("C-u");
    shell.press("-l", "deskbell init completion.z\t");
    await shell.waitForText(/deskbell init completion\.zsh/);
  },
);

test.runIf(hasTmux && has("zsh"))("a tab completes on a real terminal in zsh", async () => {
  const { folder, env } = await onPath();
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
  expect(await shell.waitForText(/deskbell businesses list --business salon-aurora/)).toBeTruthy();
  shell.press("C-u");
  shell.press("-l", "deskbell staff show \t");
  await shell.waitForText(/daniel +-- Daniel Reyes/);
});
