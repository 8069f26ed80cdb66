import type { fc } from "../../support/property.ts";
import { describeApi } from "../../../.config/openapi/document.ts";
import { ROUTES } from "../../support/routes.ts";
import { idPrefixOf } from "./tenant-attacks.ts";
import { type Tenant, unknownId } from "./tenants.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";
import {
  arbitraryRequests,
  type GeneratedRequest,
  type KnownValues,
  type OpenApiDocument,
} from "../../support/hostile/generated-requests.ts";

const document = describeApi({ routes: ROUTES, version: "0" }) as unknown as OpenApiDocument;

const allOf = ({ identifiers }: Tenant, prefix: string): string[] =>
  [...identifiers].filter((name) => name.startsWith(`${prefix}_`));

/**
 * Returns the IDs of the tenant's objects that an operation names in its path. If it names none,
 * the IDs of endpoints are returned.
 */
function idsFor(tenant: Tenant, operationId: string): string[] {
  const route = ROUTES.find((one) => one.operationId === operationId);
  const ids = allOf(tenant, (route && idPrefixOf(route)) ?? "whe");
  // One endpoint is kept for the other operations.
  return operationId === "deleteEndpoint" ? ids.slice(1) : ids;
}

const knownValuesOf =
  (tenant: Tenant) =>
  (operationId: string): KnownValues => ({
    businessSlug: [tenant.slug],
    id: idsFor(tenant, operationId),
    ids: [tenant.ownId("svc"), unknownId("svc")],
    categoryId: [tenant.ownId("sct")],
    staffId: [tenant.ownId("stf")],
    staffIds: [tenant.ownId("stf")],
    serviceIds: [tenant.ownId("svc"), tenant.ownId("svc"), unknownId("svc")],
    serviceId: [tenant.ownId("svc")],
    variantIds: [tenant.ownId("svv")],
    addonIds: [tenant.ownId("adn")],
    areaId: [tenant.ownId("are")],
    endpointId: allOf(tenant, "whe"),
    eventId: allOf(tenant, "evt"),
    partySize: ["2", "3"],
    date: ["2026-11-24"],
    from: ["2026-11-21", "2026-11-23"],
    to: ["2026-11-25"],
    timezone: ["Asia/Tokyo", "UTC"],
    cursor: [tenant.cursors.list("services"), tenant.cursors.list("webhooks")],
    after: [tenant.cursors.changes],
    wait: ["0"],
    name: ["Website", "Kiosk"],
    url: ["https://8.8.8.8/hook", "https://8.8.4.4/", "https://1.1.1.1/", "https://127.0.0.1/"],
  });

/** Generates requests about the objects of a business. */
export const arbitraryTenantRequests = (tenant: Tenant): fc.Arbitrary<GeneratedRequest> =>
  arbitraryRequests(document, knownValuesOf(tenant));

/** Returns the keys that generated requests name. */
export function keysOf({ keys }: Tenant): Record<GeneratedRequest["key"], string | null> {
  const secretOf = (what: string) =>
    keys.find(({ description }) => description === what)?.secret ?? "";
  return {
    good: secretOf("secret"),
    restricted: secretOf("restricted to services.read"),
    wrong: "deskbell_sk_wrong",
    none: null,
  };
}

/** Breaks the API, for negative controls: IDs with an unusual character make it throw. */
export function sabotage(rt: TestRuntime): void {
  const { findById } = rt.store.endpoints;
  rt.store.endpoints.findById = (id) => {
    if (/[^\w]/.test(id)) throw new TypeError("cannot read a property of undefined");
    return findById(id);
  };
}
