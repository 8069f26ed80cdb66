import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCustomer, saveCustomer } from "../../src/app/bookings/guests.ts";
import { checkSigningSecrets } from "../../src/app/operations/delivery-conditions.ts";
import { hashVisitor } from "../../src/app/bookings/booking-limits.ts";
import { rotateMasterKey } from "../../src/app/webhooks/endpoint-secrets.ts";
import { createTempFolder } from "../support/cli.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const ANA = { name: "Ana", email: null, phone: null, notes: null };

/**
 * Creates a server with a guest but no endpoint, and a second runtime on its data that stands for a
 * new process.
 */
function createServerWithGuest() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  rt.tx(() => saveCustomer(rt, business.id, "bkg_1", ANA));
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  const save = () => fresh.tx(() => saveCustomer(fresh, business.id, "bkg_2", ANA));
  return { fresh, business, key: rt.config.masterKeyPath, save };
}

test("a missing master key is not silently replaced while guest data are stored", async () => {
  const { fresh, business, key, save } = createServerWithGuest();
  renameSync(key, `${key}.away`);
  const refused = {
    code: "signing_unavailable",
    message: "The master key is missing, so the stored guest data cannot be decrypted.",
    fix: expect.stringContaining(`copy the master key back to ${key}; if it is lost`),
  };
  expect(save).toThrow(expect.objectContaining(refused));
  await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject(refused);
  expect(existsSync(key)).toBe(false);
  expect(checkSigningSecrets(fresh)).toMatchObject([
    { code: "master_key.missing", text: expect.stringContaining("guest data can be neither read") },
  ]);
  renameSync(`${key}.away`, key);
  expect(checkSigningSecrets(fresh)).toEqual([]);
  save();
  expect(["bkg_1", "bkg_2"].map((id) => findCustomer(fresh, id))).toEqual([ANA, ANA]);
});

test("a missing master key is not replaced when an API key names a visitor", () => {
  const { fresh, key } = createServerWithGuest();
  renameSync(key, `${key}.away`);
  expect(() => hashVisitor(fresh, "key_1", "visitor")).toThrow(
    expect.objectContaining({
      code: "signing_unavailable",
      message: "The master key is missing, so the stored guest data cannot be decrypted.",
    }),
  );
  expect(existsSync(key)).toBe(false);
  renameSync(`${key}.away`, key);
  expect(hashVisitor(fresh, "key_1", "visitor")).toHaveLength(16);
});

test("naming the first visitor creates the master key of a new server", () => {
  const rt = createTestRuntime();
  const hash = hashVisitor(rt, "key_1", "visitor");
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  expect(hashVisitor(fresh, "key_1", "visitor")).toEqual(hash);
  expect(hashVisitor(fresh, "key_2", "visitor")).not.toEqual(hash);
});

test("if the master key is lost, a rotation creates a new key, which encrypts the data of new guests", () => {
  const { fresh, key, save } = createServerWithGuest();
  rmSync(key);
  expect(rotateMasterKey(fresh)).toMatchObject({ secrets: 0, guests: 0 });
  save();
  expect(findCustomer(fresh, "bkg_2")).toEqual(ANA);
});

test("a wrong master key is refused even if guest data are the only encrypted data", async () => {
  const { fresh, business, key, save } = createServerWithGuest();
  renameSync(key, `${key}.away`);
  writeFileSync(key, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  const refused = {
    code: "signing_unavailable",
    message: "The master key does not match the stored guest data.",
    fix: expect.stringContaining(`copy the master key back to ${key}; if it is lost`),
  };
  expect(save).toThrow(expect.objectContaining(refused));
  await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject(refused);
  expect(checkSigningSecrets(fresh)).toMatchObject([
    { code: "master_key.wrong", text: expect.stringContaining("decrypts no guest data") },
  ]);
  writeFileSync(key, "not a key");
  expect(checkSigningSecrets(fresh)).toMatchObject([{ code: "master_key.wrong" }]);
  renameSync(`${key}.away`, key);
  save();
  expect(["bkg_1", "bkg_2"].map((id) => findCustomer(fresh, id))).toEqual([ANA, ANA]);
});

test("if the master key is wrong, a rotation replaces it with a new key, which encrypts the data of new guests", () => {
  const { fresh, key, save } = createServerWithGuest();
  writeFileSync(key, `${randomBytes(32).toString("base64")}\n`);
  expect(save).toThrow("does not match");
  expect(rotateMasterKey(fresh)).toMatchObject({ secrets: 0, guests: 0 });
  save();
  expect(findCustomer(fresh, "bkg_2")).toEqual(ANA);
  expect(checkSigningSecrets(fresh)).toEqual([]);
});

test("a rotation of a master key that is a link replaces the file that the link leads to", () => {
  const { fresh, key } = createServerWithGuest();
  const target = join(createTempFolder(), "key");
  const old = readFileSync(key, "utf8");
  renameSync(key, target);
  symlinkSync(target, key);
  const { oldKeys } = rotateMasterKey(fresh);
  expect(lstatSync(key).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).not.toBe(old);
  expect(oldKeys).toEqual([expect.stringContaining(`${key}.old-`)]);
  expect(findCustomer(fresh, "bkg_1")).toEqual(ANA);
});

test("a link to a master key that does not exist yet leads to the key that is created", () => {
  const rt = createTestRuntime();
  const target = join(createTempFolder(), "key");
  symlinkSync(target, rt.config.masterKeyPath);
  const business = addBusiness(rt);
  rt.tx(() => saveCustomer(rt, business.id, "bkg_1", ANA));
  expect(readFileSync(target, "utf8")).toHaveLength(45);
  expect(lstatSync(rt.config.masterKeyPath).isSymbolicLink()).toBe(true);
});
