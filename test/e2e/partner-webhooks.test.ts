import { Stripe } from "stripe";
import { expect, test, vi } from "vitest";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver } from "../support/receiver.ts";
import { WAITS } from "../support/waits.ts";

test("a partner manages an endpoint over HTTP from creation to deletion", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell("keys", "create", "--name", "site", "--scope", "webhooks.write");
  const base = await waitForUrl(
    spawnDaemon(dataDir, "--allow-http", "--allow-private", "127.0.0.0/8"),
  );
  const partner = await createReceiver();

  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${base}/v1/businesses/salon-aurora/${path}`, {
      method,
      headers,
      body: sent,
    });
    const text = await response.text();
    return { status: response.status, ...(text !== "" && (JSON.parse(text) as { data?: never })) };
  };
  type Endpoint = { id: string; secret: string };
  const isSignedBy = (secret: string): boolean => {
    const { body, headers } = partner.requests.at(-1)!;
    return Boolean(
      Stripe.webhooks.constructEvent(body, headers["x-service-signature"] as string, secret),
    );
  };

  const request = { name: "Site", url: partner.url, events: ["service_price.updated"] };
  const { id, secret } = (await ask("POST", "webhooks", request)).data as unknown as Endpoint;
  expect(await ask("GET", "webhooks")).toMatchObject({
    status: 200,
    data: [{ id, status: "ACTIVE" }],
  });
  expect(await ask("POST", `webhooks/${id}/test`)).toMatchObject({
    status: 200,
    data: { ok: true, statusCode: 200 },
  });
  expect(isSignedBy(secret)).toBe(true);

  const rotated = (await ask("POST", `webhooks/${id}/rotate-secret`)).data as unknown as Endpoint;
  await deskbell("services", "update", "beard-trim", "--price", "90.00");
  await partner.waitForRequests(2);
  expect([isSignedBy(rotated.secret), isSignedBy(secret)]).toEqual([true, true]);
  // The poll interval is long, because a key may send only 60 requests a minute.
  const { id: deliveryId } = await vi.waitFor(
    async () => {
      const [delivery] = ((await ask("GET", `webhooks/${id}/deliveries?status=DELIVERED`)).data ??
        []) as {
        id: string;
      }[];
      if (delivery === undefined) throw new Error("The outcome is not stored yet.");
      return delivery;
    },
    { ...WAITS, interval: 500 },
  );
  expect(await ask("POST", `deliveries/${deliveryId}/redeliver`)).toMatchObject({ status: 202 });
  await partner.waitForRequests(3);
  expect(partner.requests[2]?.headers["x-service-delivery"]).toBe(deliveryId);

  expect(await ask("PATCH", `webhooks/${id}`, { name: "Shop" })).toMatchObject({
    status: 200,
    data: { name: "Shop" },
  });
  expect(await ask("DELETE", `webhooks/${id}`)).toMatchObject({ status: 204 });
  expect(await ask("DELETE", `webhooks/${id}`)).toMatchObject({ status: 404 });
  expect(JSON.parse(await deskbell("webhooks", "list", "--json"))).toEqual({ data: [] });
});
