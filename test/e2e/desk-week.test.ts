import { expect, onTestFinished, test, type TestContext } from "vitest";
import { createBooking, createReservation } from "../../src/app/bookings/bookings.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { createKey } from "../../src/app/keys.ts";
import {
  createClient,
  createMemoryStorage,
  createMirror,
  type MirrorList,
} from "../../src/client/index.ts";
import { createAlerting } from "../../src/features/alerts/alerting.ts";
import type { Alert } from "../../src/features/alerts/rules/alert.ts";
import { withLinks } from "../../src/features/alerts/with-links.ts";
import { confirmTicketOrder, createTicketOrder } from "../../src/features/tickets/orders/orders.ts";
import type { DeskMessage } from "../../src/features/desk/browser/desk.tsx";
import { createDeskLink } from "../../src/features/desk/desks.ts";
import { startServer } from "../../src/http/server.ts";
import { businessOf, createLink } from "../features/desk/open-desk.ts";
import { openAll } from "../features/desk/open-page.ts";
import { useBrowser } from "../support/browser.ts";
import { ROUTES } from "../support/documented-mirror.ts";
import { drive } from "../support/page-driver.ts";
import { findFreePort } from "../support/proxies.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { patient } from "../support/patience.ts";

// These tests play a week in each of two shops. They operate the desk on a phone by the names of
// its buttons, and move the clock of the server.

const openPage = useBrowser();
const LISTS = Object.keys(ROUTES) as MirrorList[];
const HOURS = `timezone: Etc/UTC, currency: EUR, bookingPolicy: { requiresApproval: true, minNoticeMin: 0, slotIntervalMin: 15 } }
hours: [{ days: [mon-sun], start: "09:00", end: "18:00" }]`;
const SALON = `
catalog: 1
business: { slug: salon, name: Salon Aurora, ${HOURS}
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [mia, leo, zoe] }]
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }, { key: zoe, name: Zoe }]
`;
const RESTAURANT = `
catalog: 1
business: { slug: lumen, name: Cafe Lumen, ${HOURS}
tables:
  - { key: t1, minSeats: 1, maxSeats: 4 }
  - { key: t2, minSeats: 1, maxSeats: 4 }
  - { key: t3, minSeats: 1, maxSeats: 4 }
menu: { items: [{ key: soup, name: Soup of the day, price: 8.00 }] }
events:
  - key: gala
    name: Gala
    slug: gala
    status: PUBLISHED
    startsAt: 2026-12-02T17:00
    durationMin: 120
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
    quotas: [{ key: hall, size: 300, ticketTypes: [seat] }]
`;

/** Clicks the first enabled button whose name, as a screen reader says it, begins with a text. */
async function tapNamed(name: string): Promise<boolean> {
  type Button = { textContent: string; disabled: boolean; click: () => void };
  const { document } = globalThis as unknown as {
    document: { querySelectorAll: (selector: string) => Iterable<Button> };
  };
  const found = [...document.querySelectorAll("button")].find(
    ({ textContent, disabled }) =>
      textContent.replaceAll(/\s+/g, " ").trim().startsWith(name) && !disabled,
  );
  found?.click();
  return found !== undefined;
}

