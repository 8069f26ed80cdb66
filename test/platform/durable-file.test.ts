import type * as nodeFs from "node:fs";
import {
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  appendDurably,
  copyDurably,
  createDurably,
  followLink,
  replaceDurably,
  syncFolder,
} from "../../src/platform/durable-file.ts";
import { createTempFolder } from "../support/cli.ts";
import { canMount, mountSmallDisk } from "../support/small-disk.ts";

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  const spied = { openSync: vi.fn(fs.openSync), fsyncSync: vi.fn(fs.fsyncSync) };
  return { ...fs, ...spied, renameSync: vi.fn(fs.renameSync) };
});

/**
 * Returns the path of each file or folder that was synced, and the position of that sync among all
 * calls of mocks.
 */
function listSynced(): { path: string; order: number }[] {
  const opened = vi.mocked(openSync).mock;
  const synced = vi.mocked(fsyncSync).mock;
  return synced.calls.map(([file], i) => {
    const order = synced.invocationCallOrder[i]!;
    const at = opened.results.findLastIndex(
      ({ value }, n) => value === file && opened.invocationCallOrder[n]! < order,
    );
    return { path: String(opened.calls[at]![0]), order };
  });
}

test("a replaced file survives a power cut: its folder is synced after the rename", () => {
  const path = join(realpathSync(createTempFolder()), "epoch-1");
  replaceDurably(path, "old");
  vi.clearAllMocks();
  replaceDurably(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  const [renamed = Infinity] = vi.mocked(renameSync).mock.invocationCallOrder;
  expect(listSynced()).toEqual([
    {
      path: expect.stringContaining(`${path}.draft-`),
      order: expect.toSatisfy((order) => order < renamed),
    },
    { path: dirname(path), order: expect.toSatisfy((order) => order > renamed) },
  ]);
});

test("two processes can replace a file at the same time, and leave no draft", () => {
  const folder = createTempFolder();
  const path = join(folder, "epoch-1");
  const real = vi.mocked(renameSync).getMockImplementation()!;
  vi.mocked(renameSync).mockImplementationOnce((from, to) => {
    replaceDurably(path, "theirs");
    real(from, to);
  });
  replaceDurably(path, "ours");
  expect(readFileSync(path, "utf8")).toBe("ours");
  vi.mocked(renameSync).mockImplementationOnce(() => {
    throw new Error("EIO");
  });
  expect(() => replaceDurably(path, "new")).toThrow("EIO");
  expect(readdirSync(folder)).toEqual(["epoch-1"]);
});

test("a network file system that cannot sync a folder does not fail the replacement", () => {
  const path = join(createTempFolder(), "epoch-1");
  const real = vi.mocked(fsyncSync).getMockImplementation()!;
  vi.mocked(fsyncSync).mockImplementationOnce(real);
  vi.mocked(fsyncSync).mockImplementationOnce(() => {
    throw Object.assign(new Error("EINVAL: invalid argument, fsync"), { code: "EINVAL" });
  });
  replaceDurably(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("a folder is flushed, except on Windows, which cannot do so", () => {
  expect(() => syncFolder("/no/such/folder", "linux")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "darwin")).toThrow(/ENOENT/);
  expect(() => syncFolder("/no/such/folder", "win32")).not.toThrow();
  expect(() => syncFolder(import.meta.dirname)).not.toThrow();
});

test("a file whose content cannot be stored is not left behind empty", () => {
  const path = join(createTempFolder(), "epoch-1");
  vi.mocked(fsyncSync).mockImplementationOnce(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, fsync"), { code: "ENOSPC" });
  });
  expect(() => createDurably(path, "taken over")).toThrow("no space left");
  expect(existsSync(path)).toBe(false);
  createDurably(path, "taken over");
  expect(readFileSync(path, "utf8")).toBe("taken over");
});

test("an error while writing to an open file names the file", () => {
  expect(() => appendDurably("/dev/full", "x")).toThrow(
    expect.objectContaining({ code: "ENOSPC", path: "/dev/full" }),
  );
});

test.skipIf(!canMount())("an error of a full disk names the file that was written", async () => {
  const disk = mountSmallDisk(1);
  const source = join(createTempFolder(), "source");
  writeFileSync(source, Buffer.alloc(2_000_000));
  const text = "x".repeat(2_000_000);
  for (const write of [createDurably, replaceDurably, appendDurably]) {
    const path = join(disk.folder, write.name);
    expect(() => write(path, text)).toThrow(
      expect.objectContaining({ code: "ENOSPC", path: expect.stringContaining(path) }),
    );
    // `appendDurably` keeps the lines that were appended before, so its file stays. The other
    // functions leave no file.
    expect([write.name, existsSync(path)]).toEqual([write.name, write === appendDurably]);
    rmSync(path, { force: true });
  }
  const copy = join(disk.folder, "copy");
  await expect(copyDurably(source, copy)).rejects.toMatchObject({ code: "ENOSPC", path: copy });
});

test("a link leads to its last file, also if that does not exist yet, and a path that is no link to itself", () => {
  const folder = realpathSync(createTempFolder());
  const at = (name: string) => join(folder, name);
  symlinkSync("middle", at("link"));
  symlinkSync(at("end"), at("middle"));
  expect(followLink(at("link"))).toBe(at("end"));
  writeFileSync(at("end"), "");
  expect(followLink(at("link"))).toBe(at("end"));
  symlinkSync(folder, at("folder"));
  for (const path of [at("folder/end"), at("missing"), at("end/below")])
    expect(followLink(path)).toBe(path);
  symlinkSync("loop", at("loop"));
  expect(() => followLink(at("loop"))).toThrow("ELOOP");
});
