import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import type { Envelope } from "../../src/domain/events/envelope.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver, type TestReceiver } from "../support/receiver.ts";

type Delivery = { eventId: string; status: string; attemptCount: number };

const subscribe = (
  deskbell: (...args: string[]) => Promise<string>,
  url: string,
): Promise<string> =>
  deskbell(
    "webhooks",
    "create",
    "--name",
    "site",
    "--url",
    url,
    "--event",
    "all",
    "--allow-private",
  );

const envelopes = ({ requests }: TestReceiver): Envelope[] =>
  requests.map(({ body }) => JSON.parse(body.toString()));

async function pollUntil<T>(read: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> {
  for (;;) {
    const result = await read();
    if (isDone(result)) return result;
  }
}

async function findUnusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a price change sends three events in order, with signatures that three verifiers accept", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const url = await waitForUrl(spawnDaemon(dataDir));
  const partner = await createReceiver();
  const secret = await subscribe(deskbell, partner.url);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await partner.waitForRequests(3);

  const bySequence = partner.requests.toSorted(
    (a, b) => Number(a.headers["x-service-sequence"]) - Number(b.headers["x-service-sequence"]),
  );
  expect(bySequence.map(({ headers }) => headers["x-service-event"])).toEqual([
    "service.updated",
    "service_price.updated",
    "catalog.changed",
  ]);
  for (const { headers, body } of partner.requests) {
    const given = headers as Record<string, string>;
    Stripe.webhooks.constructEvent(body, given["x-service-signature"] ?? "", secret);
    new Webhook(secret).verify(body, given);
    new SvixWebhook(secret).verify(body, given);
    const changed = Buffer.from(body).fill("x", 20, 21);
    expect(() =>
      Stripe.webhooks.constructEvent(changed, given["x-service-signature"] ?? "", secret),
    ).toThrow("signature");
    expect(() => new Webhook(secret).verify(changed, given)).toThrow("signature");
    expect(() => new SvixWebhook(secret).verify(changed, given)).toThrow("signature");
  }

  const updated = envelopes(partner).find(({ type }) => type === "service.updated");
  expect(Object.keys(updated?.data ?? {})).toEqual(["resource", "action", "changed", "object"]);
  expect(updated?.data).toMatchObject({
    action: "updated",
    changed: { price: true, variants: false, addons: false },
  });

  const key = await deskbell("keys", "create", "--name", "site", "--scope", "services.read");
  const services = `${url}/v1/businesses/salon-aurora/services?includeVariants=true&includeAddons=true&includeTranslations=true`;
  const answer = await fetch(services, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await answer.json()) as { data: { id: string }[] };
  expect(data.find(({ id }) => id === updated?.data.resource.id)).toEqual(updated?.data.object);
});

test("deliveries to a receiver that was down arrive with the second attempt", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  await waitForUrl(spawnDaemon(dataDir));
  const port = await findUnusedPort();
  await subscribe(deskbell, `http://127.0.0.1:${port}/hook`);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  const listed = async () =>
    (JSON.parse(await deskbell("deliveries", "list", "--json")) as { data: Delivery[] }).data;
  const afterFirstAttempt = await pollUntil(
    listed,
    (rows) => rows.length === 3 && rows.every(({ attemptCount }) => attemptCount === 1),
  );
  expect(afterFirstAttempt.map(({ status }) => status)).toEqual(["PENDING", "PENDING", "PENDING"]);

  const partner = await createReceiver([{}], port);
  await partner.waitForRequests(3);
  expect(partner.requests.map(({ headers }) => headers["x-service-attempt"])).toEqual([
    "2",
    "2",
    "2",
  ]);
});

test("deliveries in flight when the daemon is killed are sent again after the next start", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const daemon = spawnDaemon(dataDir);
  await waitForUrl(daemon);
  const partner = await createReceiver([{ hold: true }, { hold: true }, { hold: true }, {}]);
  await subscribe(deskbell, partner.url);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await partner.waitForRequests(3);
  await deskbell("services", "update", "beard-trim", "--price", "78.00");
  daemon.child.kill("SIGKILL");
  await daemon.waitForExit();

  await waitForUrl(spawnDaemon(dataDir));
  await partner.waitForRequests(9);
  const statuses = async () =>
    (JSON.parse(await deskbell("deliveries", "list", "--json")) as { data: Delivery[] }).data.map(
      ({ status }) => status,
    );
  await pollUntil(statuses, (all) => all.every((status) => status === "DELIVERED"));
  expect(new Set(envelopes(partner).map(({ id }) => id)).size).toBe(6);
});
