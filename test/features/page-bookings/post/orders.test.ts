import jsQR from "jsqr";
import { expect, test } from "vitest";
import { isDecided } from "../../../../src/app/bookings/booking-alerts.ts";
import { editCatalog, withObjects } from "../../../../src/app/catalog/changes/edit-catalog.ts";
import { confirmTicketOrder } from "../../../../src/features/tickets/orders/orders.ts";
import { cancelTicketOrder } from "../../../../src/features/tickets/orders/change-order.ts";
import { createOrderStore } from "../../../../src/features/tickets/store.ts";
import { reissueTickets, checkInTicket } from "../../../../src/features/tickets/tickets.ts";
import {
  cancelPublicEvent,
  postponePublicEvent,
} from "../../../../src/app/catalog/public-events.ts";
import { retention as linkRetention } from "../../../../src/features/page-bookings/retention.ts";
import { LINK_MS } from "../../../../src/features/page-bookings/rules.ts";
import { retention } from "../../../../src/features/tickets/retention.ts";
import { loadGuestRecords } from "../../../../src/app/feature-hooks.ts";
import { eraseForGood } from "../../../../src/app/guests/erase-visits.ts";
import { rotateMasterKey } from "../../../../src/app/webhooks/endpoint-secrets.ts";
import { createTicketCodeStore } from "../../../../src/features/tickets/store.ts";
import { expireTicketOrders } from "../../../../src/features/tickets/orders/take-tickets.ts";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import type { TestApi } from "../../../http/support/api.ts";
import { businessOf, createVisitor, findAll, openPage } from "../open-page.ts";
import { spyOnNotices } from "../../../support/added-feature.ts";

const HOUR_MS = 3_600_000;
const PROXY = { trustedProxies: ["127.0.0.0/8", "::1/128"] };

const listOrders = (api: TestApi) =>
  api.openStore(createOrderStore).list({ businessId: businessOf(api).id }, 1000);

/** Opens the page of the first event on sale, and returns the URL of the details of its tickets. */
async function openTickets(quantity = 2) {
  const { api, base } = openPage("venue", "CONFIRM", PROXY);
  const visitor = createVisitor(api, "203.0.113.5");
  const { id, slug } = businessOf(api);
  const events = api.store.catalog.listByKind(id, "public_event");
  for (const event of events) {
    const url = `${base}?event=${objectId("public_event", slug, event)}`;
    const [field] = findAll(await visitor.get(url), /<select name="(ticket\.[^"]+)"/g);
    if (field === undefined) continue;
    const chosen = `${url}&${field}=${quantity}`;
    const response = await visitor.send(chosen);
    return {
      api,
      base,
      visitor,
      event,
      url,
      field,
      details: response.headers.get("location") ?? "",
    };
  }
  throw new Error("The sample has no event on sale.");
}

test("a guest orders tickets, which the business confirms", async () => {
  const { api, visitor, event, details } = await openTickets();
  expect(details).toMatch(/&key=[0-9a-f]{32}$/);
  expect(await visitor.get(details)).toContain("Order the tickets");
  const put = spyOnNotices(api);
  const responses = await Promise.all([visitor.book(details), visitor.book(details)]);
  const links = responses.map(({ headers }) => headers.get("location") ?? "");
  const [link = ""] = links;
  expect(new Set(links).size).toBe(1);
  const [order, ...others] = listOrders(api);
  expect(others).toEqual([]);
  expect(order).toMatchObject({ status: "PENDING" });
  expect(order?.expiresAt).toBe(Math.min(api.now() + 48 * HOUR_MS, event.startsAt));
  // The operator is told of the order once.
  expect(put.mock.calls).toEqual([
    [
      expect.stringContaining("order.received"),
      expect.objectContaining({
        text: expect.stringContaining(`2 tickets of ${event.name} were ordered on the page`),
        command: `deskbell ticket-orders confirm ${order?.code} --business ${businessOf(api).slug}`,
      }),
    ],
  ]);
  const notice = put.mock.calls[0]?.[1] as Parameters<typeof isDecided>[1];
  expect(isDecided(api, notice)).toBe(false);
  const page = await visitor.get(link);
  expect(page).toContain("Tickets reserved");
  expect(page).toContain(order?.code ?? "no code");
  confirmTicketOrder(api, businessOf(api).slug, order?.code ?? "");
  expect(isDecided(api, notice)).toBe(true);
  expect(await visitor.get(link)).toContain("Your tickets are confirmed");
  await visitor.post(`${link}/cancel`);
  expect(listOrders(api)).toMatchObject([{ status: "CONFIRMED" }]);
});

