import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../../src/http/server.ts";
import { readVersion } from "../../../../src/platform/assets.ts";
import { PROXY_FORMATS } from "../../../../src/features/servers/rules.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

/** Starts servers with a public URL and one token, one server for each list of businesses. */
async function startServers(...businesses: string[][]) {
  const folder = createTempFolder();
  const token = join(folder, "token");
  writeFileSync(token, "t0ken");
  const flags = { publicUrl: "https://api.example.com", metricsTokenFile: token };
  const urls = await Promise.all(
    businesses.map(async (slugs) => {
      const rt = createTestRuntime(flags);
      rt.freeBytes = () => 10_000_000_000;
      rt.tx(() => rt.store.daemon.save({ url: "", startedAt: rt.now(), hasAlertUrl: true }));
      for (const slug of slugs) addBusiness(rt, slug);
      const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
      onTestFinished(server.close);
      return server.url;
    }),
  );
  const { deskbell } = createTerminal();
  const file = join(folder, "servers.txt");
  /** Runs a command with the token and a servers file of these lines. */
  const run = (line: string, lines: readonly string[]) => {
    writeFileSync(file, lines.join("\n"));
    return deskbell(`${line} ${file} --metrics-token-file ${token}`);
  };
  return { urls, run };
}

const VERSION = readVersion();
const NOBODY = "http://127.0.0.1:2";

test("proxy-map gets the businesses of each server from its own address or that of its standby", async () => {
  const { urls, run } = await startServers(["salon-aurora"], ["cafe-lumen", "kita-live"]);
  const [east = "", west = ""] = urls;
  const printed = await run("proxy-map --format nginx", [`east ${east}`, `west ${NOBODY} ${west}`]);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  expect(printed.stdout).toContain("    salon-aurora deskbell_east;\n");
  expect(printed.stdout).toContain("    kita-live deskbell_west;\n");
  const { stdout } = await run("proxy-map --json --format caddy", [`east ${east}`]);
  expect(JSON.parse(stdout)).toEqual({
    data: { servers: [{ name: "east", addresses: [east], businesses: ["salon-aurora"] }] },
  });
});

test("proxy-map prints nothing if a server does not respond, or if two servers have the same business", async () => {
  const { urls, run } = await startServers(["salon-aurora"], ["salon-aurora"]);
  const [east = "", west = ""] = urls;
  const mapOf = (...lines: string[]) => run("proxy-map --format caddy", lines);
  expect(await mapOf(`east ${east}`, `west ${NOBODY}`)).toMatchObject({
    code: 5,
    stdout: "",
    stderr: expect.stringContaining(
      `The server west does not respond: ${NOBODY}: connection refused.\nfix: keep its line, and add --previous with the map that the proxy has: its partners get 503`,
    ),
  });
  expect(await mapOf(`east ${east}`, `west ${west}`)).toMatchObject({
    code: 5,
    stdout: "",
    stderr: expect.stringContaining("'salon-aurora' is on the servers east and west"),
  });
  expect(await mapOf(`east ${east} ${west}`)).toMatchObject({
    code: 5,
    stdout: "",
    stderr: expect.stringContaining("The server east and its standby both run"),
  });
  const unknown = await run("proxy-map --format haproxy", [`east ${east}`]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain("Allowed choices are caddy, nginx.");
});

test("status --servers has a line per server, and exits with 6 if one is unreachable", async () => {
  const { urls, run } = await startServers(["salon-aurora"], ["cafe-lumen", "kita-live"]);
  const [east = "", west = ""] = urls;
  expect(await run("status --servers", [`east ${east}`, `west ${west}`])).toMatchObject({
    code: 0,
    stdout: `east\tok\t1\t0\t\t\t${east}\t\t\t${VERSION}\nwest\tok\t2\t0\t\t\t${west}\t\t\t${VERSION}\n`,
  });
  const some = await run("status --servers", [`east ${east}`, `west ${NOBODY}`]);
  expect(some).toMatchObject({
    code: 6,
    stdout: expect.stringContaining(`west\t${NOBODY}: connection refused\t\t\t\t\t\t\t\t\n`),
  });
  const { stdout, code } = await run("status --json --servers", [`east ${east} ${west}`]);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    6,
    { data: [{ name: "east", error: expect.stringContaining("both run"), problems: [] }] },
  ]);
});

test("status --servers names a business that two servers have, and exits with 6", async () => {
  const { urls, run } = await startServers(["salon-aurora"], ["cafe-lumen", "salon-aurora"]);
  const [east = "", west = ""] = urls;
  const { code, stdout } = await run("status --servers", [`east ${east}`, `west ${west}`]);
  expect(code).toBe(6);
  expect(stdout).toContain("east\tsalon-aurora: also on west\t");
  expect(stdout).toContain("west\tsalon-aurora: also on east\t");
});

