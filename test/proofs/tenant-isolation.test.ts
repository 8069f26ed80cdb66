import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { grants } from "../../src/domain/api-key.ts";
import { createApp } from "../../src/http/app.ts";
import type { RouteSpec } from "../../src/http/pipeline/route-definition.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { chooseScale } from "../support/scale.ts";
import {
  TENANT_NAME,
  unknownId,
  createTenants,
  type Tenant,
  type TenantKey,
} from "../support/tenants.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";

// A1: whatever a key of one business asks, nothing of another is in the answer, and whether that other is there cannot be told.

const BUSINESSES = chooseScale(20, 50);
const KEYS = chooseScale(0, 50);
const IS_FULL = chooseScale(0, 1) === 1;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NOBODY = "shop-none";

/** The kind of id that a path has after this part of it. */
const IN_PATH: Record<string, string> = { webhooks: "whe", deliveries: "dlv" };
/** The kind of id that a parameter names. */
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
/** Flags, dates, numbers and words: nothing of anybody's. */
const NAMES_NOTHING =
  "limit locale includeTranslations includeVariants includeAddons bookable at includeUpcoming from to includeCancelled includePast date partySize guests granularity timezone explain types wait status eventType since".split(
    " ",
  );
const ID_FIELDS = ["id", "businessId", "keyId", "endpointId", "deliveryId", "slug"];

/** Headers that differ from one request to the next: the count goes on, and an ETag is made of the question too. */
const OF_THE_REQUEST = ["request-id", "ratelimit", "etag"];

type Question = { method: string; path: string; body?: unknown };
type Answered = { status: number; headers: string; text: string };

