import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listSegments } from "../../.config/executable.ts";
import {
  buildReleaseElsewhere,
  cloneCheckout,
  findArtifact,
  IS_RELEASE_TEST,
  MINUTE_MS,
  RELEASE,
} from "../support/release.ts";

// `npm run test:release` builds a release, which takes minutes, and runs the tests of its files.
// Other tests of this folder run in every `npm test`.

const ROOT = resolve(import.meta.dirname, "../..");
let folder: string;
let checkout: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "deskbell-release-test-"));
  checkout = join(folder, "checkout");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 5 * MINUTE_MS);

test.runIf(IS_RELEASE_TEST)(
  "two builds of a commit with other folders, umasks, time zones and languages give the same files",
  () => {
    cloneCheckout(checkout, "077");
    // Files of an earlier build must not get into the release.
    mkdirSync(join(checkout, "dist"));
    for (const name of ["earlier.js", ".earlier"]) writeFileSync(join(checkout, "dist", name), "");
    const again = join(folder, "again");
    buildReleaseElsewhere(checkout, again);
    const read = (name: string) => readFileSync(join(name, "SHA256SUMS"), "utf8");
    expect(read(again)).toBe(read(RELEASE));
    expect(readdirSync(RELEASE).filter((name) => !name.endsWith(".cdx.json"))).toHaveLength(10);
  },
  15 * MINUTE_MS,
);

test.runIf(IS_RELEASE_TEST)("a release of a checkout with uncommitted changes is refused", () => {
  writeFileSync(join(checkout, "data/draft.md"), "");
  const args = [join(checkout, ".config/release/release.ts"), join(folder, "changed")];
  const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toContain("these files are not in it:\n?? data/draft.md");
});

test.runIf(IS_RELEASE_TEST)(
  "the files of a release have valid checksums, and contain no path of this machine",
  () => {
    const check = ["--check", "--strict", "SHA256SUMS"];
    const { status, stderr } = spawnSync("sha256sum", check, { cwd: RELEASE, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const archive = findArtifact("*-linux-x64.tar.gz");
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
  MINUTE_MS,
);

test.runIf(IS_RELEASE_TEST)(
  "the executable for arm64 can be loaded with pages of 4, 16 and 64 KB",
  () => {
    const archive = findArtifact("*-linux-arm64.tar.gz");
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
  MINUTE_MS,
);
