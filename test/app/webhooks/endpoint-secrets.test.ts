import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync, rmSync } from "node:fs";
import { Stripe } from "stripe";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import {
  finishSecretRotation,
  decryptSigningSecret,
  rotateEndpointSecret,
} from "../../../src/app/webhooks/endpoint-secrets.ts";
import { rotateMasterKey } from "../../../src/app/operations/master-key.ts";
import { checkSigningSecrets } from "../../../src/app/operations/health-conditions.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function stage() {
  // The verifiers look at the real clock.
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  const partner = await createReceiver();
  const { endpoint, secret } = await subscribe(rt, business, partner.url);
  const courier = createTestWorker(rt);
  const deliver = async () => {
    emitEvents(rt, business, "service.updated");
    courier.wake();
    await courier.whenIdle();
    const { body, headers } = partner.requests.at(-1)!;
    return { body: body.toString(), headers: headers as Record<string, string> };
  };
  return { rt, business, partner, courier, id: endpoint.id, secret, deliver };
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

/** Which of the verifiers take it with that secret. */
const takenBy = (delivered: Delivered, secret: string): string[] =>
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
  test("has deliveries verify with either secret until it is finished, in every verifier", async () => {
    const { rt, id, secret: old, deliver } = await stage();
    const { secret, oldEndsAt } = rotateEndpointSecret(rt, id);
    expect(oldEndsAt).toBe(rt.now() + DAY);
    const during = await deliver();
    expect(takenBy(during, old)).toEqual(ALL);
    expect(takenBy(during, secret)).toEqual(ALL);
    expect(finishSecretRotation(rt, id)).toBe(true);
    const afterwards = await deliver();
    expect(takenBy(afterwards, old)).toEqual([]);
    expect(takenBy(afterwards, secret)).toEqual(ALL);
    expect(finishSecretRotation(rt, id)).toBe(false);
  });

  test("under load leaves no delivery that verifies with neither", async () => {
    const { rt, business, partner, courier, id, secret: old } = await stage();
    emitEvents(rt, business, ...Array.from({ length: 60 }, () => "service.updated" as const));
    courier.wake();
    await partner.waitForRequests(20);
    const { secret } = rotateEndpointSecret(rt, id);
    await courier.whenIdle();
    const taken = partner.requests.map(({ body, headers }) => {
      const delivered = { body: body.toString(), headers: headers as Record<string, string> };
      return { old: takenBy(delivered, old), fresh: takenBy(delivered, secret) };
    });
    expect(taken.map(({ old }) => old)).toEqual(Array(60).fill(ALL));
    const first = taken.findIndex(({ fresh }) => fresh.length > 0);
    expect(first).toBeGreaterThanOrEqual(20);
    expect(taken.slice(first).map(({ fresh }) => fresh)).toEqual(Array(60 - first).fill(ALL));
  });

  test("drops the old one by itself when the overlap is over", async () => {
    const { rt, id, secret: old, deliver } = await stage();
    rotateEndpointSecret(rt, id, { overlapMs: 60_000 });
    expect((await deliver()).headers["x-service-signature"]!.match(/v1=/g)).toHaveLength(2);
    rt.advance(60_000);
    const later = await deliver();
    expect(later.headers["x-service-signature"]!.match(/v1=/g)).toHaveLength(1);
    expect(takenBy(later, old)).toEqual([]);
  });

  test("is refused while another is going on, unless it is forced, and never leaves more than two", async () => {
    const { rt, id, secret: first, deliver } = await stage();
    const { secret: second } = rotateEndpointSecret(rt, id);
    expect(() => rotateEndpointSecret(rt, id)).toThrow(/two live secrets/);
    const { secret: third } = rotateEndpointSecret(rt, id, { force: true, overlapMs: 0 + HOUR });
    const delivered = await deliver();
    expect([first, second, third].map((secret) => takenBy(delivered, secret).length)).toEqual([
      0, 3, 3,
    ]);
    expect(rt.store.endpointSecrets.listValid(id, rt.now())).toHaveLength(2);
  });

  test.each([-1, 7 * DAY + 1, 1.5])("with an overlap of %d ms is refused", async (overlapMs) => {
    const { rt, id } = await stage();
    expect(() => rotateEndpointSecret(rt, id, { overlapMs })).toThrow(/0 to 7 days/);
  });
});

