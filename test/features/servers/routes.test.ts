import { expect, test } from "vitest";
import { createTestApi } from "../../http/support/api.ts";
import { asOperator } from "../../support/operator.ts";

test("the route /metrics/status lists the server's businesses and open conditions", async () => {
  const api = createTestApi();
  api.freeBytes = () => 400_000_000;
  const response = await api.request("/metrics/status", asOperator(api));
  expect(await response.json()).toMatchObject({
    data: {
      businesses: ["salon-aurora"],
      lastBackupAt: null,
      problems: expect.arrayContaining([
        expect.objectContaining({ code: "storage.low", severity: "warning", business: null }),
      ]),
    },
  });
});

test.each([
  { what: "of this machine", headers: {} },
  { what: "that a proxy forwarded", headers: { "x-forwarded-for": "203.0.113.9" } },
])(
  "the state of the server is refused to a request $what without the token",
  async ({ headers }) => {
    const api = createTestApi();
    const path = "/metrics/status";
    const problem = await api.requestProblem(path, { key: null, headers });
    expect([problem.status, problem.code]).toEqual([401, "missing_key"]);
    expect((await api.request(path, { key: api.key, headers })).status).toBe(401);
  },
);
