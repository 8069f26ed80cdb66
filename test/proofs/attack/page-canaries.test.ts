import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  businessOf,
  createVisitor,
  firstService,
  openPage,
  timesOf,
} from "../../features/page-bookings/open-page.ts";
import type { TestApi } from "../../http/support/api.ts";
import { recordClaim } from "../../support/claims.ts";

// A guest books, moves and cancels on the pages. Their data may be on the page of the visit, which
// only they can open, but in no page that others or caches see, and in no log, feed, event or file.

const CANARY = /canary/i;
const GUEST = {
  name: "Canary Name",
  email: "canary@example.com",
  phone: "+1 718 555 0199 canary",
  notes: "A canary\nin two lines",
};

const PUBLIC = ["", "/menu", "/services", "/events", "/events.ics", ".md", ".jsonld", "/book"];

/**
 * Returns the places that contain a guest's data or link by mistake, and how many places were
 * searched.
 */
async function findLeaks(api: TestApi, base: string) {
  const { slug, id } = businessOf(api);
  const guest = createVisitor(api, "203.0.113.7");
  const { key, staff } = firstService(api);
  const url = timesOf(api, base, key, staff);
  const { action, times } = await guest.openTimes(url);
  const details = await guest.hold(action, times[0]!);
  const invalid = await guest.book(details, { ...GUEST, email: "canary at nowhere" });
  expect(invalid.status).toBe(422);
  const phone = GUEST.phone.replace(" canary", "");
  const booked = await guest.book(details, { ...GUEST, phone });
  expect(booked.status).toBe(303);
  const own = booked.headers.get("location") ?? "";
  const token = own.split("/").at(-1) ?? "";
  const shown = await guest.get(own);
  expect(shown).toContain("Salon Aurora");

  // The key of the form is a secret, because it leads the guest's browser to the visit for a day.
  const formKey = new URLSearchParams(details.split("?")[1]).get("key") ?? "";
  expect(formKey).toMatch(/^[0-9a-f]{32}$/);
  const foreign = details.replace(formKey, "0".repeat(formKey.length));

  const searched: [place: string, text: string][] = [];
  const stranger = createVisitor(api, "198.51.100.4");
  const look = async (path: string): Promise<void> => {
    const response = await stranger.send(path);
    const headers = JSON.stringify([...response.headers]);
    searched.push([path, `${headers}${await response.text()}`]);
  };
  // The second reading is answered from the cache.
  for (let reading = 0; reading < 2; reading += 1)
    for (const path of PUBLIC) await look(`/b/${slug}${path}`);
  for (const path of ["/", "/robots.txt", "/sitemap.xml", url, foreign, `${own}x`])
    await look(path);
  const events = api.store.events.listAfter(id, 0, 1000);
  expect(events.some(({ type }) => type === "booking.created")).toBe(true);
  for (const { type, body } of events) searched.push([type, body.toString()]);
  for (const line of api.logged) searched.push(["log", JSON.stringify(line)]);
  searched.push(["database", api.openStore((db) => db.serialize()).toString("latin1")]);
  const { dataDir } = api.config;
  for (const name of readdirSync(dataDir, { recursive: true, encoding: "utf8" })) {
    const path = join(dataDir, name);
    if (statSync(path).isFile()) searched.push([name, readFileSync(path, "latin1")]);
  }
  const places = searched
    .filter(([, text]) => CANARY.test(text) || text.includes(token) || text.includes(formKey))
    .map(([place]) => place);
  return { searched: searched.length, places: [...new Set(places)] };
}

test("the data of a guest of the booking page are in nothing that others can read", async () => {
  const { api, base } = openPage("salon", "CONFIRM", {
    trustedProxies: ["127.0.0.0/8", "::1/128"],
  });
  const { searched, places } = await findLeaks(api, base);
  expect(places).toEqual([]);

  const broken = openPage("salon", "CONFIRM", { trustedProxies: ["127.0.0.0/8", "::1/128"] });
  // The control has a bug: guest data are stored without encryption.
  Object.assign(broken.api.secrets, {
    encrypt: (plain: string | Buffer) => Buffer.from(plain),
    decrypt: (stored: Buffer) => Buffer.from(stored).toString(),
    decryptsAny: () => true,
  });
  const control = await findLeaks(broken.api, broken.base);
  recordClaim({
    group: "attack",
    claim: "The data of a guest of the booking page are in nothing that others can read",
    done: `A guest booked on the page with a name, an address, a number and notes, after a form with a wrong address. ${searched} public pages, cached pages, feeds, pages of the booking flow, events, log lines and files were searched for the data, the link to the visit and the key of the form.`,
    figure: "None of them contains any of these.",
    control: {
      done: "The same search was made with a server that stores the data without encryption.",
      figure: `The data were found in ${control.places.join(" and ")}.`,
      hasFailed: control.places.length > 0,
    },
    seed: "none",
  });
});
