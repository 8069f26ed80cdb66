import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createSbom, packageFolders } from "../../.config/sbom.ts";
import { runProgram, createTempFolder } from "../support/cli.ts";
import { executableProgram } from "../support/program.ts";

const ROOT = resolve(import.meta.dirname, "../..");

test("the SBOM lists every shipped package and Node, and contains nothing of this machine", () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: object;
  };
  const sbom = createSbom();
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  const shipped = Object.keys(dependencies);
  expect(shipped.filter((name) => !names.includes(name))).toEqual([]);
  // Development tools are not shipped.
  expect(names.filter((name) => ["vitest", "oxlint", "typescript"].includes(name))).toEqual([]);
  expect(sbom.components.find(({ name }) => name === "node")).toMatchObject({
    version: process.versions.node,
  });
  expect(sbom.metadata.component.name).toBe("deskbell");
  const text = JSON.stringify(sbom);
  const folders = packageFolders(sbom);
  expect(folders).toHaveLength(sbom.components.length - 1);
  expect(folders.filter((path) => !existsSync(join(ROOT, path, "package.json")))).toEqual([]);
  for (const own of [ROOT, "/tmp", `"${hostname()}"`, `"${userInfo().username}"`])
    expect(text).not.toContain(own);
});

// Set by `npm run test:binary`.
const built = process.env.DESKBELL_PROGRAM;

test.runIf(built !== undefined)(
  "a release has valid checksums, can be unpacked and runs",
  { timeout: 120_000 },
  async () => {
    const folder = createTempFolder();
    execFileSync(process.execPath, [join(ROOT, ".config/release.ts"), built ?? "", folder], {
      cwd: ROOT,
      stdio: "ignore",
    });
    const files = readdirSync(folder);
    expect(files).toEqual([
      "SHA256SUMS",
      expect.stringMatching(/^deskbell-[\d.]+-\w+-\w+\.tar\.gz$/),
      expect.stringMatching(/^deskbell-[\d.]+\.cdx\.json$/),
      expect.stringMatching(/^deskbell-[\d.]+\.tgz$/),
    ]);
    const check = () =>
      spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
        cwd: folder,
        encoding: "utf8",
      });
    expect(check()).toMatchObject({ status: 0, stderr: "" });
    execFileSync("tar", ["-xzf", files[1] ?? ""], { cwd: folder });
    const unpacked = join(folder, (files[1] ?? "").replace(".tar.gz", ""));
    expect(readdirSync(unpacked)).toEqual([
      "LICENSE",
      "LICENSES-OF-PACKAGES",
      "README.md",
      "deskbell",
    ]);
    const program = executableProgram(join(unpacked, "deskbell"));
    expect(
      await runProgram(["seed", "salon", "--data-dir", join(folder, "data")], { program }),
    ).toMatchObject({
      code: 0,
    });
    const bytes = readFileSync(join(unpacked, "deskbell"));
    for (const own of [`${ROOT}/`, "deskbell-build-"]) expect(bytes.includes(own)).toBe(false);
  },
);
