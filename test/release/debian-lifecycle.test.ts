import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  buildRelease,
  cloneCheckout,
  emulateArm64,
  findArtifact,
  IS_RELEASE_TEST,
  MINUTE_MS,
} from "../support/release.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "deskbell-debian-lifecycle-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 5 * MINUTE_MS);

/** Builds a package of a later version, which adds a table, and returns its path. */
function buildNextVersion(): string {
  const checkout = join(folder, "next");
  cloneCheckout(checkout);
  const migrations = join(checkout, "src/store/migrations");
  const number = String(readdirSync(migrations).length + 1).padStart(4, "0");
  const sql = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n";
  writeFileSync(join(migrations, `${number}_later.sql`), sql);
  const manifest = join(checkout, "package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, text.replace(/"version": "[^"]+"/, '"version": "99.0.0"'));
  const author = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  execFileSync("git", ["add", "--all"], { cwd: checkout });
  execFileSync("git", [...author, "commit", "--quiet", "--message=99"], { cwd: checkout });
  buildRelease(checkout, join(checkout, "release"), "linux-x64");
  return join(checkout, "release/deskbell_99.0.0-1_amd64.deb");
}

/** Installs a small Debian system with the packages that deskbell needs, and returns its folder. */
function createDebian(architecture: "amd64" | "arm64", ...others: string[]): string {
  const root = join(folder, architecture);
  const packages = ["adduser", "debconf", "libatomic1", "libstdc++6", "procps", ...others].join();
  const options = [`--architectures=${architecture}`, "--variant=minbase", `--include=${packages}`];
  execFileSync("mmdebstrap", ["--quiet", ...options, "bookworm", root], { stdio: "inherit" });
  return root;
}

/** Runs a shell script with a root folder and a network of its own, and returns what it printed. */
function runInRoot(root: string, script: string): string {
  writeFileSync(join(root, "tmp/script"), script);
  const start = `ip link set lo up; mount --rbind /dev "${root}/dev"; mount -t proc proc "${root}/proc"
   exec chroot "${root}" sh /tmp/script /tmp/this.deb /tmp/next.deb`;
  const namespaces = ["--mount", "--pid", "--net", "--fork", "--kill-child"];
  return spawnSync("unshare", [...namespaces, "sh", "-c", start], { encoding: "utf8" }).stdout;
}

test.runIf(IS_RELEASE_TEST)(
  "the Debian package can be installed, upgraded, rolled back, removed and purged",
  () => {
    const root = createDebian("amd64", "systemd");
    copyFileSync(findArtifact("deskbell_*_amd64.deb"), join(root, "tmp/this.deb"));
    copyFileSync(buildNextVersion(), join(root, "tmp/next.deb"));
    const script = readFileSync(join(import.meta.dirname, "debian-lifecycle.sh"), "utf8");
    const output = runInRoot(root, script);
    expect(output.trimEnd().split("\n").at(-1), output).toBe("done");
  },
  15 * MINUTE_MS,
);

test.runIf(IS_RELEASE_TEST)(
  "the Debian package for arm64, emulated, can be installed, run and purged, and the data remain",
  () => {
    emulateArm64();
    const root = createDebian("arm64");
    copyFileSync(findArtifact("deskbell_*_arm64.deb"), join(root, "tmp/this.deb"));
    const output = runInRoot(
      root,
      `set -e
       exec 2>&1
       apt-get install -q -y /tmp/this.deb
       runuser -u deskbell -- deskbell seed salon
       runuser -u deskbell -- deskbell businesses list
       apt-get purge -q -y deskbell
       test -e /var/lib/deskbell/deskbell.db
       echo done`,
    );
    expect(output).toContain("salon-aurora");
    expect(output.trimEnd().split("\n").at(-1), output).toBe("done");
  },
  15 * MINUTE_MS,
);