describe("rotating the master key", () => {
  const keyLines = (rt: TestRuntime) =>
    readFileSync(rt.config.masterKeyPath, "utf8").trim().split("\n");

  test("seals every secret anew; a daemon that has the old key in memory goes on, old and new endpoints alike", async () => {
    const { rt, business, id, secret, deliver } = await stage();
    await deliver();
    const terminal = createTestRuntime({ dataDir: rt.config.dataDir });
    const [before] = rt.store.endpointSecrets.listValid(id, rt.now());
    const [oldKey] = keyLines(rt);

    expect(rotateMasterKey(terminal)).toBe(1);
    expect(keyLines(rt)).toHaveLength(1);
    expect(keyLines(rt)).not.toEqual([oldKey]);
    expect(statSync(rt.config.masterKeyPath).mode & 0o777).toBe(0o600);
    expect(rt.store.endpointSecrets.listValid(id, rt.now())[0]!.sealed).not.toEqual(before!.sealed);
    expect(takenBy(await deliver(), secret)).toEqual(ALL);

    const added = await subscribe(rt, business, "http://10.0.0.1/");
    const [row] = terminal.store.endpointSecrets.listValid(added.endpoint.id, rt.now());
    expect(terminal.secrets.open(row!.sealed, row!.id)).toBe(added.secret);
  });

  test("that breaks off before the commit leaves both keys, opens everything, and can be run again", async () => {
    const { rt, business, id, secret } = await stage();
    const opened = () => {
      const [row] = rt.store.endpointSecrets.listValid(id, rt.now());
      return createTestRuntime({ dataDir: rt.config.dataDir }).secrets.open(row!.sealed, row!.id);
    };
    const breaking = createTestRuntime({ dataDir: rt.config.dataDir });
    breaking.store.endpointSecrets.updateSealed = () => {
      throw new Error("power cut");
    };
    expect(() => rotateMasterKey(breaking)).toThrow("power cut");
    expect(keyLines(rt)).toHaveLength(2);
    expect(opened()).toBe(secret);
    // Meanwhile endpoints are made and rotated as ever, by whoever has the old key in memory, too.
    const added = await subscribe(rt, business, "http://10.0.0.1/");
    rotateEndpointSecret(rt, added.endpoint.id);
    rotateMasterKey(createTestRuntime({ dataDir: rt.config.dataDir }));
    expect(keyLines(rt)).toHaveLength(1);
    expect(opened()).toBe(secret);
  });

  test("drops no key while something needs it", async () => {
    const { rt } = await stage();
    rt.secrets.addKey();
    rt.secrets.dropOldKeys((opens) =>
      rt.store.endpointSecrets.list().every(({ id, sealed }) => opens(sealed, id)),
    );
    expect(keyLines(rt)).toHaveLength(2);
  });

  test("is refused before anything is touched when a secret does not open", async () => {
    const { rt } = await stage();
    writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
    const other = createTestRuntime({ dataDir: rt.config.dataDir });
    expect(() => rotateMasterKey(other)).toThrow(/does not open/);
    expect(keyLines(rt)).toHaveLength(1);
  });
});

test("a master key that is gone is not replaced without a word: that would lock the stored secrets out for good", async () => {
  const { rt, business, id, secret } = await stage();
  const key = readFileSync(rt.config.masterKeyPath);
  rmSync(rt.config.masterKeyPath);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject({
    code: "signing_unavailable",
  });
  expect(() => rotateEndpointSecret(fresh, id, { force: true })).toThrow(/master key is gone/);
  const [row] = fresh.store.endpointSecrets.listValid(id, rt.now());
  expect(() => fresh.secrets.open(row!.sealed, row!.id)).toThrow(/does not open/);
  expect(existsSync(rt.config.masterKeyPath)).toBe(false);
  writeFileSync(rt.config.masterKeyPath, key);
  expect(fresh.secrets.open(row!.sealed, row!.id)).toBe(secret);
});

