import { expect, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { isBusy } from "../../src/store/database.ts";
import { seedShop } from "../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";

/** A shop, and a second connection to its file that rehearses. */
function rehearsing(): { kept: TestRuntime; tried: TestRuntime } {
  const kept = createTestRuntime();
  seedShop(kept);
  const tried = createTestRuntime({ dataDir: kept.config.dataDir }, kept.now(), 0);
  tried.rehearse();
  return { kept, tried };
}

const addKey = (rt: TestRuntime, name = "site") =>
  createKey(rt, { businessId: businessId("shop"), name, kind: "SECRET", scopes: [] });

test("what is rehearsed is seen by whoever rehearses it, and by nobody else, then or later", () => {
  const { kept, tried } = rehearsing();
  addKey(tried);
  addKey(tried);
  expect(tried.store.keys.list()).toHaveLength(2);
  expect(kept.store.keys.list()).toEqual([]);
  tried.close();
  expect(kept.store.keys.list()).toEqual([]);
  addKey(kept);
  expect(kept.store.keys.list()).toHaveLength(1);
});

test("a transaction that fails in a rehearsal takes back its own part and no other's", () => {
  const { tried } = rehearsing();
  addKey(tried, "first");
  expect(() =>
    tried.tx(() => {
      addKey(tried, "second");
      throw new Error("no");
    }),
  ).toThrow("no");
  addKey(tried, "third");
  expect(tried.store.keys.list().map(({ name }) => name)).toEqual(["first", "third"]);
});

test("a rehearsal that somebody has overtaken ends as busy, and harms nobody", () => {
  const { kept, tried } = rehearsing();
  expect(tried.store.keys.list()).toEqual([]);
  addKey(kept);
  const attempt = () => addKey(tried);
  expect(attempt).toThrow(expect.toSatisfy(isBusy));
  addKey(kept);
  expect(kept.store.keys.list()).toHaveLength(2);
});