/** Reads the QR codes of a page as a camera does. */
const scanCodes = (html: string): (string | undefined)[] =>
  [...html.matchAll(/viewBox="0 0 (\d+) \d+".*?<path d="([^"]*)"/g)].map(([, width, path]) => {
    const scale = 4;
    const pixels = Number(width) * scale;
    const image = new Uint8ClampedArray(pixels * pixels * 4).fill(255);
    for (const [, x, y] of path!.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
      for (let row = 0; row < scale; row++) {
        const start = ((Number(y) * scale + row) * pixels + Number(x) * scale) * 4;
        for (let i = 0; i < scale * 4; i++) if (i % 4 < 3) image[start + i] = 0;
      }
    return jsQR.default(image, pixels, pixels)?.data;
  });

const countCodes = (api: TestApi): number => api.openStore(createTicketCodeStore).list().length;

async function openConfirmed() {
  const opened = await openTickets();
  const { api, visitor, details } = opened;
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  const [order] = listOrders(api);
  const confirmed = confirmTicketOrder(api, businessOf(api).slug, order!.code);
  const codes = confirmed.tickets.map(({ admissionCode }) => admissionCode);
  return { ...opened, link, codes, orderId: order!.id };
}

test("the URL of an order form leads nobody to the order that was made with the form", async () => {
  const { api, visitor, details } = await openTickets();
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  expect(link).toContain("/v/");
  const other = createVisitor(api, "203.0.113.6");
  for (const response of [
    await other.send(details),
    await other.book(details, { name: "Ben", email: "ben@example.com" }),
    await other.book(details, { name: "" }),
  ]) {
    expect([response.status, response.headers.get("location")]).toEqual([409, null]);
    expect(await response.text()).not.toContain(link.split("/").at(-1));
  }
  expect(listOrders(api)).toHaveLength(1);
});

test("the guest's page shows the admission codes until the event ends", async () => {
  const { api, visitor, event, link, codes, orderId } = await openConfirmed();
  expect(scanCodes(await visitor.get(link))).toEqual(codes);
  expect(await visitor.get(link)).toContain(" Whoever has it can use the tickets.");
  expect(countCodes(api)).toBe(2);
  const [calendar = ""] = findAll(await visitor.get(link), /href="([^"]*events\.ics[^"]*)"/g);
  expect(await visitor.get(calendar)).toContain("BEGIN:VEVENT");
  // The codes survive a new master key, and a reissue replaces them.
  rotateMasterKey(api);
  expect(scanCodes(await visitor.get(link))).toEqual(codes);
  const business = businessOf(api);
  const order = api.openStore(createOrderStore).findByIdOrCode(business.id, orderId, "")!;
  const reissued = api.tx(() => reissueTickets(api, business, order));
  const newCodes = reissued.map(({ admissionCode }) => admissionCode).toReversed();
  expect(newCodes).not.toContain(codes[0]);
  expect(scanCodes(await visitor.get(link))).toEqual(newCodes);
  checkInTicket(api, business.slug, newCodes[0]!);
  expect(findAll(await visitor.get(link), />(checked in)</g)).toHaveLength(1);
  const [prune] = retention;
  prune!(api, 0, 100, { now: api.now(), keptSince: 0 });
  expect(countCodes(api)).toBe(2);
  api.advance(event.endsAt - api.now());
  expect(scanCodes(await visitor.get(link))).toEqual([]);
  prune!(api, 0, 100, { now: api.now(), keptSince: 0 });
  expect(countCodes(api)).toBe(0);
});