test.each(PROXY_FORMATS)(
  "proxy-map for %s keeps the rows of a server that does not respond, with --previous",
  async (format) => {
    const { urls, run } = await startServers(["salon-aurora"], ["cafe-lumen", "default"]);
    const [east = "", west = ""] = urls;
    const previous = join(createTempFolder(), "deskbell.map");
    const before = await run(`proxy-map --format ${format}`, [`east ${east}`, `west ${west}`]);
    writeFileSync(previous, before.stdout);
    const lines = [`east ${east}`, `west ${NOBODY}`];
    const after = await run(`proxy-map --format ${format} --previous ${previous}`, lines);
    expect(after).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The server west does not respond"),
    });
    expect(after.stdout.replaceAll("127.0.0.1:2", new URL(west).host)).toBe(before.stdout);
    // Neither the map of the other proxy nor one without the server is accepted.
    writeFileSync(previous, "");
    expect(await run(`proxy-map --format ${format} --previous ${previous}`, lines)).toMatchObject({
      code: 7,
      stdout: "",
      stderr: expect.stringContaining(`is not a map for ${format}`),
    });
    writeFileSync(previous, before.stdout);
    const unknown = [`east ${east}`, `north ${NOBODY}`];
    expect(await run(`proxy-map --format ${format} --previous ${previous}`, unknown)).toMatchObject(
      {
        code: 5,
        stdout: "",
        stderr: expect.stringContaining(
          "The server north does not respond, and the map of --previous does not have it",
        ),
      },
    );
  },
);

test.each(PROXY_FORMATS)(
  "proxy-map for %s keeps a server without a business that does not respond, with --previous",
  async (format) => {
    const { urls, run } = await startServers(["salon-aurora"], []);
    const [east = "", west = ""] = urls;
    const previous = join(createTempFolder(), "deskbell.map");
    const before = await run(`proxy-map --format ${format}`, [`east ${east}`, `west ${west}`]);
    writeFileSync(previous, before.stdout);
    const lines = [`east ${east}`, `west ${NOBODY}`];
    const after = await run(`proxy-map --format ${format} --previous ${previous}`, lines);
    expect(after).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the map keeps its 0 rows"),
    });
    expect(after.stdout.replaceAll("127.0.0.1:2", new URL(west).host)).toBe(before.stdout);
  },
);

test("proxy-map without the token of a server names the commands that set the token", async () => {
  const folder = createTempFolder();
  const [servers, token] = [join(folder, "servers.txt"), join(folder, "token")];
  const rt = createTestRuntime();
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(server.close);
  writeFileSync(servers, `east ${server.url}`);
  const { deskbell } = createTerminal();
  const refused = await deskbell(`proxy-map --format caddy ${servers}`);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(
    "The server east requires its metrics token to list its businesses",
  );
  expect(refused.stderr).toContain(
    "fix: on that server, run deskbell metrics token > FILE, and add --metrics-token-file FILE here",
  );
  const printed = await createTerminal({ dataDir: rt.config.dataDir }).deskbell("metrics token");
  writeFileSync(token, printed.stdout);
  expect(
    await deskbell(`proxy-map --format caddy --metrics-token-file ${token} ${servers}`),
  ).toMatchObject({ code: 0 });
});

test("status --servers reports a server with another token, and finds the local server's token in the data folder", async () => {
  const { urls } = await startServers(["salon-aurora"]);
  const folder = createTempFolder();
  writeFileSync(join(folder, "servers.txt"), `east ${urls[0]}`);
  writeFileSync(join(folder, "token"), "other");
  const { deskbell } = createTerminal();
  const line = `status --servers ${folder}/servers.txt`;
  expect((await deskbell(line)).stdout).toContain("it requires a token");
  const withToken = await deskbell(`${line} --metrics-token-file ${folder}/token`);
  expect(withToken.stdout).toContain("it has another token");
  const rt = createTestRuntime();
  const own = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(own.close);
  writeFileSync(join(folder, "servers.txt"), `east ${own.url}`);
  expect((await deskbell(line)).stdout).toContain("it requires a token");
  const local = createTerminal({ dataDir: rt.config.dataDir });
  expect((await local.deskbell(line)).stdout).toMatch(/^east\t(?!.*token)/m);
  expect(await deskbell("status --metrics-token-file token")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--metrics-token-file needs --servers."),
  });
});

test.each(["status --servers", "proxy-map --format nginx"])(
  "%s refuses a device file",
  async (line) => {
    expect(await createTerminal().deskbell(`${line} /dev/zero`)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
    });
  },
);
