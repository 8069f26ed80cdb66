import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listSegments } from "../../.config/executable.ts";
import { createReceiver } from "../support/receiver.ts";
import { runProgram, startProgram } from "../support/cli.ts";
import { waitForUrl } from "../support/daemon.ts";
import { chooseScale } from "../support/scale.ts";

// A release takes minutes to build, so these tests run with `npm run test:release` only, as root, on
// Linux x64. The other files of this folder have what runs in every `npm test`.

const ROOT = resolve(import.meta.dirname, "../..");
const IS_FULL =
  chooseScale(false, true) &&
  process.platform === "linux" &&
  process.arch === "x64" &&
  process.getuid?.() === 0;
const hasDebian = spawnSync("mmdebstrap", ["--version"]).error === undefined;
const MINUTE = 60_000;

const folder = mkdtempSync(join(tmpdir(), "deskbell-release-test-"));
const copy = join(folder, "copy");
const release = join(folder, "release");

function buildRelease(root: string, out: string, ...targets: string[]): void {
  execFileSync(process.execPath, [join(root, ".config/release/release.ts"), out, ...targets], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Returns the path of the file of the release whose name matches. */
const find = (pattern: string): string => {
  const [path] = globSync(pattern, { cwd: release });
  if (path === undefined) throw new Error(`The release has no file ${pattern}.`);
  return join(release, path);
};

beforeAll(() => {
  if (!IS_FULL) return;
  execFileSync("cp", ["--archive", ROOT, copy]);
  buildRelease(ROOT, release);
}, 15 * MINUTE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.runIf(IS_FULL)(
  "two builds of a commit in different folders give the same files",
  () => {
    execFileSync("npm", ["run", "build"], { cwd: copy, stdio: "ignore" });
    const again = join(folder, "again");
    buildRelease(copy, again);
    const read = (name: string) => readFileSync(join(name, "SHA256SUMS"), "utf8");
    expect(read(again)).toBe(read(release));
    expect(readdirSync(release).filter((name) => !name.endsWith(".cdx.json"))).toHaveLength(9);
    rmSync(again, { recursive: true });
  },
  15 * MINUTE,
);

test.runIf(IS_FULL)(
  "the files have valid checksums, and nothing of this machine",
  () => {
    const check = ["--check", "--strict", "SHA256SUMS"];
    const { status, stderr } = spawnSync("sha256sum", check, { cwd: release, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const archive = find("*-linux-x64.tar.gz");
    execFileSync("tar", ["-xzf", archive, "-C", folder]);
    const unpacked = join(folder, basename(archive, ".tar.gz"));
    expect(readdirSync(unpacked)).toEqual([
      "LICENSE",
      "LICENSES-OF-PACKAGES",
      "README.md",
      "deskbell",
    ]);
    const bytes = readFileSync(join(unpacked, "deskbell"));
    for (const own of [`${ROOT}/`, "deskbell-build-"]) expect(bytes.includes(own)).toBe(false);
  },
  MINUTE,
);

test.runIf(IS_FULL)(
  "the executable for arm64 can be loaded with pages of 4, 16 and 64 KB",
  () => {
    const archive = find("*-linux-arm64.tar.gz");
    const file = `${basename(archive, ".tar.gz")}/deskbell`;
    const options = { maxBuffer: 1e9 };
    const bytes = execFileSync("tar", ["-xzf", archive, "--to-stdout", file], options);
    const loaded = listSegments(bytes)
      .filter(({ type }) => type === 1)
      .sort((a, b) => a.address - b.address);
    expect(loaded.length).toBeGreaterThan(4);
    for (const page of [4096, 16_384, 65_536]) {
      const shifted = loaded.filter(({ offset, address }) => (address - offset) % page !== 0);
      const shared = loaded.filter(({ address, size }, i) => {
        const next = loaded[i + 1]?.address ?? Infinity;
        return Math.floor((address + size - 1) / page) >= Math.floor(next / page);
      });
      expect({ page, shifted, shared }).toEqual({ page, shifted: [], shared: [] });
    }
  },
  MINUTE,
);

/** Builds a package of the next version, which adds a table. */
function buildNextVersion(): string {
  const migrations = join(copy, "src/store/migrations");
  const number = String(readdirSync(migrations).length + 1).padStart(4, "0");
  const sql = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n";
  writeFileSync(join(migrations, `${number}_later.sql`), sql);
  const manifest = join(copy, "package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, text.replace(/"version": "[^"]+"/, '"version": "99.0.0"'));
  const out = join(folder, "next");
  buildRelease(copy, out, "linux-x64");
  return join(out, "deskbell_99.0.0-1_amd64.deb");
}

/** Runs a command with a root folder and a network of its own. */
const inRoot = (root: string, command: string): string[] => [
  "--mount",
  "--pid",
  "--net",
  "--fork",
  "--kill-child",
  "sh",
  "-c",
  `ip link set lo up; mount --rbind /dev "${root}/dev"; mount -t proc proc "${root}/proc"
   exec chroot "${root}" ${command}`,
];

test.runIf(IS_FULL && hasDebian)(
  "the Debian package is installed, upgraded, rolled back, removed and purged",
  () => {
    const root = join(folder, "debian");
    const packages = "adduser,debconf,libatomic1,libstdc++6";
    execFileSync("mmdebstrap", ["--variant=minbase", `--include=${packages}`, "bookworm", root], {
      stdio: "ignore",
    });
    copyFileSync(find("deskbell_*_amd64.deb"), join(root, "tmp/this.deb"));
    copyFileSync(buildNextVersion(), join(root, "tmp/next.deb"));
    const script = readFileSync(join(ROOT, "test/support/debian-lifecycle.sh"), "utf8");
    writeFileSync(join(root, "tmp/lifecycle.sh"), script);
    const command = "sh /tmp/lifecycle.sh /tmp/this.deb /tmp/next.deb";
    const { stdout } = spawnSync("unshare", inRoot(root, command), { encoding: "utf8" });
    expect(stdout.trimEnd().split("\n").at(-1), stdout).toBe("done");
  },
  15 * MINUTE,
);

/** Unpacks the layers of an image. Returns its root folder and configuration. */
function unpackImage(archive: string) {
  const [image, root] = [join(folder, "image"), join(folder, "container")];
  for (const path of [image, root]) mkdirSync(path);
  execFileSync("tar", ["-xf", archive, "-C", image]);
  const [{ Config, Layers }] = JSON.parse(readFileSync(join(image, "manifest.json"), "utf8"));
  for (const layer of Layers)
    execFileSync("tar", ["-xzf", join(image, layer), "-C", root, "--same-owner"]);
  const { config } = JSON.parse(readFileSync(join(image, Config), "utf8"));
  return { root, config };
}

test.runIf(IS_FULL)(
  "the image does the main job on a read-only file system without root, and stops on SIGTERM",
  async () => {
    const { root, config } = unpackImage(find("*-oci-amd64.tar"));
    const environment = [...config.Env, "DESKBELL_HOST=127.0.0.1", "DESKBELL_PORT=0"].join(" ");
    const mounts = `mount --bind "${root}" "${root}"; mount --bind "${root}/var/lib/deskbell" "${root}/var/lib/deskbell"
      mount -o remount,bind,ro "${root}"; mount -t proc proc "${root}/proc"; mount --bind /dev "${root}/dev"`;
    const start = `exec env -i ${environment} $(command -v chroot) --userspec=${config.User} "${root}" ${config.Entrypoint}`;
    const program = (...options: string[]) => {
      const script = `${mounts}\n${start} "$@"`;
      const command = ["unshare", "--mount", ...options, "sh", "-c", script, "sh"] as const;
      return { command, isStandalone: false } as const;
    };
    const deskbell = async (...args: string[]): Promise<string> => {
      const ran = await runProgram(args, { program: program() });
      expect(ran).toMatchObject({ code: 0 });
      return ran.stdout.trim();
    };
    await deskbell("seed", "salon");
    const partner = await createReceiver();
    const subscription = ["--name", "site", "--url", partner.url, "--event", "all"];
    await deskbell("webhooks", "create", ...subscription, "--allow-private");
    const key = await deskbell("keys", "create", "--name", "site", "--scope", "services.read");

    // As process 1 of its namespace, which ignores signals that it does not handle.
    const daemon = startProgram(config.Cmd, { program: program("--pid", "--fork") });
    const url = await waitForUrl(daemon);
    const services = await fetch(`${url}/v1/businesses/salon-aurora/services`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(services.status).toBe(200);
    const [, , ...check] = config.Healthcheck.Test;
    await deskbell(...check);
    await deskbell("services", "update", "beard-trim", "--price", "77.00");
    await partner.waitForRequests(3);

    const [pid] = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8").split(
      " ",
    );
    const identity = readFileSync(`/proc/${pid}/status`, "utf8");
    expect(identity).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    process.kill(Number(pid), "SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  },
  5 * MINUTE,
);
