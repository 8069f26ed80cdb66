// An example website that takes bookings. Only this server has the API key; the page does not.
//
//   npm install https://desk.example/docs/deskbell-client.tgz
//   API=https://desk.example/v1/businesses/salon-aurora KEY=deskbell_rk_… node server.mjs
//
// It needs Node 20.3 or newer, and page.html in the same folder. It listens on http://127.0.0.1:4300;
// on the internet, put a proxy with TLS in front of it, and set TRUSTED_PROXY to the proxy's address
// (several separated by commas), so that X-Forwarded-For says who the visitor is.
//
// It signs the links of guests with LINK_SECRET or, without it, with a secret that its first start
// stores in the file link-secret in the same folder. With another secret, no saved link works.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { isIPv6 } from "node:net";
import { createClient, DeskbellError } from "deskbell-client";

const { API, KEY, PORT = "4300", TRUSTED_PROXY = "" } = process.env;
const [, baseUrl, business] = /^(https?:.+)\/v1\/businesses\/([^/]+)\/?$/.exec(API ?? "") ?? [];
if (!baseUrl || !KEY) throw new Error("Set API to the URL of the business, and KEY to an API key.");

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

let inFlight = 0;

/** Sends a request again if its response was lost: it takes effect only once. A 429 is passed on. */
const client = createClient({
  baseUrl,
  business,
  key: KEY,
  retries: 1,
  maxWaitSeconds: 1,
  timeoutSeconds: 10,
  async fetch(...request) {
    inFlight += 1;
    try {
      const response = await fetch(...request);
      readLimits(response.headers);
      return response;
    } finally {
      inFlight -= 1;
    }
  },
});

/**
 * Calls deskbell and returns the data of the response.
 * @param visitor for whom it is called; null: for all visitors
 */
