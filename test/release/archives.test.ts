import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ar, type Entry, gzip, tar, zip } from "../../.config/release/archives.ts";
import { createTempFolder } from "../support/cli.ts";

const SECONDS = Date.UTC(2026, 10, 22, 12) / 1000;
const ENTRIES: Entry[] = [
  { path: "b/run", content: "#!/bin/sh\n", mode: 0o755 },
  { path: "b/data", mode: 0o700, owner: 10_001 },
  { path: "a.txt", content: "é".repeat(300) },
  { path: "b/link", link: "run" },
];

test("a tar archive is sorted and has fixed owners, modes and times", () => {
  const list = spawnSync("tar", ["-tv", "--utc", "--numeric-owner"], {
    input: tar(ENTRIES, SECONDS, "./"),
    encoding: "utf8",
  });
  expect(list.stderr).toBe("");
  expect(list.stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "-rw-r--r-- 0/0 600 2026-11-22 12:00 ./a.txt",
    "drwxr-xr-x 0/0 0 2026-11-22 12:00 ./b/",
    "drwx------ 10001/10001 0 2026-11-22 12:00 ./b/data/",
    "lrwxrwxrwx 0/0 0 2026-11-22 12:00 ./b/link -> run",
    "-rwxr-xr-x 0/0 10 2026-11-22 12:00 ./b/run",
    "",
  ]);
});

test("tar and zip archives do not depend on the order of their entries", async () => {
  const [files, reversed] = [ENTRIES.slice(0, 1), ENTRIES.slice(0, 1)];
  files.push({ path: "a", content: "a" });
  reversed.unshift({ path: "a", content: "a" });
  expect(tar(files, SECONDS).equals(tar(reversed, SECONDS))).toBe(true);
  expect((await zip(files, SECONDS)).equals(await zip(reversed, SECONDS))).toBe(true);
  expect((await gzip("x")).equals(await gzip("x"))).toBe(true);
});

test("a path that is too long for tar is rejected", () => {
  expect(() => tar([{ path: "x".repeat(101), content: "" }], SECONDS)).toThrow(/too long/);
});

const hasReaders = ["python3", "ar"].every(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);
test.runIf(hasReaders)("Python reads the zip archive, and binutils the ar archive", async () => {
  const folder = createTempFolder();
  const content = "text ".repeat(100);
  writeFileSync(join(folder, "a.zip"), await zip([{ path: "in/é.txt", content }], SECONDS));
  const read =
    "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); i=z.infolist()[0]; print(i.filename, i.date_time, z.read(i).decode())";
  const zipped = spawnSync("python3", ["-c", read, join(folder, "a.zip")], { encoding: "utf8" });
  expect(zipped.stdout).toBe(`in/é.txt (2026, 11, 22, 12, 0, 0) ${content}\n`);
  const members = [
    { name: "odd", content: Buffer.from("123") },
    { name: "even", content: Buffer.from("1234") },
  ];
  writeFileSync(join(folder, "a.ar"), ar(members, SECONDS));
  const list = spawnSync("ar", ["p", join(folder, "a.ar")], { encoding: "utf8" });
  expect(list.stdout).toBe("1231234");
});
