import { objectParametersOf } from "../../../.config/openapi/path-objects.ts";
import type { RouteSpec } from "../../../src/http/pipeline/route.ts";
import { type Tenant, unknownId } from "./tenants.ts";

// Generates the requests with which a key of one business attacks another.

export type ApiRequest = { method: string; path: string; body?: unknown };

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
  endpointId: "whe",
  eventId: "evt",
};
/** Query parameters without IDs. */
const WITHOUT_ID =
  "limit locale includeTranslations includeVariants includeAddons bookable at includeUpcoming from to includeCancelled includePast date partySize guests granularity timezone explain types wait status eventType since until dryRun updatedSince includeCustomer includeBookingRequest".split(
    " ",
  );
const ID_FIELDS = ["id", "businessId", "keyId", "endpointId", "deliveryId", "slug"];

/** Returns the prefix of the IDs in the path of a route, taken from its documented example. */
export const idPrefixOf = (route: RouteSpec): string | undefined =>
  objectParametersOf(route)
    .find(({ name }) => name === "id")
    ?.example.replace(/_.*/, "");

export const pathFor = (route: RouteSpec, slug: string, idOf: (prefix: string) => string): string =>
  route.path.replace(":slug", slug).replace(":id", () => {
    const prefix = idPrefixOf(route);
    if (prefix === undefined) throw new Error(`Add the object of ${route.path} to PATH_OBJECTS.`);
    return idOf(prefix);
  });

export const supportedMethods = ({ method }: RouteSpec): string[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** Returns the other query parameters that a request with this parameter needs. */
function requiredQuery({ operationId: id }: RouteSpec, name: string, attacker: Tenant): string {
  if (id === "listServices") return "&includeVariants=true&includeAddons=true";
  if (id !== "getAvailability") return "";
  if (name === "areaId") return "&partySize=2";
  return name.startsWith("service") || name === "variantIds"
    ? ""
    : `&serviceIds=${attacker.ownId("svc")}`;
}

/**
 * Yields requests with IDs of another business, each with a twin that uses IDs that do not exist.
 */
export function* generateAttacks(
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
  const known = route.query?.() ?? {};
  for (const name of Object.keys(known)) {
    const rest = requiredQuery(route, name, attacker);
    const kind = IN_QUERY[name];
    if (kind !== undefined)
      for (const more of "explain" in known ? [rest, `${rest}&explain=true`] : [rest])
        yield {
          request: ask(`${own}?${name}=${victim.ownId(kind)}${more}`),
          twin: ask(`${own}?${name}=${unknownId(kind)}${more}`),
        };
    else if (name === "after" || name === "changedSince")
      yield {
        request: ask(`${own}?${name}=${victim.cursors.changes}`),
        twin: ask(`${own}?${name}=1.aaaaaaaaaa`),
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
  const fields = [...Object.keys(route.body.schema().shape), ...ID_FIELDS];
  const filled = (tenantOwn: (prefix: string) => string) =>
    Object.fromEntries(
      fields.map((field) => [field, tenantOwn(field === "businessId" ? "biz" : "whe")]),
    );
  // Errors about unknown fields contain the names but not the values, so the responses to both
  // requests must be equal.
  yield { request: ask(own, filled(victim.ownId)), twin: ask(own, filled(unknownId)) };
}

type ToolCall = { name: string; args: Record<string, unknown> };

/** Returns calls of the tools of agents with the IDs that a function returns. */
function* callsWith(idOf: (prefix: string) => string): Generator<ToolCall> {
  const startsAt = "2026-11-24T10:00:00+00:00";
  const visit = { startsAt, segments: [{ serviceId: idOf("svc"), staffId: idOf("stf") }] };
  const items = [{ ticketTypeId: idOf("ett"), quantity: 1 }];
  const idempotencyKey = "attack";
  yield { name: "find_times", args: { serviceIds: [idOf("svc")], staffIds: [idOf("stf")] } };
  yield { name: "find_times", args: { partySize: 2, areaId: idOf("are") } };
  yield { name: "hold", args: { visit, idempotencyKey } };
  for (const order of [
    { visit },
    { visit: { holdId: idOf("hld") } },
    { table: { holdId: idOf("hld") } },
    { tickets: { eventId: idOf("pev"), items } },
  ])
    for (const more of [{ dryRun: true }, { idempotencyKey }])
      yield { name: "book", args: { ...order, ...more } };
  const guest = { customer: { name: "Mallory" } };
  for (const [prefix, change] of [
    ["bkg", { visit: { startsAt } }],
    ["bkg", { guest }],
    ["rsv", { table: { startsAt } }],
    ["rsv", { guest }],
  ] as const)
    yield { name: "change_booking", args: { id: idOf(prefix), ...change } };
  for (const prefix of ["bkg", "rsv", "tor", "hld"])
    yield { name: "cancel_booking", args: { id: idOf(prefix) } };
}

const toolRequest = (path: string, { name, args }: ToolCall): ApiRequest => ({
  method: "POST",
  path,
  body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
});

/**
 * Yields calls of the tools of agents about another business, each with a twin about one that does
 * not exist.
 */
export function* generateToolAttacks(
  attacker: Tenant,
  victim: Tenant,
  nobody: string,
): Generator<{ request: ApiRequest; twin: ApiRequest }> {
  const own = `/b/${attacker.slug}/mcp`;
  const twins = [...callsWith(unknownId)];
  for (const [i, call] of [...callsWith(victim.ownId)].entries())
    yield { request: toolRequest(own, call), twin: toolRequest(own, twins[i] as ToolCall) };
  for (const name of [
    "get_business",
    "search_catalog",
    "list_events",
    ...twins.map((one) => one.name),
  ]) {
    const about = (business: string) => toolRequest("/mcp", { name, args: { business } });
    yield { request: about(victim.slug), twin: about(nobody) };
    const at = (slug: string) => toolRequest(`/b/${slug}/mcp`, { name, args: {} });
    yield { request: at(victim.slug), twin: at(nobody) };
  }
}
