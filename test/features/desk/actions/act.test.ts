import { expect, test } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { rescheduleBooking } from "../../../../src/app/bookings/reschedule.ts";
import { postponePublicEvent } from "../../../../src/app/catalog/public-events.ts";
import { createStaffMember, deleteStaffMember } from "../../../../src/app/catalog/staff.ts";
import { createTimeOff } from "../../../../src/app/bookings/time-off.ts";
import {
  DESK_RIGHTS,
  type DeskRight,
  type DeskView,
  type DeskVisit,
} from "../../../../src/features/desk/rules.ts";
import { tokenOf } from "../../../../src/features/desk/actions/act.ts";
import { createDeskLink } from "../../../../src/features/desk/desks.ts";
import { cancelTicketOrder } from "../../../../src/features/tickets/orders/change-order.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../../src/features/tickets/orders/orders.ts";
import type { DeskMessage } from "../../../../src/features/desk/browser/desk.tsx";
import type { TestApi } from "../../../http/support/api.ts";
import { edit } from "../../../support/edit-database.ts";
import { businessOf, createBrowser, openDesk } from "../open-desk.ts";

// The clock of the tests stands at 07:00 of Friday, 2026-11-20, in the salon.

const DAY = "2026-11-20";

const book = (api: TestApi, time: string, fields = {}) =>
  createBooking(
    api,
    "salon-aurora",
    { service: "cut", staff: "maya", start: `${DAY}T${time}`, ...fields },
    { ignoresNotice: true },
  );

const makePending = (api: TestApi, id: string): void => {
  const booking = api.store.bookings.findById(businessOf(api).id, id)!;
  api.tx(() =>
    api.store.bookings.update({ ...booking, status: "PENDING", decideBy: booking.startsAt }),
  );
};

const statusOf = (api: TestApi, id: string) =>
  api.store.bookings.findById(businessOf(api).id, id)?.status;

const goTo = (api: TestApi, time: string): void =>
  api.advance(Date.parse(`${DAY}T${time}-05:00`) - api.now());

const actionsOf = (visits: readonly DeskVisit[], id: string) =>
  visits.find((visit) => visit.id === id)?.actions;

const newestAudit = (api: TestApi) => api.store.audit.list({}, 1)[0];

test("the desk lists today's visits with their services, and marks the current visit and the next visit", async () => {
  const { api, view } = await openDesk();
  const first = book(api, "10:00", { customer: { name: "Ana Silva", phone: "123" } });
  const second = book(api, "15:00");
  goTo(api, "10:30");
  const [today] = (await view()).days;
  expect(today).toMatchObject({
    date: DAY,
    visits: [
      {
        id: first.id,
        start: `${DAY}T10:00`,
        end: `${DAY}T11:00`,
        guest: "Ana Silva",
        at: "now",
        contact: { phone: "123", email: null },
        parts: [{ what: expect.stringContaining("cut"), staff: "Maya Okafor" }],
        actions: ["cancel", "reschedule", "complete", "noShow"],
      },
      { id: second.id, at: "next", actions: ["cancel", "reschedule"] },
    ],
  });
});

test("the desk lists a pending visit with its actions, and the audit log names the desk that accepts the visit", async () => {
  const { api, view, act } = await openDesk();
  const { id } = book(api, "10:00");
  makePending(api, id);
  expect(actionsOf((await view()).pending, id)).toEqual(["approve", "decline", "reschedule"]);
  const { message, view: after } = await act({ action: "approve", id });
  expect(message).toMatchObject({ text: "Accepted.", isGood: true, codes: [] });
  expect(after.pending).toEqual([]);
  expect(newestAudit(api)).toMatchObject({
    via: "http",
    actorId: expect.stringMatching(/^dsk_/),
    actorName: "Front desk",
    action: "booking.approved",
    subjectId: id,
  });
});

