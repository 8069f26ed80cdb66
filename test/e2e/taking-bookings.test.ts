import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rotateKey } from "../../src/app/keys.ts";
import { type Preset, readGuide } from "../../src/platform/assets.ts";
import { catalogId } from "../../src/domain/ids.ts";
import { createTestApp } from "../support/app.ts";
import { applyPreset, SALON } from "../http/support/api.ts";
import { createTempFolder, createTerminal, startProgram } from "../support/cli.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { installWebsite } from "../support/website.ts";

// These tests run everything that the guide "Taking bookings" shows, with an API whose clock stands
// still.

const blocksOf = (fence: string, guide = "taking-bookings"): string[] =>
  [...readGuide(guide).matchAll(new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, code]) => code!,
  );

const KITA = "kita-live";
/** A public event of the sample venue that is on sale, with one of its ticket types. */
const EVENT_ON_SALE = {
  pev: catalogId("pev", KITA, "blue-hour-quartet"),
  ett: catalogId("ett", KITA, "blue-hour-quartet", "seated"),
};

/** Serves the sample business of a guide and creates the key as the guide says. */
async function setUp(guide = "taking-bookings", preset: Preset = "salon", slug = SALON) {
  const folder = createTempFolder();
  const dataDir = join(folder, "data");
  const rt = createTestRuntime({ dataDir });
  applyPreset(rt, preset);
  const server = createServer(createTestApp(rt).listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const [command = "", exports = ""] = blocksOf("sh", guide);
  const { stdout, code } = await createTerminal({ dataDir }).deskbell(
    command.replace(/^deskbell /, "").trim(),
  );
  expect(code).toBe(0);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const KEY = /deskbell_rk_\w+/.exec(stdout)?.[0] ?? "";
  const API = `${base}/v1/businesses/${slug}`;
  expect(exports).toContain(`API=${API.replace(base, "http://127.0.0.1:4100")}\n`);

  /** Runs a program until it has ended; its background processes end with the test. */
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      env: { ...process.env, API, KEY, PORT: "0" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => void (output += chunk));
    const closed = once(child, "close");
    onTestFinished(async () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {} // The processes have ended already.
      await closed;
    });
    const [exitCode] = await once(child, "exit");
    expect([exitCode, output]).toEqual([0, expect.any(String)]);
    return output;
  };
  return { rt, folder, base, run, API, KEY };
}

test.for([
  { name: "Node", fence: "js", file: "book.mjs", run: [process.execPath], probe: "--version" },
  { name: "Python", fence: "python", file: "book.py", run: ["python3"], probe: "--version" },
  { name: "PHP", fence: "php", file: "book.php", run: ["php"], probe: "--version" },
  { name: "Go", fence: "go", file: "book.go", run: ["go", "run"], probe: "version" },
  { name: "Ruby", fence: "ruby", file: "book.rb", run: ["ruby"], probe: "--version" },
])(
  "the guide's example program lists, holds, books and cancels: $name",
  { timeout: 90_000 },
  async ({ fence, file, run: [program = "", ...args], probe }, { skip }) => {
    if (spawnSync(program, [probe]).status !== 0) skip(`needs ${program}`);
    const { rt, folder, run } = await setUp();
    const [code = ""] = blocksOf(fence);
    writeFileSync(join(folder, file), code);
    const output = await run(program, ...args, file);
    const [booking, ...others] = rt.store.bookings.list({ businessId: businessOf(rt) }, 10);
    expect(others).toEqual([]);
    expect(booking).toMatchObject({
      status: "CANCELLED",
      cancelledBy: "GUEST",
      cancelReason: "changed plans",
      customerRef: "web-812",
      version: 2,
    });
    expect(output.replaceAll("\r", "")).toMatch(
      new RegExp(`^${booking?.id} CONFIRMED 2026-\\S+-05:00\n${booking?.id} CANCELLED\n$`),
    );
    expect(rt.store.guests.findByVisit(booking?.id ?? "")).toBeDefined();
  },
);

const businessOf = (rt: ReturnType<typeof createTestRuntime>): string =>
  rt.store.businesses.findBySlug(SALON)!.id;

test("all commands of the guide succeed with its key, and download the example website", async ({
  skip,
}) => {
  for (const program of ["curl", "openssl", "npm"])
    if (spawnSync(program, ["--help"]).error) skip(`needs ${program}`);
  const { rt, folder, base, run } = await setUp();
  const businessId = businessOf(rt);
  const [key] = rt.store.keys.list(businessId);
  expect(key).toMatchObject({ limitMinute: 600, limitHour: 20_000 });
  const ids: Record<string, string> = { svc: catalogId("svc", SALON, "beard-trim") };
  for (const block of blocksOf("sh").slice(2)) {
    const filled = block
      .replaceAll("http://127.0.0.1:4100", base)
      .replaceAll(/\b(svc|hld|bkg)_…/g, (_, prefix: string) => ids[prefix] ?? "");
    const output = await run(
      "bash",
      "-ec",
      filled.replaceAll("curl -s", "curl -sS --fail-with-body"),
    );
    for (const [id, prefix] of output.matchAll(/\b(hld|bkg)_\w+/g)) ids[prefix!] ??= id;
  }
  expect(rt.store.bookings.findById(businessId, ids["bkg"]!)).toMatchObject({
    status: "CANCELLED",
    startsAt: Date.parse("2026-12-02T11:00:00-05:00"),
  });
  for (const name of ["server.mjs", "page.html"])
    expect(readFileSync(join(folder, name), "utf8")).toBe(
      readFileSync(new URL(`../../data/example-website/${name}`, import.meta.url), "utf8"),
    );
});

