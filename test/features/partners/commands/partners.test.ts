import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEndpoint } from "../../../../src/app/webhooks/endpoints.ts";
import { readConfig } from "../../../../src/config.ts";
import { type CommandResult, createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

async function openSalon(business: string) {
  const { deskbell } = createTerminal();
  expect(await deskbell(`catalog apply ${SALON}`)).toMatchObject({ code: 0 });
  vi.stubEnv("DESKBELL_BUSINESS", business);
  onTestFinished(() => void vi.unstubAllEnvs());
  return deskbell;
}

test("partners create --all overrides the business of the environment, but not --business", async () => {
  const deskbell = await openSalon("salon-aurora");
  expect(await deskbell("partners create directory --all")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Created directory, which reaches 1 business."),
  });
  expect(await deskbell("partners create other --all --business salon-aurora")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs either --all or at least one --business."),
  });
  expect(await deskbell("partners create portal")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Created portal, which reaches 1 business."),
  });
});

test("partners create ignores an environment variable for the business that is empty", async () => {
  const deskbell = await openSalon("");
  expect(await deskbell("partners create directory --all")).toMatchObject({ code: 0 });
  expect(await deskbell("partners create portal")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs either --all or at least one --business."),
  });
});

const SHOP = `
catalog: 1
business: { slug: shop, name: Shop, timezone: UTC, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia] }]
staff: [{ key: mia, name: Mia }]
`;

const data = <T>({ stdout }: CommandResult): T => (JSON.parse(stdout) as { data: T }).data;

test("bookings list and bookings cancel accept a partner's name, key and access at the business", async () => {
  const { deskbell, dataDir } = createTerminal();
  expect(await deskbell("catalog apply -", SHOP)).toMatchObject({ code: 0 });
  await deskbell("partners create agency --business shop --scope bookings.write");
  await deskbell("partners create-key agency --name second");
  const day = Temporal.Now.plainDateISO("UTC").add({ days: 7 }).toString();
  const create = (time: string) =>
    deskbell(`bookings create --service cut --start ${day}T${time} --json`);
  const { id } = data<{ id: string }>(await create("11:00"));
  await create("14:00");
  const database = new Database(readConfig({ dataDir }, {}).databasePath);
  const isAccess = "partner_id IS NOT NULL AND business_id IS NOT NULL";
  const idOfKey = (where: string) =>
    database.prepare(`SELECT id FROM api_key WHERE ${where}`).pluck().get() as string;
  const access = idOfKey(isAccess);
  const partnerKey = idOfKey("name = 'agency' AND business_id IS NULL");
  database.prepare("UPDATE booking SET created_by_key = ? WHERE id = ?").run(access, id);
  database.close();

  const listed = async (key: string, flags = "") =>
    data<{ id: string }[]>(await deskbell(`bookings list --key ${key} ${flags} --json`)).map(
      (booking) => booking.id,
    );
  for (const key of ["agency", "second", partnerKey, access])
    expect(await listed(key, "--created-since 2h"), key).toEqual([id]);
  expect(await deskbell(`keys update ${access} --limit-minute 5`)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("is the access of the partner 'agency' to shop"),
  });
  const rotation = await deskbell(`keys rotate ${access}`);
  expect(rotation.stderr).toContain(
    "fix: to rotate a key of the partner, take its ID from deskbell partners show agency; to end the access, run deskbell partners exclude agency --business shop",
  );
  const { keys } = data<{ keys: { id: string }[] }>(await deskbell("partners show agency --json"));
  expect(keys[0]).toMatchObject({ id: partnerKey });
  expect(await deskbell(`keys rotate ${partnerKey}`)).toMatchObject({ code: 0 });

  // The visits of a partner can be found after the owner has excluded it.
  await deskbell("partners exclude agency --business shop --yes");
  for (const key of ["agency", "second", access]) expect(await listed(key), key).toEqual([id]);
  // A partner that is added again has a new access, to which its visits belong then.
  await deskbell("partners add agency --business shop");
  for (const key of ["agency", "second", access]) expect(await listed(key), key).toEqual([id]);
  expect(
    await deskbell(`bookings cancel --key ${access} --created-since 2h --yes --json`),
  ).toMatchObject({ code: 0, stderr: expect.stringContaining("1 booking.") });
  expect(await listed(access, "--status CANCELLED")).toEqual([id]);
});

/** Creates two businesses, one of which a partner with an endpoint reaches. */
async function createReachedShop() {
  const { deskbell, dataDir } = createTerminal();
  for (const catalog of [SHOP, SHOP.replace("slug: shop", "slug: bar")])
    expect(await deskbell("catalog apply -", catalog)).toMatchObject({ code: 0 });
  await deskbell("partners create agency --business shop");
  const { id: partnerId } = data<{ id: string }>(await deskbell("partners show agency --json"));
  const rt = createTestRuntime({ dataDir });
  const { endpoint } = await createEndpoint(rt, {
    businessId: null,
    partnerId,
    keyId: rt.store.partnerAccess.listKeys(partnerId)[0]!.id,
    name: "mirror",
    url: "https://1.1.1.1/hook",
    events: ["service.updated"],
    allowPrivate: false,
  });
  return { deskbell, dataDir, partnerId, endpoint };
}

test("webhooks list and completion name a partner's endpoints at the businesses that the partner reaches", async () => {
  const { deskbell, dataDir, partnerId, endpoint } = await createReachedShop();
  await deskbell(
    "webhooks create --business shop --name till --url http://127.0.0.1:9/ --event all --allow-private",
  );

  const listed = async (flags: string) =>
    data<{ name: string; businessId: string | null; partnerId: string | null }[]>(
      await deskbell(`webhooks list ${flags} --json`),
    );
  expect(await listed("--business shop")).toMatchObject([
    { name: "mirror", businessId: null, partnerId },
    { name: "till", partnerId: null },
  ]);
  expect(await listed("--business bar")).toEqual([]);
  expect(await listed("")).toHaveLength(2);
  const completed = async (business: string) =>
    (await deskbell(`__complete -- --business ${business} webhooks show ''`)).stdout;
  expect(await completed("shop")).toContain(endpoint.id);
  expect(await completed("bar")).toBe("");

  // A list shows whose the endpoint is at every width.
  for (const columns of [80, 200]) {
    const screen = createTerminal({ isTTY: true, dataDir, columns });
    const { stdout } = await screen.deskbell("webhooks list --business shop --no-color");
    const [, ofMirror] = stdout.split(endpoint.id);
    expect(stdout).toMatch(/ PARTNER\n/);
    expect(ofMirror).toMatch(/ agency\n/);
  }
  await deskbell("partners exclude agency --business shop --yes");
  expect(await listed("--business shop")).toMatchObject([{ name: "till" }]);
});

test("events trigger --endpoint sends to a partner's endpoint, at businesses that the partner reaches", async () => {
  const { deskbell, endpoint } = await createReachedShop();
  expect(
    await deskbell(`events trigger service.updated --business shop --endpoint mirror`),
  ).toMatchObject({ code: 0, stderr: "Triggered service.updated: 1 webhook to send.\n" });
  expect(
    await deskbell(`events trigger service.updated --business bar --endpoint ${endpoint.id}`),
  ).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`There is no webhook endpoint ${endpoint.id}.`),
  });
});
