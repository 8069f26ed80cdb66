import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";
import { disableEndpoint } from "../../../../../src/app/webhooks/endpoint-lifecycle.ts";
import {
  enabledEndpoint,
  finishedRotation,
  rotatedEndpoint,
} from "../../../../../src/domain/public/schemas/webhook.ts";
import type { WebhookPost } from "../../../../../src/domain/webhooks/webhook-post.ts";
import { createTestWorker } from "../../../../support/delivery.ts";
import { createTestApi } from "../../../support/api.ts";
import {
  readData,
  createTestEndpoint,
  renameService,
  jsonRequest,
  WEBHOOKS,
} from "../../../support/webhooks.ts";

const post = (body?: unknown): RequestInit =>
  body === undefined ? { method: "POST" } : jsonRequest("POST", body);

/** Creates an endpoint, and a receiver that accepts everything. */
async function setUp() {
  const api = createTestApi();
  const { endpoint, secret } = await createTestEndpoint(api, null);
  const posts: WebhookPost[] = [];
  const worker = createTestWorker(api, async (sent) => {
    posts.push(sent);
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const send = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  const statuses = () =>
    api.store.deliveries
      .list({ endpointId: endpoint.id }, 100)
      .map(({ status }) => status)
      .reverse();
  return { api, endpoint, secret, posts, send, statuses, path: `${WEBHOOKS}/${endpoint.id}` };
}

describe("enable", () => {
  test.each([undefined, {}, { recover: "all" }])(
    "enable with %j sends the parked deliveries in order",
    async (body) => {
      const { api, endpoint, posts, send, path } = await setUp();
      disableEndpoint(api, endpoint.id, "gone");
      for (let i = 0; i < 20; i++) renameService(api, `Cut ${i}`);
      const data = await readData(await api.request(`${path}/enable`, post(body)));
      expect(enabledEndpoint.parse(data)).toMatchObject({
        status: "ACTIVE",
        disabledReason: null,
        recovered: 40,
        cancelled: 0,
      });
      await send();
      const sequences = posts.map(({ headers }) => Number(headers["X-Service-Sequence"]));
      expect(sequences).toHaveLength(40);
      expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    },
  );

  test("enable with recover=none cancels the parked deliveries", async () => {
    const { api, endpoint, statuses, path } = await setUp();
    disableEndpoint(api, endpoint.id, "failing");
    renameService(api, "Cut");
    const data = await readData(await api.request(`${path}/enable`, post({ recover: "none" })));
    expect(data).toMatchObject({ status: "ACTIVE", recovered: 0, cancelled: 2 });
    expect(statuses()).toEqual(["CANCELLED", "CANCELLED"]);
  });

  // All three are 07:01 in the salon's time zone.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2026-11-20T14:01:00+02:00"])(
    "enable with recover=%s sends only later events",
    async (recover) => {
      const { api, endpoint, statuses, path } = await setUp();
      disableEndpoint(api, endpoint.id, "failing");
      renameService(api, "Cut");
      api.advance(60_000);
      renameService(api, "Trim");
      expect(await readData(await api.request(`${path}/enable`, post({ recover })))).toMatchObject({
        recovered: 2,
        cancelled: 2,
      });
      expect(statuses()).toEqual(["CANCELLED", "CANCELLED", "PENDING", "PENDING"]);
    },
  );

  test.each([
    { disabled: "by the operator", reasons: ["manual"] },
    { disabled: "by the operator after it had failed", reasons: ["failing", "manual"] },
    { disabled: "by the operator before it was gone", reasons: ["manual", "gone"] },
  ] as const)(
    "enable is a conflict for partners if the endpoint was disabled $disabled",
    async ({ reasons }) => {
      const { api, endpoint, statuses, path } = await setUp();
      for (const reason of reasons) disableEndpoint(api, endpoint.id, reason);
      renameService(api, "Cut");
      expect(await api.requestProblem(`${path}/enable`, post())).toMatchObject({
        status: 409,
        code: "conflict",
        detail: expect.stringMatching(/^The business disabled this endpoint/),
      });
      expect(await readData(await api.request(path))).toMatchObject({
        status: "DISABLED",
        disabledReason: "manual",
      });
      expect(statuses()).toEqual(["PARKED", "PARKED"]);
      // The partner can still update and delete the endpoint.
      expect(
        await readData(await api.request(path, jsonRequest("PATCH", { name: "Other" }))),
      ).toMatchObject({
        status: "DISABLED",
      });
      expect((await api.request(path, { method: "DELETE" })).status).toBe(204);
    },
  );

  // The first two are 07:01 in the salon's time zone, where it is 07:00 now.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2027-01-01"])(
    "enable rejects recover=%s, because a time in the future would cancel everything",
    async (recover) => {
      const { api, endpoint, statuses, path } = await setUp();
      disableEndpoint(api, endpoint.id, "failing");
      renameService(api, "Cut");
      expect(await api.requestProblem(`${path}/enable`, post({ recover }))).toMatchObject({
        status: 422,
        code: "validation_failed",
        fix: expect.stringContaining("a time in the past"),
        errors: [
          {
            pointer: "#/recover",
            code: "in_the_future",
            detail: expect.stringContaining("in the future"),
          },
        ],
      });
      expect(api.store.endpoints.findById(endpoint.id)).toMatchObject({ status: "DISABLED" });
      expect(statuses()).toEqual(["PARKED", "PARKED"]);
    },
  );

  test("enable does nothing to an enabled endpoint, and reports zero deliveries", async () => {
    const { api, path } = await setUp();
    expect(await readData(await api.request(`${path}/enable`, post()))).toMatchObject({
      status: "ACTIVE",
      recovered: 0,
    });
  });

  test.each([
    { body: { recover: "some" }, issues: ["#/recover invalid_value"] },
    { body: { recover: 5 }, issues: ["#/recover invalid_value"] },
    { body: { recover: null }, issues: ["#/recover invalid_value"] },
    { body: { recover: "2026-02-30T00:00" }, issues: ["#/recover invalid_value"] },
    {
      body: { recover: "x", recove: "all" },
      issues: ["#/recover invalid_value", "#/recove unknown_field"],
    },
    { body: ["all"], issues: ["# type"] },
  ])(
    "enable with $body reports $issues, and the endpoint stays disabled",
    async ({ body, issues }) => {
      const { api, endpoint, path } = await setUp();
      disableEndpoint(api, endpoint.id, "failing");
      const problem = await api.requestProblem(`${path}/enable`, post(body));
      expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
      expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(issues);
      expect(api.store.endpoints.findById(endpoint.id)).toMatchObject({ status: "DISABLED" });
    },
  );
});

