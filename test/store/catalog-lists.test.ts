import { expect, test } from "vitest";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("findChangedAfter returns the objects of one business that changed after one revision and up to another", () => {
  const rt = createTestRuntime();
  const { catalogLists } = rt.store;
  const [{ id }, other] = [addBusiness(rt, "first"), addBusiness(rt, "second")];
  for (const revision of [1, 2, 3, 4]) {
    catalogLists.insertPatch(id, revision, [`svc_${revision}`, "svc_all"]);
    catalogLists.insertPatch(other.id, revision, [`svc_other_${revision}`]);
  }
  const find = (after: number, until: number) => catalogLists.findChangedAfter(id, after, until);
  expect(find(1, 3)).toEqual(new Set(["svc_2", "svc_3", "svc_all"]));
  expect(find(4, 4)).toEqual(new Set());
  expect(find(3, 5)).toBeUndefined();
});
