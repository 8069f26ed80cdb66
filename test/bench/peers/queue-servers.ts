import { execFileSync, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server in a temporary folder that listens on a free port of this machine. */
export type QueueServer = AsyncDisposable & { port: number; pid: number };

/** Redis that stores each change within a second, as its documentation recommends. */
export async function startRedis(): Promise<QueueServer> {
  const port = await findFreePort();
  const dir = makeFolder();
  const settings = ["--bind", "127.0.0.1", "--save", "", "--appendfsync", "everysec"];
  const args = ["--port", `${port}`, "--dir", dir, "--appendonly", "yes", ...settings];
  return startServer("redis-server", args, /Ready to accept connections/, { dir, port });
}

/** PostgreSQL with its own defaults: a commit waits until it is on the disk. */
export async function startPostgres(): Promise<QueueServer> {
  const port = await findFreePort();
  const dir = makeFolder();
  const user = findUser();
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const options = { ...user, cwd: dir };
  const init = ["-D", data, "-U", "bench", "-A", "trust", "--no-sync"];
  execFileSync(findPostgres("initdb"), init, { ...options, stdio: "ignore" });
  const args = ["-D", data, "-k", dir, "-h", "127.0.0.1", "-p", `${port}`];
  const ready = /ready to accept connections/;
  return startServer(findPostgres("postgres"), args, ready, { dir, port, options });
}

const makeFolder = (): string => mkdtempSync(join(tmpdir(), "deskbell-queue-"));

/**
 * Returns the user `nobody` for the server if this process runs as root, because PostgreSQL refuses
 * to run as root.
 */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"]).toString());
  return { uid: idOf("-u"), gid: idOf("-g") };
}

const DEBIAN_FOLDER = "/usr/lib/postgresql";

/** Returns the path of a program of PostgreSQL: Debian has them in a folder for each version. */
function findPostgres(program: string): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? program : join(DEBIAN_FOLDER, newest, "bin", program);
}

/** Returns the first of the programs that this machine lacks; undefined if it has all. */
export const findMissing = (programs: readonly string[]): string | undefined =>
  programs.find((program) => {
    const path = findPostgres(program);
    const isInPath = (process.env.PATH ?? "")
      .split(":")
      .some((folder) => existsSync(join(folder, program)));
    return !existsSync(path) && !isInPath;
  });

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function startServer(
  command: string,
  args: string[],
  ready: RegExp,
  { dir, port, options = {} }: { dir: string; port: number; options?: SpawnOptions },
): Promise<QueueServer> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-10_000);
      if (ready.test(output)) resolve();
    });
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`${command} exited with ${code}: ${output}`)));
  await promise;
  return {
    port,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      // Both servers end at once on SIGINT, without waiting for clients.
      const gone = once(child, "exit");
      child.kill("SIGINT");
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
