import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { grants } from "../../../src/domain/api-key.ts";
import { createApp } from "../../../src/http/app.ts";
import type { RouteSpec } from "../../../src/http/pipeline/route.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { chooseScale } from "../../support/scale.ts";
import {
  TENANT_NAME,
  unknownId,
  createTenants,
  type Tenant,
  type TenantKey,
} from "../../support/tenants.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

// A1: a key of one business never gets data of another, and cannot find out whether it exists.

const BUSINESSES = chooseScale(8, 50);
const KEYS = chooseScale(0, 50);
const IS_FULL = chooseScale(0, 1) === 1;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NOBODY = "shop-none";

/** The ID prefix that follows a path segment. */
const IN_PATH: Record<string, string> = {
  webhooks: "whe",
  deliveries: "dlv",
  holds: "hld",
  bookings: "bkg",
  reservations: "rsv",
  "ticket-orders": "tor",
};
/** The ID prefix of a query parameter. */
const IN_QUERY: Record<string, string> = {
  ids: "svc",
  categoryId: "sct",
  staffId: "stf",
  serviceId: "svc",
  serviceIds: "svc",
  variantIds: "svv",
  addonIds: "adn",
  staffIds: "stf",
  areaId: "are",
};
/** Query parameters without IDs. */
const WITHOUT_ID =
  "limit locale includeTranslations includeVariants includeAddons bookable at includeUpcoming from to includeCancelled includePast date partySize guests granularity timezone explain types wait status eventType since dryRun updatedSince includeCustomer".split(
    " ",
  );
const ID_FIELDS = ["id", "businessId", "keyId", "endpointId", "deliveryId", "slug"];

/** Headers that differ between any two requests. */
const VARYING_HEADERS = ["request-id", "ratelimit", "etag"];

type ApiRequest = { method: string; path: string; body?: unknown };
type ApiResponse = { status: number; headers: string; text: string };

