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
import { api } from "../../support/api.ts";
import { dataOf, made, rename, withJson, WEBHOOKS } from "../../support/webhooks.ts";

const post = (body?: unknown): RequestInit =>
  body === undefined ? { method: "POST" } : withJson("POST", body);

/** An endpoint, and a receiver that takes everything. */
async function stage() {
  const a = api();
  const { endpoint, secret } = await made(a, null);
  const posts: WebhookPost[] = [];
  const courier = createTestWorker(a, async (sent) => {
    posts.push(sent);
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const send = async () => {
    courier.sweep();
    await courier.whenIdle();
  };
  const statuses = () =>
    a.store.deliveries
      .list({ endpointId: endpoint.id }, 100)
      .map(({ status }) => status)
      .reverse();
  return { a, endpoint, secret, posts, send, statuses, path: `${WEBHOOKS}/${endpoint.id}` };
}

describe("enable", () => {
  test.each([undefined, {}, { recover: "all" }])(
    "%j sends what was parked, in its order",
    async (body) => {
      const { a, endpoint, posts, send, path } = await stage();
      disableEndpoint(a, endpoint.id, "gone");
      for (let i = 0; i < 20; i++) rename(a, `Cut ${i}`);
      const data = await dataOf(await a.ask(`${path}/enable`, post(body)));
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
    const { a, endpoint, statuses, path } = await stage();
    disableEndpoint(a, endpoint.id, "failing");
    rename(a, "Cut");
    const data = await dataOf(await a.ask(`${path}/enable`, post({ recover: "none" })));
    expect(data).toMatchObject({ status: "ACTIVE", recovered: 0, cancelled: 2 });
    expect(statuses()).toEqual(["CANCELLED", "CANCELLED"]);
  });

  // 07:01 at the salon.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2026-11-20T14:01:00+02:00"])(
    "%s takes up what came then or later",
    async (recover) => {
      const { a, endpoint, statuses, path } = await stage();
      disableEndpoint(a, endpoint.id, "failing");
      rename(a, "Cut");
      a.advance(60_000);
      rename(a, "Trim");
      expect(await dataOf(await a.ask(`${path}/enable`, post({ recover })))).toMatchObject({
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
      const { a, endpoint, statuses, path } = await stage();
      for (const reason of reasons) disableEndpoint(a, endpoint.id, reason);
      rename(a, "Cut");
      expect(await a.problem(`${path}/enable`, post())).toMatchObject({
        status: 409,
        code: "conflict",
        detail: expect.stringMatching(/The business has disabled .* ask there/),
      });
      expect(await dataOf(await a.ask(path))).toMatchObject({
        status: "DISABLED",
        disabledReason: "manual",
      });
      expect(statuses()).toEqual(["PARKED", "PARKED"]);
      // It is still the partner's: to change, and to do without.
      expect(await dataOf(await a.ask(path, withJson("PATCH", { name: "Other" })))).toMatchObject({
        status: "DISABLED",
      });
      expect((await a.ask(path, { method: "DELETE" })).status).toBe(204);
    },
  );

  // 07:01 at the salon, where it is 07:00.
  test.each(["2026-11-20T12:01:00Z", "2026-11-20T07:01", "2027-01-01"])(
    "%s, which is still to come, is refused in words in place of cancelling everything",
    async (recover) => {
      const { a, endpoint, statuses, path } = await stage();
      disableEndpoint(a, endpoint.id, "failing");
      rename(a, "Cut");
      expect(await a.problem(`${path}/enable`, post({ recover }))).toMatchObject({
        status: 422,
        code: "validation_failed",
        fix: expect.stringContaining("since when"),
        errors: [
          {
            pointer: "#/recover",
            code: "in_the_future",
            detail: expect.stringContaining("in the future"),
          },
        ],
      });
      expect(a.store.endpoints.findById(endpoint.id)).toMatchObject({ status: "DISABLED" });
      expect(statuses()).toEqual(["PARKED", "PARKED"]);
    },
  );

  test("of one that is enabled does nothing, and its answer says so", async () => {
    const { a, path } = await stage();
    expect(await dataOf(await a.ask(`${path}/enable`, post()))).toMatchObject({
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
    const { a, endpoint, path } = await stage();
    disableEndpoint(a, endpoint.id, "failing");
    const problem = await a.problem(`${path}/enable`, post(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(mistakes);
    expect(a.store.endpoints.findById(endpoint.id)).toMatchObject({ status: "DISABLED" });
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
    const { a, secret: old, posts, send, path } = await stage();
    const response = await a.ask(`${path}/rotate-secret`, post({ overlapSeconds: 3600 }));
    expect(response.headers.get("cache-control")).toBe("no-store");
    const data = rotatedEndpoint.parse(await dataOf(response));
    expect(data.oldSecretEndsAt).toBe("2026-11-20T08:00:00-05:00");
    expect(await dataOf(await a.ask(path))).not.toHaveProperty("secret");
    rename(a, "During");
    await send();
    a.advance(3_600_000);
    rename(a, "After");
    await send();
    expect(posts.map((sent) => [signedBy(sent, data.secret), signedBy(sent, old)])).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ]);
  });

  test("without a body the old one lives for a day", async () => {
    const { a, path } = await stage();
    expect(await dataOf(await a.ask(`${path}/rotate-secret`, post()))).toMatchObject({
      oldSecretEndsAt: "2026-11-21T07:00:00-05:00",
    });
  });

  test("a second one meanwhile is a conflict that says what to do, unless it is forced", async () => {
    const { a, path } = await stage();
    const rotate = (body?: unknown) => a.ask(`${path}/rotate-secret`, post(body));
    const first = await dataOf<{ secret: string }>(await rotate());
    const refused = await rotate();
    expect(refused.status).toBe(409);
    const problem = (await refused.json()) as { code: string; detail: string };
    expect(problem).toMatchObject({
      code: "conflict",
      detail: expect.stringMatching(/finish .* force/),
    });
    // Flags are for the terminal.
    expect(JSON.stringify(problem)).not.toContain("--");
    const forced = await dataOf<{ secret: string }>(await rotate({ force: true }));
    expect(forced.secret).not.toBe(first.secret);
  });

  test("finish drops the old one now; a second finish has nothing to drop", async () => {
    const { a, endpoint, path } = await stage();
    await a.ask(`${path}/rotate-secret`, post());
    const finish = async () =>
      finishedRotation.parse(await dataOf(await a.ask(`${path}/rotate-secret/finish`, post())));
    expect([(await finish()).finished, (await finish()).finished]).toEqual([true, false]);
    expect(a.store.endpointSecrets.listValid(endpoint.id, a.now())).toHaveLength(1);
  });

  test.each([
    { overlapSeconds: -1 },
    { overlapSeconds: 604_801 },
    { overlapSeconds: 1.5 },
    { overlapSeconds: "60" },
    { force: "yes" },
    { overlap: 60 },
  ])("%j is refused with a pointer, and nothing is rotated", async (body) => {
    const { a, endpoint, path } = await stage();
    const problem = await a.problem(`${path}/rotate-secret`, post(body));
    expect(problem).toMatchObject({
      status: 422,
      errors: [{ pointer: `#/${Object.keys(body)[0]}` }],
    });
    expect(a.store.endpointSecrets.listValid(endpoint.id, a.now())).toHaveLength(1);
  });
});

test("an action's body is JSON when there is one", async () => {
  const { a, path } = await stage();
  const code = async (init: RequestInit) =>
    (await a.problem(`${path}/enable`, { method: "POST", ...init })).code;
  expect(await code({ body: "{}" })).toBe("unsupported_media_type");
  expect(await code(post("{"))).toBe("invalid_json");
  expect(await code(post("x".repeat(65_537)))).toBe("body_too_large");
  expect(
    (
      await a.ask(`${path}/enable`, {
        method: "POST",
        headers: { "content-type": "application/json" },
      })
    ).status,
  ).toBe(200);
});
