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

/**
 * Sends a request to deskbell, and again if the response was lost: it takes effect only once.
 * @param visitor for whom it is sent; null: for all visitors
 */
async function call(visitor, method, path, body) {
  if (visitor) countCall(visitor);
  const headers = {
    authorization: `Bearer ${KEY}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID(),
    ...(visitor && { "visitor-id": visitor }),
  };
  const content = body && { body: JSON.stringify(body) };
  const send = () =>
    fetch(API + path, { method, headers, ...content, signal: AbortSignal.timeout(10_000) });
  inFlight += 1;
  const response = await send()
    .catch(send)
    .finally(() => void (inFlight -= 1));
  readLimits(response.headers);
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

/** Returns the last address that is not a trusted proxy; of IPv6, the network of one customer. */
function addressOf(request) {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = request.socket.remoteAddress ?? "";
  while (proxies.has(address) && forwarded.length > 0) address = forwarded.pop().trim() || address;
  // Some proxies write IPv4 addresses like this, all of which have the same first bits.
  address = address.replace(/^::ffff:(?=[\d.]+$)/i, "");
  return isIPv6(address) ? networkOf(address) : address;
}

/** Returns the first 48 bits of an IPv6 address: a visitor can have all addresses of such a network. */
function networkOf(address) {
  const { hostname } = new URL(`http://[${address.split("%")[0]}]`);
  const [head, tail] = hostname.slice(1, -1).split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const zeros = Array(8 - groups.length - last.length).fill("0");
  return [...groups, ...zeros, ...last].slice(0, 3).join(":");
}

/** Names a visitor to deskbell, which limits what each visitor can hold, without their address. */
const visitorOf = (address) =>
  createHmac("sha256", LINK_SECRET).update(`visitor ${address}`).digest("base64url");

/** The requests that the key can send, of the last response; until then, those of a new key. */
const limits = new Map([
  ["per-minute", { seconds: 60, left: 60, freeAt: Infinity }],
  ["per-hour", { seconds: 3600, left: 1000, freeAt: Infinity }],
]);
let inFlight = 0;

function readLimits(headers) {
  const policy = headers.get("ratelimit-policy") ?? "";
  const lengths = new Map([...policy.matchAll(/"([^"]+)";q=\d+;w=(\d+)/g)].map(([, ...one]) => one));
  for (const [, name, left, free] of (headers.get("ratelimit") ?? "").matchAll(
    /"([^"]+)";r=(\d+);t=(\d+)/g,
  ))
    limits.set(name, {
      seconds: Number(lengths.get(name)),
      left: Number(left),
      freeAt: Date.now() + free * 1000,
    });
}

/** A visitor can send a fifth of what the key has left, so that many visitors share it evenly. */
const SHARE = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When requests were sent for each visitor. */
const sent = new Map();
/** Until when a visitor is not to ask for another hold. */
const noHoldUntil = new Map();
setInterval(() => {
  const now = Date.now();
  for (const [visitor, times] of sent) if (times.at(-1) <= now - HOUR_MS) sent.delete(visitor);
  for (const [visitor, until] of noHoldUntil) if (until <= now) noHoldUntil.delete(visitor);
}, MINUTE_MS).unref();

/** One visitor cannot use up the requests that the key can send. */
function countCall(visitor) {
  const now = Date.now();
  const times = (sent.get(visitor) ?? []).filter((at) => at > now - HOUR_MS);
  for (const { seconds, left, freeAt } of limits.values()) {
    const used = times.filter((at) => at > now - seconds * 1000).length;
    // The key can send a request again at `freeAt`, if it could not before.
    if (used * SHARE >= Math.max(left, now >= freeAt ? 1 : 0) - inFlight)
      throw new Refused(429, "too_many_requests");
  }
  sent.set(visitor, [...times, now]);
}

/** A visitor who can hold no more is refused for a minute, without a request to deskbell. */
async function hold(visitor, visit) {
  if (noHoldUntil.get(visitor) > Date.now()) throw new Refused(429, "too_many_holds");
  try {
    return await call(visitor, "POST", "/holds", visit);
  } catch (error) {
    if (error.body?.code === "too_many_holds") noHoldUntil.set(visitor, Date.now() + MINUTE_MS);
    throw error;
  }
}

/** Keeps the result of `load` for some seconds, since a key can send a limited number of requests. */
function cached(seconds, load) {
  const entries = new Map();
  return (key, visitor) => {
    const entry = entries.get(key);
    if (entry && entry.until > Date.now()) return entry.promise;
    const promise = load(key, visitor);
    entries.set(key, { promise, until: Date.now() + seconds * 1000 });
    promise.catch(() => entries.delete(key));
    return promise;
  };
}

const getBusiness = cached(60, () => call(null, "GET", ""));
const listServices = cached(60, () => call(null, "GET", "/services"));

const listTimes = cached(5, async (serviceId, visitor) => {
  const { days } = await call(
    visitor,
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
  "GET /times": async ({ service }, visitor) => {
    await assertService(service);
    return listTimes(service, visitor);
  },
  "POST /hold": async ({ service, startsAt }, visitor) => {
    await assertService(service);
    const segments = [{ serviceId: service }];
    return show(await hold(visitor, { startsAt, segments }));
  },
  "POST /release": ({ reference }, visitor) =>
    call(visitor, "DELETE", `/holds/${idIn(reference)}`),
  // Without the reference of a hold, it books a time that is still free.
  "POST /book": async ({ reference, service, startsAt, name, email, phone }, visitor) => {
    const customer = { name, email, ...(phone && { phone }) };
    if (!reference) await assertService(service);
    const visit = reference
      ? { holdId: idIn(reference) }
      : { startsAt, segments: [{ serviceId: service }] };
    return show(await call(visitor, "POST", "/bookings", { ...visit, customer }));
  },
  // A POST, because the reference is a secret, and URLs are logged.
  "POST /booking": async ({ reference }, visitor) =>
    show(await call(visitor, "GET", `/bookings/${idIn(reference)}`)),
  "POST /reschedule": async ({ reference, startsAt }, visitor) =>
    show(await call(visitor, "POST", `/bookings/${idIn(reference)}/reschedule`, { startsAt })),
  "POST /cancel": async ({ reference }, visitor) =>
    show(await call(visitor, "POST", `/bookings/${idIn(reference)}/cancel`, {})),
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

const escapeHtml = (text) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const link = (url, text) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;

/** Returns HTML that says how a visitor whose browser runs no scripts reaches the business. */
async function describeContact() {
  const { name, phone, email } = await getBusiness();
  const ways = [
    phone && link(`tel:${phone.replace(/[^+\d]/g, "")}`, phone),
    email && link(`mailto:${encodeURI(email)}`, email),
  ].filter(Boolean);
  return `To book without it, contact ${[escapeHtml(name), ...ways].join(", ")}.`;
}

async function respond(request, response) {
  const url = new URL(request.url, "http://website");
  if (request.method === "GET" && url.pathname === "/") {
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-type", "text/html; charset=utf-8");
    // The page itself does not need the contact, so it is shown without deskbell too.
    const contact = await describeContact().catch(() => "");
    return response.end(page.replace("<!-- contact -->", () => contact));
  }
  const action = actions[`${request.method} ${url.pathname}`];
  if (!action) throw new Refused(404, "route_not_found");
  const result = await action(await readInput(request, url), visitorOf(addressOf(request)));
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