test.for([
  {
    guide: "reserving-tables",
    preset: "restaurant",
    slug: "cafe-lumen",
    given: {},
    ends: { rsv: '"status":"CANCELLED"' },
  },
  {
    guide: "selling-tickets",
    preset: "venue",
    slug: "kita-live",
    given: EVENT_ON_SALE,
    ends: { tor: '"status":"CANCELLED"' },
  },
  { guide: "reconciliation", preset: "salon", slug: SALON, given: {}, ends: {} },
] as const)(
  "all commands of the guide $guide succeed with its key",
  { timeout: 60_000 },
  async ({ guide, preset, slug, given, ends }, { skip }) => {
    for (const program of ["curl", "openssl"])
      if (spawnSync(program, ["--help"]).error) skip(`needs ${program}`);
    const { run } = await setUp(guide, preset, slug);
    const ids: Record<string, string> = { ...given };
    const outputs: string[] = [];
    for (const block of blocksOf("sh", guide).slice(2)) {
      const filled = block.replaceAll(
        /\b(pev|ett|hld|rsv|tor)_…/g,
        (_, prefix: string) => ids[prefix] ?? "",
      );
      outputs.push(
        await run("bash", "-ec", filled.replaceAll("curl -s", "curl -sS --fail-with-body")),
      );
      for (const [id, prefix] of outputs.at(-1)!.matchAll(/\b(hld|rsv|tor)_\w+/g))
        ids[prefix!] ??= id;
    }
    expect(outputs.length).toBeGreaterThan(0);
    for (const [prefix, state] of Object.entries(ends)) {
      expect(outputs.join()).toContain(ids[prefix]);
      expect(outputs.join()).toContain(state);
    }
  },
);

test("links that guests saved still work after the API key of the example website was rotated", async () => {
  const { rt, folder, API, KEY } = await setUp();
  const program = installWebsite(folder);
  const start = (env: NodeJS.ProcessEnv) =>
    startProgram([], { program, env: { API, PORT: "0", ...env } });
  const post = async (env: NodeJS.ProcessEnv, path: string, body: object) => {
    const [site] = await start(env).waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
    const headers = { "content-type": "application/json" };
    const response = await fetch(site + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as { reference?: string }) };
  };
  const service = catalogId("svc", SALON, "beard-trim");
  const hold = { service, startsAt: "2026-12-01T10:00:00-05:00" };
  const { reference } = await post({ KEY }, "/hold", hold);
  const rotated = rotateKey(rt, rt.store.keys.list(businessOf(rt))[0]!.id, 0).secret;
  expect((await post({ KEY: rotated }, "/release", { reference })).status).toBe(200);

  const file = join(folder, "link-secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const own = { KEY: rotated, LINK_SECRET: "x".repeat(32) };
  expect((await post(own, "/release", { reference })).status).toBe(404);
  // A power cut during the first start leaves an empty secret, with which anyone could sign links.
  writeFileSync(file, "");
  await start({ KEY: rotated }).waitForOutput(
    /Error: .* link-secret, has fewer than 32 characters/,
  );
});

test("a guest of the example website whose response was lost sends the form again, and gets the visit that it has made", async () => {
  const { rt, folder, API, KEY } = await setUp();
  const site = startProgram([], { program: installWebsite(folder), env: { API, KEY, PORT: "0" } });
  const [url] = await site.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
  type Shown = { reference: string; status: string; code?: string };
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await (await fetch(url + path, init)).json()) as Shown;
  };
  const choice = { service: catalogId("svc", SALON, "beard-trim") };
  const guest = { name: "Ana", email: "ana@example.com" };
  const at = (time: string) => ({ ...choice, startsAt: `2026-12-01T${time}:00-05:00` });
  const tokenOf = (digit: string) => ({ token: digit.repeat(32) });

  const hold = await post("/hold", { ...at("10:00"), ...tokenOf("a") });
  expect(await post("/hold", { ...at("10:00"), ...tokenOf("a") })).toEqual(hold);
  const booked = await post("/book", { reference: hold.reference, ...guest, ...tokenOf("b") });
  expect(booked).toMatchObject({ status: "CONFIRMED" });
  // A page that was loaded again has another token.
  for (const token of [tokenOf("b"), tokenOf("c"), {}])
    expect(await post("/book", { reference: hold.reference, ...guest, ...token })).toEqual(booked);
  const direct = await post("/book", { ...at("12:00"), ...guest, ...tokenOf("d") });
  expect(await post("/book", { ...at("12:00"), ...guest, ...tokenOf("d") })).toEqual(direct);
  expect(rt.store.bookings.list({ businessId: businessOf(rt) }, 10)).toHaveLength(2);
  expect((await post("/hold", { ...at("14:00"), token: "guess" })).code).toBe("invalid_body");
});

test("deskbell guide shows the URLs of a server with the default settings", async () => {
  const { stdout } = await createTerminal().deskbell("guide taking-bookings");
  expect(stdout).toContain("export API=http://127.0.0.1:4100/v1/businesses/salon-aurora\n");
  expect(stdout).toContain("[reference](http://127.0.0.1:4100/docs#getAvailability)");
  expect(stdout).not.toContain("{{base}}");
});