/** Each question comes from another place, so that neither the limits of an address nor those of wrong keys hide an answer. */
function inquirer(rt: TestRuntime) {
  const app = createApp(rt);
  let asked = 0;
  return async ({ method, path, body }: Question, key: TenantKey): Promise<Answered> => {
    await nextTurn();
    const response = await app.request(path, {
      method,
      headers: {
        "x-forwarded-for": addressOf(asked++),
        authorization: `Bearer ${key.secret}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const headers = [...response.headers].filter(([name]) => !OF_THE_REQUEST.includes(name));
    const text = (await response.text()).replace(/"requestId":"req_\w+"/, "");
    return { status: response.status, headers: JSON.stringify(headers), text };
  };
}

/** Of one length, as some answers name it. */
const addressOf = (n: number): string =>
  `10.${[n >> 12, n >> 6, n].map((part) => 100 + (part & 63)).join(".")}`;

const pathFor = ({ path }: RouteSpec, slug: string, idOf: (prefix: string) => string): string =>
  path.replace(":slug", slug).replace(/([\w-]+)\/:(\w+)/, (_, before: string) => {
    const prefix = IN_PATH[before];
    if (prefix === undefined) throw new Error(`Say in IN_PATH what is named after /${before}/.`);
    return `${before}/${idOf(prefix)}`;
  });

const answeredLike = ({ method }: RouteSpec): string[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** What makes a question with this parameter a whole one. */
function beside({ operationId: id }: RouteSpec, name: string, asker: Tenant): string {
  if (id === "listServices") return "&includeVariants=true&includeAddons=true";
  if (id !== "getAvailability") return "";
  if (name === "areaId") return "&partySize=2";
  return name.startsWith("service") || name === "variantIds"
    ? ""
    : `&serviceIds=${asker.own("svc")}`;
}

/** The questions about something of another's, each with its twin about what is nobody's. */
function* attacks(
  route: RouteSpec,
  asker: Tenant,
  other: Tenant,
): Generator<{ of: Question; twin?: Question }> {
  const own = pathFor(route, asker.slug, asker.own);
  const ask = (path: string, body?: unknown): Question => ({
    method: route.method,
    path,
    ...(body !== undefined && { body }),
  });
  if (route.path.includes(":id")) {
    const body = route.body && {};
    yield {
      of: ask(pathFor(route, asker.slug, other.own), body),
      twin: ask(pathFor(route, asker.slug, unknownId), body),
    };
  }
  for (const name of Object.keys(route.query ?? {})) {
    const rest = beside(route, name, asker);
    const kind = IN_QUERY[name];
    if (kind !== undefined)
      for (const more of "explain" in (route.query ?? {}) ? [rest, `${rest}&explain=true`] : [rest])
        yield {
          of: ask(`${own}?${name}=${other.own(kind)}${more}`),
          twin: ask(`${own}?${name}=${unknownId(kind)}${more}`),
        };
    else if (name === "after")
      yield {
        of: ask(`${own}?after=${other.cursors.feed}`),
        twin: ask(`${own}?after=1.aaaaaaaaaa`),
      };
    else if (name === "cursor") {
      const list = own.replace(`/v1/businesses/${asker.slug}/`, "");
      yield { of: ask(`${own}?cursor=${other.cursors.of(list)}`) };
      yield {
        of: ask(`${own}?cursor=${other.cursors.of(list.replace(/whe_\w+/, other.own("whe")))}`),
      };
    } else if (!NAMES_NOTHING.includes(name))
      throw new Error(`Say in IN_QUERY or NAMES_NOTHING what '${name}' names.`);
  }
  if (route.body === undefined) return;
  const fields = [...Object.keys(route.body.schema.shape), ...ID_FIELDS];
  const filled = (tenantOwn: (prefix: string) => string) =>
    Object.fromEntries(
      fields.map((field) => [field, tenantOwn(field === "businessId" ? "biz" : "whe")]),
    );
  // Of a field that is not known only the name is told.
  yield { of: ask(own, filled(other.own)), twin: ask(own, filled(unknownId)) };
}

/** What in an answer is another's than the asker's, and was not in the question. */
function foreignIn(
  answer: Answered,
  question: Question,
  asker: Tenant,
  ownerOf: ReadonlyMap<string, Tenant>,
): string[] {
  const asked = `${question.path}${JSON.stringify(question.body)}`;
  const text = answer.headers + answer.text;
  return [...text.matchAll(TENANT_NAME)]
    .map(([name]) => name)
    .filter((name) => (ownerOf.get(name) ?? asker) !== asker && !asked.includes(name));
}

/** With what was asked about, and from where, made alike. */
const alike = ({ status, headers, text }: Answered, { path, body }: Question): string =>
  [...`${path}${JSON.stringify(body) ?? ""}`.matchAll(/[a-z]{3}_[0-9a-z]{20,25}|shop-\w+/g)].reduce(
    (so, [name]) => so.replaceAll(name, "…"),
    `${status} ${headers} ${text.replace(/(?<=from )[\d.]+\d/, "…")}`,
  );

test(
  `${BUSINESSES} businesses, each route and method with each key: nothing of another is shown, changed or told apart from nothing`,
  { timeout: chooseScale(120_000, 3_600_000) },
  async () => {
    const rt = createTestRuntime({ trustedProxies: ["127.0.0.1"] });
    const tenants = await createTenants(rt, BUSINESSES, KEYS);
    const ownerOf = new Map<string, Tenant>();
    for (const tenant of tenants)
      for (const name of tenant.names) {
        expect([name, ownerOf.get(name)?.slug]).toEqual([name, undefined]);
        ownerOf.set(name, tenant);
      }
    rt.advance(1000);
    const ask = inquirer(rt);
    const before = rt.revision();
    let asked = 0;
    let shown = 0;

    const judge = async (question: Question, asker: Tenant, key: TenantKey): Promise<Answered> => {
      const answer = await ask(question, key);
      asked += 1;
      const found = foreignIn(answer, question, asker, ownerOf);
      if (found.length > 0 || answer.status === 429 || answer.status >= 500)
        expect({ question, key: key.what, ...answer, found }).toBe("an answer of the asker's own");
      if (answer.text.includes(asker.mark)) shown += 1;
      return answer;
    };

    for (const [n, asker] of tenants.entries())
      for (const [k, key] of asker.keys.entries()) {
        // Each key has another victim.
        const other = tenants[(n + 1 + (k % (tenants.length - 1))) % tenants.length] ?? asker;
        const compare = async (of: Question, twin: Question) => {
          const [one, two] = [
            alike(await judge(of, asker, key), of),
            alike(await judge(twin, asker, key), twin),
          ];
          if (one !== two)
            expect({ key: key.what, of, twin, one }).toEqual({ key: key.what, of, twin, one: two });
        };
        for (const route of ROUTES) {
          if (route.scope === "open") {
            // Nobody's key is looked at there.
            if (k === 0)
              for (const method of METHODS) await judge({ method, path: route.path }, asker, key);
            continue;
          }
          // Where nothing answers to a method no key is looked at.
          for (const method of k === 0 || IS_FULL ? METHODS : answeredLike(route)) {
            // What anybody may see of a business is no secret; why something cannot be booked is.
            const search =
              route.scope === "public" && ["GET", "HEAD"].includes(method) ? "?explain=true" : "";
            const about = (slug: string) => ({
              method,
              path: pathFor(route, slug, other.own) + search,
            });
            await compare(about(other.slug), about(NOBODY));
          }
          for (const { of, twin } of attacks(route, asker, other))
            await (twin ? compare(of, twin) : judge(of, asker, key));
          if (route.scope === "public" || route.method !== "GET") continue;
          const own = await judge(
            { method: "GET", path: pathFor(route, asker.slug, asker.own) },
            asker,
            key,
          );
          const opens =
            key.opens && grants({ kind: "RESTRICTED", scopes: key.scopes }, route.scope);
          expect([key.what, route.operationId, own.status === 401 || own.status === 403]).toEqual([
            key.what,
            route.operationId,
            !opens,
          ]);
        }
      }
    // Nothing was written at all, by nobody.
    expect(rt.revision()).toBe(before);
    // Where little is asked and nothing shown, nothing can leak.
    expect(asked).toBeGreaterThan(tenants.length * 2000);
    expect(shown).toBeGreaterThan(tenants.length * 50);
  },
);
