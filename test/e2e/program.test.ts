import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram, startProgram, createTempFolder } from "../support/cli.ts";
import { createSeededSalon, waitForUrl } from "../support/daemon.ts";
import { BIN, nodeProgram, type Program, PROGRAM } from "../support/program.ts";

test("--help loads no packages, which would take hundreds of milliseconds", () => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, BIN, "--help"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(0);
  const files = [...stderr.matchAll(/^file:.*$/gm)].map(([url]) => fileURLToPath(url));
  // The runtime of the bundler has no source map.
  const ours = files.filter((file) => /\/dist\/(?!rolldown-runtime)/.test(file));
  const bundled = ours.map((file) => readFileSync(`${file}.map`, "utf8"));
  const sources = [
    ...files,
    ...bundled.flatMap((map) => (JSON.parse(map) as { sources: string[] }).sources),
  ];
  expect(sources.filter((path) => path.endsWith("src/cli/root-help.ts"))).toHaveLength(1);
  expect(sources.filter((path) => path.includes("node_modules/"))).toEqual([]);
});

test("services list exits with 141 and prints no error if its reader closes the pipe", async () => {
  const dataDir = join(createTempFolder(), "data");
  const services = Array.from({ length: 3000 }, (_, i) => ({
    key: `s${i}`,
    name: "Service",
    price: "1.00",
    durationMin: 5,
  }));
  const business = { slug: "large", name: "Large", timezone: "Europe/Zurich", currency: "CHF" };
  const file = join(createTempFolder(), "large.json");
  writeFileSync(file, JSON.stringify({ catalog: 1, business, services }));
  expect(await runProgram(["seed", file, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  // The list is longer than a pipe's buffer.
  const list = `"${PROGRAM.command.join('" "')}" services list --data-dir "${dataDir}"`;
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", `${list} | head -c 1; echo " \${PIPESTATUS[0]}"`],
    {
      encoding: "utf8",
    },
  );
  expect({ stdout, stderr }).toEqual({ stdout: "s 141\n", stderr: "" });
});

test("a command whose output cannot be written says that it has saved its change", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const update = `"${PROGRAM.command.join('" "')}" staff update maya --title Stylist --data-dir "${dataDir}"`;
  const { status, stderr } = spawnSync("bash", ["-c", `${update} > /dev/full`], {
    encoding: "utf8",
  });
  expect(status).toBe(5);
  expect(stderr).toContain("Cannot write to stdout: no space left on device");
  expect(stderr).toContain("it has saved it: look at the result before you run it again");
  expect(await deskbell("staff", "show", "maya")).toContain("Stylist");
});

const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const major = Number(
    /^v(\d+)/.exec(spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1],
  );
  return major >= 18 && major < 26;
});

test.runIf(oldNode !== undefined)(
  "the program started with an older Node runs on the installed Node and keeps exit codes",
  async () => {
    const dataDir = join(createTempFolder(), "data");
    const program = nodeProgram(oldNode ?? "");
    expect(await runProgram(["--version"], { program })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(
      await runProgram(["businesses", "list", "--data-dir", dataDir], { program }),
    ).toMatchObject({ code: 3 });

    const serve = () => startProgram(["serve", "--port", "0", "--data-dir", dataDir], { program });
    const killed = serve();
    await killed.waitForOutput(/serving/);
    killed.child.kill("SIGKILL");
    // The pipes close only when the daemon, too, has exited.
    expect(await killed.waitForExit()).toMatchObject({ signal: "SIGKILL" });
    expect(killed.output()).toContain('"message":"stopping"');

    const daemon = serve();
    await daemon.waitForOutput(/serving/);
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0, signal: null });
  },
);

/**
 * Returns a program that starts another program as npm does and prints the process ID of the other
 * program. npm starts a shell. dash then waits for the program, and the program replaces bash.
 */
const startedAsByNpm = ({ command, isStandalone }: Program, shellWaits: boolean): Program => {
  const script = shellWaits ? '"$@" & echo "started $!"; wait' : 'echo "started $$"; exec "$@"';
  const npm = `require("node:child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(script)}, ...process.argv], { stdio: "inherit" })`;
  return { command: [process.execPath, "-e", npm, ...command], isStandalone };
};

const STARTS = [
  { by: "a shell that waits", shellWaits: true, program: PROGRAM },
  { by: "npm itself", shellWaits: false, program: PROGRAM },
  ...(oldNode === undefined
    ? []
    : [{ by: "an older Node", shellWaits: true, program: nodeProgram(oldNode) }]),
];

describe.each(STARTS)("a server that npm runs, started by $by", ({ shellWaits, program }) => {
  async function serve(npmCommand: string) {
    const { dataDir } = await createSeededSalon();
    const args = ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir];
    const npm = startProgram(args, {
      program: startedAsByNpm(program, shellWaits),
      env: { npm_command: npmCommand },
    });
    const [, pid] = await npm.waitForOutput(/^started (\d+)$/m);
    onTestFinished(() => {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    });
    return { npm, url: await waitForUrl(npm) };
  }

  test("a server that npm runs stops with a log line when npm is killed; without npm, it outlives its parent", async () => {
    const independent = await serve("");
    independent.npm.child.kill("SIGKILL");
    const { npm } = await serve("exec");
    npm.child.kill("SIGKILL");
    // The pipes close only when the server, too, has exited.
    expect(await npm.waitForExit()).toMatchObject({
      signal: "SIGKILL",
      stderr: expect.stringContaining('"stopping","reason":"the parent process has ended"'),
    });
    expect((await fetch(`${independent.url}/healthz`)).status).toBe(200);
  });
});

test.runIf(oldNode !== undefined)(
  "the program started with an older Node prints a fix if no newer Node is installed",
  () => {
    const folder = createTempFolder();
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    copyFileSync(BIN, join(folder, "bin/deskbell.js"));
    const { status, stderr } = spawnSync(oldNode ?? "", [join(folder, "bin/deskbell.js"), "demo"], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error: deskbell needs Node 26 or newer, but this is \d+\.[^\n]*\nfix: run npm ci .*\(exit 2\)\n$/,
    );
  },
);
