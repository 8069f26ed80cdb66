// An example website that takes bookings. Only this server has the API key; the page does not.
//
//   API=https://desk.example/v1/businesses/salon-aurora KEY=deskbell_rk_… node server.mjs
//
// It needs Node 20 or newer and page.html, in the same folder. It listens on http://127.0.0.1:4300;
// on the internet, put a proxy with TLS in front of it, and set TRUSTED_PROXY to the proxy's address
// (several separated by commas), so that X-Forwarded-For says who the visitor is.
//
// It signs the links of guests with LINK_SECRET or, without it, with a secret that its first start
// stores in the file link-secret in the same folder. With another secret, no saved link works.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { isIPv6 } from "node:net";

const { API, KEY, PORT = "4300", TRUSTED_PROXY = "" } = process.env;
if (!API || !KEY) throw new Error("Set API to the URL of the business, and KEY to an API key.");

const page = readFileSync(new URL("page.html", import.meta.url), "utf8");
const [, script] = /<script>([^]*)<\/script>/.exec(page);
const POLICY = [
  "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:",
  `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join("; ");

class Refused extends Error {
  constructor(status, code, more = {}) {
    super(code);
    this.status = status;
    this.body = { code, ...more };
  }
}

const UNAVAILABLE = new Refused(502, "unavailable");
const NOT_FOUND = new Refused(404, "resource_not_found");
const INVALID = new Refused(400, "invalid_body");

/** Sends a request to deskbell, and again if the response was lost: it takes effect only once. */
async function call(method, path, body, visitor) {
  const headers = {
    authorization: `Bearer ${KEY}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID(),
    ...(visitor && { "visitor-id": visitor }),
  };
  const content = body && { body: JSON.stringify(body) };
  const send = () =>
    fetch(API + path, { method, headers, ...content, signal: AbortSignal.timeout(10_000) });
  const response = await send().catch(send);
  if (response.status === 204) return undefined;
  const { data, code, detail, alternatives } = await response.json();
  if (response.ok) return data;
  console.error(`${method} ${path}: ${code}: ${detail}`);
  const isForGuests = [404, 409, 422, 429].includes(response.status);
  throw isForGuests
    ? new Refused(response.status, code, { alternatives: alternatives?.map(toTime) })
    : UNAVAILABLE;
}

/** Not the API key: after it was rotated, the links that guests saved still work. */
const LINK_SECRET = process.env.LINK_SECRET || readLinkSecret();
if (LINK_SECRET.length < 32)
  throw new Error("LINK_SECRET, or the text in link-secret, has fewer than 32 characters.");

