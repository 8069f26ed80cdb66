import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("listNotHashed lists a key whose stored secret is too short for a SHA-256", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const [damaged] = ["damaged", "intact"].map((name) => {
    const scopes = ["services.read"];
    return createKey(rt, { businessId: business.id, name, kind: "RESTRICTED", scopes }).key.id;
  });
  const db = new Database(rt.config.databasePath);
  onTestFinished(() => void db.close());
  expect(rt.store.keySecrets.listNotHashed()).toEqual([]);
  db.prepare("UPDATE api_key_secret SET hash = ? WHERE key_id = ?").run(Buffer.alloc(31), damaged);
  expect(rt.store.keySecrets.listNotHashed()).toEqual([damaged]);
});