/** Opens a shop on Monday, 2026-11-30, at nine, with a partner, a chat and a paired phone. */
async function openShop(test: Pick<TestContext, "skip">, catalog: string) {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const rt = createTestRuntime({ alertLinks: true, publicUrl: url }, at(1, "09:00"));
  applyCatalog(rt, [{ name: "shop.yaml", text: catalog }]);
  const server = await startServer(rt, { host: "127.0.0.1", port });
  onTestFinished(() => server.close());
  const business = businessOf(rt);
  const { secret: key } = createKey(rt, {
    businessId: business.id,
    name: "website",
    kind: "SECRET",
    scopes: [],
  });
  const client = createClient({ baseUrl: url, business: business.slug, key });
  const mirror = createMirror({
    client,
    storage: createMemoryStorage(),
    intervalSeconds: 0,
    now: rt.now,
  });
  await mirror.sync();

  const alerts: Alert[] = [];
  const chat = {
    name: "--alert-url",
    resends: false,
    send: async (a: Alert) => void alerts.push(a),
  };
  const { tick } = createAlerting(rt, [], { channels: [withLinks(rt, chat)] });
  const desk = `${url}/b/${business.slug}/desk`;
  const page = await openPage(test, `${desk}/pair/${createLink(rt)}`, { width: 360 });
  const reader = drive(page);
  const tap = async (name: string): Promise<void> => {
    await expect.poll(() => page.run(tapNamed, name), { message: `button ${name}` }).toBe(true);
  };
  await tap("Pair this device");
  await reader.waitForText("Walk-in");
  let seen = rt.store.audit.list({}, 1)[0]!.id;

  return {
    rt,
    slug: business.slug,
    client,
    mirror,
    reader,
    tap,
    /** Waits until a time of the week, and looks at the desk. */
    async lookAt(day: number, time: string): Promise<void> {
      rt.advance(at(day, time) - rt.now());
      await page.open(desk);
      await reader.waitForText("Walk-in");
      await page.run(openAll);
    },
    /** Returns the alerts that the chat gets now. */
    async readChat(): Promise<Alert[]> {
      rt.advance(10_000);
      await tick();
      return alerts.splice(0);
    },
    /** Opens a link of an alert, and taps its button. */
    async decide({ links }: Alert, decision: "accept" | "decline", said: string): Promise<void> {
      await page.open(links![decision]);
      await tap(decision === "accept" ? "Accept" : "Decline");
      await reader.waitForText(said);
    },
    /**
     * Pairs one more phone. Returns a function that sends the code of a ticket as the page on this
     * phone does, and returns the message that the page then shows.
     */
    async pairPhone(): Promise<(code: string) => Promise<string>> {
      const { token } = createDeskLink(rt, business.id, "Front desk");
      const headers = { origin: url };
      const post = { method: "POST", redirect: "manual", headers } as const;
      const paired = await fetch(`${desk}/pair/${token}`, post);
      const cookie = paired.headers.get("set-cookie")!.split(";")[0]!;
      let key = 0;
      return async (code) => {
        const body = new URLSearchParams({ action: "checkIn", code, key: `${key++}` });
        const response = await fetch(desk, {
          ...post,
          headers: { ...headers, cookie, accept: "application/json" },
          body,
        });
        return ((await response.json()) as { message: DeskMessage }).message.text;
      };
    },
    /** Asserts that the partner's copy is right, and who has done what since the day before. */
    async endDay(expected: readonly string[]): Promise<void> {
      await mirror.sync();
      for (const list of LISTS) {
        const response = await fetch(`${url}/v1/businesses/${business.slug}${ROUTES[list]}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const { data } = (await response.json()) as { data: unknown };
        expect(JSON.parse(JSON.stringify(await mirror.read(list)))).toEqual(data);
      }
      const rows = rt.store.audit.list({}, 1000);
      const today = rows
        .slice(
          0,
          rows.findIndex(({ id }) => id === seen),
        )
        .toReversed();
      seen = rows[0]!.id;
      expect(today.map(({ actorName, action }) => `${actorName}: ${action}`)).toEqual(expected);
    },
  };
}

/** Returns a time of the week, of which Monday is day 1. */
const at = (day: number, time: string): number =>
  Date.parse("2026-11-29T00:00Z") + day * 86_400_000 + minutesOf(time) * 60_000;

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(":").map(Number);
  return hours! * 60 + minutes!;
};

const isoAt = (day: number, time: string): string => new Date(at(day, time)).toISOString();

type Availability = Awaited<ReturnType<ReturnType<typeof createClient>["getAvailability"]>>["data"];

const countSlots = (data: Availability): number | undefined =>
  "days" in data ? data.days.flatMap((day) => ("slots" in day ? day.slots : [])).length : undefined;

test(
  "the phone, the partner and the audit log agree after each day of a salon's week",
  async (test) => {
    const shop = await openShop(test, SALON);
    const { rt, slug, client, reader, tap, lookAt, readChat, decide, endDay } = shop;
    const serviceId = (await client.listServices()).data[0]!.id;
    const request = async (start: string, name: string) =>
      (
        await client.createBooking({
          idempotencyKey: name,
          body: { startsAt: start, segments: [{ serviceId }], customer: { name } },
        })
      ).data.id;
    const statusOf = async (id: string) => (await client.getBooking({ id })).data.status;
    const book = (day: number, time: string, staff: string, name: string) =>
      createBooking(rt, slug, {
        service: "cut",
        staff,
        start: isoAt(day, time),
        customer: { name },
      }).id;

    // Monday: two requests are decided from the alerts.
    const [ana, ben] = [
      await request(isoAt(2, "10:00"), "Ana"),
      await request(isoAt(2, "12:00"), "Ben"),
    ];
    const alerts = await readChat();
    expect(alerts.map(({ code }) => code)).toEqual(["booking.received", "booking.received"]);
    expect(JSON.stringify(alerts)).not.toMatch(/Ana|Ben/);
    const alertOf = (id: string) => alerts.find(({ subject }) => subject?.id === id)!;
    await decide(alertOf(ana), "accept", "Accepted.");
    await decide(alertOf(ben), "decline", "Declined.");
    expect([await statusOf(ana), await statusOf(ben)]).toEqual(["CONFIRMED", "CANCELLED"]);
    await endDay(["alert link: booking.approved", "alert link: booking.declined"]);

    // Tuesday: Ana does not come, and somebody walks in.
    await lookAt(2, "10:20");
    await tap("Did not come Ana");
    await reader.waitForText("Recorded: did not come.");
    await reader.fill("Name", "Cleo");
    await tap("Enter Service");
    await reader.waitForText("Entered.");
    expect(await statusOf(ana)).toBe("NO_SHOW");
    expect(await reader.readText()).toContain("Cleo");
    expect((await client.listBookings({ status: "CONFIRMED" })).data).toMatchObject([
      { startsAt: "2026-12-01T10:20:00+00:00" },
    ]);
    await endDay([
      "Front desk: booking.no_show",
      "Front desk: booking.created",
      "Front desk: booking.notice_ignored",
    ]);

    // Wednesday: Mia is ill. Two colleagues take her four visits.
    await lookAt(3, "08:00");
    const ofMia = ["09:00", "10:00", "11:00", "12:00"].map((time) =>
      book(3, time, "mia", `M${time}`),
    );
    book(3, "09:00", "leo", "Dan");
    book(3, "12:00", "zoe", "Eve");
    await lookAt(3, "08:05");
    await tap("Away today Mia");
    await reader.waitForText("Entered. Affected visits: 4.");
    await tap("Give them to colleagues");
    await reader.waitForText("Visits given to colleagues: 4.");
    const taken = await Promise.all(ofMia.map((id) => client.getBooking({ id })));
    expect(new Set(taken.map(({ data }) => data.segments[0]!.staffName))).toEqual(
      new Set(["Leo", "Zoe"]),
    );
    await endDay([
      ...Array.from({ length: 6 }, () => "ada: booking.created"),
      "Front desk: time_off.created",
      ...Array.from({ length: 4 }, () => "Front desk: booking.rescheduled"),
    ]);

    // Thursday: the salon closes at three.
    await lookAt(4, "15:00");
    const slots = async () => {
      const { data } = await client.getAvailability({
        serviceIds: [serviceId],
        date: "2026-12-03",
      });
      return countSlots(data);
    };
    expect(await slots()).toBeGreaterThan(0);
    await tap("Close");
    await reader.waitForText("Closed. Visits that stay: 0.");
    expect(await slots()).toBe(0);
    await endDay(["Front desk: catalog.edited"]);
  },
  patient(180_000),
);

test(
  "the phone, the partner and the audit log agree after each day of a restaurant's week",
  async (test) => {
    const shop = await openShop(test, RESTAURANT);
    const { rt, slug, client, mirror, reader, tap, lookAt, readChat, decide, endDay } = shop;
    const { pairPhone } = shop;

    // Monday: a table is requested, and accepted from the alert.
    const { data: table } = await client.createReservation({
      idempotencyKey: "table",
      body: { startsAt: isoAt(2, "12:00"), partySize: 3, customer: { name: "Ana" } },
    });
    expect(table.status).toBe("PENDING");
    const [alert] = await readChat();
    await decide(alert!, "accept", "Accepted.");
    expect((await client.getReservation({ id: table.id })).data.status).toBe("CONFIRMED");
    await endDay(["alert link: reservation.approved"]);

    // Tuesday: the soup sells out and is back. The guests of noon come, others do not, and two more
    // come without a table.
    createReservation(rt, slug, { start: isoAt(2, "12:00"), party: 2, customer: { name: "Ben" } });
    await lookAt(2, "12:10");
    const isSoupSoldOut = async () => {
      await mirror.sync();
      return JSON.stringify(await mirror.read("menu")).includes('"soldOut":true');
    };
    expect(await isSoupSoldOut()).toBe(false);
    await tap("Mark as sold out");
    await reader.waitForText("Marked as sold out.");
    expect(await isSoupSoldOut()).toBe(true);
    await tap("Back again Soup");
    await reader.waitForText("Available again.");
    expect(await isSoupSoldOut()).toBe(false);
    await tap("Was here Ana");
    await reader.waitForText("Recorded: was here.");
    await tap("Did not come Ben");
    await reader.waitForText("Recorded: did not come.");
    await tap("Enter Table");
    await reader.waitForText("Entered.");
    await endDay([
      "ada: reservation.created",
      "Front desk: dish.sold_out",
      "Front desk: dish.available",
      "Front desk: reservation.completed",
      "Front desk: reservation.no_show",
      "Front desk: reservation.created",
      "Front desk: reservation.notice_ignored",
    ]);

    // Wednesday: an order is paid at the door, and each ticket is admitted once.
    await lookAt(3, "16:20");
    const order = createTicketOrder(rt, slug, { event: "gala", items: ["seat", "seat"] });
    await lookAt(3, "16:30");
    await tap(`Paid: confirm ${order.code}`);
    await reader.waitForText("Confirmed. Tickets: 2.");
    const codes = (await reader.readText()).match(/\b[A-Z0-9]{4}(?:-[A-Z0-9]{4})+\b/g) ?? [];
    expect(codes.length).toBe(2);
    for (const [i, code] of codes.entries()) {
      await lookAt(3, `16:4${i}`);
      await reader.fill("Code of the ticket", code);
      await tap("Check-in");
      await reader.waitForText("Checked in: Gala, Seat.");
    }
    await lookAt(3, "16:50");
    await reader.fill("Code of the ticket", codes[0]!);
    await tap("Check-in");
    await reader.waitForText("was checked in at");

    // Two more phones at the door scan the same 200 tickets at the same time.
    const sold = Array.from({ length: 20 }, () => {
      const { code } = createTicketOrder(rt, slug, {
        event: "gala",
        items: Array.from({ length: 10 }, () => "seat"),
      });
      return confirmTicketOrder(rt, slug, code).tickets;
    }).flat();
    const phones = [await pairPhone(), await pairPhone()];
    const replies = await Promise.all(
      phones.map(async (checkIn) => {
        const texts: string[] = [];
        for (const { admissionCode } of sold) texts.push(await checkIn(admissionCode));
        return texts;
      }),
    );
    const admitted = sold.map(
      (_, i) => replies.filter((texts) => texts[i] === "Checked in: Gala, Seat.").length,
    );
    expect(admitted).toEqual(sold.map(() => 1));
    expect(replies.flat().filter((text) => text.includes("was checked in at"))).toHaveLength(200);
    await endDay([
      "ada: ticket_order.created",
      "Front desk: ticket_order.confirmed",
      ...Array.from({ length: 2 }, () => "Front desk: ticket.checked_in"),
      ...Array.from({ length: 20 }, () => [
        "ada: ticket_order.created",
        "ada: ticket_order.confirmed",
      ]).flat(),
      ...phones.flatMap(() => ["ada: desk.link_created", "Front desk: desk.paired"]),
      ...sold.map(() => "Front desk: ticket.checked_in"),
    ]);

    // Thursday: the kitchen closes early.
    await lookAt(4, "15:00");
    const tables = async () => {
      const { data } = await client.getAvailability({ partySize: 2, date: "2026-12-03" });
      return countSlots(data);
    };
    expect(await tables()).toBeGreaterThan(0);
    await tap("Close");
    await reader.waitForText("Closed. Visits that stay: 0.");
    expect(await tables()).toBe(0);
    await endDay(["Front desk: catalog.edited"]);
  },
  patient(180_000),
);
