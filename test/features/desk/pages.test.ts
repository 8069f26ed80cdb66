import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { revokeDesk, createDeskLink, listDesks } from "../../../src/features/desk/desks.ts";
import { MAX_DEVICES } from "../../../src/features/desk/rules.ts";
import { createTestApi } from "../../http/support/api.ts";
import { businessOf, createBrowser, createLink, openDesk } from "./open-desk.ts";

const HOUR_MS = 3_600_000;

test("opening a link changes nothing, and the button on its page pairs one device", async () => {
  const api = createTestApi();
  const token = createLink(api);
  const preview = createBrowser(api);
  for (let i = 0; i < 3; i++) {
    const page = await preview.get(`/pair/${token}`);
    expect(page.status).toBe(200);
    expect(page.headers.get("set-cookie")).toBeNull();
  }
  const phone = createBrowser(api);
  const paired = await phone.post(`/pair/${token}`);
  expect([paired.status, paired.headers.get("location")]).toEqual([303, "/b/salon-aurora/desk"]);
  expect(paired.headers.get("set-cookie")).toMatch(
    /^deskbell_desk=deskbell_dd_[0-9a-f]{48}; Path=\/b\/salon-aurora\/desk; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  );
  expect((await phone.get("")).status).toBe(200);
  expect((await preview.get("")).status).toBe(401);
});

test("a link that was used, has expired or was replaced pairs no device", async () => {
  const api = createTestApi();
  const business = businessOf(api);
  const pair = async (token: string) => (await createBrowser(api).post(`/pair/${token}`)).status;
  const used = createLink(api);
  expect(await pair(used)).toBe(303);
  expect(await pair(used)).toBe(404);
  const replaced = createDeskLink(api, business.id, "Front desk").token;
  const expired = createDeskLink(api, business.id, "Front desk").token;
  expect(await pair(replaced)).toBe(404);
  api.advance(HOUR_MS);
  expect(await pair(expired)).toBe(404);
  expect((await createBrowser(api).get(`/pair/${expired}`)).status).toBe(404);
  expect(await pair(`deskbell_dl_${"0".repeat(48)}`)).toBe(404);
  expect(await pair("nonsense")).toBe(404);
});

test("a stranger gets the same answer whether the business exists or not", async () => {
  const api = createTestApi();
  const bodies = await Promise.all(
    ["salon-aurora", "no-such-shop"].map(async (slug) => {
      const response = await createBrowser(api, slug).get("");
      return `${response.status} ${(await response.text()).replaceAll(slug, "")}`;
    }),
  );
  expect(bodies[0]).toBe(bodies[1]);
});

test("the cookie of a desk does not work at the address of another business", async () => {
  const { api, cookie } = await openDesk();
  const other = createBrowser(api, "no-such-shop");
  expect((await other.get("", { headers: { cookie: cookie() } })).status).toBe(401);
});

test("a request from a revoked device, a revoked desk or an expired pairing is refused", async () => {
  const { api, get, post } = await openDesk();
  const business = businessOf(api);
  const pairAgain = async () => {
    const { token } = createDeskLink(api, business.id, "Front desk");
    await post(`/pair/${token}`);
    expect((await get("")).status).toBe(200);
  };
  const [desk] = listDesks(api, business.id);
  revokeDesk(api, business.id, "Front desk", desk?.devices[0]?.id);
  expect((await get("")).status).toBe(401);
  expect((await post("", { action: "walkIn" })).status).toBe(401);
  await pairAgain();
  api.advance(30 * 24 * HOUR_MS);
  expect((await get("")).status).toBe(401);
  await pairAgain();
  revokeDesk(api, business.id, "Front desk");
  expect((await get("")).status).toBe(401);
});