test("each visit says who tells its guest about a change", async () => {
  const { api, view, get } = await openDesk();
  const { id } = book(api, "10:00", { customer: { name: "Ana", phone: "030 / 99 88" } });
  makePending(api, id);
  const tellers = async () => (await view()).days[0]?.visits.map(({ teller }) => teller);
  expect(await tellers()).toEqual(["nobody"]);
  const page = await (await get("")).text();
  expect(page).toContain(">Nobody tells the guest: please call.<");
  expect(page).toContain('href="tel:0309988"');
  expect(page).not.toContain(">The partner that made the booking");
  const services = await api.request("/v1/businesses/salon-aurora/services");
  const { data } = (await services.json()) as { data: { id: string }[] };
  const made = await api.request("/v1/businesses/salon-aurora/bookings", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "partner" },
    body: JSON.stringify({
      startsAt: `${DAY}T15:00:00-05:00`,
      segments: [{ serviceId: data[0]!.id }],
      customer: { name: "Bo" },
    }),
  });
  expect(await made.text()).toContain("bkg_");
  expect(await tellers()).toEqual(["nobody", "partner"]);
  expect(await (await get("")).text()).toContain(
    ">The partner that made the booking is told, and can tell the guest.<",
  );
});

test.for<[what: string, allow: DeskRight[], phone: string | null]>([
  ["a desk that shows no contact details", ["visits"], "030 99 88"],
  ["a visit without a phone number", ["visits", "guests"], null],
])("%s asks nobody to call the guest", async ([, allow, phone]) => {
  const { api, get } = await openDesk({ allow });
  const { id } = book(api, "10:00", { customer: { name: "Ana", email: "ana@example.com", phone } });
  makePending(api, id);
  const page = await (await get("")).text();
  expect(page).toContain(">Nobody tells the guest, and no phone number is shown here.<");
  expect(page).not.toContain("please call.<");
});

test("a desk declines, cancels and completes visits, marks no-shows, and moves a visit to a time that is no slot", async () => {
  const { api, act } = await openDesk();
  const declined = book(api, "10:00").id;
  makePending(api, declined);
  await act({ action: "decline", id: declined });
  expect(statusOf(api, declined)).toBe("CANCELLED");
  const { id } = book(api, "10:00");
  const { message } = await act({ action: "reschedule", id, start: `${DAY}T15:10` });
  expect(message.text).toBe("Moved.");
  const cancelled = book(api, "10:00").id;
  await act({ action: "cancel", id: cancelled });
  expect(statusOf(api, cancelled)).toBe("CANCELLED");
  expect((await act({ action: "noShow", id })).message).toMatchObject({
    isGood: false,
    text: "This is possible when the visit has started.",
  });
  goTo(api, "15:30");
  await act({ action: "noShow", id });
  expect(statusOf(api, id)).toBe("NO_SHOW");
  await act({ action: "complete", id });
  expect(statusOf(api, id)).toBe("COMPLETED");
});

test("a request for a later day that a desk accepts stays on the page, which links to it", async () => {
  const { api, view, act, get, post } = await openDesk();
  const { id } = book(api, "10:00", { start: "2026-11-25T10:00", customer: { name: "Ana Silva" } });
  makePending(api, id);
  const { message, view: accepted } = await act({ action: "approve", id });
  expect(message).toEqual({ text: "Accepted.", isGood: true, codes: [], visitId: id });
  expect(accepted.recent).toMatchObject([
    { id, status: "CONFIRMED", start: "2026-11-25T10:00", parts: [{ staff: "Maya Okafor" }] },
  ]);
  expect(actionsOf(accepted.recent, id)).toEqual(["cancel", "reschedule"]);
  await act({ action: "cancel", id, shown: "2026-11-25T10:00" });
  expect((await view()).recent).toMatchObject([{ id, status: "CANCELLED", actions: [] }]);
  const other = book(api, "10:00", { start: "2026-11-27T10:00", customer: { name: "Leo" } });
  makePending(api, other.id);
  const response = await post("", { action: "approve", id: other.id });
  const page = await (await get(response.headers.get("location")!.replace(/.*desk/, ""))).text();
  expect(page).toContain(`Accepted. <a href="#visit-${other.id}">Leo, `);
  expect(page.split(`id="visit-${other.id}"`)).toHaveLength(2);
});

