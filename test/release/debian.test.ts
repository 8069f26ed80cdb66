import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { debianFileName, debianPackage } from "../../.config/release/debian.ts";
import { manPage } from "../../.config/release/man-page.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";

const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;
const hasDpkg = has("dpkg-deb");

const OPTIONS = {
  version: "0.2.0",
  architecture: "arm64",
  executable: Buffer.alloc(5000, "x"),
  manPage: "",
  licences: "licences",
  seconds: 1_795_348_800,
} as const;

let page: string;
let folder: string;
let file: string;
beforeAll(async () => {
  page = await manPage("0.2.0", "2026-11-22");
  folder = mkdtempSync(join(tmpdir(), "deskbell-debian-"));
  file = join(folder, debianFileName(OPTIONS));
  writeFileSync(file, await debianPackage({ ...OPTIONS, manPage: page }));
});

afterAll(() => rmSync(folder, { recursive: true }));

const dpkgDeb = (...args: string[]): string =>
  execFileSync("dpkg-deb", args, { encoding: "utf8", cwd: folder });

test.runIf(hasDpkg)("the Debian package has its files with safe owners and modes", () => {
  const lines = dpkgDeb("--contents", file)
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ +/))
    .filter(([mode]) => !mode?.startsWith("d"))
    .map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`);
  expect(lines).toEqual([
    "-rw------- root/root ./etc/deskbell.env",
    "-rwxr-xr-x root/root ./usr/bin/deskbell",
    "-rw-r--r-- root/root ./usr/lib/systemd/system/deskbell.service",
    "-rw-r--r-- root/root ./usr/share/bash-completion/completions/deskbell",
    "-rw-r--r-- root/root ./usr/share/doc/deskbell/README.md",
    "-rw-r--r-- root/root ./usr/share/doc/deskbell/changelog.Debian.gz",
    "-rw-r--r-- root/root ./usr/share/doc/deskbell/changelog.gz",
    "-rw-r--r-- root/root ./usr/share/doc/deskbell/copyright",
    "-rw-r--r-- root/root ./usr/share/doc/deskbell/licenses-of-packages.gz",
    "-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/deskbell.fish",
    "-rw-r--r-- root/root ./usr/share/man/man1/deskbell.1.gz",
    "-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_deskbell",
  ]);
});

test.runIf(hasDpkg)("the Debian control file names what the executable needs", () => {
  expect(dpkgDeb("--field", file, "Package", "Version", "Architecture", "Depends")).toBe(
    `Package: deskbell
Version: 0.2.0-1
Architecture: arm64
Depends: adduser, debconf (>= 0.5) | debconf-2.0, libatomic1, libc6 (>= 2.34), libgcc-s1 (>= 3.0), libstdc++6 (>= 8), procps
`,
  );
  dpkgDeb("--raw-extract", file, "raw");
  for (const script of ["postinst", "prerm", "postrm"])
    execFileSync("sh", ["-n", join(folder, "raw/DEBIAN", script)]);
  execFileSync("md5sum", ["--check", "--quiet", "DEBIAN/md5sums"], { cwd: join(folder, "raw") });
});

test("equal inputs give equal Debian packages", async () => {
  const again = await debianPackage({ ...OPTIONS, manPage: page });
  const before = await debianPackage({ ...OPTIONS, manPage: page });
  expect(again.equals(before)).toBe(true);
});

test("the manual page lists every command, its flags and the exit status", () => {
  // A hyphen is `\-` in roff.
  const text = page.replaceAll("\\-", "-");
  for (const { name } of COMMANDS) expect(text).toMatch(new RegExp(`^\\.SS ${name}\\b`, "m"));
  expect(text).toMatch(/^\\fB--keep-days <.+>\\fR$/m);
  expect(text).toMatch(/^\.SH EXIT STATUS$/m);
});

test.runIf(has("mandoc"))("mandoc finds no mistake in the manual page", () => {
  const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], {
    input: page,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});
