import { expect, test } from "vitest";
import {
  deleteMovedBusiness,
  deleteReturnedBusinesses,
  shareMovedBusinesses,
} from "../../src/app/moved-businesses.ts";
import { createTempFolder } from "../support/cli.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("a moved business that is back is deleted, unless it was created after the move", () => {
  const rt = createTestRuntime();
  const stays = addBusiness(rt, "stays");
  deleteMovedBusiness(rt, addBusiness(rt, "moved"));
  // The restore of an older backup brings a business back in this way.
  addBusiness(rt, "moved");
  deleteReturnedBusinesses(rt);
  expect(rt.store.businesses.listSlugs()).toEqual([stays.slug]);
  rt.advance(1);
  addBusiness(rt, "moved");
  deleteReturnedBusinesses(rt);
  expect(rt.store.businesses.listSlugs()).toEqual(["moved", "stays"]);
});

test("a folder of copies passes the list of moved businesses on", () => {
  const folder = createTempFolder();
  const [first, second] = [createTestRuntime(), createTestRuntime()];
  deleteMovedBusiness(first, addBusiness(first, "moved"));
  shareMovedBusinesses(first.config, folder);
  shareMovedBusinesses(second.config, folder);
  addBusiness(second, "moved");
  deleteReturnedBusinesses(second);
  expect(second.store.businesses.listSlugs()).toEqual([]);
});

test("a dry run puts no business on the list", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "stays");
  const end = rt.startDryRun();
  deleteMovedBusiness(rt, business);
  end();
  deleteReturnedBusinesses(rt);
  expect(rt.store.businesses.listSlugs()).toEqual(["stays"]);
});
