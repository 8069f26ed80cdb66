import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packForNpm } from "../../.config/release/npm-package.ts";
import { createTempFolder } from "../support/cli.ts";

/** Packs a small checkout whose files and folders have these modes. */
function pack(fileMode: number, folderMode: number): string {
  const [checkout, out] = [createTempFolder(), createTempFolder()];
  const manifest = { name: "small", version: "1.0.0", bin: "bin/small.js", scripts: { a: "b" } };
  mkdirSync(join(checkout, "bin"));
  writeFileSync(join(checkout, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(checkout, "bin/small.js"), "");
  writeFileSync(join(checkout, "text.md"), "");
  for (const name of ["package.json", "bin/small.js", "text.md"])
    chmodSync(join(checkout, name), fileMode);
  chmodSync(join(checkout, "bin"), folderMode);
  return packForNpm(checkout, out);
}

test(
  "an npm package has the same bytes and modes, whatever the modes in the checkout are",
  { timeout: 60_000 },
  () => {
    const [private_, shared] = [pack(0o600, 0o700), pack(0o664, 0o775)];
    expect(readFileSync(private_).equals(readFileSync(shared))).toBe(true);
    const list = execFileSync("tar", ["-tvzf", shared], { encoding: "utf8" });
    expect(list.split("\n").map((line) => [line.slice(0, 10), line.split("/").at(-1)])).toEqual(
      expect.arrayContaining([
        ["-rwxr-xr-x", "small.js"],
        ["-rw-r--r--", "text.md"],
      ]),
    );
  },
);
