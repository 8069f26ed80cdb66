import { expect, test } from "vitest";
import { createTestApi, SALON } from "../support/api.ts";

test.each([
  ["a catalog route", `/v1/businesses/${SALON}/staff`],
  ["an explanation", `/v1/businesses/${SALON}/availability?service=none&explain=true`],
])(
  "a secret key that a web page sends to %s is served, and remembered until it is rotated",
  async (_, path) => {
    const box = createTestApi();
    const { id, secret } = box.createKey({ kind: "RESTRICTED", scopes: ["services.read"] });
    box.advance(1000);
    const headers = { origin: "https://salon-aurora.example" };
    await box.request(path);
    await box.request(path, { key: secret, headers });
    box.flush();
    expect(box.store.keys.listSeenInBrowser(box.now())).toEqual([]);

    const answer = await box.request(path, { headers });
    expect(answer.status).not.toBe(401);
    box.flush();
    expect(box.store.keys.listSeenInBrowser(box.now())).toMatchObject([
      { kind: "SECRET", name: "test" },
    ]);
    expect(box.store.keys.listSeenInBrowser(box.now())[0]?.id).not.toBe(id);
  },
);
