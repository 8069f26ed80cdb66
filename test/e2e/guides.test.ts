import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDocs } from "../../.config/docs.ts";
import { GUIDES } from "../../src/platform/assets.ts";
import { createTempFolder } from "../support/cli.ts";
import { PROGRAM } from "../support/program.ts";
import { createReceiver } from "../support/receiver.ts";

// These tests paste every command of the README and of the guides into a shell, line by line. Each
// page has a shell and a home folder of its own.

/** Returns the file of a guide, with the hidden lines that only this test runs. */
const readGuideFile = (topic: string): string =>
  readFileSync(new URL(`../../data/guides/${topic}.md`, import.meta.url), "utf8");

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The beginnings of commands that this test does not run, each with the reason. */
const SKIPPED: [start: string, reason: string][] = [
  ["npm ci && npm start", "demo.test.ts tests the demo"],
  ["npm ci && npm test", "runs this test"],
  ["sha256sum ", "release.test.ts checks the sums"],
  ["ssh-keygen -Y verify", "sign.test.ts verifies a signature"],
  ["tar -xzf ", "changes the machine"],
  ["sudo ", "changes the machine; debian-lifecycle.test.ts installs the package"],
  ["systemctl ", "needs systemd"],
  ["docker ", "containers.test.ts starts the image"],
  ["kubectl ", "needs a cluster; npm run check:manifest checks the manifest"],
  ["npm install --global ", "package.test.ts installs the package"],
  ["nats ", "needs the tool of NATS"],
  ["claude mcp add ", "needs Claude Code"],
  ["deskbell destinations test ", "needs a NATS server; nats.test.ts tests it"],
  ["deskbell systemd-unit | sudo ", "changes the machine; systemd-unit.test.ts checks the unit"],
  ["deskbell serve --port 4100 --public-url", "reverse-proxy.test.ts runs this guide"],
  ["deskbell serve --host 10.0.0.11", "several-servers.test.ts runs this part"],
  ["deskbell proxy-map", "several-servers.test.ts runs this part"],
  [
    "deskbell partners create aggregator --all --key-hash",
    "several-servers.test.ts runs this part",
  ],
  ["deskbell status --servers", "several-servers.test.ts runs this part"],
  ["deskbell serve --backup-dir /mnt/nas", "takeover.test.ts runs this part"],
  ["deskbell doctor --standby", "takeover.test.ts runs this part"],
  ["deskbell restore --latest", "takeover.test.ts runs this part"],
  ["deskbell handover", "takeover.test.ts runs this part"],
  ["deskbell restore --split", "split-server.test.ts runs this part"],
  ["deskbell businesses delete salon-aurora --moved", "split-server.test.ts runs this part"],
  ["deskbell businesses delete cafe-lumen --moved", "split-server.test.ts runs this part"],
  ["curl https://api.example.com/", "reverse-proxy.test.ts runs this guide"],
  ["curl -i https://api.example.com/", "reverse-proxy.test.ts runs this guide"],
];

/** A home folder with the catalog that all guides except first-hour assume. */
const homeWithCatalog = mkdtempSync(join(tmpdir(), "deskbell-guides-"));
beforeAll(() => {
  const [node, ...program] = PROGRAM.command;
  const env = environmentOf(homeWithCatalog);
  for (const args of [["init"], ["catalog", "apply", "catalog.yaml"]])
    execFileSync(node, [...program, ...args], { cwd: homeWithCatalog, env, stdio: "pipe" });
}, 60_000);
afterAll(() => rmSync(homeWithCatalog, { recursive: true }));

/** Commands that run before guides that assume a running server with an endpoint. */
const SETUP = [
  "deskbell serve &",
  "deskbell webhooks create --name website --url https://partner.example/hook --event all",
];

type Line = { text: string; number: number };
type Block = { language: string; lines: Line[] };

/**
 * Returns the fenced blocks. A hidden line, `<!-- test: COMMAND -->`, is a block of its own, whose
 * command does what a reader has done before. A line that ends with a backslash is joined with the
 * next.
 */
function parseBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [i, text] of markdown.split("\n").entries()) {
    const [, hidden] = /^<!-- test: (.*) -->$/.exec(text) ?? [];
    if (hidden !== undefined)
      blocks.push({ language: "sh", lines: [{ text: hidden, number: i + 1 }] });
    const fence = /^```(.*)$/.exec(text)?.[1];
    const before = open?.lines.at(-1);
    if (fence !== undefined && open) open = undefined;
    else if (fence !== undefined) blocks.push((open = { language: fence, lines: [] }));
    else if (before?.text.endsWith("\\")) before.text += `\n${text}`;
    else open?.lines.push({ text, number: i + 1 });
  }
  return blocks;
}

const isCommand = ({ text }: Line): boolean => text.trim() !== "" && !text.startsWith("#");
/** Replaces the commands of an installed service by ones that the shell of this test can run. */
const withoutService = (line: string): string =>
  line
    .replace(/^sudo systemctl stop deskbell$/, "kill %1; wait")
    .replace(/^sudo systemctl start deskbell$/, "deskbell serve &")
    .replace(/^sudo -u deskbell deskbell /, "deskbell ");

const isSkipped = (text: string): boolean => SKIPPED.some(([start]) => text.startsWith(start));

const commandsOf = (markdown: string): Line[] =>
  parseBlocks(markdown).flatMap(({ language, lines }) =>
    language === "sh"
      ? lines.filter(isCommand).map(({ text, number }) => ({ text: withoutService(text), number }))
      : [],
  );

/** The Node of this machine that users run, which may be too old for deskbell. */
const NODE = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path));

/**
 * The program, started with the Node of the machine. If this Node is too old, the program starts a
 * newer one.
 */
const WITH_OWN_NODE = PROGRAM.command.map((word) =>
  word === process.execPath ? (NODE ?? word) : word,
);

const environmentOf = (home: string): NodeJS.ProcessEnv => ({
  HOME: home,
  PATH: `${join(home, "bin")}:/usr/bin:/bin`,
  DESKBELL_DATA_DIR: join(home, ".deskbell"),
  DESKBELL_PORT: "0",
  DESKBELL_LOG_FORMAT: "json",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
});

/** `setup` has the commands to run before those of the page, in a home folder with the catalog. */
type PageOptions = { setup?: readonly string[]; program?: readonly string[] };

/**
 * Starts a shell in a home folder where `deskbell` and `npx deskbell` run the program. Returns a
 * function that runs a command in the shell.
 */
async function openShell(
  partner: { url: string },
  { setup = [], program = PROGRAM.command }: PageOptions,
) {
  const home = createTempFolder();
  if (setup.length > 0) cpSync(homeWithCatalog, home, { recursive: true });
  const bin = join(home, "bin");
  mkdirSync(bin);
  const exec = `exec "${program.join('" "')}" "$@"`;
  writeFileSync(join(bin, "deskbell"), `#!/bin/sh\n${exec}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = deskbell ] || exit 127\nshift\n${exec}\n`, {
    mode: 0o755,
  });
  // These options make curl fail on HTTP errors.
  writeFileSync(join(home, ".curlrc"), "fail\nsilent\nshow-error\n");
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd: home,
    env: environmentOf(home),
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const ended = once(shell, "close");
  onTestFinished(async () => {
    // The servers that the page started are in the process group of the shell.
    process.kill(-(shell.pid as number), "SIGKILL");
    await ended;
  });
  let output = "";
  let [api, receiver] = ["", ""];
  const waiting = new Set<() => void>();
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      for (const check of waiting) check();
    });
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const check = () => {
        const match = pattern.exec(output);
        if (match === null) return;
        waiting.delete(check);
        resolve(match);
      };
      waiting.add(check);
      check();
    });

  /** Replaces the example values of a page by those of this test. */
  const fillIn = (line: string): string =>
    line
      .replaceAll("http://127.0.0.1:4200/", receiver)
      .replaceAll("--port 4200", "--port 0")
      .replaceAll("http://127.0.0.1:4100", api)
      .replaceAll("2026-12-02", "${DAY}")
      .replaceAll("bkg_06f…", "$BOOKING")
      // The last replacement is that of this URL, because its port may begin with 4100 and must
      // stay.
      .replaceAll("https://partner.example/hook", `${partner.url} --allow-private`);

  /** Runs a command until it has ended, or a server until it is ready. */
  return async (line: string): Promise<void> => {
    output = "";
    shell.stdin.write(`${fillIn(line)}\nprintf '\\nended with %s.\\n' "$?"\n`);
    if (/deskbell serve\b/.test(line))
      api = (await waitFor(/"serving","url":"([^"]+)"/))[1] as string;
    if (/webhooks receive\b/.test(line))
      receiver = `${(await waitFor(/(http:\/\/127\.0\.0\.1:\d+)/))[1]}/`;
    const [, code] = await waitFor(/\nended with (\d+)\.\n/);
    if (code !== "0") throw new Error(`The command exited with ${code}:\n${output}`);
  };
}