test("an event that is postponed to an open date keeps its guests' links and admission codes after its old end", async () => {
  const { api, visitor, event, link, codes } = await openConfirmed();
  postponePublicEvent(api, businessOf(api).slug, event.key, null);
  api.advance(event.endsAt - api.now() + LINK_MS + 1);
  for (const prune of [...retention, ...linkRetention])
    prune(api, 0, 100, { now: api.now(), keptSince: 0 });
  expect(scanCodes(await visitor.get(link))).toEqual(codes);
});

test("the page of an order for a cancelled or postponed event says so, and asks nobody to pay", async () => {
  const { api, visitor, event, details } = await openTickets();
  const { slug } = businessOf(api);
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  const [order] = listOrders(api);
  const pay = "Otherwise the order ends.";
  const come = "Show the code of each ticket";
  const shown = async () => {
    const page = await visitor.get(link);
    expect(page).not.toContain("not on sale");
    const shown = ["event is postponed.", "event is cancelled.", pay, come].map((text) =>
      page.includes(text),
    );
    // The time of a postponed event may be that of its old date.
    const [isPostponed, isCancelled] = shown;
    expect(page.includes(">When<")).toBe(!isPostponed);
    expect(page.includes("Add to calendar")).toBe(!isPostponed && !isCancelled);
    return shown;
  };
  expect(await shown()).toEqual([false, false, true, false]);
  postponePublicEvent(api, slug, event.key, null);
  expect(await shown()).toEqual([true, false, false, false]);
  confirmTicketOrder(api, slug, order!.code);
  expect(await shown()).toEqual([true, false, false, true]);
  editCatalog(api, slug, (catalog) => ({
    catalog: withObjects(catalog, "public_event", (docs) =>
      docs.map((doc) => ({ ...doc, status: "PUBLISHED" as const })),
    ),
    target: { section: "publicPage" },
  }));
  cancelPublicEvent(api, slug, event.key);
  expect(await shown()).toEqual([false, true, false, false]);
});

test("the tickets of an event that was postponed or cancelled are shown with this fact, without the old time", async () => {
  const { api, visitor, event, url, details } = await openTickets();
  const { slug } = businessOf(api);
  const time = new Date(event.startsAt).toISOString();
  const texts = ["event is postponed.", "event is cancelled.", time, "Order the tickets"];
  const shown = async (at: string) => {
    const page = await visitor.get(at);
    return texts.map((text) => page.includes(text));
  };
  expect(await shown(url)).toEqual([false, false, true, false]);
  expect(await shown(details)).toEqual([false, false, true, true]);
  postponePublicEvent(api, slug, event.key, null);
  for (const at of [url, details]) expect(await shown(at)).toEqual([true, false, false, false]);
  const refused = await visitor.book(details);
  expect([refused.status, await refused.text()]).toEqual([
    409,
    expect.stringContaining("event is postponed."),
  ]);
  cancelPublicEvent(api, slug, event.key);
  for (const at of [url, details]) expect(await shown(at)).toEqual([false, true, true, false]);
});

test("the records of a guest name the link and the tickets, without their secrets", async () => {
  const { api, link, codes, orderId } = await openConfirmed();
  const readers = await loadGuestRecords();
  const records = Object.assign({}, ...readers.map((read) => read(api, orderId))) as object;
  expect(records).toMatchObject({
    pageLinks: [{ language: "en", isUnconfirmed: false, isConfirmedByMailbox: false }],
    ticketsWithCodes: [
      { id: expect.stringMatching(/^tck_/) },
      { id: expect.stringMatching(/^tck_/) },
    ],
  });
  const text = JSON.stringify(records);
  for (const secret of [...codes, link.split("/").at(-1)!]) expect(text).not.toContain(secret);
});

