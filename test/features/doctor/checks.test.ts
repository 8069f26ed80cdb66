import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { checkGainedScopes } from "../../../src/features/doctor/checks.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("doctor asks about the scopes that an upgrade gave or took from keys of version 0.1", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });
  const [key] = rt.store.keys.list();
  const fixOf = (gainedScopes: "KEPT" | "REMOVED" | null) =>
    checkGainedScopes([{ ...key!, gainedScopes }], () => "shop", rt.now()).map(({ fix }) => fix);
  expect(fixOf("KEPT")).toEqual([`deskbell keys update ${key!.id} --all-scopes no`]);
  expect(fixOf("REMOVED")).toEqual([`deskbell keys update ${key!.id} --all-scopes yes`]);
  expect(fixOf(null)).toEqual([]);
});
