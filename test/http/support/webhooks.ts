import { expect } from "vitest";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import type { EndpointRow } from "../../../src/store/webhooks/endpoints.ts";
import { type TestApi, SALON, applyPreset } from "./api.ts";

export const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;
export const DELIVERIES = `/v1/businesses/${SALON}/deliveries`;
export const SALON_ID = businessId(SALON);

/**
 * Creates an endpoint.
 * @param keyId the key that creates it; null for the command line
 */
export const createTestEndpoint = (
  api: TestApi,
  keyId: string | null,
  fields: { url?: string; business?: string; allowPrivate?: boolean } = {},
) =>
  createEndpoint(api, {
    businessId: fields.business ?? SALON_ID,
    keyId,
    name: "Website",
    url: fields.url ?? "http://10.0.0.1/hook",
    events: EVENT_TYPES,
    allowPrivate: fields.allowPrivate ?? true,
  });

export async function createForeignEndpoint(api: TestApi): Promise<EndpointRow> {
  const { slug } = applyPreset(api, "restaurant");
  return (await createTestEndpoint(api, null, { business: businessId(slug) })).endpoint;
}

export const createRestrictedKey = (api: TestApi, ...scopes: string[]) =>
  api.createKey({ kind: "RESTRICTED", scopes: scopes.length === 0 ? ["webhooks.write"] : scopes });

/** Renames a service, which emits `service.updated` and `catalog.changed`. */
export const renameService = (api: TestApi, name: string) =>
  editObject(api, SALON, "service", "cut", (service) => ({ ...service, name }));

export const jsonRequest = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Asserts the status of a response, and returns its `data`. */
export async function readData<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  expect(response.status).toBe(status);
  return ((await response.json()) as { data: T }).data;
}
