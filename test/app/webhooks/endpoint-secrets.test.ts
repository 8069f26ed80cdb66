import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Stripe } from "stripe";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import {
  canDecryptSecret,
  finishSecretRotation,
  rotateEndpointSecret,
  rotateMasterKey,
} from "../../../src/app/webhooks/endpoint-secrets.ts";
import type { EndpointRow } from "../../../src/store/webhooks/endpoints.ts";
import { checkSigningSecrets } from "../../../src/app/operations/delivery-conditions.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function setUp() {
  // The verifiers use the system's clock.
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  const { endpoint, secret } = await subscribe(rt, business, partner.url);
  const worker = createTestWorker(rt);
  const deliver = async () => {
    emitEvents(rt, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
    const { body, headers } = partner.requests.at(-1)!;
    return { body: body.toString(), headers: headers as Record<string, string> };
  };
  return { rt, business, partner, worker, id: endpoint.id, secret, deliver };
}

type Delivered = { body: string; headers: Record<string, string> };

const VERIFIERS: [
  string,
  (delivered: Delivered, secret: string, toleranceSec: number) => unknown,
][] = [
  [
    "stripe",
    ({ body, headers }, secret, tolerance) =>
      Stripe.webhooks.constructEvent(body, headers["x-service-signature"]!, secret, tolerance),
  ],
  [
    "standardwebhooks",
    ({ body, headers }, secret) => new StandardWebhook(secret).verify(body, headers),
  ],
  ["svix", ({ body, headers }, secret) => new SvixWebhook(secret).verify(body, headers)],
];

/** Returns the verifiers that accept the delivery with this secret. */
const acceptedBy = (delivered: Delivered, secret: string): string[] =>
  VERIFIERS.flatMap(([name, verify]) => {
    try {
      verify(delivered, secret, 300);
      return [name];
    } catch {
      return [];
    }
  });
const ALL = VERIFIERS.map(([name]) => name);

describe("rotating a signing secret", () => {
  test("every verifier accepts the old and the new signing secret until the rotation is finished", async () => {
    const { rt, id, secret: old, deliver } = await setUp();
    const { secret, oldEndsAt } = rotateEndpointSecret(rt, id);
    expect(oldEndsAt).toBe(rt.now() + DAY);
    const during = await deliver();
    expect(acceptedBy(during, old)).toEqual(ALL);
    expect(acceptedBy(during, secret)).toEqual(ALL);
    expect(finishSecretRotation(rt, id).finished).toBe(true);
    const afterwards = await deliver();
    expect(acceptedBy(afterwards, old)).toEqual([]);
    expect(acceptedBy(afterwards, secret)).toEqual(ALL);
    expect(finishSecretRotation(rt, id).finished).toBe(false);
  });

  test("the version of an endpoint rises when a secret rotation begins, and when a pending rotation is finished", async () => {
    const { rt, id } = await setUp();
    const versionAfter = (change: () => { endpoint: EndpointRow }) => change().endpoint.version;
    expect(versionAfter(() => rotateEndpointSecret(rt, id))).toBe(2);
    expect(versionAfter(() => finishSecretRotation(rt, id))).toBe(3);
    expect(versionAfter(() => finishSecretRotation(rt, id))).toBe(3);
  });

  test("each delivery verifies with at least one secret during a rotation under load", async () => {
    const { rt, business, partner, worker, id, secret: old } = await setUp();
    emitEvents(rt, business, ...Array.from({ length: 60 }, () => "service.updated" as const));
    worker.wake();
    await partner.waitForRequests(20);
    const { secret } = rotateEndpointSecret(rt, id);
    await worker.whenIdle();
    const taken = partner.requests.map(({ body, headers }) => {
      const delivered = { body: body.toString(), headers: headers as Record<string, string> };
      return { old: acceptedBy(delivered, old), fresh: acceptedBy(delivered, secret) };
    });
    expect(taken.map(({ old }) => old)).toEqual(Array(60).fill(ALL));
    const first = taken.findIndex(({ fresh }) => fresh.length > 0);
    expect(first).toBeGreaterThanOrEqual(20);
    expect(taken.slice(first).map(({ fresh }) => fresh)).toEqual(Array(60 - first).fill(ALL));
  });

  test("the old signing secret is no longer used after the overlap of a rotation", async () => {
    const { rt, id, secret: old, deliver } = await setUp();
    rotateEndpointSecret(rt, id, { overlapMs: 60_000 });
    expect((await deliver()).headers["x-service-signature"]!.match(/v1=/g)).toHaveLength(2);
    rt.advance(60_000);
    const later = await deliver();
    expect(later.headers["x-service-signature"]!.match(/v1=/g)).toHaveLength(1);
    expect(acceptedBy(later, old)).toEqual([]);
  });

  test("a rotation during another is refused; a forced rotation keeps the oldest secret", async () => {
    const { rt, id, secret: first, deliver } = await setUp();
    const { secret: second } = rotateEndpointSecret(rt, id);
    expect(() => rotateEndpointSecret(rt, id)).toThrow(/last rotation of .* is not finished/);
    const { secret: third } = rotateEndpointSecret(rt, id, { force: true, overlapMs: 0 + HOUR });
    const delivered = await deliver();
    expect([first, second, third].map((secret) => acceptedBy(delivered, secret).length)).toEqual([
      3, 0, 3,
    ]);
    expect(rt.store.endpointSecrets.listValid(id, rt.now())).toHaveLength(2);
  });

  test.each([-1, 7 * DAY + 1, 1.5])(
    "a rotation with an overlap of %d ms is rejected",
    async (overlapMs) => {
      const { rt, id } = await setUp();
      expect(() => rotateEndpointSecret(rt, id, { overlapMs })).toThrow(/between 0 and 7 days/);
    },
  );
});

