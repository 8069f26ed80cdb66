import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { grants } from "../../../src/domain/api-key.ts";
import { createTestApp } from "../../support/app.ts";
import { ROUTES } from "../../support/routes.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import {
  type ApiRequest,
  generateAttacks,
  generateToolAttacks,
  pathFor,
  supportedMethods,
} from "../support/tenant-attacks.ts";
import { chooseScale } from "../../support/scale.ts";
import { TENANT_NAME, createTenants, type Tenant, type TenantKey } from "../support/tenants.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

// A key of one business never gets data of another business, and cannot find out whether that
// business exists.

const BUSINESSES = chooseScale(2, 50, 3);
const KEYS = chooseScale(0, 10);
const IS_FULL = chooseScale(0, 1) === 1;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NOBODY = "shop-none";

/** Headers that differ between any two requests. */
const VARYING_HEADERS = ["request-id", "ratelimit", "etag"];

type ApiResponse = { status: number; headers: string; text: string };

/** Returns a client that sends each request from another address, so that no rate limit applies. */
function createClient(rt: TestRuntime) {
  const app = createTestApp(rt);
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

/** Returns an address that has the same length for every `n`, because some responses contain it. */
const addressOf = (n: number): string =>
  `10.${[n >> 12, n >> 6, n].map((part) => 100 + (part & 63)).join(".")}`;

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

/**
 * Sends attacks with every key of every business to every route.
 * @throws if a response contains data of another business, or shows that the business exists
 */
async function attackAll(
  businesses: number,
  keys: number,
  prepare: (rt: TestRuntime) => void = () => {},
): Promise<{ requestCount: number; ownDataCount: number }> {
  const rt = createTestRuntime({ trustedProxies: ["127.0.0.1"] });
  const tenants = await createTenants(rt, businesses, keys);
  const ownerOf = new Map<string, Tenant>();
  for (const tenant of tenants)
    for (const name of tenant.identifiers) {
      expect([name, ownerOf.get(name)?.slug]).toEqual([name, undefined]);
      ownerOf.set(name, tenant);
    }
  prepare(rt);
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
      throw new Error(
        `${request.method} ${request.path} with the key ${key.description}: ${response.status} ${response.text}, with ${found.join(", ")} of others`,
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
            for (const method of METHODS) await check({ method, path: route.path }, attacker, key);
          continue;
        }
        // Unsupported methods are rejected before the key is read, so one key is enough.
        for (const method of k === 0 || IS_FULL ? METHODS : supportedMethods(route)) {
          // Public routes may show any business to everybody, except if the request has `explain`.
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
        if (route.scope === "public" || route.method !== "GET" || route.isAboveBusinesses) continue;
        const own = await check(
          { method: "GET", path: pathFor(route, attacker.slug, attacker.ownId) },
          attacker,
          key,
        );
        const opens =
          key.isAccepted &&
          [route.scope].flat().some((scope) => scope === "anyKey" || grants(key, scope));
        expect([
          key.description,
          route.operationId,
          own.status === 401 || own.status === 403,
        ]).toEqual([key.description, route.operationId, !opens]);
      }
      for (const { request, twin } of generateToolAttacks(attacker, victim, NOBODY))
        await compare(request, twin);
    }
  // No request has written anything.
  expect(rt.revision()).toBe(before);
  return { requestCount, ownDataCount };
}

/** Attacks an API that is broken on purpose: each business gets the endpoints of all businesses. */
async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const error = await attackAll(2, 0, (rt) => {
    const { list } = rt.store.endpoints;
    rt.store.endpoints.listOf = ({ businessId }) => list().map((row) => ({ ...row, businessId }));
  }).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  const operation = /^\w+ [^ ?]+/.exec(error?.message ?? "")?.[0];
  return {
    done: "The same requests were sent to an API that lists the webhook endpoints of all businesses.",
    figure: operation === undefined ? "No leak was found." : `A leak was found at ${operation}.`,
    hasFailed: operation !== undefined,
  };
}

test(
  `no key on any route reads, changes or detects data of another business, with ${BUSINESSES} businesses`,
  { timeout: patient(300_000 + chooseScale(0, 3_600_000)) },
  async () => {
    const { requestCount, ownDataCount } = await attackAll(BUSINESSES, KEYS);
    // These checks make sure that enough was requested, and that responses contained data.
    expect(requestCount).toBeGreaterThan(BUSINESSES * 2000);
    expect(ownDataCount).toBeGreaterThan(BUSINESSES * 50);
    if (!isRecording()) return;
    recordClaim({
      group: "attack",
      claim: "No key reads, changes or detects data of another business",
      done: `${requestCount} requests were sent with every key of ${BUSINESSES} businesses to every route and method and to every tool of agents, with foreign IDs in path, query and body; each was compared with the same request for an ID that does not exist.`,
      figure: `No request leaked, changed or revealed anything of another business; ${ownDataCount} responses contained data of the key's own business.`,
      control: await runControl(),
      seed: "none",
    });
  },
);