test("a visit that a desk moves to a later day, or declines, is listed with the guest's number until the next day", async () => {
  const { api, view, act } = await openDesk();
  const customer = { name: "Ana Silva", phone: "+351 910 000 000" };
  const moved = book(api, "10:00", { customer });
  const declined = book(api, "16:00", { customer });
  makePending(api, declined.id);
  await act({ action: "reschedule", id: moved.id, start: "2026-11-25T10:00" });
  await act({ action: "decline", id: declined.id });
  const expected = [declined, moved].map(({ id }) => ({ id, contact: { phone: customer.phone } }));
  expect((await view()).recent).toMatchObject(expected);
  await act({ action: "reschedule", id: moved.id, start: `${DAY}T10:00` });
  expect((await view()).recent.map(({ id }) => id)).toEqual([declined.id]);
  goTo(api, "23:59");
  expect((await view()).recent).toHaveLength(1);
  api.advance(2 * 60_000);
  expect((await view()).recent).toEqual([]);
});

test("a device lists the visits that it has changed, but not those of other devices", async () => {
  const { api, act } = await openDesk();
  const { id } = book(api, "10:00", { start: "2026-11-25T10:00" });
  makePending(api, id);
  const { view } = await act({ action: "approve", id });
  expect(view.recent).toHaveLength(1);
  const browser = createBrowser(api);
  const { token } = createDeskLink(api, businessOf(api).id, "Front desk");
  await browser.post(`/pair/${token}`);
  const response = await browser.get("", { headers: { accept: "application/json" } });
  expect(((await response.json()) as { view: DeskView }).view.recent).toEqual([]);
});

test("a visit that lasts beyond midnight stays on the desk", async () => {
  const { api, view, act } = await openDesk();
  book(api, "10:00");
  const { id } = book(api, "16:00");
  const midnight = Date.parse("2026-11-21T00:00-05:00");
  edit(api, `UPDATE booking SET ends_at = ${midnight + 3_600_000} WHERE id = '${id}'`);
  api.advance(midnight + 60_000 - api.now());
  const [today] = (await view()).days;
  expect(today).toMatchObject({ date: "2026-11-21", visits: [{ id, at: "now" }] });
  expect((await act({ action: "complete", id })).message.isGood).toBe(true);
  api.advance(3_600_000);
  expect((await view()).days[0]?.visits).toEqual([]);
});

test("an action that is sent twice is done once", async () => {
  const { api, act } = await openDesk();
  goTo(api, "10:00");
  const form = { key: "same", action: "walkIn", service: "cut", ago: "0", name: "Bo" };
  const [first, second] = await Promise.all([act(form), act(form)]);
  expect([first?.message.text, second?.message.text]).toEqual(["Entered.", "Entered."]);
  expect(first?.view.days[0]?.visits).toHaveLength(1);
  expect(second?.view.days[0]?.visits).toHaveLength(1);
  const again = await act({ ...form, key: "other" });
  expect(again.view.days[0]?.visits).toHaveLength(2);
});

test.each<[string, string]>([
  ["en", "Nothing is free at this time. Choose another time or person."],
  ["de", "Um diese Zeit ist nichts frei. Bitte eine andere Zeit oder Person wählen."],
  ["fr", "Rien n’est libre à cette heure. Choisissez une autre heure ou une autre personne."],
  ["es", "No hay nada libre a esta hora. Elige otra hora u otra persona."],
  ["it", "A quest’ora non c’è niente di libero. Scegli un’altra ora o un’altra persona."],
])("a refusal is shown in the language of the phone (%s)", async (language, text) => {
  const { api, post } = await openDesk();
  book(api, "10:00", { staff: "maya" });
  const { id } = book(api, "12:00", { staff: "maya" });
  const headers = { accept: "application/json", "accept-language": language };
  const form = { action: "reschedule", id, start: `${DAY}T10:00` };
  const { message } = (await (await post("", form, headers)).json()) as { message: DeskMessage };
  expect(message).toEqual({ isGood: false, text, codes: [] });
});

