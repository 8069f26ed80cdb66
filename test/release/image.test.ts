import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { containerImage } from "../../.config/release/image.ts";
import { createTempFolder } from "../support/cli.ts";

const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** Creates small files at the paths of Debian's libraries. */
function createLibraries(): string {
  const root = createTempFolder();
  const files = ["lib/x86_64-linux-gnu/libc.so.6", "usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30"];
  for (const path of [
    ...files,
    "lib/x86_64-linux-gnu/libnsl.so.1",
    "usr/share/doc/libc6/copyright",
  ]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  mkdirSync(join(root, "lib64"));
  symlinkSync("/lib/x86_64-linux-gnu/ld.so", join(root, "lib64/ld-linux-x86-64.so.2"));
  return root;
}

const OPTIONS = {
  version: "0.2.0",
  architecture: "amd64",
  executable: Buffer.from("executable"),
  addon: Buffer.from("addon"),
  licences: "licences",
  seconds: 1_795_348_800,
} as const;

test("the container image is a valid OCI layout, and its process is neither root nor able to write", async () => {
  const image = await containerImage({ ...OPTIONS, libraries: createLibraries() });
  const folder = createTempFolder();
  execFileSync("tar", ["-x"], { input: image, cwd: folder });
  const readJson = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8"));
  const readBlob = ({ digest, size }: { digest: string; size: number }): Buffer => {
    const blob = readFileSync(join(folder, "blobs", digest.replace(":", "/")));
    expect([`sha256:${sha256(blob)}`, blob.length]).toEqual([digest, size]);
    return blob;
  };
  const [entry] = readJson("index.json").manifests;
  expect(entry.platform).toEqual({ architecture: "amd64", os: "linux" });
  const manifest = JSON.parse(readBlob(entry).toString());
  const config = JSON.parse(readBlob(manifest.config).toString());
  const layers = manifest.layers.map((layer: never) => gunzipSync(readBlob(layer)));
  expect(layers.map((layer: Buffer) => `sha256:${sha256(layer)}`)).toEqual(config.rootfs.diff_ids);
  expect(config.config).toMatchObject({
    User: "10001:10001",
    Entrypoint: ["/usr/bin/deskbell"],
    Volumes: { "/var/lib/deskbell": {} },
    Healthcheck: { Test: ["CMD", "deskbell", "status", "--severity", "critical"] },
  });
  expect(readJson("manifest.json")[0].RepoTags).toEqual(["deskbell:0.2.0"]);

  const files = layers.flatMap((input: Buffer) =>
    execFileSync("tar", ["-tv", "--numeric-owner"], { input, encoding: "utf8" }).trim().split("\n"),
  );
  const writable = files.filter((line: string) => /^[^l].{7}w|^[^l].{4}w/.test(line));
  expect(writable.map((line: string) => line.replace(/ +.* /, " "))).toEqual(["drwxrwxrwt tmp/"]);
  const owned = files.filter((line: string) => !line.includes(" 0/0 "));
  expect(owned).toEqual([
    expect.stringMatching(/^drwx------ 10001\/10001 .* var\/lib\/deskbell\/$/),
  ]);
  const names = files.map((line: string) => line.replace(/^.*?\d\d:\d\d /, ""));
  expect(names).toContain("usr/lib64/ld-linux-x86-64.so.2 -> /lib/x86_64-linux-gnu/ld.so");
  expect(names).toContain("usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30");
  // The executable looks for its addon under this name.
  expect(names).toContain(`usr/lib/deskbell/${sha256(OPTIONS.addon)}.node`);
  expect(names.join()).not.toContain("libnsl");
});

test("equal inputs give equal container images", async () => {
  const libraries = createLibraries();
  const [one, two] = [
    await containerImage({ ...OPTIONS, libraries }),
    await containerImage({ ...OPTIONS, libraries }),
  ];
  expect(one.equals(two)).toBe(true);
});
