import { expect, test } from "vitest";
import { createTestApi, SALON } from "../../http/support/api.ts";

const MAX_PAGE_BYTES = 60 * 1024;
const MAX_SCRIPT_BYTES = 25 * 1024;

const load = async (api: ReturnType<typeof createTestApi>, path: string) => {
  const response = await api.request(path, { key: null, headers: { "accept-encoding": "gzip" } });
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
};

const readPage = async (api: ReturnType<typeof createTestApi>, slug: string) =>
  (await api.request(`/b/${slug}/partner`, { key: null })).text();

test("the partner page of an unknown business is the same as that of an existing business", async () => {
  const api = createTestApi();
  const page = await readPage(api, SALON);
  expect(page).not.toContain("Aurora");
  expect((await readPage(api, "no-such-shop")).replaceAll("no-such-shop", SALON)).toBe(page);
});

test("the partner page without scripts says what it needs and links to the documentation", async () => {
  const page = await readPage(createTestApi(), SALON);
  expect(page).toContain("It needs JavaScript");
  expect(page).toContain('<a href="/docs">');
});

test("the partner page, its script and its style are not larger than their budgets", async () => {
  const api = createTestApi();
  const page = await load(api, `/b/${SALON}/partner`);
  const html = await readPage(api, SALON);
  const files = [...html.matchAll(/(?:src|href)="(\/b\/[^"]+)"/g)].map(([, path = ""]) => path);
  const [style, script] = await Promise.all(files.map((path) => load(api, path)));
  const total = page.length + (style?.length ?? 0) + (script?.length ?? 0);
  expect(script?.length).toBeGreaterThan(5000);
  expect(script?.length).toBeLessThan(MAX_SCRIPT_BYTES);
  expect(total).toBeLessThan(MAX_PAGE_BYTES);
});