test.each<[string, Record<string, string>]>([
  ["This is no longer possible: it has changed", { action: "approve" }],
  ["This no longer exists.", { action: "available", dish: "none" }],
  ["This no longer exists.", { action: "cancel", id: "bkg_none" }],
  ["The business is closed at this time.", { action: "reschedule", start: `${DAY}T23:30` }],
  ["The business is not open now.", { action: "close" }],
  ["This time is over. Choose a later one.", { action: "close", until: "22:30" }],
  ["Something in the form is missing or wrong.", { action: "close", until: "25:99" }],
  ["This no longer exists.", { action: "walkIn", service: "cut", staff: "nobody" }],
  ["This is too small for so many guests.", { action: "walkIn", party: "99" }],
  ["Something in the form is missing or wrong.", { action: "walkIn", ago: "-1" }],
])(
  "a refused action shows the people in the shop the text for its reason (%s %o)",
  async (text, form) => {
    const { api, act } = await openDesk();
    const { id } = book(api, "10:00");
    goTo(api, "23:00");
    const { message } = await act({ id, ...form });
    expect(message.isGood).toBe(false);
    expect(message.text.startsWith(text)).toBe(true);
  },
);

test("guests who arrived ten minutes ago can be entered, and an arrival too long ago is refused", async () => {
  const { api, act } = await openDesk({ preset: "restaurant" });
  api.advance(Date.parse(`${DAY}T19:05Z`) - api.now());
  const { message, view } = await act({ action: "walkIn", party: "2", ago: "10", name: "" });
  expect(message).toMatchObject({ text: "Entered." });
  const [visit] = view.days.flatMap(({ visits }) => visits);
  expect(visit).toMatchObject({ type: "reservation", guests: 2, at: "now" });
  expect((await act({ action: "walkIn", party: "2", ago: "9999" })).message.isGood).toBe(false);
});

test("the desk of one person does not enter walk-in guests at a table", async () => {
  const { api, act } = await openDesk({ preset: "restaurant", staffId: "stf_nobody" });
  api.advance(Date.parse(`${DAY}T19:05Z`) - api.now());
  const { message } = await act({ action: "walkIn", party: "2", ago: "0" });
  expect(message).toMatchObject({
    isGood: false,
    text: expect.stringContaining("Something in the form is missing or wrong."),
  });
  expect(api.store.reservations.listPage({ businessId: businessOf(api).id }, 10)).toEqual([]);
});

test("a note of the desk is saved with the guest's contact details", async () => {
  const { api, act } = await openDesk();
  const { id } = book(api, "10:00", { customer: { name: "Ana", phone: "123" } });
  const { view } = await act({ action: "note", id, note: "allergic to nuts" });
  expect(view.days[0]?.visits[0]?.contact).toEqual({
    email: null,
    phone: "123",
    notes: "allergic to nuts",
  });
});

test("a desk without the right to guests' data shows names, but neither contact details nor notes", async () => {
  const allow = DESK_RIGHTS.filter((right) => right !== "guests");
  const { api, act, view, get } = await openDesk({ allow });
  const { id } = book(api, "10:00", {
    customer: { name: "Ana", phone: "555-CANARY", email: "canary@example.com", notes: "CANARY" },
  });
  expect((await view()).days[0]?.visits[0]).toMatchObject({ guest: "Ana", contact: null });
  expect(await (await get("")).text()).not.toMatch(/canary/i);
  expect((await act({ action: "note", id, note: "x" })).message).toMatchObject({
    text: "This desk may not do this.",
  });
});

test("a dish is marked as sold out until the end of the day, and as available again", async () => {
  const { api, act, view } = await openDesk({ preset: "restaurant" });
  const [dish] = (await view()).dishes;
  const sold = await act({ action: "soldOut", dish: dish!.id, until: "today" });
  expect(sold.view.soldOut).toEqual([dish]);
  expect(newestAudit(api)).toMatchObject({ action: "dish.sold_out", actorName: "Front desk" });
  const back = await act({ action: "available", dish: dish!.id });
  expect(back.view.soldOut).toEqual([]);
  await act({ action: "soldOut", dish: dish!.id, until: "today", key: "again" });
  api.advance(24 * 3_600_000);
  expect((await view()).soldOut).toEqual([]);
});

