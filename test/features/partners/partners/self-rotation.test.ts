import { expect, test } from "vitest";
import { updateKey } from "../../../../src/app/keys.ts";
import { createPartnerKey } from "../../../../src/features/partners/partners.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner } from "./support.ts";

const DAY_MS = 86_400_000;

/** Returns a partner of two businesses, and a function that rotates one of its keys. */
function setUp() {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one", "two"]);
  const created = createTestPartner(rt, businesses, { selfRotation: true });
  const rotate = async (secret: string, slug = "one") => {
    const { status, code, data } = await createClient(rt, secret)<never>(
      `businesses/${slug}/key/rotate`,
      { method: "POST", headers: { "idempotency-key": "first" } },
    );
    return { status, code, secret: (data as unknown as { secret: string } | undefined)?.secret };
  };
  const isAccepted = async (secret: string) => {
    const ask = createClient(rt, secret);
    const paths = ["businesses", "changes", "webhooks", "businesses/two/services"];
    return Promise.all(paths.map(async (path) => (await ask(path)).status));
  };
  return { rt, ...created, rotate, isAccepted };
}

test("a partner's key that rotates itself keeps all access, and its old secret ends after the overlap", async () => {
  const { rt, key, secret, rotate, isAccepted } = setUp();
  const rotated = await rotate(secret);
  expect(rotated.status).toBe(200);
  const newer = rotated.secret!;
  expect(await isAccepted(newer)).toEqual([200, 200, 200, 200]);
  expect(await isAccepted(secret)).toEqual([200, 200, 200, 200]);
  expect(await rotate(secret)).toEqual(rotated);
  rt.advance(DAY_MS);
  expect(await isAccepted(newer)).toEqual([200, 200, 200, 200]);
  expect(await isAccepted(secret)).toEqual([401, 401, 401, 401]);
  const [audited] = rt.store.audit.list({ action: "key.rotated" }, 1);
  expect(audited).toMatchObject({ subjectId: key.id, actorId: key.id, businessId: null });
});

test("another key of the partner does not get the reply to a rotation", async () => {
  const { rt, partner, secret, rotate } = setUp();
  const other = createPartnerKey(rt, partner, { name: "spare", selfRotation: true });
  const [first, second] = [await rotate(secret), await rotate(other.secret)];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.secret).not.toBe(first.secret);
});

test("a partner's key may rotate itself only if the operator allows it", async () => {
  const { rt, key, partner, secret, rotate } = setUp();
  const other = createPartnerKey(rt, partner, { name: "spare" });
  expect((await rotate(other.secret)).code).toBe("rotation_not_allowed");
  updateKey(rt, key.id, { selfRotation: false });
  expect((await rotate(secret)).code).toBe("rotation_not_allowed");
  updateKey(rt, other.key.id, { selfRotation: true });
  expect((await rotate(other.secret)).status).toBe(200);
  expect((await rotate(other.secret, "nobody")).code).toBe("business_mismatch");
});