describe("rotating the master key", () => {
  const keyLines = (rt: TestRuntime) =>
    readFileSync(rt.config.masterKeyPath, "utf8").trim().split("\n");

  test("rotating the master key re-encrypts every secret while a daemon with the old key in memory continues", async () => {
    const { rt, business, id, secret, deliver } = await setUp();
    await deliver();
    const terminal = createTestRuntime({ dataDir: rt.config.dataDir });
    const [before] = rt.store.endpointSecrets.listValid(id, rt.now());
    const [oldKey] = keyLines(rt);

    expect(rotateMasterKey(terminal)).toMatchObject({ secrets: 1 });
    expect(keyLines(rt)).toHaveLength(1);
    expect(keyLines(rt)).not.toEqual([oldKey]);
    expect(statSync(rt.config.masterKeyPath).mode & 0o777).toBe(0o600);
    expect(rt.store.endpointSecrets.listValid(id, rt.now())[0]!.sealed).not.toEqual(before!.sealed);
    expect(acceptedBy(await deliver(), secret)).toEqual(ALL);

    const added = await subscribe(rt, business, "http://10.0.0.1/");
    const [row] = terminal.store.endpointSecrets.listValid(added.endpoint.id, rt.now());
    expect(terminal.secrets.decrypt(row!.sealed, row!.id)).toBe(added.secret);
  });

  test("a rotation of the master key that is interrupted before the commit keeps both keys and can be run again", async () => {
    const { rt, business, id, secret } = await setUp();
    const opened = () => {
      const [row] = rt.store.endpointSecrets.listValid(id, rt.now());
      return createTestRuntime({ dataDir: rt.config.dataDir }).secrets.decrypt(
        row!.sealed,
        row!.id,
      );
    };
    const breaking = createTestRuntime({ dataDir: rt.config.dataDir });
    breaking.store.endpointSecrets.updateSealed = () => {
      throw new Error("power cut");
    };
    expect(() => rotateMasterKey(breaking)).toThrow("power cut");
    expect(keyLines(rt)).toHaveLength(2);
    expect(opened()).toBe(secret);
    // Endpoints can still be created and rotated, even by a process with the old key in memory.
    const added = await subscribe(rt, business, "http://10.0.0.1/");
    rotateEndpointSecret(rt, added.endpoint.id);
    rotateMasterKey(createTestRuntime({ dataDir: rt.config.dataDir }));
    expect(keyLines(rt)).toHaveLength(1);
    expect(opened()).toBe(secret);
  });

  test("rotating the master key removes no key that a secret still needs", async () => {
    const { rt } = await setUp();
    rt.secrets.addKey();
    rt.secrets.dropOldKeys((opens) =>
      rt.store.endpointSecrets.list().every(({ id, sealed }) => opens(sealed, id)),
    );
    expect(keyLines(rt)).toHaveLength(2);
  });

  test("rotating the master key changes nothing if a secret cannot be decrypted", async () => {
    const { rt } = await setUp();
    writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
    const other = createTestRuntime({ dataDir: rt.config.dataDir });
    expect(() => rotateMasterKey(other)).toThrow(/cannot be decrypted/);
    expect(keyLines(rt)).toHaveLength(1);
  });
});

