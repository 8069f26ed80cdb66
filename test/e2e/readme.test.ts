import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";
import { PROGRAM } from "../support/program.ts";
import { createReceiver } from "../support/receiver.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Lines that are not run here, by how they begin, and why not. */
const EXCUSED: [start: string, why: string][] = [
  ["npm ci && npm start", "the demo has a test of its own, demo.test.ts"],
  ["npm ci && npm test", "it is what runs this"],
  ["sha256sum ", "release.test.ts checks the sums and unpacks the archive"],
  ["tar -xzf ", "release.test.ts checks the sums and unpacks the archive"],
  ["sudo ", "it changes the machine"],
  [
    "deskbell systemd-unit | sudo ",
    "it changes the machine; service.test.ts has the unit examined",
  ],
];

type Line = { text: string; number: number };
type Block = { language: string; lines: Line[] };

/** The fenced blocks; a line that ends with a backslash goes on in the next. */
function blocksOf(markdown: string): Block[] {
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

const BLOCKS = blocksOf(README);
const isCommand = ({ text }: Line): boolean => text.trim() !== "" && !text.startsWith("#");

/** A folder to work in, with the program under the names that the README calls it by. */
async function workplace() {
  const home = createTempFolder();
  const bin = join(home, "bin");
  mkdirSync(bin);
  const exec = `exec "${PROGRAM.command.join('" "')}" "$@"`;
  writeFileSync(join(bin, "deskbell"), `#!/bin/sh\n${exec}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = deskbell ] || exit 127\nshift\n${exec}\n`, {
    mode: 0o755,
  });
  // An answer that is no success is a failure.
  writeFileSync(join(home, ".curlrc"), "fail\nsilent\nshow-error\n");
  const partner = await createReceiver();
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    DESKBELL_DATA_DIR: join(home, ".deskbell"),
    DESKBELL_PORT: "0",
  };
  let api = "";

  /** What stands for something of the reader's own. */
  const filledIn = (line: string): string =>
    line
      .replaceAll("https://partner.example/hook", `${partner.url} --allow-private`)
      .replaceAll("http://127.0.0.1:4100", api);

  /** Runs a line to its end; a server, until it serves. */
  const run = async (line: string): Promise<void> => {
    const isServer = /^(npx )?deskbell serve\b/.test(line);
    const child = spawn(
      "bash",
      ["-euo", "pipefail", "-c", isServer ? `exec ${line}` : filledIn(line)],
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
    if (code !== 0) throw new Error(`It ended with ${code}:\n${stdout}${stderr}`);
    if (/\bkeys create\b/.test(line)) env.KEY = stdout.trim();
  };
  return { run, partner };
}

test("every command in the README does what it is there for", { timeout: 120_000 }, async () => {
  const lines = BLOCKS.flatMap(({ language, lines }) =>
    language === "sh" ? lines.filter(isCommand) : [],
  );
  const isExcused = ({ text }: Line) => EXCUSED.some(([start]) => text.startsWith(start));
  const { run, partner } = await workplace();
  const failures: string[] = [];
  for (const { text, number } of lines.filter((line) => !isExcused(line)))
    await run(text).catch((error: Error) =>
      failures.push(`README.md:${number}: ${text}\n${error.message}`),
    );
  expect(failures).toEqual([]);
  // The partner that was subscribed on the way has been told of the price that was set.
  await partner.waitForRequests(3);
  expect(lines.length).toBeGreaterThan(10);
  expect(EXCUSED.filter(([start]) => !lines.some(({ text }) => text.startsWith(start)))).toEqual(
    [],
  );
});

test("a block of commands is marked as such, or it would never be run", () => {
  expect(new Set(BLOCKS.map(({ language }) => language))).toEqual(new Set(["sh", ""]));
  const unmarked = BLOCKS.flatMap(({ language, lines }) => (language === "sh" ? [] : lines));
  expect(
    unmarked.filter(({ text }) => /^(sudo |\$ )*(npm|npx|deskbell|curl|node) /.test(text)),
  ).toEqual([]);
});
