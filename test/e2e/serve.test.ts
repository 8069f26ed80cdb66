import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram, startProgram, createTempFolder } from "../support/cli.ts";
import { breakProgram } from "../support/broken-program.ts";
import { createSeededSalon, spawnDaemon, spawnDaemonOf, waitForUrl } from "../support/daemon.ts";
import { createAuthority, hasOpenssl } from "../support/hostile/tls.ts";

const createSalon = async (): Promise<string> => (await createSeededSalon()).dataDir;

test("an API key created by a command works at once with the running daemon", async () => {
  const dataDir = await createSalon();
  const url = await waitForUrl(spawnDaemon(dataDir));
  const { stdout: key } = await runProgram([
    "keys",
    "create",
    "--name",
    "site",
    "--scope",
    "services.read",
    "--data-dir",
    dataDir,
  ]);
  const services = `${url}/v1/businesses/salon-aurora/services`;
  const answer = await fetch(services, { headers: { authorization: `Bearer ${key.trim()}` } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ meta: { business: { slug: "salon-aurora" } } });
  expect((await fetch(services)).status).toBe(401);
});

test("a warning of the scheduler's library about a late job is a line of the JSON log", async () => {
  const start = "  const hasNewCommit = createCommitDetector(rt);";
  const program = breakProgram({
    file: "src/delivery/scheduler.ts",
    find: start,
    replace: `console.warn("[Cron] Missed execution deadline by 12ms for job");${start}`,
  });
  const daemon = spawnDaemonOf(program, await createSalon());
  const line = await daemon.waitForOutput(/^.*(\[Cron\]|A periodic job ran late).*$/m);
  expect(JSON.parse(line[0])).toMatchObject({ level: "info", lateMs: 12 });
});

