import { expect, test } from "vitest";
import { describeApi } from "../../../.config/openapi/document.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { ROUTES } from "../../support/routes.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner, publish } from "./partners/support.ts";

type Operation = { operationId: string; parameters: object[]; requestBody?: object };

const { paths } = describeApi({ routes: ROUTES, version: "1.2.3" }) as unknown as {
  paths: Record<string, Record<string, Operation>>;
};

/** Returns what the OpenAPI document says of the request of an operation. */
function describeRequest(operationId: string): string {
  const operation = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .find((one) => one.operationId === operationId);
  return JSON.stringify([operation?.parameters, operation?.requestBody]);
}

test.each(["listPartnerDeliveries", "enablePartnerEndpoint"])(
  "%s documents that a time without an offset is in UTC",
  (operationId) => {
    const text = describeRequest(operationId);
    expect(text).toContain("without an offset, it is in UTC;");
    expect(text).not.toContain("the business's time zone");
  },
);

test.each(["listDeliveries", "enableEndpoint"])(
  "%s documents that a time without an offset is in the business's time zone",
  (operationId) => {
    const text = describeRequest(operationId);
    expect(text).toContain("without an offset, it is in the business's time zone;");
  },
);

test("a time without an offset selects deliveries to an endpoint for all businesses in UTC", async () => {
  const rt = createTestRuntime();
  const [business] = addBusinesses(rt, ["one"]);
  const { partner, key, secret } = createTestPartner(rt, [business!]);
  const { endpoint } = await createEndpoint(rt, {
    businessId: null,
    partnerId: partner.id,
    keyId: key.id,
    name: "mirror",
    url: "http://10.0.0.1/hook",
    events: ["catalog.changed"],
    allowPrivate: true,
  });
  publish(rt, business!);
  const ask = createClient(rt, secret);
  const now = new Date(rt.now()).toISOString().slice(0, -1);
  const list = (filter: string) => ask(`webhooks/${endpoint.id}/deliveries?${filter}`);
  expect((await list(`since=${now}`)).data).toHaveLength(1);
  expect((await list(`until=${now}`)).data).toHaveLength(0);
  expect(await list("since=junk")).toMatchObject({
    status: 400,
    detail: expect.stringMatching("or one without an offset in UTC."),
  });
});