test("a missing master key is not silently replaced while secrets are stored", async () => {
  const { rt, business, id, secret } = await setUp();
  const key = readFileSync(rt.config.masterKeyPath);
  rmSync(rt.config.masterKeyPath);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject({
    code: "signing_unavailable",
  });
  expect(() => rotateEndpointSecret(fresh, id, { force: true })).toThrow(/master key is missing/);
  const [row] = fresh.store.endpointSecrets.listValid(id, rt.now());
  expect(() => fresh.secrets.decrypt(row!.sealed, row!.id)).toThrow(/cannot be decrypted/);
  expect(existsSync(rt.config.masterKeyPath)).toBe(false);
  writeFileSync(rt.config.masterKeyPath, key);
  expect(fresh.secrets.decrypt(row!.sealed, row!.id)).toBe(secret);
});

test("creating a signing secret decrypts one stored secret, however many are stored", async () => {
  const { rt, business } = await setUp();
  const { endpointSecrets } = rt.store;
  let read = 0;
  const iterate = function* () {
    for (const row of endpointSecrets.list()) {
      read += 1;
      yield row;
    }
  };
  const store = { ...rt.store, endpointSecrets: { ...endpointSecrets, iterate, list: () => [] } };
  const watched = { ...rt, store };
  for (let n = 1; n <= 3; n++) await subscribe(watched, business, `http://10.0.0.1/${n}`);
  expect(read).toBe(3);
});

/** Replaces the master key with that of another installation. */
const swapMasterKey = ({ config }: TestRuntime) =>
  writeFileSync(config.masterKeyPath, `${Buffer.alloc(32, 7).toString("base64")}\n`);

test.each(["a daemon with the right key in memory", "a new process"])(
  "nothing is encrypted with the master key of another installation: %s",
  async (writerKind) => {
    const { rt, business, id, secret } = await setUp();
    const key = readFileSync(rt.config.masterKeyPath);
    const before = rt.store.endpointSecrets.list();
    swapMasterKey(rt);
    const writer =
      writerKind === "a new process"
        ? createTestRuntime({ dataDir: rt.config.dataDir }, rt.now())
        : rt;
    const expected = {
      code: "signing_unavailable",
      message: /does not match the stored/,
      fix: /copy the master key back to .*; .* --force/,
    };
    const error = Object.fromEntries(
      Object.entries(expected).map(([name, value]) => [
        name,
        value instanceof RegExp ? expect.stringMatching(value) : value,
      ]),
    );
    await expect(subscribe(writer, business, "http://10.0.0.1/")).rejects.toMatchObject(error);
    expect(() => rotateEndpointSecret(writer, id, { force: true })).toThrow(
      expect.objectContaining(error),
    );
    expect(rt.store.endpointSecrets.list()).toEqual(before);
    expect(rt.store.endpoints.list()).toHaveLength(1);
    writeFileSync(rt.config.masterKeyPath, key);
    const [row] = before;
    expect(
      createTestRuntime({ dataDir: rt.config.dataDir }).secrets.decrypt(row!.sealed, row!.id),
    ).toBe(secret);
    await subscribe(writer, business, "http://10.0.0.1/");
  },
);

