import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createSbom, packageFolders, sbomOf } from "../../.config/release/sbom.ts";

const ROOT = resolve(import.meta.dirname, "../..");

test("the SBOM lists every shipped package, and contains nothing of this machine", () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: object;
  };
  const sbom = createSbom();
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  const shipped = Object.keys(dependencies);
  expect(shipped.filter((name) => !names.includes(name))).toEqual([]);
  // Development tools are not shipped.
  expect(names.filter((name) => ["vitest", "oxlint", "typescript"].includes(name))).toEqual([]);
  expect(sbom.metadata.component.name).toBe("deskbell");
  const text = JSON.stringify(sbom);
  const folders = packageFolders(sbom);
  expect(folders).toHaveLength(sbom.components.length);
  expect(folders.filter((path) => !existsSync(join(ROOT, path, "package.json")))).toEqual([]);
  for (const own of [ROOT, "/tmp", `"${hostname()}"`, `"${userInfo().username}"`])
    expect(text).not.toContain(own);
});

test("the SBOM of a file has the file's hash and its other components", () => {
  const component = { type: "application", name: "deskbell", version: "0.2.0", purl: "pkg:npm/x" };
  const node = { type: "platform", name: "node", version: "26.10.0", purl: "pkg:generic/node" };
  const file = { name: "a.tar.gz", content: Buffer.from("abc"), components: [node] };
  expect(JSON.parse(sbomOf({ metadata: { component }, components: [] }, file))).toEqual({
    metadata: {
      component: {
        ...component,
        hashes: [{ alg: "SHA-256", content: createHash("sha256").update("abc").digest("hex") }],
        properties: [{ name: "file", value: "a.tar.gz" }],
      },
    },
    components: [node],
  });
});
