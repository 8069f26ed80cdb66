import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";
import { PROGRAM } from "../support/program.ts";
import { createReceiver } from "../support/receiver.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Commands that this test does not run, by their beginning, with the reason. */
const SKIPPED: [start: string, reason: string][] = [
  ["npm ci && npm start", "demo.test.ts tests the demo"],
  ["npm ci && npm test", "runs this test"],
  ["sha256sum ", "release.test.ts checks the sums and unpacks the archive"],
  ["tar -xzf ", "release.test.ts checks the sums and unpacks the archive"],
  ["sudo ", "changes the machine"],
  ["deskbell systemd-unit | sudo ", "changes the machine; service.test.ts checks the unit"],
];

type Line = { text: string; number: number };
type Block = { language: string; lines: Line[] };

/** Returns the fenced blocks. A line that ends with a backslash is joined with the next. */
function parseBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [i, text] of markdown.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(text)?.[1];
    const before = open?.lines.at(-1);
    if (fence !== undefined && open) open = undefined;
    else if (fence !== undefined) blocks.push((open = { language: fence, lines: [] }));
    else if (before?.text.endsWith("\\")) before.text += `\n${text}`;
    else open?.lines.push({ text, number: i + 1 });
  }
  return blocks;
}

const BLOCKS = parseBlocks(README);
const isCommand = ({ text }: Line): boolean => text.trim() !== "" && !text.startsWith("#");

/** Creates a home folder in which `deskbell` and `npx deskbell` run the program under test. */
async function createHome() {
  const home = createTempFolder();
  const bin = join(home, "bin");
  mkdirSync(bin);
  const exec = `exec "${PROGRAM.command.join('" "')}" "$@"`;
  writeFileSync(join(bin, "deskbell"), `#!/bin/sh\n${exec}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = deskbell ] || exit 127\nshift\n${exec}\n`, {
    mode: 0o755,
  });
  // Make curl fail on HTTP errors.
  writeFileSync(join(home, ".curlrc"), "fail\nsilent\nshow-error\n");
  const partner = await createReceiver();
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    DESKBELL_DATA_DIR: join(home, ".deskbell"),
    DESKBELL_PORT: "0",
  };
  let api = "";

  /** Replaces the README's example values. */
  const fillIn = (line: string): string =>
    line
      .replaceAll("https://partner.example/hook", `${partner.url} --allow-private`)
      .replaceAll("http://127.0.0.1:4100", api)
      .replace(/^KEY=.*$/, '$&\nprintf %s "$KEY"');

  /** Runs a command until it exits, or a server until it is ready. */
  const run = async (line: string): Promise<void> => {
    const isServer = /^(npx )?deskbell serve\b/.test(line);
    const child = spawn(
      "bash",
      ["-euo", "pipefail", "-c", isServer ? `exec ${line}` : fillIn(line)],
      {
        cwd: home,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const ended = once(child, "close");
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    const serving = new Promise<string | undefined>((resolve) =>
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
        const url = /"serving","url":"([^"]+)"/.exec(stderr)?.[1];
        if (url !== undefined) resolve(url);
      }),
    );
    const [code] = await (isServer
      ? Promise.race([serving.then((url) => [0, (api = url ?? "")]), ended])
      : ended);
    if (code !== 0) throw new Error(`The command exited with ${code}:\n${stdout}${stderr}`);
    if (line.startsWith("KEY=")) env.KEY = stdout;
  };
  return { run, partner };
}

test("every command in the README succeeds", { timeout: 120_000 }, async () => {
  const lines = BLOCKS.flatMap(({ language, lines }) =>
    language === "sh" ? lines.filter(isCommand) : [],
  );
  const isSkipped = ({ text }: Line) => SKIPPED.some(([start]) => text.startsWith(start));
  const { run, partner } = await createHome();
  const failures: string[] = [];
  for (const { text, number } of lines.filter((line) => !isSkipped(line)))
    await run(text).catch((error: Error) =>
      failures.push(`README.md:${number}: ${text}\n${error.message}`),
    );
  expect(failures).toEqual([]);
  // The README creates an endpoint and changes a price, which sends three events.
  await partner.waitForRequests(3);
  expect(lines.length).toBeGreaterThan(10);
  expect(SKIPPED.filter(([start]) => !lines.some(({ text }) => text.startsWith(start)))).toEqual(
    [],
  );
});

test("every block of commands is marked as sh, so that it is tested", () => {
  expect(new Set(BLOCKS.map(({ language }) => language))).toEqual(new Set(["sh", ""]));
  const unmarked = BLOCKS.flatMap(({ language, lines }) => (language === "sh" ? [] : lines));
  expect(
    unmarked.filter(({ text }) => /^(sudo |\$ )*(npm|npx|deskbell|curl|node) /.test(text)),
  ).toEqual([]);
});
