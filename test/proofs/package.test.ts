import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packForNpm } from "../../.config/release/npm-package.ts";
import { runProgram, startProgram, createTempFolder } from "../support/cli.ts";
import { waitForUrl } from "../support/daemon.ts";
import { chooseScale } from "../support/scale.ts";
import { patient } from "../support/patience.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FROM_REGISTRY = chooseScale(0, 1) === 1;

const folders = mkdtempSync(join(tmpdir(), "deskbell-package-"));
afterAll(() => rmSync(folders, { recursive: true }));

let tarball = "";
beforeAll(() => void (tarball = pack()), 120_000);

/** Packs the built checkout with npm, beside other build output that must not be included. */
function pack(): string {
  const [checkout, folder] = [join(folders, "checkout"), join(folders, "package")];
  for (const path of [checkout, folder]) mkdirSync(path);
  for (const path of ["package.json", "README.md", "LICENSE", "bin", "data", "dist", "src"])
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
  for (const path of ["deskbell", "main.js.map", ".leftover"])
    writeFileSync(join(checkout, "dist", path), "");
  return packForNpm(checkout, folder);
}

/** Installs the package from the registry, or, without network, with the checkout's packages. */
function install(): { folder: string; bin: string } {
  const prefix = createTempFolder();
  if (FROM_REGISTRY) {
    execFileSync("npm", ["install", "--global", "--prefix", prefix, tarball], { stdio: "ignore" });
    return { folder: join(prefix, "lib/node_modules/deskbell"), bin: join(prefix, "bin/deskbell") };
  }
  execFileSync("tar", ["-xzf", tarball, "-C", prefix]);
  const folder = join(prefix, "package");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, bin: join(folder, "bin/deskbell.js") };
}

test(
  "the npm package contains only what is needed to run",
  () => {
    const { folder } = install();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (path) => !path.startsWith("node_modules") && statSync(join(folder, path)).isFile(),
    );
    const IS_MEANT =
      /^(LICENSE|README\.md|package\.json|bin\/deskbell\.js|data\/.+|src\/store\/migrations\/\d{4}_\w+\.sql)$|^dist\/([\w-]+\.js|docs\/.+|pages\/[\w.-]+\.(?:css|js)|(?:openapi|schema)\.json)$/;
    expect(files.filter((path) => !IS_MEANT.test(path))).toEqual([]);
    expect(files.length).toBeGreaterThan(50);
  },
  patient(120_000),
);

test(
  "the npm package has no scripts, so that its installation warns about none",
  () => {
    const { folder } = install();
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    expect(manifest).toHaveProperty("bin");
    expect(manifest).not.toHaveProperty("scripts");
  },
  patient(120_000),
);

test(
  "the installed package runs, including the delivery thread",
  async () => {
    const { bin } = install();
    const program = { command: [process.execPath, bin], isStandalone: true } as const;
    const dataDir = join(createTempFolder(), "data");
    expect(await runProgram(["seed", "salon", "--data-dir", dataDir], { program })).toMatchObject({
      code: 0,
    });
    const daemon = startProgram(
      ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir],
      {
        program,
      },
    );
    expect(
      (await fetch(`${await waitForUrl(daemon)}/v1/businesses/salon-aurora/services`)).status,
    ).toBe(401);
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  },
  patient(120_000),
);
