import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPartner } from "../../../src/features/partners/partners.ts";
import { createTestApp } from "../../support/app.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { patient } from "../../support/patience.ts";
import { ROUTES } from "../../support/routes.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { pathFor, supportedMethods } from "../support/tenant-attacks.ts";
import { createTenants, type Tenant, TENANT_NAME, unknownId } from "../support/tenants.ts";

// The key of a partner reaches several businesses. It never gets data of any other business, and
// cannot find out whether that business exists. Requests to a business that the key reaches never
// return an object of another business.

const BUSINESSES = chooseScale(3, 50, 8);
const PARTNERS = chooseScale(2, 20, 4);
const NOBODY = "shop-none";
const VARYING = ["request-id", "ratelimit", "etag"];

type Answer = { status: number; headers: string; text: string };

function createClient(rt: TestRuntime) {
  const app = createTestApp(rt);
  let count = 0;
  return async (method: string, path: string, secret: string, body?: object): Promise<Answer> => {
    await nextTurn();
    const response = await app.request(path, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(method === "POST" && { "idempotency-key": `attack-${count++}` }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const headers = [...response.headers].filter(([name]) => !VARYING.includes(name));
    const text = (await response.text()).replace(/"requestId":"req_\w+"/, "");
    return { status: response.status, headers: JSON.stringify(headers), text };
  };
}

/** Returns the partners, each with a third of the businesses, and the scopes that read the most. */
function createPartners(rt: TestRuntime, tenants: readonly Tenant[]) {
  const size = Math.max(1, Math.floor(tenants.length / 3));
  return Array.from({ length: PARTNERS }, (_, n) => {
    const own = Array.from({ length: size }, (_, i) => tenants[(n + i) % tenants.length]!);
    const limits = { limitMinute: 1_000_000_000, limitHour: 1_000_000_000 };
    const { secret, partner } = createPartner(rt, {
      name: `partner ${n}`,
      businesses: own.map(({ id }) => rt.store.businesses.findById(id)!),
      coversAll: false,
      coversFuture: false,
      scopes: ["services.read", "webhooks.write", "bookings.manage", "guests.read"],
      eventGroups: ["catalog", "bookings", "tickets"],
      cidrs: [],
      ...limits,
      totalMinute: limits.limitMinute,
      totalHour: limits.limitHour,
      maxEndpoints: 10,
      maxHolds: 20,
      maxBookingsDay: 1_000_000_000,
    });
    return { own: new Set(own), secret, id: partner.id };
  });
}

/**
 * Replaces the IDs and slugs that the path of the request names, so that two responses can be
 * compared.
 */
const normalize = ({ status, headers, text }: Answer, path: string): string =>
  [...path.matchAll(/[a-z]{3}_[0-9a-z]{20,25}|shop-\w+/g)].reduce(
    (result, [name]) => result.replaceAll(name, "…"),
    `${status} ${headers} ${text}`,
  );

/** @throws if a response contains data of a business that the partner does not reach */
async function attackAll(prepare: (rt: TestRuntime) => void = () => {}) {
  const rt = createTestRuntime();
  const tenants = await createTenants(rt, BUSINESSES);
  const ownerOf = new Map(
    tenants.flatMap((tenant) => [...tenant.identifiers].map((name) => [name, tenant] as const)),
  );
  const partners = createPartners(rt, tenants);
  prepare(rt);
  const send = createClient(rt);
  let requests = 0;
  let withOwnData = 0;
  for (const { own, secret } of partners) {
    const victim = tenants.find((tenant) => !own.has(tenant))!;
    const check = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await send(method, path, secret, body);
      requests += 1;
      const foreign = [...(answer.headers + answer.text).matchAll(TENANT_NAME)]
        .map(([name]) => name)
        .filter((name) => !path.includes(name))
        .filter((name) => ownerOf.has(name) && !own.has(ownerOf.get(name)!));
      if (foreign.length > 0 || answer.status >= 500 || answer.status === 429)
        throw new Error(
          `${method} ${path}: ${answer.status}, with ${foreign.join(", ")} of others`,
        );
      if ([...own].some(({ marker }) => answer.text.includes(marker))) withOwnData += 1;
      return answer;
    };
    const compare = async (method: string, path: string, twin: string, body?: object) =>
      expect([path, normalize(await check(method, path, body), path)]).toEqual([
        path,
        normalize(await check(method, twin, body), twin),
      ]);
    for (const route of ROUTES) {
      if (route.scope === "open") continue;
      const body = route.body && {};
      for (const method of supportedMethods(route)) {
        const foreign = pathFor(route, victim.slug, victim.ownId);
        const unknown = pathFor(route, NOBODY, victim.ownId);
        if (route.scope !== "public" && !route.isAboveBusinesses)
          await compare(method, foreign, unknown, body);
        for (const { slug } of own)
          if (route.path.includes(":id"))
            await compare(
              method,
              pathFor(route, slug, victim.ownId),
              pathFor(route, slug, unknownId),
              body,
            );
          else if (method === "GET") await check(method, pathFor(route, slug, victim.ownId));
      }
    }
  }
  return { requests, withOwnData };
}

/**
 * Attacks an API with a bug: the access of one partner to a business counts as the access of every
 * partner.
 */
async function runControl() {
  const error = await attackAll((rt) => {
    const { findAtBusiness } = rt.store.partnerAccess;
    rt.store.partnerAccess.findAtBusiness = (partner, slug) => {
      const business = rt.store.businesses.findBySlug(slug);
      const [access] = business ? rt.store.partnerAccess.listOfBusiness(business.id) : [];
      const reached = access?.partnerId ?? partner.partnerId;
      return findAtBusiness({ ...partner, partnerId: reached }, slug);
    };
  }).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  const leak = /^\w+ [^ ?]+(?=: \d+, with .+ of others$)/.exec(error?.message ?? "")?.[0];
  return {
    done: "The same requests were sent to an API in which every partner reaches the businesses of all partners.",
    figure: leak === undefined ? "No leak was found." : `A leak was found at ${leak}.`,
    hasFailed: leak !== undefined,
  };
}

test(
  `no key reads, changes or detects data of a business that it does not reach, with ${BUSINESSES} businesses and ${PARTNERS} partners`,
  { timeout: patient(120_000 + chooseScale(0, 3_600_000)) },
  async () => {
    const { requests, withOwnData } = await attackAll();
    expect(requests).toBeGreaterThan(PARTNERS * 150);
    expect(withOwnData).toBeGreaterThan(PARTNERS * 5);
    if (!isRecording()) return;
    recordClaim({
      group: "attack",
      claim:
        "No key of a partner reads, changes or detects data of a business that it does not reach",
      done: `${requests} requests were sent with the keys of ${PARTNERS} partners, each of a third of ${BUSINESSES} businesses, to every route, with foreign slugs and IDs; each was compared with the same request for a business or ID that does not exist.`,
      figure: `No response differed or had data of another business; ${withOwnData} contained data of the partner's own.`,
      control: await runControl(),
      seed: "none",
    });
  },
);
