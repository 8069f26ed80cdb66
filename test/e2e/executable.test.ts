import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stripe } from "stripe";
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  onTestFinished,
  test,
  type TestContext,
} from "vitest";
import {
  runProgram as executeAny,
  startProgram as startAny,
  createTempFolder,
} from "../support/cli.ts";
import { createSeededSalon, waitForUrl } from "../support/daemon.ts";
import { executableProgram, IS_EMULATED } from "../support/program.ts";
import { createReceiver } from "../support/receiver.ts";
import { hasTmux, openTmux } from "../support/tmux.ts";

// These tests of the executable run in every `npm test`. `npm run test:binary` runs all tests of
// this folder with the executable.

const BUILD = join(import.meta.dirname, "../../.config/executable.ts");
const folder = mkdtempSync(join(tmpdir(), "deskbell-executable-"));
const program = executableProgram(join(folder, "deskbell"));
const [FILE] = program.command;

const start: typeof startAny = (args, options) => startAny(args, { program, ...options });
const execute: typeof executeAny = (args, options) => executeAny(args, { program, ...options });

beforeAll(() => {
  if (process.env.DESKBELL_PROGRAM === undefined) execFileSync(process.execPath, [BUILD, FILE]);
  else copyFileSync(process.env.DESKBELL_PROGRAM, FILE);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function createSalon() {
  const { dataDir, deskbell } = await createSeededSalon(program);
  const on = ["--data-dir", dataDir];
  const serve = async () => {
    const daemon = start(["serve", "--port", "0", "--log-format", "json", ...on]);
    return { daemon, url: await waitForUrl(daemon) };
  };
  return { on, deskbell, serve };
}

test("the executable serves, sends signed webhooks, recovers from kill -9, backs up and restores without Node", async () => {
  const { on, deskbell, serve } = await createSalon();
  const first = await serve();
  const key = await deskbell("keys", "create", "--name", "site", "--scope", "services.read");
  const headers = { authorization: `Bearer ${key}` };
  const services = (url: string) =>
    fetch(`${url}/v1/businesses/salon-aurora/services`, { headers });
  expect((await services(first.url)).status).toBe(200);
  for (const path of ["/docs", "/docs.md", "/docs/changelog", "/docs/script.js"])
    expect([path, (await fetch(first.url + path)).status]).toEqual([path, 200]);
  const calendar = new URL(await deskbell("calendars", "create"));
  const feed = await fetch(first.url + calendar.pathname);
  expect([feed.status, await feed.text()]).toEqual([
    200,
    expect.stringMatching(/^BEGIN:VCALENDAR/),
  ]);

  const partner = await createReceiver([{ hold: true }, { hold: true }, { hold: true }, {}]);
  const address = ["--name", "site", "--url", partner.url, "--event", "all", "--allow-private"];
  const secret = await deskbell("webhooks", "create", ...address);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await partner.waitForRequests(3);
  first.daemon.child.kill("SIGKILL");
  await first.daemon.waitForExit();

  const second = await serve();
  await partner.waitForRequests(6);
  for (const { body, headers } of partner.requests)
    Stripe.webhooks.constructEvent(body, String(headers["x-service-signature"]), secret);

  const { path } = (JSON.parse(await deskbell("backup", "--json")) as { data: { path: string } })
    .data;
  await deskbell("services", "update", "beard-trim", "--price", "91.00");
  second.daemon.child.kill("SIGTERM");
  expect(await second.daemon.waitForExit()).toMatchObject({ code: 0 });
  expect(await execute(["restore", path, "--yes", ...on])).toMatchObject({ code: 0 });
  const cut = (
    (await (await services((await serve()).url)).json()) as {
      data: { name: string; priceCents: number }[];
    }
  ).data;
  expect(cut.map(({ priceCents }) => priceCents)).toContain(7700);
  expect(cut.map(({ priceCents }) => priceCents)).not.toContain(9100);
});

test("the executable runs the demo and cleans up", async () => {
  const demo = start(["demo", "--port", "0"]);
  await demo.waitForOutput(/signature ok/);
  const [, dataDir = ""] = await demo.waitForOutput(/✓ data +(\S+) /);
  const [, command] = await demo.waitForOutput(/^ +(\S+) services update /m);
  expect(command).toBe(FILE);
  demo.child.kill("SIGINT");
  expect(await demo.waitForExit()).toMatchObject({ code: 0 });
  expect(existsSync(dataDir)).toBe(false);
});

test.runIf(hasTmux)("the executable shows the live view on a real terminal", async () => {
  const { on, deskbell, serve } = await createSalon();
  const partner = await createReceiver();
  await deskbell(
    "webhooks",
    "create",
    "--name",
    "till",
    "--url",
    partner.url,
    "--event",
    "all",
    "--allow-private",
  );
  await serve();
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await partner.waitForRequests(3);
  const terminal = openTmux(120, 40, program);
  await terminal.start("tui", ...on);
  await terminal.waitForText(/● live[^]*✓ delivered +200 catalog\.changed/);
  terminal.press("q");
  expect(await terminal.waitForText(/exit=\d+/)).toContain("exit=0");
});

test.runIf(process.platform === "linux")(
  "both threads of the executable load the same SQLite, because two copies would drop each other's locks",
  async () => {
    const { serve } = await createSalon();
    const { daemon } = await serve();
    const maps = readFileSync(`/proc/${daemon.pid}/maps`, "utf8").matchAll(
      / (\d+) +(\/.*\.node)$/gm,
    );
    expect(new Set([...maps].map(([, inode, path]) => `${inode} ${path}`)).size).toBe(1);
  },
);

test("simultaneous starts of the executable unpack a single addon", async () => {
  const home = createTempFolder();
  const ran = await Promise.all(
    Array.from({ length: 6 }, () =>
      execute(["seed", "salon", "--data-dir", join(createTempFolder(), "data")], {
        env: { HOME: home },
      }),
    ),
  );
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(readdirSync(join(home, ".cache/deskbell"))).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}\.node$/),
  ]);
});

