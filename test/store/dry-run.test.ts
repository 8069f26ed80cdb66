import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { isBusy } from "../../src/store/write-lock.ts";
import { dryRun } from "../support/dry-run.ts";
import { seedShop } from "../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";

/** A shop, and a second connection to its file in a dry run. */
function openTwice(): { saved: TestRuntime; tried: TestRuntime; end: () => void } {
  const saved = createTestRuntime();
  seedShop(saved);
  const tried = createTestRuntime({ dataDir: saved.config.dataDir }, saved.now(), 0);
  return { saved, tried, end: tried.startDryRun() };
}

const addKey = (rt: TestRuntime, name = "site") =>
  createKey(rt, { businessId: businessId("shop"), name, kind: "SECRET", scopes: [] });

test("the writes of a dry run are visible to it and never to others", () => {
  const { saved, tried } = openTwice();
  addKey(tried);
  addKey(tried);
  expect(tried.store.keys.list()).toHaveLength(2);
  expect(saved.store.keys.list()).toEqual([]);
  tried.close();
  expect(saved.store.keys.list()).toEqual([]);
  addKey(saved);
  expect(saved.store.keys.list()).toHaveLength(1);
});

test("a failed transaction of a dry run undoes its own writes and keeps those before it", () => {
  const { tried } = openTwice();
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

test("a dry run works although others have committed since it first read", () => {
  const { saved, tried, end } = openTwice();
  expect(tried.store.keys.list()).toEqual([]);
  addKey(saved);
  addKey(tried);
  expect(tried.store.keys.list()).toHaveLength(2);
  end();
  addKey(saved);
  expect(saved.store.keys.list()).toHaveLength(2);
});

test("a dry run during another connection's transaction is busy and does not disturb it", () => {
  const { saved, tried } = openTwice();
  saved.tx(() => {
    addKey(saved);
    expect(() => addKey(tried)).toThrow(expect.toSatisfy(isBusy));
    addKey(saved);
  });
  expect(saved.store.keys.list()).toHaveLength(2);
});

test("a connection saves again after its dry run has ended", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const before = rt.revision();
  dryRun(rt, () => addKey(rt));
  expect([rt.revision(), rt.isDryRun(), rt.store.keys.list()]).toEqual([before, false, []]);
  addKey(rt);
  expect(rt.store.keys.list()).toHaveLength(1);
});

test("a dry run creates no master key", () => {
  const rt = createTestRuntime();
  dryRun(rt, () => rt.secrets.encrypt("whsec_x", "whs_1"));
  expect(existsSync(rt.config.masterKeyPath)).toBe(false);
});
