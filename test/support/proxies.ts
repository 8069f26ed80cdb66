import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request, type RequestOptions } from "node:https";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readGuide } from "../../src/platform/assets.ts";
import { createTempFolder } from "./cli.ts";

// Real proxies on loopback, with the configuration that a guide tells operators to use.

export const PROXY_NAMES = ["nginx", "caddy"] as const;
export type ProxyName = (typeof PROXY_NAMES)[number];

const isInstalled = (program: string): boolean => spawnSync("which", [program]).status === 0;

/** Returns whether the proxy or openssl is missing, and then prints a warning. */
export function isProxyMissing(name: ProxyName): boolean {
  const isMissing = !isInstalled(name) || !isInstalled("openssl");
  if (isMissing) console.warn(`skipped: ${name} or openssl is not installed`);
  return isMissing;
}

/** Returns the guide's first code block with this language tag. */
export const blockOf = (topic: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(readGuide(topic))?.[1] ?? "";

export type Response = { status: number; body: string; headers: Record<string, unknown> };
type Options = RequestOptions & { body?: string };
export type Proxy = { get: (path: string, options?: Options) => Promise<Response> };

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Returns a client of a proxy on loopback. Paths stay as they are: fetch would normalize them. */
export function createClient(port: number): Proxy {
  const get = (path: string, { body, ...options }: Options = {}) =>
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
      req.end(body);
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

/**
 * Functions that run a configuration on another port, in a temporary folder, with a certificate of
 * the test.
 */
const RUN: Record<ProxyName, (configuration: string) => Promise<Proxy>> = {
  async nginx(configuration) {
    const [folder, port] = [createTempFolder(), await findFreePort()];
    createCertificate(folder);
    const server = configuration
      .replace("listen 443", `listen 127.0.0.1:${port}`)
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
  async caddy(configuration) {
    const [folder, port] = [createTempFolder(), await findFreePort()];
    createCertificate(folder);
    const site = configuration.replace(
      "api.example.com {",
      `api.example.com:${port} {\n\tbind 127.0.0.1\n\ttls cert.pem key.pem`,
    );
    writeFileSync(
      join(folder, "Caddyfile"),
      `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`,
    );
    const args = ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
    await startProxy("caddy", args, port, folder);
    return createClient(port);
  },
};

/**
 * Runs a proxy as a guide configures it, until the test ends.
 * @param replaced the text of the guide that `by` replaces, such as an address
 */
export const runProxy = (
  name: ProxyName,
  topic: string,
  replaced: string,
  by: string,
): Promise<Proxy> => RUN[name](blockOf(topic, name).replace(replaced, by));