test.each([
  {
    what: "with other content",
    put: (path: string) => writeFileSync(path, "swordfish\n"),
    fix: /restore the key file .* remove this one, .* rotate-secret ID --force/,
  },
  {
    what: "that cannot be read",
    put: (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
    fix: /^make \S+ a file that belongs to the user/,
  },
])(
  "a master key file $what gives a clear error and does not block the database",
  async ({ put, fix }) => {
    const { rt, business } = await setUp();
    put(rt.config.masterKeyPath);
    const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
    await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject({
      code: "signing_unavailable",
      fix: expect.stringMatching(fix),
    });
    expect(checkSigningSecrets(fresh)).toMatchObject([
      { text: expect.stringContaining("decrypts no signing secret") },
    ]);
    emitEvents(fresh, business, "service.updated");
  },
);

test.skipIf(process.platform !== "linux")(
  "a temporary failure to read the master key is an error, and does not count as an undecryptable secret",
  async () => {
    const { rt } = await setUp();
    const [row] = rt.store.endpointSecrets.list();
    // A read of the key file fails with EIO, because Linux does not let a process read the start of
    // its own memory.
    rmSync(rt.config.masterKeyPath);
    symlinkSync("/proc/self/mem", rt.config.masterKeyPath);
    const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
    expect(() => canDecryptSecret(fresh, row!)).toThrow(
      expect.objectContaining({
        code: "storage_failed",
        message: expect.stringContaining(rt.config.masterKeyPath),
      }),
    );
  },
);

test("with a wrong master key, a forced rotation gives each endpoint a working secret", async () => {
  const { rt, business, id } = await setUp();
  const other = (await subscribe(rt, business, "http://10.0.0.1/")).endpoint.id;
  swapMasterKey(rt);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  const { secret, oldEndsAt } = rotateEndpointSecret(fresh, id, {
    force: true,
    allowNewMasterKey: true,
  });
  expect(oldEndsAt).toBe(fresh.now());
  const [current] = fresh.store.endpointSecrets.listValid(id, fresh.now());
  expect(fresh.secrets.decrypt(current!.sealed, current!.id)).toBe(secret);
  // The new key encrypts all secrets from now on. A secret that the new key cannot decrypt is
  // replaced only if the caller forces it.
  await subscribe(fresh, business, "http://10.0.0.2/");
  expect(() => rotateEndpointSecret(fresh, other)).toThrow(/master key does not match/);
  expect(rotateEndpointSecret(fresh, other, { allowNewMasterKey: true }).oldEndsAt).toBe(
    fresh.now(),
  );
  expect(checkSigningSecrets(fresh)).toEqual([]);
  expect(rotateMasterKey(fresh)).toMatchObject({ secrets: 3 });
});

test("a forced rotation recreates a lost master key, and deliveries are sent immediately", async () => {
  const { rt, business, partner, worker, id } = await setUp();
  await worker.stop(0);
  rmSync(rt.config.masterKeyPath);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  const { secret, oldEndsAt } = rotateEndpointSecret(fresh, id, { allowNewMasterKey: true });
  expect(oldEndsAt).toBe(fresh.now());
  emitEvents(fresh, business, "service.updated");
  const next = createTestWorker(fresh);
  next.sweep();
  await next.whenIdle();
  const { body, headers } = partner.requests.at(-1)!;
  expect(
    acceptedBy({ body: body.toString(), headers: headers as Record<string, string> }, secret),
  ).toEqual(ALL);
});

test("deliveries with an undecryptable secret wait without using attempts until the key is back", async () => {
  const { rt, business, partner, worker } = await setUp();
  const key = readFileSync(rt.config.masterKeyPath);
  writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  await worker.stop(0);
  const next = createTestWorker(fresh);
  emitEvents(rt, business, "service.updated");
  for (let i = 0; i < 3; i++) next.sweep();
  await next.whenIdle();
  expect(partner.requests).toHaveLength(0);
  expect(fresh.logged).toMatchObject([
    { level: "error", message: expect.stringContaining("cannot be signed") },
  ]);
  expect(rt.store.deliveries.list({}, 1)).toMatchObject([{ status: "PENDING", attemptCount: 0 }]);
  writeFileSync(rt.config.masterKeyPath, key);
  // The secret is read again after half a second.
  fresh.advance(500);
  next.sweep();
  await next.whenIdle();
  expect(partner.requests).toHaveLength(1);
});