test("admission codes are deleted when the guest is erased, and when the order is cancelled", async () => {
  const { api, codes, orderId } = await openConfirmed();
  const business = businessOf(api);
  eraseForGood(api, [orderId]);
  expect(countCodes(api)).toBe(0);
  // The tickets of a guest who was erased get new codes, which are not kept.
  const order = api.openStore(createOrderStore).findByIdOrCode(business.id, orderId, "")!;
  api.tx(() => reissueTickets(api, business, order));
  expect(countCodes(api)).toBe(0);
  const other = await openConfirmed();
  const { slug } = businessOf(other.api);
  cancelTicketOrder(other.api, slug, other.orderId);
  expect(countCodes(other.api)).toBe(0);
  expect(codes).toHaveLength(2);
});

test("a rotation of the master key reports the orders whose admission codes are lost", async () => {
  const { api, visitor, link, orderId } = await openConfirmed();
  const store = api.openStore(createTicketCodeStore);
  for (const row of store.list()) store.replace({ ...row, sealed: Buffer.alloc(40) });
  const page = await visitor.get(link);
  expect(page).toContain("The code below is that of the order and admits nobody.");
  expect(rotateMasterKey(api).reports[0]).toEqual({
    fields: { ticketCodes: 2, lostTicketCodes: [orderId] },
    notes: [
      `No key decrypts the admission codes of 1 ticket order, so the guests' pages no longer show them. Tickets can also be checked in by ID: deskbell tickets list --order ${orderId} --business ${businessOf(api).slug}`,
    ],
  });
  expect(countCodes(api)).toBe(0);
});

test("a guest can cancel an unpaid order, and an order that nobody pays expires", async () => {
  const { api, visitor, details } = await openTickets();
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  await visitor.post(`${link}/cancel`);
  expect(listOrders(api)).toMatchObject([{ status: "CANCELLED" }]);
  const again = await visitor.send(details.replace(/&key=.*/, ""));
  const second = await visitor.book(again.headers.get("location") ?? "");
  const newest = listOrders(api).find(({ status }) => status === "PENDING");
  api.advance((newest?.expiresAt ?? 0) - api.now());
  expect(await visitor.get(second.headers.get("location") ?? "")).toContain("The order has ended");
  expireTicketOrders(api);
  expect(listOrders(api).map(({ status }) => status)).not.toContain("PENDING");
});

test("unpaid orders of the booking page take at most a fifth of the places", async () => {
  const { api, event, url, field } = await openTickets();
  const statuses: number[] = [];
  for (let i = 0; i < 60 && statuses.at(-1) !== 429; i++) {
    const visitor = createVisitor(api, `198.51.100.${i}`);
    const details = (await visitor.send(`${url}&${field}=2`)).headers.get("location") ?? "";
    statuses.push((await visitor.book(details, { email: `g${i}@example.com` })).status);
  }
  expect(statuses.at(-1)).toBe(429);
  const size = Math.max(...event.quotas.map((quota) => quota.size));
  expect(2 * listOrders(api).length).toBeLessThanOrEqual(Math.ceil(size * 0.2));
});

test("the page offers as many tickets as one order can have", async () => {
  const { api, event, visitor, url, field } = await openTickets();
  const listChoices = async () => {
    const [, choices = ""] = (await visitor.get(url)).split(`name="${field}"`);
    return findAll(choices.split("</select>")[0]!, /<option value="(\d+)"/g);
  };
  const edit = (maxQuotaPercent: number, size: number, minPerOrder: number) =>
    editCatalog(api, businessOf(api).slug, ({ business, objects, ...catalog }) => {
      const orders = { payWithinHours: 48, maxQuotaPercent };
      const publicPage = { ...business.publicPage, orders };
      const events = objects.public_event.map((one) => ({
        ...one,
        ...(one.key === event.key && {
          ticketTypes: one.ticketTypes.map((type) => ({ ...type, minPerOrder, maxPerOrder: 10 })),
          quotas: one.quotas.map((quota) => ({ ...quota, size })),
        }),
      }));
      return {
        catalog: {
          ...catalog,
          business: { ...business, publicPage },
          objects: { ...objects, public_event: events },
        },
        target: { section: "publicPage" },
      };
    });
  edit(20, 20, 1);
  expect(await listChoices()).toEqual(["0", "1", "2", "3", "4"]);
  edit(10, 20, 3);
  expect(await listChoices()).toEqual(["0", "3"]);
  const details = (await visitor.send(`${url}&${field}=3`)).headers.get("location") ?? "";
  expect((await visitor.book(details)).status).toBe(303);
});