function readLinkSecret() {
  const file = new URL("link-secret", import.meta.url);
  try {
    const secret = randomBytes(32).toString("hex");
    writeFileSync(file, secret, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}

/** Guests change a booking with its ID and this signature, so nobody can guess a reference. */
const signatureOf = (id) => createHmac("sha256", LINK_SECRET).update(id).digest("base64url");
const toReference = (id) => `${id}.${signatureOf(id)}`;

function idIn(reference) {
  const [id, signature = ""] = String(reference).split(".");
  const [given, expected] = [signature, signatureOf(id)].map((text) => Buffer.from(text));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return id;
  throw NOT_FOUND;
}

const proxies = new Set(TRUSTED_PROXY.split(",").map((address) => address.trim()));

/** Returns the last address that is not a trusted proxy; of IPv6, the network of one visitor. */
function addressOf(request) {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = request.socket.remoteAddress ?? "";
  while (proxies.has(address) && forwarded.length > 0) address = forwarded.pop().trim() || address;
  return isIPv6(address) ? networkOf(address) : address;
}

/** Returns the first 64 bits of an IPv6 address: a visitor can use all addresses of the network. */
function networkOf(address) {
  const { hostname } = new URL(`http://[${address.split("%")[0]}]`);
  const [head, tail] = hostname.slice(1, -1).split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const zeros = Array(8 - groups.length - last.length).fill("0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}

/** Names a visitor to deskbell, which limits what each visitor can hold, without their address. */
const visitorOf = (address) =>
  createHmac("sha256", LINK_SECRET).update(`visitor ${address}`).digest("base64url");

const WINDOW_MS = 60_000;
const MAX_REQUESTS = 60;
/** A request that changes something counts as several. */
const WRITE_COST = 3;
const windows = new Map();
setInterval(() => {
  for (const [address, { until }] of windows) if (until <= Date.now()) windows.delete(address);
}, WINDOW_MS).unref();

/** One visitor cannot use up the requests that the key can send. */
function limitRequests(address, method) {
  let window = windows.get(address);
  if (!window || window.until <= Date.now())
    windows.set(address, (window = { count: 0, until: Date.now() + WINDOW_MS }));
  window.count += method === "GET" ? 1 : WRITE_COST;
  if (window.count > MAX_REQUESTS) throw new Refused(429, "too_many_requests");
}

/** Keeps the result of `load` for some seconds, since a key can send a limited number of requests. */
function cached(seconds, load) {
  const entries = new Map();
  return (key) => {
    const entry = entries.get(key);
    if (entry && entry.until > Date.now()) return entry.promise;
    const promise = load(key);
    entries.set(key, { promise, until: Date.now() + seconds * 1000 });
    promise.catch(() => entries.delete(key));
    return promise;
  };
}

const getBusiness = cached(60, () => call("GET", ""));
const listServices = cached(60, () => call("GET", "/services"));

const listTimes = cached(5, async (serviceId) => {
  const { days } = await call(
    "GET",
    `/availability?${new URLSearchParams({ serviceIds: serviceId })}`,
  );
  return days.flatMap(({ slots }) => slots.map(toTime));
});

const toTime = ({ startsAt }) => startsAt;

async function assertService(id) {
  if (!(await listServices()).some((service) => service.id === id)) throw NOT_FOUND;
}

async function showServices() {
  const [{ name, currencyDigits }, services] = await Promise.all([getBusiness(), listServices()]);
  const shown = services
    .filter(({ bookable }) => bookable)
    .map(({ id, name, priceCents, currency }) => ({
      id,
      name,
      price: priceCents / 10 ** currencyDigits,
      currency,
    }));
  return { business: name, services: shown };
}

/** Returns what the guest sees of a hold or booking. */
async function show({ id, status, startsAt, segments, totalCents, currency }) {
  const { currencyDigits } = await getBusiness();
  return {
    reference: toReference(id),
    status,
    startsAt,
    service: segments[0].serviceId,
    name: segments.map(({ serviceName }) => serviceName).join(", "),
    price: totalCents / 10 ** currencyDigits,
    currency,
  };
}

const actions = {
  "GET /services": () => showServices(),
  "GET /times": async ({ service }) => {
    await assertService(service);
    return listTimes(service);
  },
  "POST /hold": async ({ service, startsAt }, visitor) => {
    await assertService(service);
    const segments = [{ serviceId: service }];
    return show(await call("POST", "/holds", { startsAt, segments }, visitor));
  },
  "POST /release": ({ reference }) => call("DELETE", `/holds/${idIn(reference)}`),
  // Without the reference of a hold, it books a time that is still free.
  "POST /book": async ({ reference, service, startsAt, name, email, phone }, visitor) => {
    const customer = { name, email, ...(phone && { phone }) };
    if (!reference) await assertService(service);
    const visit = reference
      ? { holdId: idIn(reference) }
      : { startsAt, segments: [{ serviceId: service }] };
    return show(await call("POST", "/bookings", { ...visit, customer }, visitor));
  },
  // A POST, because the reference is a secret, and URLs are logged.
  "POST /booking": async ({ reference }) => show(await call("GET", `/bookings/${idIn(reference)}`)),
  "POST /reschedule": async ({ reference, startsAt }) =>
    show(await call("POST", `/bookings/${idIn(reference)}/reschedule`, { startsAt })),
  "POST /cancel": async ({ reference }) =>
    show(await call("POST", `/bookings/${idIn(reference)}/cancel`, {})),
};

/** A form of another website cannot send JSON, so it cannot book in the name of a visitor. */
async function readInput(request, url) {
  if (request.method === "GET") return Object.fromEntries(url.searchParams);
  if (request.headers["content-type"] !== "application/json") throw INVALID;
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > 10_000) throw INVALID;
  }
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw INVALID;
  }
}

async function respond(request, response) {
  const url = new URL(request.url, "http://website");
  const address = addressOf(request);
  limitRequests(address, request.method);
  if (request.method === "GET" && url.pathname === "/") {
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-type", "text/html; charset=utf-8");
    return response.end(page);
  }
  const action = actions[`${request.method} ${url.pathname}`];
  if (!action) throw new Refused(404, "route_not_found");
  const result = await action(await readInput(request, url), visitorOf(address));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(result ?? null));
}

createServer((request, response) => {
  response.setHeader("cache-control", "no-store");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("x-content-type-options", "nosniff");
  respond(request, response).catch((error) => {
    if (!(error instanceof Refused)) console.error(error);
    const { status, body } = error instanceof Refused ? error : UNAVAILABLE;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}).listen(PORT, "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
