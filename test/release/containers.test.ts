import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createTempFolder, startProgram } from "../support/cli.ts";
import { waitForUrl } from "../support/daemon.ts";
import { blockOf, createClient, findFreePort } from "../support/proxies.ts";
import { createReceiver } from "../support/receiver.ts";
import { emulateArm64, findArtifact, IS_RELEASE_TEST, MINUTE_MS } from "../support/release.ts";

/** Returns an environment in which podman has images, containers and volumes of its own. */
function createPodman(): NodeJS.ProcessEnv {
  const folder = createTempFolder();
  const write = (name: string, lines: string[]): string => {
    writeFileSync(join(folder, name), lines.join("\n"));
    return join(folder, name);
  };
  const env = {
    ...process.env,
    CONTAINERS_STORAGE_CONF: write("storage.conf", [
      "[storage]",
      'driver = "overlay"',
      `graphroot = "${folder}/graph"`,
      `runroot = "${folder}/run"`,
    ]),
    // With these settings, containers run even on a host with cgroups v1 where root must not raise
    // limits.
    CONTAINERS_CONF: write("containers.conf", [
      "[containers]",
      'default_ulimits = ["nofile=1024:4096", "nproc=4096:4096"]',
      "[engine]",
      'runtime = "runc"',
    ]),
  };
  onTestFinished(
    () => void execFileSync("podman", ["rm", "--all", "--force"], { env, stdio: "ignore" }),
  );
  return env;
}

const createRunner =
  (program: string, env: NodeJS.ProcessEnv, cwd?: string) =>
  async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { env, cwd })).stdout.trim();

const loadImage = async (env: NodeJS.ProcessEnv, architecture: string): Promise<string> => {
  const file = findArtifact(`*-oci-${architecture}.tar`);
  const loaded = await createRunner("podman", env)("load", "--quiet", "--input", file);
  return loaded.replace("Loaded image: ", "");
};

test.runIf(IS_RELEASE_TEST).each(["amd64", "arm64"])(
  "the image for %s serves and delivers on a read-only file system without root, and stops on SIGTERM",
  async (architecture) => {
    if (architecture === "arm64") emulateArm64();
    const env = createPodman();
    const podman = createRunner("podman", env);
    const image = await loadImage(env, architecture);
    const run = ["run", "--rm", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"]
      .concat("--network=host", "--env=DESKBELL_HOST=127.0.0.1", "--env=DESKBELL_PORT=0")
      .concat(`--arch=${architecture}`, "--volume=data:/var/lib/deskbell");
    const deskbell = (...args: string[]) => podman(...run, image, ...args);
    await deskbell("seed", "salon");
    const partner = await createReceiver();
    const subscription = ["--name", "site", "--url", partner.url, "--event", "all"];
    await deskbell("webhooks", "create", ...subscription, "--allow-private");
    const key = await deskbell("keys", "create", "--name", "site", "--scope", "services.read");

    const daemon = startProgram([...run, "--name=daemon", image], {
      program: { command: ["podman"], isStandalone: false },
      env,
    });
    const url = await waitForUrl(daemon, MINUTE_MS);
    const services = await fetch(`${url}/v1/businesses/salon-aurora/services`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(services.status).toBe(200);
    const inDaemon = (...args: string[]) => podman("exec", "daemon", "deskbell", ...args);
    // This command is the health check of the image.
    await inDaemon("status", "--severity", "critical");
    await inDaemon("services", "update", "beard-trim", "--price", "77.00");
    await partner.waitForRequests(3);

    const pid = await podman("inspect", "--format", "{{.State.Pid}}", "daemon");
    const identity = readFileSync(`/proc/${pid}/status`, "utf8");
    expect(identity).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    await podman("kill", "--signal", "TERM", "daemon");
    expect(await daemon.waitForExit(MINUTE_MS)).toMatchObject({ code: 0 });
  },
  10 * MINUTE_MS,
);

/**
 * Makes an image of the Caddy of this machine, because tests of a release do not use Docker Hub.
 */
async function importCaddy(env: NodeJS.ProcessEnv, name: string): Promise<void> {
  const program = execFileSync("which", ["caddy"], { encoding: "utf8" }).trim();
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
  const archive = join(createTempFolder(), "caddy.tar");
  const files = [program, ...libraries];
  execFileSync("tar", ["--dereference", "-cf", archive, ...files], { stdio: "ignore" });
  const variables = ["PATH=/usr/bin", "XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/config"];
  const changes = variables.map((text) => `--change=ENV ${text}`);
  await createRunner("podman", env)("import", "--quiet", ...changes, archive, name);
}

test.runIf(IS_RELEASE_TEST)(
  "compose.yaml of the guide serves the API over HTTPS",
  async () => {
    const env = createPodman();
    const podman = createRunner("podman", env);
    await loadImage(env, "amd64");
    await importCaddy(env, "docker.io/library/caddy:2");
    const folder = join(createTempFolder(), "deskbell-compose");
    mkdirSync(folder);
    const port = await findFreePort();
    const text = blockOf("install", "yaml")
      .replace('"80:80", "443:443"', `"127.0.0.1:${port}:443"`)
      // Caddy issues the certificate itself instead of getting one from Let's Encrypt.
      .replace("caddy reverse-proxy", "caddy reverse-proxy --internal-certs");
    expect(text).toContain(`127.0.0.1:${port}:443`);
    writeFileSync(join(folder, "compose.yaml"), text);
    const compose = createRunner("podman-compose", env, folder);
    onTestFinished(async () => {
      await compose("down");
      await podman("network", "rm", "deskbell-compose_default");
    });
    await compose("up", "--detach");

    const { get } = createClient(port);
    await expect
      .poll(async () => (await get("/readyz")).body, { timeout: MINUTE_MS })
      .toBe('{"status":"ready"}');
    await compose("exec", "-T", "deskbell", "deskbell", "seed", "salon");
    const create = ["deskbell", "keys", "create", "--name", "site", "--scope", "services.read"];
    const key = await podman("exec", "deskbell-compose_deskbell_1", ...create);
    const services = await get("/v1/businesses/salon-aurora/services", {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(services.status).toBe(200);
    const { stderr } = await promisify(execFile)(
      "podman",
      ["logs", "deskbell-compose_deskbell_1"],
      { env },
    );
    expect(stderr).toContain('"serving"');
    expect(stderr).not.toContain("X-Forwarded-For");
  },
  5 * MINUTE_MS,
);