test("a service and a variant are hidden from partners and offered again, and keep their visits", async () => {
  const { api, act, view } = await openDesk();
  const visit = book(api, "10:00");
  const offered = async () =>
    (await (
      await api.request("/v1/businesses/salon-aurora/services?includeVariants=true")
    ).json()) as {
      data: { id: string; variants: { id: string }[] }[];
    };
  const { offered: choices } = await view();
  const cut = choices.find(({ name }) => choices.some((one) => one.name.startsWith(`${name}: `)))!;
  const variant = choices.find(({ name }) => name.startsWith(`${cut.name}: `))!;
  for (const one of [variant, cut]) {
    const listed = async () => JSON.stringify((await offered()).data).includes(one.id);
    expect(await listed()).toBe(true);
    const hidden = await act({ action: "hide", service: one.id });
    expect(hidden.view.hidden).toEqual([one]);
    expect(await listed()).toBe(false);
    const back = await act({ action: "offer", service: one.id });
    expect(back.view.hidden).toEqual([]);
    expect(await listed()).toBe(true);
  }
  expect(newestAudit(api)).toMatchObject({ action: "catalog.edited", actorName: "Front desk" });
  expect(statusOf(api, visit.id)).toBe("CONFIRMED");
  expect((await act({ action: "hide", service: "svc_none" })).message.isGood).toBe(false);
});

test("a desk closes the business from now on, and gives it the usual hours back", async () => {
  const { api, act } = await openDesk();
  goTo(api, "12:00");
  book(api, "15:00");
  const { message, view } = await act({ action: "close", until: "" });
  expect(message.text).toBe("Closed. Visits that stay: 1.");
  expect(view.isHoursChanged).toBe(true);
  expect(() => book(api, "16:30")).toThrow(/outside working hours/);
  await act({ action: "reopen" });
  expect(book(api, "16:30").status).toBe("CONFIRMED");
});

test("the desk enters that a staff member is away, and gives the visits to colleagues", async () => {
  const { api, act, view } = await openDesk();
  const { id } = book(api, "10:00");
  const maya = (await view()).staff.find(({ name }) => name.startsWith("Maya"));
  const away = await act({ action: "away", staff: maya!.id, day: "today" });
  expect(newestAudit(api)).toMatchObject({
    action: "time_off.created",
    actorName: "Front desk",
    subjectName: "Maya Okafor",
  });
  expect(away.message.text).toBe("Entered. Affected visits: 1.");
  expect(away.view.away).toMatchObject({
    staff: "Maya Okafor",
    visits: [{ id, couldTake: expect.arrayContaining(["Daniel Reyes"]) }],
  });
  expect(away.view.days[0]?.visits[0]?.parts[0]?.isStaffAway).toBe(true);
  const given = await act({ action: "reassign", id: away.view.away!.id });
  expect(given.message.text).toBe("Visits given to colleagues: 1.");
  expect(given.view.days[0]?.visits[0]?.parts[0]?.isStaffAway).toBe(false);
  expect(given.view.away?.visits).toEqual([]);
  expect(given.view.absences).toMatchObject([{ staff: "Maya Okafor", from: `${DAY}T07:00` }]);
  const back = await act({ action: "back", id: away.view.away!.id });
  expect([back.message.isGood, back.view.absences]).toEqual([true, []]);
});

test("the desk does not show the time off of a deleted person, which stays for an undo", async () => {
  const { api, act, view } = await openDesk();
  const { id, slug } = businessOf(api);
  createStaffMember(api, slug, { key: "tom", name: "Tom" }, []);
  const away = createTimeOff(api, slug, { staff: "tom", from: DAY, to: DAY, reason: null });
  expect((await view()).absences).toMatchObject([{ staff: "Tom" }]);
  deleteStaffMember(api, slug, "tom", {});
  expect((await view()).absences).toEqual([]);
  expect((await act({ action: "back", id: away.id })).message.isGood).toBe(false);
  expect(api.store.timeOff.findById(id, away.id)).toBeDefined();
});

