import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";
import { disableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import {
  enabledEndpoint,
  finishedRotation,
  rotatedEndpoint,
} from "../../../../src/domain/public/schemas/webhook.ts";
import type { WebhookPost } from "../../../../src/domain/webhooks/webhook-post.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestApi } from "../../support/api.ts";
import {
  readData,
  createTestEndpoint,
  renameService,
  jsonRequest,
  WEBHOOKS,
} from "../../support/webhooks.ts";

const post = (body?: unknown): RequestInit =>
  body === undefined ? { method: "POST" } : jsonRequest("POST", body);

/** An endpoint, and a receiver that takes everything. */
async function stage() {
  const api = createTestApi();
  const { endpoint, secret } = await createTestEndpoint(api, null);
  const posts: WebhookPost[] = [];
  const courier = createTestWorker(api, async (sent) => {
    posts.push(sent);
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const send = async () => {
    courier.sweep();
    await courier.whenIdle();
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
    "%j sends what was parked, in its order",
    async (body) => {
      const { api, endpoint, posts, send, path } = await stage();
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

  test("none cancels it", async () => {
    const { api, endpoint, statuses, path } = await stage();
    disableEndpoint(api, endpoint.id, "failing");
    renameService(api, "Cut");
    const data = await readData(await api.request(`${path}/enable`, post({ recover: "none" })));
    expect(data).toMatchObject({ status: "ACTIVE", recovered: 0, cancelled: 2 });
    expect(statuses()).toEqual(["CANCELLED", "CANCELLED"]);
  });

  // 07:01 at the salon.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2026-11-20T14:01:00+02:00"])(
    "%s takes up what came then or later",
    async (recover) => {
      const { api, endpoint, statuses, path } = await stage();
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
    "is for the business alone when it was disabled $disabled: 409 in words",
    async ({ reasons }) => {
      const { api, endpoint, statuses, path } = await stage();
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
      // It is still the partner's: to change, and to do without.
      expect(
        await readData(await api.request(path, jsonRequest("PATCH", { name: "Other" }))),
      ).toMatchObject({
        status: "DISABLED",
      });
      expect((await api.request(path, { method: "DELETE" })).status).toBe(204);
    },
  );

  // 07:01 at the salon, where it is 07:00.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2027-01-01"])(
    "%s, which is still to come, is refused in words in place of cancelling everything",
    async (recover) => {
      const { api, endpoint, statuses, path } = await stage();
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

  test("of one that is enabled does nothing, and its answer says so", async () => {
    const { api, path } = await stage();
    expect(await readData(await api.request(`${path}/enable`, post()))).toMatchObject({
      status: "ACTIVE",
      recovered: 0,
    });
  });

  test.each([
    { body: { recover: "some" }, mistakes: ["#/recover invalid_value"] },
    { body: { recover: 5 }, mistakes: ["#/recover invalid_value"] },
    { body: { recover: null }, mistakes: ["#/recover invalid_value"] },
    { body: { recover: "2026-02-30T00:00" }, mistakes: ["#/recover invalid_value"] },
    {
      body: { recover: "x", recove: "all" },
      mistakes: ["#/recover invalid_value", "#/recove unknown_field"],
    },
    { body: ["all"], mistakes: ["# type"] },
  ])("$body: $mistakes, and the endpoint stays disabled", async ({ body, mistakes }) => {
    const { api, endpoint, path } = await stage();
    disableEndpoint(api, endpoint.id, "failing");
    const problem = await api.requestProblem(`${path}/enable`, post(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(mistakes);
    expect(api.store.endpoints.findById(endpoint.id)).toMatchObject({ status: "DISABLED" });
  });
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

  test("answers the new secret once; both are signed with until the overlap is over", async () => {
    const { api, secret: old, posts, send, path } = await stage();
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

  test("without a body the old one lives for a day", async () => {
    const { api, path } = await stage();
    expect(await readData(await api.request(`${path}/rotate-secret`, post()))).toMatchObject({
      oldSecretEndsAt: "2026-11-21T07:00:00-05:00",
    });
  });

  test("a second one meanwhile is a conflict that says what to do, unless it is forced", async () => {
    const { api, path } = await stage();
    const rotate = (body?: unknown) => api.request(`${path}/rotate-secret`, post(body));
    const first = await readData<{ secret: string }>(await rotate());
    const refused = await rotate();
    expect(refused.status).toBe(409);
    const problem = (await refused.json()) as { code: string; detail: string };
    expect(problem).toMatchObject({
      code: "conflict",
      detail: expect.stringMatching(/finish .* force/),
    });
    // Flags are for the terminal.
    expect(JSON.stringify(problem)).not.toContain("--");
    const forced = await readData<{ secret: string }>(await rotate({ force: true }));
    expect(forced.secret).not.toBe(first.secret);
  });

  test("finish drops the old one now; a second finish has nothing to drop", async () => {
    const { api, endpoint, path } = await stage();
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
  ])("%j is refused with a pointer, and nothing is rotated", async (body) => {
    const { api, endpoint, path } = await stage();
    const problem = await api.requestProblem(`${path}/rotate-secret`, post(body));
    expect(problem).toMatchObject({
      status: 422,
      errors: [{ pointer: `#/${Object.keys(body)[0]}` }],
    });
    expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(1);
  });
});

test("an action's body is JSON when there is one", async () => {
  const { api, path } = await stage();
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
