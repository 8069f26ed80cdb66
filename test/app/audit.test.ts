import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { audit } from "../../src/app/audit.ts";
import { deleteBusiness } from "../../src/app/delete-business.ts";
import { revokeKey } from "../../src/app/key-end.ts";
import { createKey, rotateKey } from "../../src/app/keys.ts";
import { deleteEndpoint } from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { rotateEndpointSecret, rotateMasterKey } from "../../src/app/webhooks/endpoint-secrets.ts";
import { updateEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { hashApiKey } from "../../src/domain/api-key.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { dryRun } from "../support/dry-run.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";

const addKey = (rt: TestRuntime, businessId: string) =>
  createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });

const actionsOf = (rt: TestRuntime) =>
  rt.store.audit
    .list({}, 100)
    .map(({ action }) => action)
    .reverse();

test("no audit entry contains a secret, its hash, or the path or query of an endpoint's URL", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const readMasterKey = () => readFileSync(rt.config.masterKeyPath, "utf8").trim();
  const { key, secret } = addKey(rt, business.id);
  const rotated = rotateKey(rt, key.id);
  const created = await subscribe(rt, business, "http://10.0.0.1/canary-path?token=canary-query");
  const { id } = created.endpoint;
  const { secret: second } = rotateEndpointSecret(rt, id);
  const masterKeys = [readMasterKey()];
  rotateMasterKey(rt);
  masterKeys.push(readMasterKey());
  await updateEndpoint(rt, id, { url: "http://10.0.0.2/canary-path" });
  revokeKey(rt, key.id);
  const sealed = rt.store.endpointSecrets.list().map(({ sealed }) => Buffer.from(sealed));
  deleteEndpoint(rt, id);
  deleteBusiness(rt, business);

  const canaries = [
    secret,
    rotated.secret,
    created.secret,
    second,
    ...masterKeys,
    "canary",
    ...[hashApiKey(secret), hashApiKey(rotated.secret), ...sealed].flatMap((bytes) => [
      bytes.toString("hex"),
      bytes.toString("base64"),
    ]),
  ].flatMap((text) => [text, text.replace(/^whsec_/, "")]);
  const db = new Database(rt.config.databasePath, { readonly: true });
  const text = JSON.stringify(db.prepare("SELECT * FROM audit_entry").all());
  db.close();
  expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  expect(actionsOf(rt)).toEqual([
    "key.created",
    "key.rotated",
    "endpoint.created",
    "endpoint.secret_rotated",
    "master_key.rotated",
    "endpoint.updated",
    "key.revoked",
    "endpoint.deleted",
    "business.deleted",
  ]);
});

test("an audit entry is saved with its change or not at all", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const failAfterwards = () =>
    rt.tx(() => {
      addKey(rt, business.id);
      throw new Error("no");
    });
  expect(failAfterwards).toThrow("no");
  dryRun(rt, () => addKey(rt, business.id));
  expect(actionsOf(rt)).toEqual([]);
  addKey(rt, business.id);
  expect(actionsOf(rt)).toEqual(["key.created"]);
});

test("concurrent work is attributed to the actor on whose behalf it runs", async () => {
  const rt = createTestRuntime();
  const change = async (name: string) => {
    await new Promise(setImmediate);
    audit(rt, { action: "key.created", subject: { id: null, name }, businessId: null });
  };
  const runAs = (id: string) =>
    rt.runAs({ via: "http", id, name: null, address: "192.0.2.1" }, () => change(id));
  await Promise.all([runAs("key_1"), change("uid:1000"), runAs("key_2")]);
  const entries = rt.store.audit.list({}, 10);
  expect(entries).toHaveLength(3);
  for (const { actorId, subjectName } of entries) expect(actorId).toBe(subjectName);
});