test("the desk cannot end time off that lasts beyond tomorrow", async () => {
  const { api, act } = await openDesk();
  const { slug } = businessOf(api);
  const holiday = createTimeOff(api, slug, {
    staff: "maya",
    from: DAY,
    to: "2026-12-04",
    reason: "holiday",
  });
  const { message, view } = await act({ action: "back", id: holiday.id });
  expect([message.isGood, view.absences]).toEqual([false, []]);
  expect(api.store.timeOff.findById(businessOf(api).id, holiday.id)).toBeDefined();
});

test("ticket orders are hidden at a desk without the right to visits and at the desk of one person", async () => {
  const ordersOn = async (options: Parameters<typeof openDesk>[0]) => {
    const { api, view } = await openDesk({ preset: "venue", ...options });
    const { id, slug } = businessOf(api);
    const event = api.store.catalog
      .listByKind(id, "public_event")
      .find(({ ticketTypes }) => ticketTypes.length > 0)!;
    createTicketOrder(api, slug, { event: event.key, items: [event.ticketTypes[0]!.key] });
    return (await view()).orders.length;
  };
  expect(await ordersOn({})).toBe(1);
  expect(await ordersOn({ allow: ["check-in"] })).toBe(0);
  expect(await ordersOn({ staffId: "stf_nobody" })).toBe(0);
});

test("the desk confirms a ticket order by its code even if the order is too old for the desk's list", async () => {
  const { api, act, view, get } = await openDesk({ preset: "venue" });
  const { id, slug } = businessOf(api);
  const event = api.store.catalog
    .listByKind(id, "public_event")
    .find(({ ticketTypes }) => ticketTypes.length > 0)!;
  const codes = Array.from(
    { length: 21 },
    () =>
      createTicketOrder(api, slug, { event: event.key, items: [event.ticketTypes[0]!.key] }).code,
  );
  const { orders, hasMoreOrders } = await view();
  expect([orders.map(({ code }) => code), hasMoreOrders]).toEqual([codes.slice(1).reverse(), true]);
  const page = await (await get("")).text();
  expect(page).toContain("Ticket orders (20+)");
  expect(page).toContain("Code of the order");
  const wrong = await act({ action: "confirmOrder", code: "AAAA-AAAA" });
  expect(wrong.message.text).toBe("There is no order with this code.");
  const confirmed = await act({ action: "confirmOrder", code: codes[0]! });
  expect([confirmed.message.text, confirmed.view.hasMoreOrders]).toEqual([
    "Confirmed. Tickets: 1.",
    false,
  ]);
});

test("an action is refused if the guest has moved the visit since the page showed it", async () => {
  const { api, act, view } = await openDesk();
  const { id } = book(api, "10:00");
  const shown = (await view()).days.flatMap(({ visits }) => visits).find((one) => one.id === id);
  rescheduleBooking(api, businessOf(api).slug, id, {
    start: shown!.start.replace("T10:00", "T15:00"),
    ignoresNotice: true,
  });
  const refused = await act({ action: "cancel", id, shown: shown!.start });
  expect(refused.message.text).toMatch(/^This is no longer possible: it has changed meanwhile\./);
  expect(statusOf(api, id)).toBe("CONFIRMED");
  const start = shown!.start.replace("T10:00", "T15:00");
  expect((await act({ action: "cancel", id, shown: start })).message.isGood).toBe(true);
});

/** Opens the desk of a concert hall when its doors open for the Blue Hour Quartet. */
async function openDoor() {
  const desk = await openDesk({ preset: "venue" });
  const business = businessOf(desk.api);
  const find = (key: string) =>
    desk.api.store.catalog.findByKeyOrId(business.id, "public_event", key)!;
  const event = find("blue-hour-quartet");
  desk.api.advance(event.doorsAt! - desk.api.now());
  /** Sells a ticket, and returns its admission code. */
  const sell = (eventKey: string, type: string): string => {
    const { id } = createTicketOrder(desk.api, business.slug, { event: eventKey, items: [type] });
    return confirmTicketOrder(desk.api, business.slug, id).tickets[0]!.admissionCode;
  };
  const checkIn = async (code: string) => (await desk.act({ action: "checkIn", code })).message;
  return { ...desk, business, event, find, sell, checkIn };
}