test("the button to unpair ends the session of this device only", async () => {
  const { api, get, post } = await openDesk();
  const other = createBrowser(api);
  const { token } = createDeskLink(api, businessOf(api).id, "Front desk");
  await other.post(`/pair/${token}`);
  const left = await post("/unpair");
  expect(left.headers.get("set-cookie")).toMatch(/^deskbell_desk=; .*Max-Age=0;/);
  expect((await get("")).status).toBe(401);
  expect((await other.get("")).status).toBe(200);
});

test.each([
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
])("a form of another website with the headers %j does nothing", async (headers) => {
  const { api, post, view } = await openDesk();
  const before = api.revision();
  expect((await post("", { action: "close" }, headers)).status).toBe(403);
  const { token } = createDeskLink(api, businessOf(api).id, "Front desk");
  expect((await createBrowser(api).post(`/pair/${token}`, {}, headers)).status).toBe(403);
  expect(api.revision()).toBe(before + 1);
  expect((await view()).isHoursChanged).toBe(false);
});

test("the pages of the desk forbid frames, caches, search engines, referrers and inline code", async () => {
  const { api, get } = await openDesk();
  const { token } = createDeskLink(api, businessOf(api).id, "Front desk");
  for (const path of ["", `/pair/${token}`, "/pair/nonsense"]) {
    const { headers } = await get(path);
    expect(headers.get("content-security-policy")).toMatch(
      /script-src 'self';.*frame-ancestors 'none'/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("referrer-policy")).toBe("strict-origin");
  }
});

test("no log line and no page of the desk has the token of a link or device", async () => {
  const { api, get, token, cookie } = await openDesk();
  const html = await (await get("")).text();
  const secret = cookie().split("_").at(-1)!;
  const linkSecret = token.split("_").at(-1)!;
  for (const text of [html, JSON.stringify(api.logged)])
    for (const one of [secret, linkSecret]) expect(text).not.toContain(one);
});

test("a request with an API key and no paired device cannot act at the desk", async () => {
  const api = createTestApi();
  createLink(api);
  const response = await api.request("/b/salon-aurora/desk", {
    method: "POST",
    headers: { origin: "http://localhost", host: "localhost" },
    body: "action=close",
  });
  expect(response.status).toBe(401);
});

test("a desk page that polls for changes gets 204 while nothing changes, and an error once its desk is revoked", async () => {
  const { api, get, view } = await openDesk();
  const { version } = await view();
  const headers = { accept: "application/json" };
  expect((await get(`?version=${version}`, { headers })).status).toBe(204);
  createBooking(api, "salon-aurora", { service: "cut", start: "2026-11-20T10:00" });
  const changed = await get(`?version=${version}`, { headers });
  expect(changed.status).toBe(200);
  revokeDesk(api, businessOf(api).id, "Front desk");
  const refused = await get(`?version=${version}`, { headers });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    401,
    "missing_key",
  ]);
});

test("the desk is refused at a plain http address of another machine", async () => {
  const { get } = await openDesk();
  const headers = { host: "shop.example.com", "accept-language": "de" };
  const refused = await get("", { headers });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain("Der Tresen braucht eine Adresse, die mit https beginnt.");
});

test("a device beyond the maximum of a desk is refused in the language of its browser", async () => {
  const { api } = await openDesk();
  const pair = () => {
    const { token } = createDeskLink(api, businessOf(api).id, "Front desk");
    return createBrowser(api).post(`/pair/${token}`, {}, { "accept-language": "fr" });
  };
  for (let device = 1; device < MAX_DEVICES; device++) expect((await pair()).status).toBe(303);
  const refused = await pair();
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("Cet accueil a trop d’appareils.");
});

test("a browser without scripts gets a page with the outcome of its action", async () => {
  const { get, post } = await openDesk();
  const sent = await post("", { action: "close", key: "k", until: "nonsense" });
  expect(sent.status).toBe(303);
  const location = sent.headers.get("location") ?? "";
  const page = await (await get(location.replace("/b/salon-aurora/desk", ""))).text();
  expect(page).toContain("Something in the form is missing or wrong.");
});