/** As a file of another installation, put in the place of this one's. */
const swapMasterKey = ({ config }: TestRuntime) =>
  writeFileSync(config.masterKeyPath, `${Buffer.alloc(32, 7).toString("base64")}\n`);

test.each(["a daemon that has the right one in memory", "a new process"])(
  "the master key of another installation seals nothing beside what it does not open: %s",
  async (who) => {
    const { rt, business, id, secret } = await stage();
    const key = readFileSync(rt.config.masterKeyPath);
    const before = rt.store.endpointSecrets.list();
    swapMasterKey(rt);
    const writer =
      who === "a new process" ? createTestRuntime({ dataDir: rt.config.dataDir }, rt.now()) : rt;
    const refusal = {
      code: "signing_unavailable",
      message: /not the one/,
      fix: /put the right .* back; .* --force/,
    };
    const refused = Object.fromEntries(
      Object.entries(refusal).map(([name, said]) => [
        name,
        said instanceof RegExp ? expect.stringMatching(said) : said,
      ]),
    );
    await expect(subscribe(writer, business, "http://10.0.0.1/")).rejects.toMatchObject(refused);
    expect(() => rotateEndpointSecret(writer, id, { force: true })).toThrow(
      expect.objectContaining(refused),
    );
    expect(rt.store.endpointSecrets.list()).toEqual(before);
    expect(rt.store.endpoints.list()).toHaveLength(1);
    writeFileSync(rt.config.masterKeyPath, key);
    const [row] = before;
    expect(
      createTestRuntime({ dataDir: rt.config.dataDir }).secrets.open(row!.sealed, row!.id),
    ).toBe(secret);
    await subscribe(writer, business, "http://10.0.0.1/");
  },
);

test.each([
  {
    what: "of some other kind",
    put: (path: string) => writeFileSync(path, "swordfish\n"),
    fix: /put the key file back .* remove this one, .* rotate-secret ID --force/,
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
  "a master key file $what ends in words, and leaves the database free for others",
  async ({ put, fix }) => {
    const { rt, business } = await stage();
    put(rt.config.masterKeyPath);
    const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
    await expect(subscribe(fresh, business, "http://10.0.0.1/")).rejects.toMatchObject({
      code: "signing_unavailable",
      fix: expect.stringMatching(fix),
    });
    expect(checkSigningSecrets(fresh)).toMatchObject([
      { text: expect.stringContaining("opens no signing secret") },
    ]);
    emitEvents(fresh, business, "service.updated");
  },
);

test("beside a wrong master key a forced rotation is the way out, one endpoint after the other", async () => {
  const { rt, business, id } = await stage();
  const other = (await subscribe(rt, business, "http://10.0.0.1/")).endpoint.id;
  swapMasterKey(rt);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  const { secret, oldEndsAt } = rotateEndpointSecret(fresh, id, {
    force: true,
    allowNewMasterKey: true,
  });
  expect(oldEndsAt).toBe(fresh.now());
  expect(decryptSigningSecret(fresh, id)).toBe(secret);
  // The key is this box's now: new ones are sealed with it. What it does not open goes only by the operator's word.
  await subscribe(fresh, business, "http://10.0.0.2/");
  expect(() => rotateEndpointSecret(fresh, other)).toThrow(/master key is not the one/);
  expect(rotateEndpointSecret(fresh, other, { allowNewMasterKey: true }).oldEndsAt).toBe(
    fresh.now(),
  );
  expect(checkSigningSecrets(fresh)).toEqual([]);
  expect(rotateMasterKey(fresh)).toBe(3);
});

test("a master key that is lost for good is made anew by a rotation that says so, and deliveries go at once", async () => {
  const { rt, business, partner, courier, id } = await stage();
  await courier.stop(0);
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
    takenBy({ body: body.toString(), headers: headers as Record<string, string> }, secret),
  ).toEqual(ALL);
});

test("deliveries whose secret does not open wait, burn no attempt, and go when the key is back", async () => {
  const { rt, business, partner, courier } = await stage();
  const key = readFileSync(rt.config.masterKeyPath);
  writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  const fresh = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  await courier.stop(0);
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
  fresh.advance(60_000);
  next.sweep();
  await next.whenIdle();
  expect(partner.requests).toHaveLength(1);
});
