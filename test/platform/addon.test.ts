import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { unpackAddon } from "../../src/platform/addon.ts";
import { cacheFolders } from "../../src/config.ts";
import { createTempFolder } from "../support/cli.ts";

const ADDON = Buffer.from("machine code");
const NAME = "5ace2a28c6f40875ef2baac027d8b91a2f65701271c7b43ecbd467664dca9ef0.node";

/** Unpacks the addon and returns its path and the warnings. */
function unpack(...folders: string[]) {
  const warnings: string[] = [];
  return { path: unpackAddon(ADDON, folders, (text) => void warnings.push(text)), warnings };
}

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

test("the addon is unpacked once, to a private file named after its hash", () => {
  const folder = join(createTempFolder(), "made/on the way");
  const first = unpack(folder);
  expect(first).toEqual({ path: join(folder, NAME), warnings: [] });
  expect([modeOf(folder), modeOf(first.path)]).toEqual(["700", "500"]);
  const { ino } = lstatSync(first.path);
  expect(unpack(folder)).toEqual(first);
  expect(lstatSync(first.path).ino).toBe(ino);
  expect(readdirSync(folder)).toEqual([NAME]);
});

test.each([
  ["tampered with", "MACHINE CODE"],
  ["cut short", "mach"],
])("an unpacked addon that was %s is replaced", (_how, content) => {
  const folder = createTempFolder();
  writeFileSync(join(folder, NAME), content, { mode: 0o500 });
  expect(readFileSync(unpack(folder).path)).toEqual(ADDON);
  expect(readdirSync(folder)).toEqual([NAME]);
});

const PROBLEMS: [string, (folder: string) => void][] = [
  ["may be written to by others", (folder) => (mkdirSync(folder), chmodSync(folder, 0o777))],
  [
    "is a symbolic link, which another user can redirect",
    (folder) => symlinkSync(createTempFolder(), folder),
  ],
  ["is a file", (folder) => writeFileSync(folder, "")],
];
const PROBLEMS_OF_ROOT: typeof PROBLEMS = [
  ["belongs to another user", (folder) => (mkdirSync(folder), chownSync(folder, 65_534, 65_534))],
  [
    "would be created in another user's home",
    (folder) => chownSync(dirname(folder), 65_534, 65_534),
  ],
];

test.for([...PROBLEMS, ...(process.getuid?.() === 0 ? PROBLEMS_OF_ROOT : [])])(
  "the addon is unpacked into the next folder, with a warning, if the first one %s",
  ([, spoil]) => {
    const folder = join(createTempFolder(), "cache");
    spoil(folder);
    const next = createTempFolder();
    const { path, warnings } = unpack(folder, next);
    expect(path).toBe(join(next, NAME));
    expect(warnings).toEqual([
      expect.stringContaining(`SQLite was unpacked into ${next}, not into ${folder} (`),
    ]);
    expect(() => unpack(folder)).toThrow(
      expect.objectContaining({
        code: "state_refuses",
        fix: expect.stringContaining("DESKBELL_CACHE_DIR"),
      }),
    );
  },
);

test.each([
  [{ DESKBELL_CACHE_DIR: "/a", CACHE_DIRECTORY: "/b", HOME: "/c" }, ["/a"]],
  [{ CACHE_DIRECTORY: "/b", XDG_CACHE_HOME: "/x", HOME: "/c" }, ["/b"]],
  [{ XDG_CACHE_HOME: "/x", HOME: "/c" }, ["/x/deskbell", expect.stringMatching(/\/deskbell-\d+$/)]],
  [{ HOME: "/c" }, ["/c/.cache/deskbell", expect.stringMatching(/\/deskbell-\d+$/)]],
  [{ HOME: "" }, [join(homedir(), ".cache/deskbell"), expect.stringMatching(/\/deskbell-\d+$/)]],
  [
    { XDG_CACHE_HOME: "relative", HOME: "/c" },
    ["/c/.cache/deskbell", expect.stringMatching(/\/deskbell-\d+$/)],
  ],
])("the environment %o gives the cache folders %o", (env, folders) => {
  expect(cacheFolders(env)).toEqual(folders);
});