async function call(visitor, operation, args = {}) {
  if (visitor) countCall(visitor);
  try {
    const { data } = await client[operation]({ ...args, ...(visitor && { visitorId: visitor }) });
    return data;
  } catch (error) {
    console.error(`${operation}: ${error.message}`);
    const { status, code, problem } = error instanceof DeskbellError ? error : UNAVAILABLE;
    if (![404, 409, 422, 429].includes(status)) throw UNAVAILABLE;
    const { alternatives, bookingId } = problem ?? {};
    throw new Refused(status, code, { alternatives: alternatives?.map(toTime), bookingId });
  }
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
async function hold(visitor, idempotencyKey, visit) {
  if (noHoldUntil.get(visitor) > Date.now()) throw new Refused(429, "too_many_holds");
  try {
    return await call(visitor, "createHold", { idempotencyKey, body: visit });
  } catch (error) {
    if (error.body?.code === "too_many_holds") noHoldUntil.set(visitor, Date.now() + MINUTE_MS);
    throw error;
  }
}

/** Keeps the result of `load` for some seconds, since a key can send a limited number of requests. */
function cached(seconds, load) {
  const entries = new Map();
  return (key, visitor) => {
    const now = Date.now();
    for (const [old, { until }] of entries) if (until <= now) entries.delete(old);
    if (entries.has(key)) return entries.get(key).promise;
    const promise = load(key, visitor);
    entries.set(key, { promise, until: now + seconds * 1000 });
    promise.catch(() => entries.delete(key));
    return promise;
  };
}

const getBusiness = cached(60, () => call(null, "getBusiness"));
const getCatalog = cached(60, async () => {
  const [{ name, currencyDigits }, services, staff] = await Promise.all([
    getBusiness(),
    call(null, "listServices", { includeVariants: true, includeAddons: true }),
    call(null, "listStaff"),
  ]);
  const toPrice = (cents) => cents / 10 ** currencyDigits;
  const shown = services
    .filter(({ bookable }) => bookable)
    .map((service) => toShown(service, staff, toPrice));
  return { business: name, services: shown };
});

/** Returns what the page shows of a service. */
const toShown = (service, staff, toPrice) => ({
  id: service.id,
  name: service.name,
  description: service.description,
  durationMin: service.durationFromMin,
  price: toPrice(service.priceFromCents),
  priceType: service.variants.length > 1 ? "FROM" : service.priceType,
  currency: service.currency,
  variants: service.variants.map(({ id, name, durationMin, priceCents, isDefault }) => {
    return { id, name, durationMin, price: toPrice(priceCents), isDefault };
  }),
  addons: service.addonLinks.map(({ addonId, addon, required, priceCents, ...link }) => ({
    id: addonId,
    name: addon.name,
    price: toPrice(priceCents ?? addon.priceCents),
    min: required ? Math.max(1, link.minQuantity) : link.minQuantity,
    max: link.maxQuantity,
    quantity: required ? Math.max(1, link.defaultQuantity) : link.defaultQuantity,
  })),
  people: staff
    .filter(({ id, bookable }) => bookable && service.staffIds.includes(id))
    .map(({ id, name }) => ({ id, name })),
});

/**
 * Returns the segment of a visit that a guest has chosen.
 * @throws Refused for IDs that the page did not offer
 */
async function toSegment({ service: serviceId, variant, addons = [], staff }) {
  const { services } = await getCatalog();
  const service = services.find(({ id }) => id === serviceId);
  const offers = (list, id) => id === undefined || list.some((one) => one.id === id);
  const isList = Array.isArray(addons) && addons.every((one) => one?.quantity > 0);
  if (!service || !isList || !offers(service.variants, variant) || !offers(service.people, staff))
    throw NOT_FOUND;
  if (!addons.every(({ id }) => id && offers(service.addons, id))) throw NOT_FOUND;
  return {
    serviceId,
    variantId: variant ?? null,
    staffId: staff ?? null,
    addons: addons.map(({ id, quantity }) => ({ addonId: id, quantity })),
  };
}

/** Returns the parameters with which `getAvailability` finds times for a segment. */
const toQuery = ({ serviceId, variantId, staffId, addons }) => ({
  serviceIds: [serviceId],
  ...(variantId && { variantIds: [variantId] }),
  ...(staffId && { staffIds: [staffId] }),
  ...(addons.length > 0 && {
    addonIds: addons.map(({ addonId, quantity }) => `${addonId}*${quantity}`),
  }),
});

const findTimes = cached(5, (query, visitor) =>
  call(visitor, "getAvailability", JSON.parse(query)),
);
const search = (query, visitor) => findTimes(JSON.stringify(query), visitor);

/** Returns the first and the last day of a month such as 2026-12. */
function daysOf(month) {
  if (!/^2\d{3}-(0[1-9]|1[0-2])$/.test(month)) throw INVALID;
  const [year, number] = month.split("-").map(Number);
  return {
    from: `${month}-01`,
    to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10),
  };
}

/** Returns the days of a month that have free times; at first of the month of the next free time. */
async function listDays({ month, ...choice }, visitor) {
  const query = { ...toQuery(await toSegment(choice)), granularity: "days" };
  const { from, nextAvailable } = month ? {} : await search(query, visitor);
  const wanted = month ?? (nextAvailable ?? from).slice(0, 7);
  const { days } = await search({ ...query, ...daysOf(wanted) }, visitor);
  return {
    month: wanted,
    // Without dates, a search begins today, at the business.
    ...(from && { firstMonth: from.slice(0, 7) }),
    days: days
      .filter(({ slotCount }) => slotCount > 0)
      .map(({ date, slotCount }) => ({ date, times: slotCount })),
  };
}

/** Returns the free times of a day or, without one, of a week. */
async function listTimes({ date, ...choice }, visitor) {
  const query = { ...toQuery(await toSegment(choice)), ...(date && { date }) };
  const { days } = await search(query, visitor);
  return days.flatMap(({ slots }) => slots.map(toTime));
}

const toTime = ({ startsAt }) => startsAt;

/** Returns what the guest sees of a hold or booking. */
async function show({ id, status, startsAt, segments, totalCents, currency }) {
  const { currencyDigits } = await getBusiness();
  const [{ serviceId, variantId, addons, staffId }] = segments;
  return {
    reference: toReference(id),
    status,
    startsAt,
    name: segments.map(({ serviceName }) => serviceName).join(", "),
    price: totalCents / 10 ** currencyDigits,
    currency,
    choice: {
      service: serviceId,
      variant: variantId ?? undefined,
      addons: addons.map(({ addonId, quantity }) => ({ id: addonId, quantity })),
      staff: staffId ?? undefined,
    },
  };
}