test("a guest who goes back to change an order finds only the chosen tickets selected", async () => {
  const { visitor, url } = await openTickets();
  const [first = "", second = ""] = findAll(
    await visitor.get(url),
    /<select name="(ticket\.[^"]+)"/g,
  );
  expect(second).not.toBe("");
  const listChosen = async (query: string) => {
    const html = await visitor.get(`${url}${query}`);
    return [first, second].map((field) => {
      const [, choices = ""] = html.split(`name="${field}"`);
      const [chosen = "0"] = findAll(
        choices.split("</select>")[0]!,
        /<option[^>]* selected[^>]*>(\d+)/g,
      );
      return chosen;
    });
  };
  expect(await listChosen("")).toEqual(["1", "0"]);
  expect(await listChosen(`&${second}=2&change=1`)).toEqual(["0", "2"]);
});

test("the business sets how long an order may stay unpaid, and the share of places that unpaid orders may take", async () => {
  const { api, event, visitor, url, field } = await openTickets();
  editCatalog(api, businessOf(api).slug, (catalog) => {
    const { business } = catalog;
    const orders = { payWithinHours: 3, maxQuotaPercent: 100 };
    const publicPage = { ...business.publicPage, orders };
    return {
      catalog: { ...catalog, business: { ...business, publicPage } },
      target: { section: "publicPage" },
    };
  });
  const most = Math.max(...event.ticketTypes.map(({ maxPerOrder }) => maxPerOrder));
  const size = Math.min(...event.quotas.map((quota) => quota.size));
  for (let i = 0; i * most <= size * 0.2; i++) {
    const other = createVisitor(api, `198.51.100.${i}`);
    const details = (await other.send(`${url}&${field}=${most}`)).headers.get("location") ?? "";
    expect((await other.book(details, { email: `g${i}@example.com` })).status).toBe(303);
  }
  expect(listOrders(api).map(({ expiresAt }) => expiresAt - api.now())).toContain(3 * HOUR_MS);
  expect(await visitor.get(url)).toContain("How many tickets?");
});

test("tickets that are ordered during an event must be paid before it ends", async () => {
  const { api, visitor, event, details } = await openTickets();
  editCatalog(api, businessOf(api).slug, (catalog) => ({
    catalog: withObjects(catalog, "public_event", (docs) =>
      docs.map((doc) => ({
        ...doc,
        ticketTypes: doc.ticketTypes.map((type) => ({ ...type, salesEndAt: null })),
      })),
    ),
    target: { section: "publicPage" },
  }));
  api.advance(event.startsAt + 1000 - api.now());
  const link = (await visitor.book(details)).headers.get("location") ?? "";
  expect(await visitor.get(link)).toContain("Tickets reserved");
  expect(listOrders(api)).toMatchObject([
    { status: "PENDING", expiresAt: Math.min(api.now() + 48 * HOUR_MS, event.endsAt) },
  ]);
});

/** Edits the first event on sale, whose first two ticket types share one quota. */
function shareQuota(api: TestApi, event: { key: string }, size: number, maxQuotaPercent = 20) {
  editCatalog(api, businessOf(api).slug, (catalog) => {
    const { business } = catalog;
    const orders = { payWithinHours: 48, maxQuotaPercent };
    const publicPage = { ...business.publicPage, orders };
    return {
      catalog: withObjects(
        { ...catalog, business: { ...business, publicPage } },
        "public_event",
        (docs) =>
          docs.map((doc) => {
            if (doc.key !== event.key) return doc;
            const ticketTypes = doc.ticketTypes
              .slice(0, 2)
              .map((type) => ({ ...type, minPerOrder: 1, maxPerOrder: 10 }));
            const [quota] = doc.quotas;
            const shared = { ...quota!, size, ticketTypes: ticketTypes.map(({ key }) => key) };
            return { ...doc, ticketTypes, quotas: [shared] };
          }),
      ),
      target: { section: "publicPage" },
    };
  });
}