async function runPage(commands: Line[], options: PageOptions = {}) {
  const partner = await createReceiver();
  const run = await openShell(partner, options);
  for (const line of options.setup ?? []) await run(line);
  const failures: string[] = [];
  for (const { text, number } of commands.filter(({ text }) => !isSkipped(text)))
    await run(text).catch((error: Error) => failures.push(`${number}: ${text}\n${error.message}`));
  return { failures, partner };
}

test("every command in the README succeeds", { timeout: 120_000 }, async () => {
  const commands = commandsOf(README);
  expect(commands.length).toBeGreaterThan(8);
  const { failures, partner } = await runPage(commands, { program: WITH_OWN_NODE });
  expect(failures).toEqual([]);
  // The README creates an endpoint and changes a price, which sends four events.
  await partner.waitForRequests(4);
});

/**
 * The topics except taking-bookings, whose commands use the IDs of earlier responses.
 * taking-bookings.test.ts runs these commands.
 */
const TOPICS = Object.keys(GUIDES).filter((topic) => topic !== "taking-bookings");

/** The pages of /docs for partners who run deskbell themselves. */
const PARTNER_TOPICS = ["testing"];

/** The guides that begin without a business. */
const WITHOUT_CATALOG = ["first-hour", ...PARTNER_TOPICS];

test.each([...TOPICS, ...PARTNER_TOPICS])(
  "every command in the guide %s succeeds",
  { timeout: 120_000 },
  async (topic) => {
    const commands = commandsOf(readGuideFile(topic)).filter(({ text }) => !isSkipped(text));
    if (commands.length === 0) return;
    const { failures } = await runPage(commands, {
      setup: WITHOUT_CATALOG.includes(topic) ? [] : SETUP,
    });
    expect(failures).toEqual([]);
  },
);

const pages: [string, string][] = [
  ["README.md", README],
  ...[...Object.keys(GUIDES), ...PARTNER_TOPICS].map((topic): [string, string] => [
    `${topic}.md`,
    readGuideFile(topic),
  ]),
];

test.each(pages)(
  "%s has no line that only its test needs, and no placeholder",
  (page, markdown) => {
    const lines = parseBlocks(markdown.replaceAll(/^<!-- test: .*$/gm, "")).flatMap(
      ({ lines }) => lines,
    );
    const scaffolding = /; wait$|\bdate -d|\{\{\w+\}\}|\.deskbell\/backups/;
    expect(lines.filter(({ text }) => scaffolding.test(text))).toEqual([]);
    expect(markdown, page).not.toContain("{{");
  },
);

test("each guide that a page names exists", () => {
  const named = pages.flatMap(([, markdown]) =>
    [...markdown.matchAll(/deskbell guide ([a-z-]+)/g)].map(([, topic = ""]) => topic),
  );
  expect(named.filter((topic) => !Object.hasOwn(GUIDES, topic))).toEqual([]);
});

test("each command that the tests of the guides skip is in the README or a guide", () => {
  const lines = pages.flatMap(([, markdown]) => commandsOf(markdown));
  expect(SKIPPED.filter(([start]) => !lines.some(({ text }) => text.startsWith(start)))).toEqual(
    [],
  );
});

test.each(pages)("%s marks each block of commands as sh, so that it is tested", (_, markdown) => {
  const unmarked = parseBlocks(markdown).flatMap(({ language, lines }) =>
    language === "sh" ? [] : lines,
  );
  expect(
    unmarked.filter(({ text }) => /^(sudo |\$ )*(npm|npx|deskbell|curl|node) /.test(text)),
  ).toEqual([]);
});

test("each file in data/guides is a topic of `deskbell guide` or a page of /docs", async () => {
  const files = readdirSync(new URL("../../data/guides/", import.meta.url));
  const known = [
    ...Object.keys(GUIDES).map((topic) => `${topic}.md`),
    ...Object.keys(await createDocs()),
  ];
  expect(files.filter((name) => !known.includes(name))).toEqual([]);
});
