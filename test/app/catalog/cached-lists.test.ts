import { expect, test, vi } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { changeCatalog } from "../../../src/app/catalog/changes/change-catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { getLists, readAhead, readLists } from "../../../src/app/catalog/cached-lists.ts";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { buildCatalog, buildMenuItem, buildService } from "../../support/catalog-builders.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const services = (keys: readonly string[]) =>
  buildCatalog({ service: keys.map((key) => buildService(key)) });

/** Returns the names of the services that the process has cached. */
const cachedNames = (rt: TestRuntime) =>
  getLists(rt, getBusiness(rt, SLUG), ["service"]).service?.docs.map(({ name }) => name);

const rename = (rt: TestRuntime, key: string, name: string) =>
  editObject(rt, SLUG, "service", key, (doc) => ({ ...doc, name }));

/** Counts the reads of whole lists. */
const spyOnReads = (rt: TestRuntime) => vi.spyOn(rt.store.catalogLists, "list").mock.calls;

function setUp() {
  const rt = createTestRuntime();
  changeCatalog(rt, { catalog: services(["a", "b", "c"]), origin: "local", loaded: null });
  for (const key of ["a", "b", "c"]) rename(rt, key, key);
  expect(cachedNames(rt)).toEqual(["a", "b", "c"]);
  return { rt, reads: spyOnReads(rt) };
}

test("a cached list is patched after an edit by another connection", () => {
  const { rt, reads } = setUp();
  const other = openRuntime(rt.config, 1000);
  editObject(other, SLUG, "service", "b", (doc) => ({ ...doc, name: "new" }));
  other.close();
  expect(cachedNames(rt)).toEqual(["a", "new", "c"]);
  expect(reads).toEqual([]);
});

test("a cached list is patched after objects were created, moved and deleted", () => {
  const { rt, reads } = setUp();
  changeCatalog(rt, { catalog: services(["c", "d", "a"]), origin: "local", loaded: null });
  for (const key of ["c", "d", "a"]) rename(rt, key, key);
  expect(cachedNames(rt)).toEqual(["c", "d", "a"]);
  expect(reads).toEqual([]);
});

test("a cached list is read again, not patched, after more changes than the store remembers", () => {
  const { rt, reads } = setUp();
  for (let i = 0; i < 128; i++) rename(rt, "a", `name ${i}`);
  expect(cachedNames(rt)).toEqual(["name 127", "b", "c"]);
  expect(reads).toEqual([]);
  for (let i = 0; i < 129; i++) rename(rt, "a", `other ${i}`);
  expect(cachedNames(rt)).toEqual(["other 128", "b", "c"]);
  expect(reads.length).toBe(1);
});

test("a cached list is read again, not patched, after a change of more than 1,000 objects", () => {
  const { rt, reads } = setUp();
  const keys = Array.from({ length: 1001 }, (_, i) => `service-${i}`);
  changeCatalog(rt, { catalog: services(keys), origin: "local", loaded: null });
  expect(cachedNames(rt)?.length).toBe(1001);
  expect(reads.length).toBe(1);
});

test("a cached list is read again after the business was deleted and created again", () => {
  const { rt } = setUp();
  deleteBusiness(rt, getBusiness(rt, SLUG));
  changeCatalog(rt, { catalog: services(["a"]), origin: "local", loaded: null });
  rename(rt, "a", "a");
  expect(cachedNames(rt)).toEqual(["a"]);
});

test("a cached list does not keep what was read in a transaction that is rolled back", () => {
  const { rt } = setUp();
  const failing = () =>
    rt.tx(() => {
      rename(rt, "a", "rolled back");
      const { service } = readLists(rt, getBusiness(rt, SLUG), ["service"]);
      expect(service?.docs[0]?.name).toBe("rolled back");
      throw new Error("stop");
    });
  expect(failing).toThrow("stop");
  rename(rt, "b", "committed");
  expect(cachedNames(rt)).toEqual(["a", "committed", "c"]);
});

test("a large list that is read in steps includes the changes that are made between the steps", async () => {
  const rt = createTestRuntime();
  const keys = Array.from({ length: 1000 }, (_, i) => `dish-${i}`);
  const dishes = buildCatalog({ menu_item: keys.map((key) => buildMenuItem(key)) });
  changeCatalog(rt, { catalog: dishes, origin: "local", loaded: null });
  const business = () => getBusiness(rt, SLUG);
  const [first = "", second = ""] = keys;
  const reads = spyOnReads(rt);
  const reading = readAhead(rt, business(), ["menu_item"]);
  expect(readAhead(rt, business(), ["menu_item"])).toBe(reading);
  editObject(rt, SLUG, "menu_item", first, (doc) => ({ ...doc, key: "zz", previousKeys: [first] }));
  editObject(rt, SLUG, "menu_item", second, (doc) => ({ ...doc, name: "New" }));
  await reading;
  expect(readAhead(rt, business(), ["menu_item"])).toBeUndefined();
  const { menu_item: list } = getLists(rt, business(), ["menu_item"]);
  expect(reads).toEqual([]);
  expect(list?.docs).toEqual(rt.store.catalog.listByKind(business().id, "menu_item"));
  expect(list?.docs.slice(0, 2).map(({ key, name }) => [key, name])).toEqual([
    ["zz", expect.any(String)],
    [second, "New"],
  ]);
});