test("a confirmed ticket order shows its codes, and each code checks in once", async () => {
  const { api, act, view, business, event } = await openDoor();
  const order = createTicketOrder(api, business.slug, {
    event: event.key,
    items: [`${event.ticketTypes[0]!.key}*2`],
  });
  expect((await view()).orders).toMatchObject([{ code: order.code, tickets: 2 }]);
  const form = { key: "k", action: "confirmOrder", code: order.code };
  const confirmed = await act(form);
  const { codes } = confirmed.message;
  expect([confirmed.message.text, codes.length]).toEqual(["Confirmed. Tickets: 2.", 2]);
  // The response may have been lost, so the page sends the action again.
  expect((await act(form)).message).toEqual(confirmed.message);
  const checked = await Promise.all(
    Array.from({ length: 3 }, () => act({ action: "checkIn", code: codes[0]! })),
  );
  expect(checked.filter(({ message }) => message.isGood)).toHaveLength(1);
  const refuse = async (code: string) => (await act({ action: "checkIn", code })).message;
  expect((await refuse(codes[0]!)).text).toMatch(
    /^Not admitted: this ticket was checked in at \d\d:\d\d\.$/,
  );
  expect(await refuse("nope")).toMatchObject({
    isGood: false,
    text: "There is no ticket with this code.",
  });
  const other = createTicketOrder(api, business.slug, {
    event: event.key,
    items: [`${event.ticketTypes[0]!.key}*1`],
  });
  const { tickets } = confirmTicketOrder(api, business.slug, other.id);
  cancelTicketOrder(api, business.slug, other.id);
  expect((await refuse(tickets[0]!.admissionCode)).text).toMatch(
    /the order of this ticket was cancelled/,
  );
});

test("a confirmation that is sent again shows the order's codes for 15 minutes, then how to check in without codes", async () => {
  const { api, act, business, event, get } = await openDoor();
  const { code } = createTicketOrder(api, business.slug, { event: event.key, items: ["standing"] });
  const form = { key: "k", action: "confirmOrder", code };
  const { codes } = (await act(form)).message;
  api.advance(15 * 60_000);
  expect((await act(form)).message).toMatchObject({ text: "Confirmed. Tickets: 1.", codes });
  const other = { ...form, key: "other" };
  expect((await act(other)).message).toMatchObject({ isGood: false, codes: [] });
  api.advance(60_000 + 15 * 60_000);
  const late = (await act(form)).message;
  expect(late).toEqual({
    text: `Confirmed. Tickets: 1. The codes are no longer shown. The tickets are also checked in by their IDs, which whoever runs the server lists: deskbell tickets list --order ${code} --business ${business.slug}`,
    isGood: true,
    codes: [],
  });
  expect(await (await get(`?done=${tokenOf(form)}`)).text()).toContain("tickets list --order");
});

test("the door says which event and ticket type it admits", async () => {
  const { sell, checkIn } = await openDoor();
  expect(await checkIn(sell("blue-hour-quartet", "student"))).toMatchObject({
    isGood: true,
    text: "Checked in: Blue Hour Quartet, Student.",
  });
});

test("the door refuses a ticket of an event on another day and names it, and admits it on its day", async () => {
  const { api, sell, checkIn, find, get, post } = await openDoor();
  const code = sell("open-mic", "entry");
  expect(await checkIn(code)).toMatchObject({
    isGood: false,
    text: "Not admitted: this ticket is for Open mic, Wed 25 Nov, 19:00.",
  });
  const sent = await post(
    "",
    { action: "checkIn", code, key: "form" },
    { "accept-language": "de" },
  );
  const page = await get(sent.headers.get("location")!.split("/desk")[1]!, {
    headers: { "accept-language": "de" },
  });
  expect(await page.text()).toContain(
    "Kein Einlass: Dieses Ticket gilt für Open mic, Mi., 25. Nov.",
  );
  api.advance(find("open-mic").doorsAt! - 12 * 3_600_000 - api.now());
  expect((await checkIn(code)).text).toBe("Checked in: Open mic, Free entry.");
});