const actions = {
  "GET /services": () => getCatalog(),
  // The query has the add-ons as text.
  "GET /times": ({ addons, ...input }, visitor) =>
    listTimes({ ...input, ...(addons && { addons: parseJson(addons) }) }, visitor),
  "GET /days": ({ addons, ...input }, visitor) =>
    listDays({ ...input, ...(addons && { addons: parseJson(addons) }) }, visitor),
  "POST /hold": async ({ token, startsAt, ...choice }, visitor) => {
    const segments = [await toSegment(choice)];
    return show(await hold(visitor, toIdempotencyKey("hold", token), { startsAt, segments }));
  },
  "POST /release": ({ reference }, visitor) => call(visitor, "deleteHold", { id: idIn(reference) }),
  // Without the reference of a hold, it books a time that is still free.
  "POST /book": async ({ token, reference, startsAt, name, email, phone, ...choice }, visitor) => {
    const customer = { name, email, ...(phone && { phone }) };
    const visit = reference
      ? { holdId: idIn(reference) }
      : { startsAt, segments: [await toSegment(choice)] };
    const idempotencyKey = toIdempotencyKey("book", token);
    try {
      const body = { ...visit, customer };
      return show(await call(visitor, "createBooking", { idempotencyKey, body }));
    } catch (error) {
      // The hold became a booking, but the browser has not got the response.
      const { code, bookingId } = error.body ?? {};
      if (code !== "hold_used" || !bookingId) throw error;
      return show(await call(visitor, "getBooking", { id: bookingId }));
    }
  },
  // A POST, because the reference is a secret, and URLs are logged.
  "POST /booking": async ({ reference }, visitor) =>
    show(await call(visitor, "getBooking", { id: idIn(reference) })),
  "POST /reschedule": async ({ reference, startsAt }, visitor) =>
    show(await call(visitor, "rescheduleBooking", { id: idIn(reference), body: { startsAt } })),
  "POST /cancel": async ({ reference }, visitor) =>
    show(await call(visitor, "cancelBooking", { id: idIn(reference) })),
};

/** The page sends a request that it repeats with the same random token, so it takes effect once. */
function toIdempotencyKey(action, token) {
  if (token === undefined) return undefined;
  if (!/^[0-9a-f]{32}$/.test(token)) throw INVALID;
  return `${action}-${token}`;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw INVALID;
  }
}

/** A form of another website cannot send JSON, so it cannot book in the name of a visitor. */
async function readInput(request, url) {
  if (request.method === "GET") return Object.fromEntries(url.searchParams);
  if (request.headers["content-type"] !== "application/json") throw INVALID;
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > 10_000) throw INVALID;
  }
  return { ...parseJson(text) };
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

function describePrice({ price, priceType, currency }) {
  if (priceType === "FREE") return "free";
  if (priceType === "ON_REQUEST") return "price on request";
  const amount = price.toLocaleString("en", { style: "currency", currency });
  return priceType === "FROM" ? `from ${amount}` : amount;
}

/** Returns HTML with the name, the duration and the price of every service. */
async function describeServices() {
  const { services } = await getCatalog();
  const items = services.map((service) => {
    const { name, description, durationMin } = service;
    const text = description ? `<br>${escapeHtml(description)}` : "";
    return `<li><b>${escapeHtml(name)}</b>, ${durationMin} min, ${describePrice(service)}${text}</li>`;
  });
  return items.join("\n");
}

/** Returns the start page, which can be read without scripts, and without deskbell, too. */
async function renderPage() {
  const [title, services, contact] = await Promise.all(
    [getBusiness().then(({ name }) => escapeHtml(name)), describeServices(), describeContact()].map(
      (part) => part.catch(() => ""),
    ),
  );
  return page
    .replaceAll("<!-- business -->", () => (title === "" ? "" : ` at ${title}`))
    .replace("<!-- services -->", () => services)
    .replace("<!-- contact -->", () => contact);
}

async function respond(request, response) {
  const url = new URL(request.url, "http://website");
  if (request.method === "GET" && url.pathname === "/") {
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-type", "text/html; charset=utf-8");
    return response.end(await renderPage());
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