const ticketFields = (html: string): string[] => findAll(html, /<select name="(ticket\.[^"]+)"/g);

test("more tickets than one order can have are refused before the guest writes any details", async () => {
  const { api, event, visitor, url } = await openTickets();
  shareQuota(api, event, 12);
  const [first = "", second = ""] = ticketFields(await visitor.get(url));
  const names = event.ticketTypes.slice(0, 2).map(({ name }) => name);
  const refused = await visitor.send(`${url}&${first}=2&${second}=2`);
  const page = await refused.text();
  expect([refused.status, page]).toEqual([
    422,
    expect.stringContaining(`Tickets per order: at most 3 (${names.join(" and ")}).`),
  ]);
  expect(page).not.toContain("Fewer tickets are left");
  const details = await visitor.send(`${url}&${first}=2&${second}=1`);
  expect((await visitor.book(details.headers.get("location") ?? "")).status).toBe(303);
});

test.each([
  ["there are fewer tickets left", 100, "Fewer tickets are left than you chose."],
  ["one order can have fewer tickets", 40, "Tickets per order: at most 2 ("],
])(
  "a guest who must choose again because %s keeps what was written",
  async (_reason, maxQuotaPercent, text) => {
    const { api, event, visitor, url } = await openTickets();
    shareQuota(api, event, 4, 100);
    const [first = "", second = ""] = ticketFields(await visitor.get(url));
    const details = (await visitor.send(`${url}&${first}=2&${second}=2`)).headers.get("location");
    if (maxQuotaPercent === 100) {
      const other = createVisitor(api, "203.0.113.6");
      const theirs = (await other.send(`${url}&${first}=2`)).headers.get("location") ?? "";
      expect((await other.book(theirs, { email: "ben@example.com" })).status).toBe(303);
    } else shareQuota(api, event, 4, maxQuotaPercent);
    const orders = listOrders(api).length;
    const notes = "A first line\nand a second";
    const refused = await visitor.book(details ?? "", { notes });
    const page = await refused.text();
    expect([refused.status, page]).toEqual([409, expect.stringContaining(text)]);
    const [action = ""] = findAll(page, /<form method="post" action="([^"]+)"/g);
    const written = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(written.map(([, name = "", value = ""]) => [name, value]));
    expect(form).toMatchObject({ name: "Ana García", email: "ana@example.com", notes });
    expect(action).not.toMatch(/Ana|example/);
    for (const quantity of ["0", "9"]) {
      const wrong = await visitor.post(action, { ...form, [first]: quantity, [second]: quantity });
      expect([wrong.status, await wrong.text()]).toEqual([
        422,
        expect.stringContaining('value="Ana García"'),
      ]);
    }
    const again = await visitor.post(action, { ...form, [first]: "1", [second]: "1" });
    const asked = await again.text();
    expect([again.status, asked]).toEqual([200, expect.stringContaining("Order the tickets")]);
    expect(asked).toContain('value="ana@example.com"');
    expect(asked).toContain(notes);
    expect(listOrders(api)).toHaveLength(orders);
    const [order = ""] = findAll(asked, /<form method="post" action="([^"]+)"/g);
    expect((await visitor.book(order, { notes })).status).toBe(303);
    expect(listOrders(api).length).toBe(orders + 1);
  },
);

test("more tickets than a type allows in one order lead back to the choice of tickets", async () => {
  const { api, event, visitor, url } = await openTickets();
  shareQuota(api, event, 100, 100);
  const [field = ""] = ticketFields(await visitor.get(url));
  const details = (await visitor.send(`${url}&${field}=11`)).headers.get("location") ?? "";
  const response = await visitor.book(details);
  const page = await response.text();
  expect([response.status, page]).toEqual([409, expect.stringContaining("Please choose again.")]);
  expect(page).not.toContain("Fewer tickets are left");
  expect(page).toContain('<option value="10" selected');
});
