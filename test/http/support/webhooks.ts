import { expect } from "vitest";
import { editObject } from "../../../src/app/catalog/catalog.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../../src/domain/event-types.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import type { EndpointRow } from "../../../src/store/endpoints.ts";
import { type Api, SALON, seed } from "./api.ts";

export const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;
export const DELIVERIES = `/v1/businesses/${SALON}/deliveries`;
export const SALON_ID = businessId(SALON);

/** An endpoint as some key made it; null: somebody at the terminal. */
export const made = (
  a: Api,
  keyId: string | null,
  fields: { url?: string; business?: string } = {},
) =>
  createEndpoint(a, {
    businessId: fields.business ?? SALON_ID,
    keyId,
    name: "Website",
    url: fields.url ?? "http://10.0.0.1/hook",
    events: EVENT_TYPES,
    allowPrivate: true,
  });

/** One of another business, whose id a partner of the salon may have come to know. */
export async function strangersEndpoint(a: Api): Promise<EndpointRow> {
  const { slug } = seed(a, "restaurant");
  return (await made(a, null, { business: businessId(slug) })).endpoint;
}

export const restrictedKey = (a: Api, ...scopes: string[]) =>
  a.newKey({ kind: "RESTRICTED", scopes: scopes.length === 0 ? ["webhooks.write"] : scopes });

/** Two events: service.updated, catalog.changed. */
export const rename = (a: Api, name: string) =>
  editObject(a, SALON, "service", "cut", (service) => ({ ...service, name }));

export const withJson = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** The `data` of an answer with this status. */
export async function dataOf<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  expect(response.status).toBe(status);
  return ((await response.json()) as { data: T }).data;
}
