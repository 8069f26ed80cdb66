import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import {
  createSbom,
  nativeComponents,
  packageFolders,
  sbomOf,
  sbomOfClient,
} from "../../.config/release/sbom.ts";
import { lazy } from "../../src/domain/lazy.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const readSbom = lazy(createSbom);

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

test("the SBOM lists each package that is shipped, and nothing of this machine", () => {
  const { dependencies } = readJson("package.json") as { dependencies: object };
  const sbom = readSbom();
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  const shipped = Object.keys(dependencies);
  expect(shipped.filter((name) => !names.includes(name))).toEqual([]);
  // Development tools are not shipped.
  const { packages } = readJson("package-lock.json") as {
    packages: Record<string, { dev?: boolean }>;
  };
  const folders = packageFolders(sbom);
  expect(folders.filter((path) => packages[path]?.dev !== undefined)).toEqual([]);
  expect(sbom.metadata.component.name).toBe("deskbell");
  expect(sbom.metadata.tools.components.map(({ name }) => name)).not.toContain("npm");
  const text = JSON.stringify(sbom);
  expect(folders).toHaveLength(sbom.components.length);
  expect(folders.filter((path) => !existsSync(join(ROOT, path, "package.json")))).toEqual([]);
  for (const own of [ROOT, "/tmp", `"${hostname()}"`, `"${userInfo().username}"`])
    expect(text).not.toContain(own);
});

test("the SBOM of a file has the hash and the additional components of the file", () => {
  const component = { type: "application", name: "deskbell", version: "0.2.0", purl: "pkg:npm/x" };
  const node = { type: "platform", name: "node", version: "26.10.0", purl: "pkg:generic/node" };
  const file = { name: "a.tar.gz", content: Buffer.from("abc"), components: [node] };
  const tools = { components: [] };
  const packages = { metadata: { tools, component }, components: [] };
  expect(JSON.parse(sbomOf(packages, file))).toEqual({
    metadata: {
      tools,
      component: {
        ...component,
        hashes: [{ alg: "SHA-256", content: createHash("sha256").update("abc").digest("hex") }],
        properties: [{ name: "file", value: "a.tar.gz" }],
      },
    },
    components: [node],
  });
});

test("the SBOM lists the libraries in Node and the addon, and the hash of each package", () => {
  const native = nativeComponents(process.versions, "3.54.1");
  const versionsOf = (name: string) =>
    native.filter((component) => component.name === name).map(({ version }) => version);
  for (const name of ["openssl", "v8", "icu", "zlib"])
    expect(versionsOf(name)).toEqual([process.versions[name]]);
  expect(versionsOf("sqlite")).toEqual([process.versions["sqlite"], "3.54.1"]);
  expect(() => nativeComponents({ ...process.versions, openssl: "" }, "3.54.1")).toThrow("openssl");
  const { components } = readSbom();
  // A package that is a part of another one has no hash of its own.
  const { packages } = readJson("package-lock.json") as {
    packages: Record<string, { inBundle?: boolean }>;
  };
  const isPart = (component: (typeof components)[number]) =>
    packageFolders({ components: [component] }).some((path) => packages[path]?.inBundle);
  for (const { hashes } of components.filter((component) => !isPart(component)))
    expect(hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
});

test("the SBOM of the client names the client, and no packages", () => {
  const sbom = readSbom();
  const { metadata, components, dependencies } = sbomOfClient(sbom);
  const { version } = sbom.metadata.component;
  expect([components, dependencies]).toEqual([[], []]);
  expect(metadata.component).toEqual({
    type: "library",
    name: "deskbell-client",
    version,
    purl: `pkg:npm/deskbell-client@${version}`,
  });
});