describe("rotate-secret", () => {
  const signedBy = ({ body, headers }: WebhookPost, secret: string): boolean => {
    try {
      Stripe.webhooks.constructEvent(body, headers["X-Service-Signature"] ?? "", secret, Infinity);
      return true;
    } catch {
      return false;
    }
  };

  test("rotate-secret returns the new secret once, and events are signed with both secrets until the overlap ends", async () => {
    const { api, secret: old, posts, send, path } = await setUp();
    const response = await api.request(`${path}/rotate-secret`, post({ overlapSeconds: 3600 }));
    expect(response.headers.get("cache-control")).toBe("no-store");
    const data = rotatedEndpoint.parse(await readData(response));
    expect(data.oldSecretEndsAt).toBe("2026-11-20T08:00:00-05:00");
    expect(await readData(await api.request(path))).not.toHaveProperty("secret");
    renameService(api, "During");
    await send();
    api.advance(3_600_000);
    renameService(api, "After");
    await send();
    expect(posts.map((sent) => [signedBy(sent, data.secret), signedBy(sent, old)])).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ]);
  });

  test("rotate-secret keeps the old secret valid for a day by default", async () => {
    const { api, path } = await setUp();
    expect(await readData(await api.request(`${path}/rotate-secret`, post()))).toMatchObject({
      oldSecretEndsAt: "2026-11-21T07:00:00-05:00",
    });
  });

  test("rotate-secret is a conflict during another rotation, unless forced", async () => {
    const { api, path } = await setUp();
    const rotate = (body?: unknown) => api.request(`${path}/rotate-secret`, post(body));
    const first = await readData<{ secret: string }>(await rotate());
    const rejected = await rotate();
    expect(rejected.status).toBe(409);
    const problem = (await rejected.json()) as { code: string; detail: string };
    expect(problem).toMatchObject({
      code: "conflict",
      detail: expect.stringMatching(/finish .* force/),
    });
    // Partners see no flags of the command line.
    expect(JSON.stringify(problem)).not.toContain("--");
    const forced = await readData<{ secret: string }>(await rotate({ force: true }));
    expect(forced.secret).not.toBe(first.secret);
  });

  test("a forced rotation keeps the secret that the receiver still uses", async () => {
    const { api, secret: used, posts, send, path } = await setUp();
    // The response to the first rotation is lost.
    const lost = await readData<{ secret: string }>(
      await api.request(`${path}/rotate-secret`, post()),
    );
    api.advance(3_600_000);
    const { secret } = await readData<{ secret: string }>(
      await api.request(`${path}/rotate-secret`, post({ force: true })),
    );
    expect(await readData(await api.request(path))).toMatchObject({
      oldSecretEndsAt: "2026-11-21T08:00:00-05:00",
    });
    renameService(api, "Forced");
    await send();
    expect([used, lost.secret, secret].map((one) => signedBy(posts[0]!, one))).toEqual([
      true,
      false,
      true,
    ]);
    api.advance(86_400_000);
    expect(await readData(await api.request(path))).toMatchObject({ oldSecretEndsAt: null });
  });

  test("finishing a rotation ends the old secret immediately, and finishing it again does nothing", async () => {
    const { api, endpoint, path } = await setUp();
    await api.request(`${path}/rotate-secret`, post());
    const finish = async () =>
      finishedRotation.parse(
        await readData(await api.request(`${path}/rotate-secret/finish`, post())),
      );
    expect([(await finish()).finished, (await finish()).finished]).toEqual([true, false]);
    expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(1);
  });

  test.each([
    { overlapSeconds: -1 },
    { overlapSeconds: 604_801 },
    { overlapSeconds: 1.5 },
    { overlapSeconds: "60" },
    { force: "yes" },
    { overlap: 60 },
  ])("rotate-secret with %j is rejected with a pointer, and nothing is rotated", async (body) => {
    const { api, endpoint, path } = await setUp();
    const problem = await api.requestProblem(`${path}/rotate-secret`, post(body));
    expect(problem).toMatchObject({
      status: 422,
      errors: [{ pointer: `#/${Object.keys(body)[0]}` }],
    });
    expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(1);
  });
});

test("the optional body of an endpoint's action must be JSON", async () => {
  const { api, path } = await setUp();
  const code = async (init: RequestInit) =>
    (await api.requestProblem(`${path}/enable`, { method: "POST", ...init })).code;
  expect(await code({ body: "{}" })).toBe("unsupported_media_type");
  expect(await code(post("{"))).toBe("invalid_json");
  expect(await code(post("x".repeat(65_537)))).toBe("body_too_large");
  expect(
    (
      await api.request(`${path}/enable`, {
        method: "POST",
        headers: { "content-type": "application/json" },
      })
    ).status,
  ).toBe(200);
});