/** Sends each request from another address, so that no rate limit by address is reached. */
function createClient(rt: TestRuntime) {
  const app = createApp(rt);
  let requestCount = 0;
  return async ({ method, path, body }: ApiRequest, key: TenantKey): Promise<ApiResponse> => {
    await nextTurn();
    const response = await app.request(path, {
      method,
      headers: {
        "x-forwarded-for": addressOf(requestCount++),
        authorization: `Bearer ${key.secret}`,
        ...(method === "POST" && { "idempotency-key": `attack-${requestCount}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const headers = [...response.headers].filter(([name]) => !VARYING_HEADERS.includes(name));
    const text = (await response.text()).replace(/"requestId":"req_\w+"/, "");
    return { status: response.status, headers: JSON.stringify(headers), text };
  };
}

/** Addresses of the same length, because some responses contain them. */
const addressOf = (n: number): string =>
  `10.${[n >> 12, n >> 6, n].map((part) => 100 + (part & 63)).join(".")}`;

const pathFor = ({ path }: RouteSpec, slug: string, idOf: (prefix: string) => string): string =>
  path.replace(":slug", slug).replace(/([\w-]+)\/:(\w+)/, (_, before: string) => {
    const prefix = IN_PATH[before];
    if (prefix === undefined) throw new Error(`Add the ID prefix after /${before}/ to IN_PATH.`);
    return `${before}/${idOf(prefix)}`;
  });

const supportedMethods = ({ method }: RouteSpec): string[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** Other query parameters that a request with this parameter needs. */
function requiredQuery({ operationId: id }: RouteSpec, name: string, attacker: Tenant): string {
  if (id === "listServices") return "&includeVariants=true&includeAddons=true";
  if (id !== "getAvailability") return "";
  if (name === "areaId") return "&partySize=2";
  return name.startsWith("service") || name === "variantIds"
    ? ""
    : `&serviceIds=${attacker.ownId("svc")}`;
}

/** Requests with IDs of another business, each with a twin that uses IDs that do not exist. */
function* generateAttacks(
  route: RouteSpec,
  attacker: Tenant,
  victim: Tenant,
): Generator<{ request: ApiRequest; twin?: ApiRequest }> {
  const own = pathFor(route, attacker.slug, attacker.ownId);
  const ask = (path: string, body?: unknown): ApiRequest => ({
    method: route.method,
    path,
    ...(body !== undefined && { body }),
  });
  if (route.path.includes(":id")) {
    const body = route.body && {};
    yield {
      request: ask(pathFor(route, attacker.slug, victim.ownId), body),
      twin: ask(pathFor(route, attacker.slug, unknownId), body),
    };
  }
  for (const name of Object.keys(route.query ?? {})) {
    const rest = requiredQuery(route, name, attacker);
    const kind = IN_QUERY[name];
    if (kind !== undefined)
      for (const more of "explain" in (route.query ?? {}) ? [rest, `${rest}&explain=true`] : [rest])
        yield {
          request: ask(`${own}?${name}=${victim.ownId(kind)}${more}`),
          twin: ask(`${own}?${name}=${unknownId(kind)}${more}`),
        };
    else if (name === "after")
      yield {
        request: ask(`${own}?after=${victim.cursors.changes}`),
        twin: ask(`${own}?after=1.aaaaaaaaaa`),
      };
    else if (name === "cursor") {
      const list = own.replace(`/v1/businesses/${attacker.slug}/`, "");
      yield { request: ask(`${own}?cursor=${victim.cursors.list(list)}`) };
      yield {
        request: ask(
          `${own}?cursor=${victim.cursors.list(list.replace(/whe_\w+/, victim.ownId("whe")))}`,
        ),
      };
    } else if (!WITHOUT_ID.includes(name))
      throw new Error(`Add '${name}' to IN_QUERY or WITHOUT_ID.`);
  }
  if (route.body === undefined) return;
  const fields = [...Object.keys(route.body.schema.shape), ...ID_FIELDS];
  const filled = (tenantOwn: (prefix: string) => string) =>
    Object.fromEntries(
      fields.map((field) => [field, tenantOwn(field === "businessId" ? "biz" : "whe")]),
    );
  // Errors about unknown fields contain the name, not the value.
  yield { request: ask(own, filled(victim.ownId)), twin: ask(own, filled(unknownId)) };
}

/** Returns identifiers of other businesses that are in the response but not in the request. */
function findForeignIdentifiers(
  response: ApiResponse,
  request: ApiRequest,
  attacker: Tenant,
  ownerOf: ReadonlyMap<string, Tenant>,
): string[] {
  const requestText = `${request.path}${JSON.stringify(request.body)}`;
  const text = response.headers + response.text;
  return [...text.matchAll(TENANT_NAME)]
    .map(([name]) => name)
    .filter((name) => (ownerOf.get(name) ?? attacker) !== attacker && !requestText.includes(name));
}

/** Replaces the requested IDs and the address, so that two responses can be compared. */
const normalize = ({ status, headers, text }: ApiResponse, { path, body }: ApiRequest): string =>
  [...`${path}${JSON.stringify(body) ?? ""}`.matchAll(/[a-z]{3}_[0-9a-z]{20,25}|shop-\w+/g)].reduce(
    (result, [name]) => result.replaceAll(name, "…"),
    `${status} ${headers} ${text.replace(/(?<=from )[\d.]+\d/, "…")}`,
  );

test(
  `with ${BUSINESSES} businesses, no key on any route reads, changes or detects data of another business`,
  { timeout: chooseScale(120_000, 3_600_000) },
  async () => {
    const rt = createTestRuntime({ trustedProxies: ["127.0.0.1"] });
    const tenants = await createTenants(rt, BUSINESSES, KEYS);
    const ownerOf = new Map<string, Tenant>();
    for (const tenant of tenants)
      for (const name of tenant.identifiers) {
        expect([name, ownerOf.get(name)?.slug]).toEqual([name, undefined]);
        ownerOf.set(name, tenant);
      }
    rt.advance(1000);
    const send = createClient(rt);
    const before = rt.revision();
    let requestCount = 0;
    let ownDataCount = 0;

    const check = async (
      request: ApiRequest,
      attacker: Tenant,
      key: TenantKey,
    ): Promise<ApiResponse> => {
      const response = await send(request, key);
      requestCount += 1;
      const found = findForeignIdentifiers(response, request, attacker, ownerOf);
      if (found.length > 0 || response.status === 429 || response.status >= 500)
        expect({ request, key: key.description, ...response, found }).toBe(
          "a response with only the key's own data",
        );
      if (response.text.includes(attacker.marker)) ownDataCount += 1;
      return response;
    };

    for (const [n, attacker] of tenants.entries())
      for (const [k, key] of attacker.keys.entries()) {
        // Each key attacks another business.
        const victim = tenants[(n + 1 + (k % (tenants.length - 1))) % tenants.length] ?? attacker;
        const compare = async (request: ApiRequest, twin: ApiRequest) => {
          const [response, twinResponse] = [
            normalize(await check(request, attacker, key), request),
            normalize(await check(twin, attacker, key), twin),
          ];
          if (response !== twinResponse)
            expect({ key: key.description, request, twin, response }).toEqual({
              key: key.description,
              request,
              twin,
              response: twinResponse,
            });
        };
        for (const route of ROUTES) {
          if (route.scope === "open") {
            // Open routes ignore the key, so one is enough.
            if (k === 0)
              for (const method of METHODS)
                await check({ method, path: route.path }, attacker, key);
            continue;
          }
          // Unsupported methods are rejected before the key is read, so one key is enough.
          for (const method of k === 0 || IS_FULL ? METHODS : supportedMethods(route)) {
            // Public routes may show any business, but not with explain.
            const search =
              route.scope === "public" && ["GET", "HEAD"].includes(method) ? "?explain=true" : "";
            const about = (slug: string) => ({
              method,
              path: pathFor(route, slug, victim.ownId) + search,
            });
            await compare(about(victim.slug), about(NOBODY));
          }
          for (const { request, twin } of generateAttacks(route, attacker, victim))
            await (twin ? compare(request, twin) : check(request, attacker, key));
          if (route.scope === "public" || route.method !== "GET") continue;
          const own = await check(
            { method: "GET", path: pathFor(route, attacker.slug, attacker.ownId) },
            attacker,
            key,
          );
          const opens =
            key.isAccepted &&
            [route.scope]
              .flat()
              .some((scope) => grants({ kind: "RESTRICTED", scopes: key.scopes }, scope));
          expect([
            key.description,
            route.operationId,
            own.status === 401 || own.status === 403,
          ]).toEqual([key.description, route.operationId, !opens]);
        }
      }
    // No request has written anything.
    expect(rt.revision()).toBe(before);
    // Make sure that enough was requested, and that responses contained data.
    expect(requestCount).toBeGreaterThan(tenants.length * 2000);
    expect(ownDataCount).toBeGreaterThan(tenants.length * 50);
  },
);
