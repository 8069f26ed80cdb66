import { expect, test } from "vitest";
import { createTestApi, SALON } from "../support/api.ts";

test.each([
  ["a catalog route", `/v1/businesses/${SALON}/staff`],
  ["an explanation", `/v1/businesses/${SALON}/availability?service=none&explain=true`],
])(
  "a secret key that a browser sends to %s is accepted, and reported until it is rotated",
  async (_, path) => {
    const api = createTestApi();
    const { id, secret } = api.createKey({ kind: "RESTRICTED", scopes: ["services.read"] });
    api.advance(1000);
    const headers = { origin: "https://salon-aurora.example" };
    await api.request(path);
    await api.request(path, { key: secret, headers });
    api.flush();
    expect(api.store.keys.listSeenInBrowser(api.now())).toEqual([]);

    const response = await api.request(path, { headers });
    expect(response.status).not.toBe(401);
    api.flush();
    expect(api.store.keys.listSeenInBrowser(api.now())).toMatchObject([
      { kind: "SECRET", name: "test" },
    ]);
    expect(api.store.keys.listSeenInBrowser(api.now())[0]?.id).not.toBe(id);
  },
);
