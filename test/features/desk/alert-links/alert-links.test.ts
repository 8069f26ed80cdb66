import { expect, test } from "vitest";
import { rescheduleBooking } from "../../../../src/app/bookings/reschedule.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { eraseForGood } from "../../../../src/app/guests/erase-visits.ts";
import { findLinkedVisit } from "../../../../src/features/desk/alert-links/alert-links.ts";
import { retention } from "../../../../src/features/desk/retention.ts";
import { createAlertLinkStore } from "../../../../src/features/desk/store.ts";
import { SALON } from "../../../http/support/api.ts";
import { businessOf } from "../open-desk.ts";
import { openPendingVisit, URL_OF_SERVER } from "./open-pending-visit.ts";

const HOUR_MS = 3_600_000;

test.each([
  ["accept", "CONFIRMED", "booking.approved", "Accepted."],
  ["decline", "CANCELLED", "booking.declined", "Declined."],
] as const)("the link to %s works once, by a POST", async (decision, status, action, said) => {
  const { api, id, link, get, post, statusOf } = openPendingVisit();
  const [links, others] = [link(), link()];
  const before = api.revision();
  for (const method of ["GET", "HEAD"])
    await api.request(links[decision].slice(URL_OF_SERVER.length), { key: null, method });
  const page = await (await get(links[decision])).text();
  expect(page).toContain("Tue 1 Dec");
  expect(page).not.toMatch(/Ana|Silva|ana@example/);
  expect([api.revision(), statusOf()]).toEqual([before, "PENDING"]);
  expect(await (await post(links[decision])).text()).toContain(said);
  expect(statusOf()).toBe(status);
  expect(api.store.audit.list({}, 1)).toMatchObject(
    [{ action, subjectId: id, via: "http", actorName: "alert link", actorId: /^alk_/ }].map(
      (row) => ({ ...row, actorId: expect.stringMatching(row.actorId) }),
    ),
  );
  for (const url of [...Object.values(links), ...Object.values(others)]) {
    expect((await get(url)).status).toBe(404);
    expect((await post(url)).status).toBe(404);
  }
  expect(statusOf()).toBe(status);
});

test("the page of an alert link says that nobody tells the guest about a visit that no partner made, and asks nobody to call a number that it does not show", async () => {
  const { link, get } = openPendingVisit();
  const page = await (await get(link().decline)).text();
  expect(page).toContain("Nobody tells the guest, and no phone number is shown here.");
});

test("a link ends when the decision is due, and retention deletes it", async () => {
  const { api, link, get, post, statusOf } = openPendingVisit();
  const { accept } = link();
  const count = () => api.openStore(createAlertLinkStore).count(0);
  api.advance(2 * HOUR_MS - 1);
  expect((await get(accept)).status).toBe(200);
  api.advance(1);
  expect([(await get(accept)).status, (await post(accept)).status]).toEqual([404, 404]);
  expect([statusOf(), count()]).toEqual(["PENDING", 1]);
  api.tx(() => retention.forEach((work) => work(api, 0, 100, { now: api.now(), keptSince: 0 })));
  expect(count()).toBe(0);
  expect(link()).toBeUndefined();
});

test("the links to the visit of an erased guest are deleted", () => {
  const { api, id, link } = openPendingVisit();
  link();
  eraseForGood(api, [id]);
  expect(api.openStore(createAlertLinkStore).count(0)).toBe(0);
});

test("a guessed link and a link of another business tell a stranger nothing", async () => {
  const { api, link, get, statusOf, post } = openPendingVisit();
  const { accept } = link();
  applyCatalog(api, [
    {
      name: "other.yaml",
      text: "catalog: 1\nbusiness: { slug: other, name: Other, timezone: Etc/UTC, currency: EUR }\n",
    },
  ]);
  const texts = await Promise.all(
    [
      accept.replace(/al_.{48}/, `al_${"0".repeat(48)}`),
      accept.replace(/al_.{48}/, "x"),
      accept.replace(/accept$/, "approve"),
      accept.replace(SALON, "other"),
      accept.replace(SALON, "no-such-shop"),
    ].map(async (url) => {
      const response = await get(url);
      expect([response.status, (await post(url)).status]).toEqual([404, 404]);
      return (await response.text()).replaceAll(/\/b\/[\w-]+\//g, "");
    }),
  );
  expect(new Set(texts).size).toBe(1);
  expect(statusOf()).toBe("PENDING");
});

test("the links of alerts do not work while links are switched off", async () => {
  const { link, get } = openPendingVisit({ alertLinks: false });
  expect((await get(link().accept)).status).toBe(404);
});

test.each([
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
])("a form of another website with the headers %j decides nothing", async (headers) => {
  const { link, post, statusOf } = openPendingVisit();
  const { decline } = link();
  expect((await post(decline, { headers })).status).toBe(403);
  expect(statusOf()).toBe("PENDING");
  expect((await post(decline)).status).toBe(200);
});

test("a visit that was moved while its page was open is shown again, and not accepted", async () => {
  const { api, id, link, post, get, statusOf } = openPendingVisit();
  const { accept } = link();
  const start = /name="start" value="(\d+)"/.exec(await (await get(accept)).text())?.[1];
  rescheduleBooking(api, SALON, id, { start: "2026-12-02T15:00" });
  const booking = api.store.bookings.findById(businessOf(api).id, id)!;
  const decideBy = api.now() + HOUR_MS;
  api.tx(() => api.store.bookings.update({ ...booking, status: "PENDING", decideBy }));
  const shown = await post(accept, { start: start! });
  expect([shown.status, statusOf()]).toEqual([409, "PENDING"]);
  expect(await shown.text()).toMatch(/The visit has been moved meanwhile.*Wed 2 Dec/s);
  expect((await post(accept)).status).toBe(200);
});

test("the pages of alert links forbid frames, caches, search engines and referrers, and no log has a link", async () => {
  const { api, link, get, post } = openPendingVisit();
  const { accept } = link();
  for (const url of [accept, accept.replace(SALON, "other")]) {
    const { headers } = await get(url);
    expect(headers.get("content-security-policy")).toMatch(
      /default-src 'none';.*form-action 'self'; frame-ancestors 'none'/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("referrer-policy")).toBe("strict-origin");
  }
  await post(accept);
  const [secret] = /[0-9a-f]{48}/.exec(accept)!;
  expect(JSON.stringify(api.logged)).not.toContain(secret);
});

test("the ten newest links of a visit work, and older links do not", () => {
  const { api, link } = openPendingVisit();
  const tokens = Array.from({ length: 12 }, () => link().accept.split("/").at(-2)!);
  const works = tokens.map((token) => findLinkedVisit(api, SALON, token) !== undefined);
  expect(works).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
});