test("the door admits a ticket up to six hours after the end of its event", async () => {
  const { api, event, sell, checkIn } = await openDoor();
  const [first, second] = [sell(event.key, "standing"), sell(event.key, "standing")];
  api.advance(event.endsAt + 6 * 3_600_000 - api.now());
  expect((await checkIn(first)).isGood).toBe(true);
  api.advance(60_000);
  expect((await checkIn(second)).text).toMatch(
    /^Not admitted: this ticket is for Blue Hour Quartet, /,
  );
});

test("the door admits tickets of a postponed event and of an event that is no longer in the catalog", async () => {
  const { api, business, sell, checkIn } = await openDoor();
  const [first, second] = [sell("open-mic", "entry"), sell("open-mic", "entry")];
  postponePublicEvent(api, business.slug, "open-mic", null);
  expect((await checkIn(first)).text).toBe("Checked in: Open mic, Free entry.");
  edit(api, "DELETE FROM catalog_object WHERE key = 'open-mic'");
  expect((await checkIn(second)).text).toBe("Checked in.");
});

test("the page escapes the name of the event that a ticket is for", async () => {
  const { api, sell, act, get } = await openDoor();
  const code = sell("blue-hour-quartet", "student");
  edit(
    api,
    `UPDATE catalog_object SET doc = json_set(doc, '$.name', '<script>{time}\u202e')
      WHERE key = 'blue-hour-quartet'`,
  );
  const form = { action: "checkIn", code, key: "form" };
  expect((await act(form)).message.text).toBe("Checked in: <script>{time}\ufffd, Student.");
  const page = await (await get(`?done=${tokenOf(form)}`)).text();
  expect(page).toContain("Checked in: &lt;script>{time}\ufffd, Student.");
  expect(page).not.toContain("<script>{time}");
});

test("a desk of one person sees and changes the visits of this person only", async () => {
  const { staff } = await (await openDesk()).view();
  const daniel = staff.find(({ name }) => name.startsWith("Daniel"))!;
  const own = await openDesk({ staffId: daniel.id });
  const other = book(own.api, "10:00", { customer: { name: "Someone Else" } });
  const mine = book(own.api, "10:00", { staff: "daniel" });
  makePending(own.api, other.id);
  const shown = await own.view();
  expect(shown.days[0]?.visits.map(({ id }) => id)).toEqual([mine.id]);
  expect(shown.pending).toEqual([]);
  expect(JSON.stringify(shown)).not.toContain("Someone Else");
  expect(shown.staff).toEqual([daniel]);
  for (const form of [
    { action: "approve", id: other.id },
    { action: "close" },
    { action: "away", staff: daniel.id },
    { action: "confirmOrder", code: "x" },
  ])
    expect((await own.act(form)).message.isGood).toBe(false);
  expect(statusOf(own.api, other.id)).toBe("PENDING");
});

test("two phones that check in two hundred tickets at the same time check in each ticket once", async () => {
  const { api, act, token, business, event } = await openDoor();
  expect(token).toMatch(/^deskbell_dl_/);
  const other = createBrowser(api);
  await other.post(`/pair/${createDeskLink(api, business.id, "Front desk").token}`);
  const codes = Array.from({ length: 40 }, () => {
    const items = Array.from({ length: 5 }, () => "standing");
    const { id } = createTicketOrder(api, business.slug, { event: event.key, items });
    const { tickets } = confirmTicketOrder(api, business.slug, id);
    return tickets.map(({ admissionCode }) => admissionCode);
  }).flat();
  expect(codes).toHaveLength(200);
  const otherAct = async (code: string) =>
    (await (
      await other.post("", { key: code, action: "checkIn", code }, { accept: "application/json" })
    ).json()) as { message: { isGood: boolean } };
  const results = await Promise.all(
    codes.flatMap((code) => [act({ action: "checkIn", code }), otherAct(code)]),
  );
  expect(results.filter(({ message }) => message.isGood)).toHaveLength(200);
}, 120_000);
