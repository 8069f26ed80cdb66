import { expect, test } from "vitest";
import { disableEndpoint, prepareEnable } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { addBusiness, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("a partner can enable an endpoint that failed, but none that the operator disabled", async () => {
  const rt = createTestRuntime();
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  const { id } = endpoint;
  const enable = (byPartner: boolean) => prepareEnable(rt, id, "all", { byPartner })().endpoint;
  disableEndpoint(rt, id, "failing");
  expect(enable(true)).toMatchObject({ status: "ACTIVE" });
  disableEndpoint(rt, id, "manual");
  expect(() => enable(true)).toThrow("only the business can enable it again");
  expect(rt.store.endpoints.findById(id)).toMatchObject({ status: "DISABLED" });
  expect(enable(false)).toMatchObject({ status: "ACTIVE" });
});
