import { once } from "node:events";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { Worker } from "node:worker_threads";
import { getBusiness } from "../../src/app/businesses.ts";
import { createKey } from "../../src/app/keys.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { createAuthority } from "../support/hostile/tls.ts";
import { createLargeSalon } from "../support/large-salon.ts";
import { times } from "./figure.ts";
import { BenchProcesses, BOTH_CORES } from "./processes.ts";
import type { SilentAttack } from "./silent-clients.ts";

// `silent-clients.ts` runs this file in a network of its own, in which this machine has all
// addresses of 2001:db8::/32.

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const SERVER = "2001:db8:ffff::1";
const HONEST = "2001:db8:1::1";
const PROXY = "2001:db8:2::1";
const SILENT = 1500;
const HALF_OPEN = 60;
const PROXIED = 1000;
const WAVES = 6;
const WAVE_MS = 10_000;
const PROXY_MS = 20_000;
const UNLIMITED = 1_000_000_000;

const [dir = ""] = process.argv.slice(2);
const { cert, key } = createAuthority(dir).issue("api.example.ch");
const tlsFiles = { cert: join(dir, "served.pem"), key: join(dir, "served.key") };
writeFileSync(tlsFiles.cert, cert);
writeFileSync(tlsFiles.key, key);

const dataDir = join(dir, "data");
const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
const firstDay = Temporal.Now.plainDateISO("Europe/Lisbon").add({ days: 1 }).toString();
const { slug } = createLargeSalon(rt, { people: 10, services: 8, firstDay, days: 7, bookings: 10 });
const { secret } = createKey(rt, {
  businessId: getBusiness(rt, slug).id,
  name: "bench",
  kind: "SECRET",
  scopes: [],
  limitMinute: UNLIMITED,
  limitHour: UNLIMITED,
});
rt.close();

const path = `/v1/businesses/${slug}/staff`;
const headers = { authorization: `Bearer ${secret}` };
const FORWARDED_GET = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nAuthorization: ${headers.authorization}\r\n\r\n`;

async function startServer(
  processes: BenchProcesses,
  openFiles: number,
): Promise<{ port: number; handles: () => number }> {
  const serve = ["serve", "--host", "::", "--port", "0", "--trusted-proxy", `${PROXY}/128`];
  const tls = ["--tls-cert", tlsFiles.cert, "--tls-key", tlsFiles.key];
  const limited = ["sh", "-c", `ulimit -n ${openFiles}; echo "pid $$"; exec "$0" "$@"`];
  const program = [process.execPath, BIN, "--data-dir", dataDir, ...serve, ...tls];
  const started = await processes.start(
    [...limited, ...program],
    /(pid \d+[^]*"https:\/\/[^"]+:\d+")/,
    BOTH_CORES,
  );
  const [, pid, port] = /^pid (\d+)[^]*:(\d+)"$/.exec(started) ?? [];
  return { port: Number(port), handles: () => countSockets(`/proc/${pid}/fd`) };
}

const countSockets = (folder: string): number =>
  readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;

/** Starts a thread that opens connections and neither reads from them nor closes them. */
function attack(port: number): Worker {
  return new Worker(new URL("silent-sockets.ts", import.meta.url), {
    workerData: { port, host: SERVER, silent: SILENT, halfOpen: HALF_OPEN },
  });
}

/** Returns the time of a GET on a connection of its own, and throws unless it succeeds. */
async function getOnce(port: number): Promise<number> {
  const startedAt = performance.now();
  const asked = request({
    host: SERVER,
    port,
    path,
    headers,
    localAddress: HONEST,
    agent: false,
    rejectUnauthorized: false,
  }).end();
  const [response] = (await once(asked, "response")) as [
    NodeJS.ReadableStream & { statusCode: number },
  ];
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  await once(response.resume(), "end");
  return performance.now() - startedAt;
}

async function measureOthers(): Promise<Omit<SilentAttack, "proxy">> {
  await using processes = new BenchProcesses();
  const { port, handles } = await startServer(processes, 1024);
  for (let i = 0; i < 50; i++) await getOnce(port);
  const atRest = handles();
  let most = atRest;
  const attacks: Worker[] = [];
  const tookMs: number[] = [];
  let lastAt = 0;
  for (let wave = 0; wave < WAVES; wave++) {
    attacks.push(attack(port));
    lastAt = performance.now();
    while (performance.now() < lastAt + WAVE_MS) {
      tookMs.push(await getOnce(port));
      most = Math.max(most, handles());
      await pause(20);
    }
  }
  while (handles() > atRest + 1 && performance.now() < lastAt + 60_000) await pause(50);
  const goneAfterMs = performance.now() - lastAt;
  for (const worker of attacks) await worker.terminate();
  return {
    others: times(tookMs),
    worst: Math.max(...tookMs),
    handles: { atRest, most, goneAfterMs },
  };
}

/** Measures a proxy that opens connections during an attack and uses each every two seconds. */
async function measureProxy(): Promise<SilentAttack["proxy"]> {
  await using processes = new BenchProcesses();
  const { port } = await startServer(processes, 4096);
  const attacks = [attack(port), attack(port)];
  const until = performance.now() + PROXY_MS;
  const forwarded = await Promise.all(
    Array.from({ length: PROXIED }, () => forward(port, until).catch(() => "cut" as const)),
  );
  for (const worker of attacks) await worker.terminate();
  const count = (outcome: string) => forwarded.filter((one) => one === outcome).length;
  return { served: count("served"), refused: count("refused"), cut: count("cut") };
}

/** Sends at least two requests over one connection. Throws if the server closes it. */
async function forward(port: number, until: number): Promise<"served" | "refused"> {
  const options = { port, host: SERVER, localAddress: PROXY, rejectUnauthorized: false };
  const socket = connectTls(options);
  const closed = once(socket, "close").then(() => {
    throw new Error("The server closed the connection.");
  });
  closed.catch(() => {});
  let answers = 0;
  let hasFailed = false;
  try {
    while (answers < 2 || performance.now() < until) {
      socket.write(FORWARDED_GET);
      const [data] = (await Promise.race([once(socket, "data"), closed])) as [Buffer];
      hasFailed ||= !data.toString().startsWith("HTTP/1.1 200");
      answers += 1;
      await Promise.race([pause(2000), closed]);
    }
  } finally {
    socket.destroy();
  }
  return hasFailed ? "refused" : "served";
}

const measured = { ...(await measureOthers()), proxy: await measureProxy() };
console.log(`measured ${JSON.stringify(measured)}`);
