import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createTestApp } from "../support/app.ts";
import { useBrowser } from "../support/browser.ts";
import { createTempFolder, startProgram } from "../support/cli.ts";
import { seedShop, SHOP_SLUG } from "../support/shop.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { installClient } from "../support/website.ts";

// These tests run the quick start of the package as partners do: with the files of the package, in
// every kind of program that is installed here.

const PACKAGE = new URL("../../dist/client/", import.meta.url);
const [, QUICK_START = ""] =
  /## Quick start\n\n```js\n([^]*?)```/.exec(readFileSync(new URL("README.md", PACKAGE), "utf8")) ??
  [];

const EXPECTED = "Cut 4000 EUR\nColor 6000 EUR\nBy phone 1000 EUR\nYoga 1200 EUR\n";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts the API of a shop. Returns its URL, and the quick start with this URL and a key. */
async function setUp(
  answerOther?: (path: string, program: string) => [type: string, body: string],
) {
  const rt = createTestRuntime();
  seedShop(rt);
  const app = createTestApp(rt);
  let program = "";
  const answer: Answer = (request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/v1/") || answerOther === undefined)
      return void app.listener(request, response);
    const [type, body] = answerOther(path, program);
    response.setHeader("content-type", type).end(body);
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { secret } = createKey(rt, {
    businessId: businessId(SHOP_SLUG),
    name: "quick start",
    kind: "RESTRICTED",
    scopes: ["services.read"],
  });
  program = QUICK_START.replace("https://desk.example", url)
    .replace("salon-aurora", SHOP_SLUG)
    .replace("deskbell_rk_…", secret);
  return { url, program };
}

/** Returns the version of a program that is installed here; undefined if it is not. */
const versionOf = (command: string): string | undefined => {
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};

/** Node 20 is not the Node of the tests, but many machines have it. */
const findNode20 = (): string | undefined =>
  ["node", "/usr/local/bin/node", "/usr/bin/node"].find((command) =>
    versionOf(command)?.startsWith("v20."),
  );

const RUNTIMES: [name: string, find: () => string | undefined, args: string[]][] = [
  ["the Node of deskbell", () => process.execPath, []],
  ["Node 20", findNode20, []],
  [
    "Deno",
    () => (versionOf("deno") === undefined ? undefined : "deno"),
    ["run", "--allow-net", "--no-lock"],
  ],
  ["Bun", () => (versionOf("bun") === undefined ? undefined : "bun"), []],
];

test.for(RUNTIMES)("the quick start runs in %s", async ([name, find, args], { skip }) => {
  const command = find();
  if (command === undefined) return skip(`needs ${name}: npm run check:client downloads it`);
  const { program } = await setUp();
  const folder = createTempFolder();
  installClient(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const file = join(folder, "quick-start.js");
  writeFileSync(file, program);
  const started = startProgram([...args, file], {
    program: { command: [command], isStandalone: false },
    env: { NODE_OPTIONS: "" },
  });
  expect(await started.waitForExit()).toMatchObject({ code: 0, stdout: EXPECTED, stderr: "" });
});

const openPage = useBrowser();
declare global {
  var printed: string[] | undefined;
}

/** Returns what the program has printed, once it has ended. */
async function readPrinted() {
  while (globalThis.printed === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  return `${globalThis.printed.join("\n")}\n`;
}

test("the quick start runs in a browser, in a page of the server", async (context) => {
  const { url } = await setUp((path, program) => {
    if (path.startsWith("/client/"))
      return [
        "text/javascript",
        readFileSync(new URL(path.slice("/client/".length), PACKAGE), "utf8"),
      ];
    const imports = JSON.stringify({ imports: { "deskbell-client": "/client/index.js" } });
    const script = program
      .replace("console.log(", "lines.push([")
      .replace("currency);", 'currency].join(" "));');
    return [
      "text/html",
      `<!doctype html><link rel=icon href=data:,><script type="importmap">${imports}</script>
       <script type="module">const lines = [];\n${script}\nglobalThis.printed = lines;</script>`,
    ];
  });
  const page = await openPage(context, `${url}/page`);
  expect(await page.run(readPrinted)).toBe(EXPECTED);
  expect(page.errors).toEqual([]);
});