test("the running daemon delivers a change made by a command", async () => {
  const dataDir = await createSalon();
  await waitForUrl(spawnDaemon(dataDir));
  const partner = createServer((request, response) => {
    response.end();
    partner.emit("delivered", request.headers["x-service-event"]);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void partner.close());
  await once(partner, "listening");
  const url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}/`;
  const subscribe = [
    "webhooks",
    "create",
    "--name",
    "till",
    "--url",
    url,
    "--event",
    "service_price.updated",
    "--allow-private",
  ];
  expect(await runProgram([...subscribe, "--data-dir", dataDir])).toMatchObject({ code: 0 });

  const delivered = once(partner, "delivered", { signal: AbortSignal.timeout(10_000) });
  expect(
    await runProgram([
      "services",
      "update",
      "beard-trim",
      "--price",
      "90.00",
      "--data-dir",
      dataDir,
    ]),
  ).toMatchObject({
    code: 0,
  });
  expect(await delivered).toEqual(["service_price.updated"]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s stops the daemon gracefully, with exit code 0",
  async (signal) => {
    const daemon = spawnDaemon(await createSalon());
    await waitForUrl(daemon);
    daemon.child.kill(signal);
    expect(await daemon.waitForExit()).toMatchObject({
      code: 0,
      signal: null,
      stderr: expect.stringContaining(`"reason":"${signal}"`),
    });
  },
);

test("the daemon ignores SIGHUP and SIGUSR1 with a log line, and stops gracefully on repeated SIGINTs", async () => {
  const daemon = spawnDaemon(await createSalon());
  await waitForUrl(daemon);
  for (const signal of ["SIGHUP", "SIGUSR1"] as const) {
    daemon.child.kill(signal);
    await daemon.waitForOutput(new RegExp(`"message":"ignored a signal","signal":"${signal}"`));
  }
  expect(daemon.output()).not.toContain("Debugger listening");
  for (let i = 0; i < 3; i++) daemon.child.kill("SIGINT");
  expect(await daemon.waitForExit()).toMatchObject({ code: 0, signal: null });
});

test("a second daemon on the same data exits with 5, and after a kill -9 of the first a new one can start", async () => {
  const dataDir = await createSalon();
  const first = spawnDaemon(dataDir);
  await waitForUrl(first);
  const second = await spawnDaemon(dataDir).waitForExit();
  expect(second.code).toBe(5);
  expect(second.stderr).toMatch(
    /^error: Another deskbell daemon or a restore is running on [^\n]*\nfix: /,
  );

  first.child.kill("SIGKILL");
  expect(await first.waitForExit()).toMatchObject({ signal: "SIGKILL" });
  await waitForUrl(spawnDaemon(dataDir));
});

test.each(["database", "data folder"])(
  "a daemon is refused if another one runs on the same data, to which a link to the %s leads",
  async (linked) => {
    const dataDir = await createSalon();
    await waitForUrl(spawnDaemon(dataDir));
    const other = join(createTempFolder(), "other");
    if (linked === "data folder") symlinkSync(dataDir, other);
    else {
      mkdirSync(other);
      symlinkSync(join(dataDir, "deskbell.db"), join(other, "deskbell.db"));
    }
    expect(await spawnDaemon(other).waitForExit()).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^error: Another deskbell daemon or a restore is running on /),
    });
  },
);

test("serve on a port in use exits with 5 and suggests another port", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void blocker.close());
  await once(blocker, "listening");
  const { port } = blocker.address() as AddressInfo;
  const { code, stderr } = await spawnDaemon(
    await createSalon(),
    "--port",
    String(port),
  ).waitForExit();
  expect(code).toBe(5);
  expect(stderr).toMatch(
    new RegExp(`^error: Port ${port} is in use\\.\nfix: .*--port ${port + 1}.*\\(exit 5\\)\n$`),
  );
});

test("serve --host with an address of another machine is a usage error", async () => {
  expect(
    await spawnDaemon(await createSalon(), "--host", "203.0.113.9").waitForExit(),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no address '203.0.113.9'"),
  });
});

test("settings can be given in the environment, and flags win over them", async () => {
  const dataDir = await createSalon();
  const env = { DESKBELL_DATA_DIR: dataDir, DESKBELL_PORT: "1", DESKBELL_LOG_FORMAT: "json" };
  const daemon = startProgram(["serve", "--port", "0"], { env });
  expect(await waitForUrl(daemon)).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,5}$/);
  expect(daemon.output()).toContain(`"data":"${dataDir}"`);
  const json = await runProgram(["businesses", "list"], { env: { ...env, DESKBELL_JSON: "1" } });
  expect(JSON.parse(json.stdout)).toMatchObject({ data: [{ slug: "salon-aurora" }] });
});

test.skipIf(!hasOpenssl())(
  "serve --tls-cert serves HTTPS, and SIGHUP reloads the certificate",
  async () => {
    const folder = createTempFolder();
    const authority = createAuthority(folder);
    const [cert, key] = [join(folder, "api.pem"), join(folder, "api.key")];
    authority.issue("api", { to: 90 });
    chmodSync(key, 0o644);
    const dataDir = await createSalon();
    const daemon = spawnDaemon(dataDir, "--tls-cert", cert, "--tls-key", key);
    await daemon.waitForOutput(
      /"level":"warn","message":"other users of this machine can access \S+\/api\.key","fix":"chmod o= /,
    );
    const { port, protocol } = new URL(await waitForUrl(daemon));
    expect(protocol).toBe("https:");
    const isHealthy = async () => {
      const request = get({
        port,
        path: "/healthz",
        servername: "api",
        ca: authority.certificate,
        agent: false,
      });
      const [answer] = (await once(request, "response")) as [IncomingMessage];
      return answer.resume().statusCode === 200;
    };
    expect(await isHealthy()).toBe(true);
    await daemon.waitForOutput(
      /"message":"certificate","names":"DNS:api","expires":"[^"]*","days":89/,
    );

    authority.issue("api", { to: 10 });
    daemon.child.kill("SIGHUP");
    await daemon.waitForOutput(/"message":"the certificate expires soon.*"days":9/);
    expect(await runProgram(["status", "--data-dir", dataDir])).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(/^problem\tthe certificate of the API expires soon/m),
    });
    writeFileSync(key, "nonsense");
    daemon.child.kill("SIGHUP");
    await daemon.waitForOutput(
      /"level":"error","message":"could not load the new certificate; the old one stays in use".*send SIGHUP again/,
    );
    expect(await isHealthy()).toBe(true);
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  },
);

test.each([
  { flags: ["--tls-cert", "/none.pem"], code: 2, stderr: /--tls-key is missing/ },
  {
    flags: ["--tls-cert", "/none.pem", "--tls-key", "/none.key"],
    code: 3,
    stderr: /file \/none.pem for the certificate does not exist/,
  },
  {
    flags: ["--strict-permissions", "--metrics-token-file", import.meta.filename],
    code: 4,
    stderr: /--strict-permissions: other users of this machine can access \S+serve\.test\.ts/,
  },
])("serve $flags exits with $code and a reason", async ({ flags, code, stderr }) => {
  const dataDir = await createSalon();
  expect(await spawnDaemon(dataDir, ...flags).waitForExit()).toMatchObject({
    code,
    stderr: expect.stringMatching(stderr),
  });
  expect(await runProgram(["status", "--data-dir", dataDir])).toMatchObject({ code: 6 });
});

test.each([
  ["--allow-private", "10.0.0.0/33"],
  ["--trusted-proxy", "proxy.example"],
])("serve refuses the invalid address range %s %s", async (flag, range) => {
  const ran = await runProgram([
    "serve",
    "--port",
    "0",
    "--data-dir",
    createTempFolder(),
    flag,
    range,
  ]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(
    `error: ${flag} must be an address range, not '${range}'.\nfix: ${flag} 10.0.0.0/8`,
  );
});
