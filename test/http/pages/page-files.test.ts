import { expect, test, vi } from "vitest";
import { findPageFile, pathOfLaterScript } from "../../../src/http/pages/page-files.ts";
import type { PageRequest } from "../../../src/http/pages/page-request.ts";

// The feature of these tests has no pages, so the build has no files for it.
const reads: string[] = [];
vi.mock(import("../../../src/platform/assets.ts"), async (load) => ({
  ...(await load()),
  readPageFile(name: string) {
    reads.push(name);
    return Buffer.from(`/* ${name} */`.repeat(200));
  },
}));

test("a script that a page loads later is found only by its name and the hash of its content", () => {
  expect(findPageFile("some-pages", "0123456789abcdef.js", ["camera"])).toBeUndefined();
  expect(reads).toEqual(["some-pages.js", "some-pages.css"]);
  const request = { feature: "some-pages", slug: "my shop", base: "/x" } as PageRequest;
  const path = pathOfLaterScript(request, "camera");
  expect(path).toMatch(/^\/x\/b\/my%20shop\/assets\/some-pages\/camera-[0-9a-f]{16}\.js$/);
  const name = path.split("/").at(-1)!;
  expect(findPageFile("some-pages", name, ["camera"])).toBeDefined();
  expect(findPageFile("some-pages", name, [])).toBeUndefined();
  expect(findPageFile("some-pages", "camera-0123456789abcdef.js", ["camera"])).toBeUndefined();
});
