import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request, type RequestOptions } from "node:https";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";

// The configuration that the guide tells operators to use, run by the real proxies.

const GUIDE = readFileSync(new URL("../../data/guides/behind-a-proxy.md", import.meta.url), "utf8");
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(GUIDE)?.[1] ?? "";

const isInstalled = (program: string): boolean => spawnSync("which", [program]).status === 0;

type Response = { status: number; body: string; headers: Record<string, unknown> };
type Proxy = { get: (path: string, options?: RequestOptions) => Promise<Response> };

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A client of a proxy on loopback. Sends the path unchanged: fetch would normalize it. */
function createClient(port: number): Proxy {
  const get = (path: string, options: RequestOptions = {}) =>
    new Promise<Response>((resolve, reject) => {
      const req = request(
        {
          host: "127.0.0.1",
          servername: "api.example.com",
          port,
          path,
          rejectUnauthorized: false,
          ...options,
          headers: { host: "api.example.com", ...options.headers },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on("data", (chunk: Buffer) => chunks.push(chunk));
          res.on("error", reject);
          res.on("end", () =>
            resolve({
              status: res.statusCode ?? 0,
              body: Buffer.concat(chunks).toString(),
              headers: res.headers,
            }),
          );
        },
      );
      req.on("error", reject);
      req.end();
    });
  return { get };
}

/** Runs a proxy until the test ends; resolves when it accepts connections. */
async function startProxy(command: string, args: string[], port: number, folder: string) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  for (let attempt = 0; ; attempt += 1) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (attempt > 200 || child.exitCode !== null) throw new Error(`${command}: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function createCertificate(folder: string): void {
  execFileSync(
    "openssl",
    [
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ["-days", "1", "-subj", "/CN=api.example.com", "-keyout", "key.pem", "-out", "cert.pem"],
    ].flat(),
    { cwd: folder, stdio: "ignore" },
  );
}

/** How each proxy of the guide is run here: other ports, a temporary folder, our certificate. */
const PROXIES = {
  async nginx(upstream: string): Promise<Proxy> {
    const [folder, port] = [createTempFolder(), await findFreePort()];
    createCertificate(folder);
    const server = blockOf("nginx")
      .replace("listen 443", `listen 127.0.0.1:${port}`)
      .replace("127.0.0.1:4100", upstream)
      .replace("/etc/ssl/api.example.com.pem", join(folder, "cert.pem"))
      .replace("/etc/ssl/api.example.com.key", join(folder, "key.pem"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log stderr; events {}
      http { access_log off; ${temporary.join(" ")} ${server} }`,
    );
    await startProxy("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], port, folder);
    return createClient(port);
  },
  async caddy(upstream: string): Promise<Proxy> {
    const [folder, port] = [createTempFolder(), await findFreePort()];
    createCertificate(folder);
    const site = blockOf("caddy")
      .replace(
        "api.example.com {",
        `api.example.com:${port} {\n\tbind 127.0.0.1\n\ttls cert.pem key.pem`,
      )
      .replace("127.0.0.1:4100", upstream);
    writeFileSync(
      join(folder, "Caddyfile"),
      `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`,
    );
    const args = ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
    await startProxy("caddy", args, port, folder);
    return createClient(port);
  },
};

async function startBehind(name: keyof typeof PROXIES) {
  const { dataDir, deskbell } = await createSeededSalon();
  const flags = /^deskbell serve --port 4100 (.*)$/m.exec(GUIDE)?.[1]?.split(" ") ?? [];
  const url = await waitForUrl(spawnDaemon(dataDir, ...flags));
  return { proxy: await PROXIES[name](new URL(url).host), deskbell };
}

const SLUG = "/v1/businesses/salon-aurora";

describe.each(["nginx", "caddy"] as const)("behind %s, configured as in the guide", (name) => {
  const isMissing = !isInstalled(name) || !isInstalled("openssl");
  if (isMissing) console.warn(`skipped: ${name} or openssl is not installed`);

  test.skipIf(isMissing)(
    "partners reach the API over TLS, and the operator's metrics stay private",
    async () => {
      const { proxy } = await startBehind(name);
      expect(await proxy.get("/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
      const ids = Array.from({ length: 500 }, (_, i) => `svc_${String(i).padStart(20, "0")}`);
      const withIds = await proxy.get(`${SLUG}/services?ids=${ids}`);
      expect(JSON.parse(withIds.body)).toMatchObject({ status: 401, code: "missing_key" });
      const paths = [
        "/metrics",
        "/metrics/",
        "//metrics",
        "/docs/../metrics",
        "/docs/%2e%2e/metrics",
        "/x/..\\metrics",
        "/%6detrics",
      ];
      for (const path of paths) {
        const { status, body } = await proxy.get(path);
        expect([path, status >= 400, body.includes("deskbell_")]).toEqual([path, true, false]);
      }
    },
  );

  test.skipIf(isMissing)(
    "a client cannot escape its rate limit with an invented X-Forwarded-For",
    async () => {
      const { proxy } = await startBehind(name);
      const path = `${SLUG}/availability?service=beard-trim&from=2027-01-04`;
      const ask = (i: number, localAddress: string) =>
        proxy.get(path, { localAddress, headers: { "x-forwarded-for": `203.0.113.${i}` } });
      const statuses: number[] = [];
      for (let i = 0; i < 61; i += 1) statuses.push((await ask(i, "127.0.0.2")).status);
      expect(statuses.slice(0, 60).every((status) => status < 429)).toBe(true);
      expect(statuses.at(-1)).toBe(429);
      // Another client has a limit of its own.
      expect((await ask(0, "127.0.0.3")).status).toBeLessThan(429);
    },
  );

  test.skipIf(isMissing)(
    "a long poll is not cut, and ends as soon as something changes",
    async () => {
      const { proxy, deskbell } = await startBehind(name);
      const key = await deskbell("keys", "create", "--name", "mirror", "--scope", "webhooks.read");
      const headers = { authorization: `Bearer ${key}` };
      const first = await proxy.get(`${SLUG}/changes?limit=100`, { headers });
      const { page } = JSON.parse(first.body) as { page: { nextCursor: string } };
      const after = `${SLUG}/changes?after=${page.nextCursor}`;
      const waitSeconds = process.env["PROOFS"] === "full" ? 25 : 6;
      const startedAt = performance.now();
      const quiet = await proxy.get(`${after}&wait=${waitSeconds}`, { headers });
      expect([quiet.status, JSON.parse(quiet.body).data]).toEqual([200, []]);
      expect(performance.now() - startedAt).toBeGreaterThan(waitSeconds * 1000 - 100);
      const waiting = proxy.get(`${after}&wait=25`, { headers });
      await deskbell("services", "update", "beard-trim", "--price", "36.00");
      const { data } = JSON.parse((await waiting).body) as { data: { type: string }[] };
      expect(data.map(({ type }) => type)).toContain("service.updated");
    },
  );
});
