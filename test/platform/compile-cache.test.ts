import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempFolder, runProgram } from "../support/cli.ts";

const OTHER_USER = { uid: 65_534, gid: 65_534 };

/** Runs the program once with its own home and temporary folder, and lists both afterwards. */
async function run(user: { uid: number; gid: number }, prepare?: (home: string) => void) {
  const [home, temp] = [createTempFolder(), createTempFolder()];
  prepare?.(home);
  for (const folder of [home, temp]) chownSync(folder, user.uid, user.gid);
  const unset = { XDG_CACHE_HOME: "", DESKBELL_CACHE_DIR: "", NODE_COMPILE_CACHE: "" };
  const env = { HOME: home, TMPDIR: temp, ...unset };
  expect(await runProgram(["--version"], { ...user, env })).toMatchObject({ code: 0 });
  const list = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });
  return { home: list(home), temp: list(temp) };
}

// Running as other users requires root.
describe.skipIf(process.getuid?.() !== 0)("the compile cache", () => {
  test("the compile cache is never in the shared temporary folder, where others can plant code", async () => {
    expect((await run(OTHER_USER)).temp).toEqual([]);
    expect(await run({ uid: 0, gid: 0 })).toEqual({ home: [], temp: [] });
  });

  test("the compile cache is in the user's own cache folder", async () => {
    const { home } = await run(OTHER_USER);
    expect(
      home.filter((path) => path.startsWith(".cache/deskbell/compiled/")).length,
    ).toBeGreaterThan(1);
  });

  test.each<[string, (folder: string) => void]>([
    ["belongs to another user", (folder) => chownSync(folder, 1, 1)],
    ["can be written to by others", (folder) => chmodSync(folder, 0o777)],
  ])("the compile cache is off if its folder %s", async (_why, spoil) => {
    const { home, temp } = await run(OTHER_USER, (folder) => {
      const compiled = join(folder, ".cache/deskbell/compiled");
      mkdirSync(compiled, { recursive: true });
      for (const path of [".cache", ".cache/deskbell", ".cache/deskbell/compiled"])
        chownSync(join(folder, path), OTHER_USER.uid, OTHER_USER.gid);
      spoil(compiled);
    });
    expect({ home: home.sort(), temp }).toEqual({
      home: [".cache", ".cache/deskbell", ".cache/deskbell/compiled"],
      temp: [],
    });
  });
});
