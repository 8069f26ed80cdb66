import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstreamManager, type JetStreamManager, type StreamConfig } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, onTestFinished } from "vitest";
import { createTempFolder } from "../../support/cli.ts";

/** True if nats-server (a package of Debian) is installed. */
export const hasNatsServer = ((): boolean => {
  try {
    return execFileSync("nats-server", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" }, () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });

/** Creates a NATS server on loopback, which keeps its port and messages when it restarts. */
export async function createNatsServer(config = "") {
  const folder = createTempFolder();
  const port = await findFreePort();
  const path = join(folder, "nats.conf");
  writeFileSync(
    path,
    `listen: 127.0.0.1:${port}\njetstream { store_dir: "${folder}/jetstream" }\n${config}\n`,
  );
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn("nats-server", ["-c", path], { stdio: "ignore" });
    await expect.poll(() => isListening(port), { interval: 20 }).toBe(true);
  };
  const kill = async (): Promise<void> => {
    const killed = child;
    child = undefined;
    if (killed === undefined) return;
    const exited = once(killed, "exit");
    killed.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  await start();
  return { url: `nats://127.0.0.1:${port}`, start, kill };
}

/**
 * Returns a manager of the streams of a NATS server.
 * @param login a user with all permissions
 */
export async function manageStreams(
  url: string,
  login: { user?: string; pass?: string } = {},
): Promise<JetStreamManager> {
  const connection = await connect({ servers: url, ...login });
  onTestFinished(() => connection.close());
  // JetStream starts shortly after the listener.
  for (;;) {
    try {
      return await jetstreamManager(connection);
    } catch {
      await sleep(20);
    }
  }
}

export const addStream = (
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
) => manager.streams.add({ subjects: ["deskbell.>"], ...config });
