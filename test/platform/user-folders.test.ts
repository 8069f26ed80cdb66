import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listCacheFolders, type Machine, userDataDir } from "../../src/platform/user-folders.ts";
import { createTempFolder } from "../support/cli.ts";

const LINUX: Machine = { platform: "linux", userId: 1000 };
const MACOS: Machine = { platform: "darwin", userId: 501 };
const WINDOWS: Machine = { platform: "win32", userId: undefined };

test.each([
  [LINUX, { HOME: "/home/ann" }, "/home/ann/.local/share/deskbell"],
  [LINUX, { HOME: "/home/ann", XDG_DATA_HOME: "/data" }, "/data/deskbell"],
  [MACOS, { HOME: "/Users/ann" }, "/Users/ann/Library/Application Support/deskbell"],
  [WINDOWS, { HOME: "/ann", LOCALAPPDATA: "/ann/Local" }, "/ann/Local/deskbell/Data"],
  [WINDOWS, { HOME: "/ann" }, "/ann/AppData/Local/deskbell/Data"],
  [{ ...LINUX, userId: 0 }, { HOME: "/root" }, "/var/lib/deskbell"],
  // Commands on a server run as the user of the service, whose home folder is the data folder.
  [LINUX, { HOME: "/var/lib/deskbell" }, "/var/lib/deskbell"],
])("on the machine %o with the environment %o, the data are in %s", (machine, env, folder) => {
  expect(userDataDir(env, machine)).toBe(folder);
});

test.each([MACOS, WINDOWS])("data that an earlier version stored are found on %o", (machine) => {
  const home = createTempFolder();
  const before = join(home, ".local/share/deskbell");
  mkdirSync(before, { recursive: true });
  expect(userDataDir({ HOME: home }, machine)).toBe(before);
});

test.each([
  [LINUX, { HOME: "/home/ann" }, "/home/ann/.cache/deskbell", /\/deskbell-1000$/],
  [MACOS, { HOME: "/Users/ann" }, "/Users/ann/Library/Caches/deskbell", /\/deskbell-501$/],
  [WINDOWS, { HOME: "/ann", LOCALAPPDATA: "/l" }, "/l/deskbell/Cache", /\/deskbell-cache$/],
])("on the machine %o with the environment %o, caches are in %s", (machine, env, own, shared) => {
  expect(listCacheFolders(env, machine)).toEqual([own, expect.stringMatching(shared)]);
});