test("the executable replaces a modified addon instead of loading it", async () => {
  const [home, dataDir] = [createTempFolder(), join(createTempFolder(), "data")];
  const seed = () =>
    execute(["seed", "salon", "--overwrite", "--data-dir", dataDir], { env: { HOME: home } });
  expect(await seed()).toMatchObject({ code: 0 });
  const cache = join(home, ".cache/deskbell");
  const addon = join(cache, readdirSync(cache)[0] ?? "");
  const bytes = readFileSync(addon);
  rmSync(addon);
  writeFileSync(
    addon,
    bytes.map((byte, i) => (i > 100 ? 0xcc : byte)),
    { mode: 0o500 },
  );
  expect(await seed()).toMatchObject({ code: 0 });
  expect(readFileSync(addon).equals(bytes)).toBe(true);
});

/** Mounts a temporary file system. The test is skipped if this user must not mount. */
function mount(test: Pick<TestContext, "skip">, options: string): string {
  const folder = createTempFolder();
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status !== 0)
    test.skip("needs the right to mount");
  onTestFinished(() => void execFileSync("umount", [folder]));
  return folder;
}

describe("the executable where its addon cannot be unpacked", () => {
  const dataDir = () => join(createTempFolder(), "data");

  test("the executable exits with 5 for a cache mounted with noexec, and names the variable to set", async (context) => {
    if (IS_EMULATED) context.skip("an emulator only reads the addon");
    const cache = mount(context, "noexec,mode=700");
    expect(
      await execute(["seed", "salon", "--data-dir", dataDir()], {
        env: { DESKBELL_CACHE_DIR: cache },
      }),
    ).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: SQLite cannot be loaded: .*\nfix: set DESKBELL_CACHE_DIR to .*noexec \(exit 5\)\n$/,
      ),
    });
  });

  test("the executable with a read-only home prints a note and uses a temporary folder", async (context) => {
    const home = mount(context, "ro,mode=700");
    const TMPDIR = createTempFolder();
    expect(
      await execute(["seed", "salon", "--data-dir", dataDir()], { env: { HOME: home, TMPDIR } }),
    ).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^note: SQLite was unpacked into \S+, not into \S+ \(.*\)\.\n/),
    });
    expect(readdirSync(TMPDIR)).toEqual([`deskbell-${process.getuid?.()}`]);
  });

  test("the executable exits with 5 if DESKBELL_CACHE_DIR is not writable", async () => {
    const file = join(createTempFolder(), "file");
    writeFileSync(file, "");
    expect(
      await execute(["seed", "salon", "--data-dir", dataDir()], {
        env: { DESKBELL_CACHE_DIR: join(file, "in") },
      }),
    ).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: SQLite cannot be unpacked into \S+ \(.*\)\.\nfix: set DESKBELL_CACHE_DIR /,
      ),
    });
  });
});

test("the executable ignores NODE_OPTIONS and packages in its folder", async () => {
  const packageFolder = join(folder, "node_modules/better-sqlite3");
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, "index.js"), "throw new Error('the wrong package')");
  writeFileSync(join(folder, "package.json"), '{"version":"9.9.9"}');
  chmodSync(FILE, 0o555);
  const NODE_OPTIONS = "--require /nowhere.js";
  expect(await execute(["--version"], { env: { NODE_OPTIONS } })).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("9.9.9"),
  });
  const at = join(createTempFolder(), "data");
  expect(
    await execute(["seed", "salon", "--data-dir", at], { env: { NODE_OPTIONS } }),
  ).toMatchObject({ code: 0 });
});
