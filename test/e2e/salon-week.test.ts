import { expect, test } from "vitest";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { changeBooking } from "../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking } from "../../src/app/bookings/reschedule.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createCalendar } from "../../src/features/calendars/calendars.ts";
import { editObject } from "../../src/app/catalog/changes/edit-object.ts";
import type { Scope } from "../../src/domain/api-key.ts";
import { catalogId } from "../../src/domain/ids.ts";
import { createTestApi, SALON } from "../http/support/api.ts";
import { parseCalendar } from "../support/ical.ts";
import { createMirror, type Get, type MirroredEvent, PATHS, ROUTES } from "../support/mirror.ts";

const SERVICE = catalogId("svc", SALON, "mens-cut");
const DANIEL = catalogId("stf", SALON, "daniel");
const VISIT_TYPES = "booking.created,booking.updated,booking.cancelled";
/** The status of visits that took place or were missed, for which iCalendar has none. */
const ICAL_STATUS: Record<string, string> = { COMPLETED: "CONFIRMED", NO_SHOW: "CONFIRMED" };

type Visit = { id: string; status: string; startsAt: string; customerRef: string | null };

/** Returns a time of the week, of which Monday is day 1, in the time zone of the salon. */
const at = (day: number, time: string): number =>
  Date.parse(`2026-12-0${day - 1}T${time}:00-05:00`.replace("2026-12-00", "2026-11-30"));

function openSalon() {
  const api = createTestApi("salon");
  const createClient = (...scopes: Scope[]) => {
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes });
    const send = (path: string, init: RequestInit = {}) =>
      api.request(`/v1/businesses/${SALON}${path}`, { ...init, key: secret });
    return {
      get: ((path, headers = {}) => send(path, { headers })) satisfies Get,
      read: async <T>(path: string) => ((await (await send(path)).json()) as { data: T }).data,
      post: async <T>(path: string, body: object): Promise<T> => {
        const headers = {
          "content-type": "application/json",
          "idempotency-key": api.newId("evt"),
        };
        const response = await send(path, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        const { data, detail } = (await response.json()) as { data?: T; detail?: string };
        if (data === undefined) throw new Error(detail);
        return data;
      },
    };
  };
  return { api, createClient };
}

type Client = ReturnType<ReturnType<typeof openSalon>["createClient"]>;

/** Returns a mirror of the visits, which follows them as data/guides/mirror.md says. */
function createVisitMirror({ get }: Client) {
  const visits = new Map<string, { sequence: number; visit: Visit }>();
  let cursor = "latest";
  return {
    async catchUp(): Promise<void> {
      const response = await get(`/changes?after=${cursor}&types=${VISIT_TYPES}`);
      const { data, page, meta } = (await response.json()) as {
        data: MirroredEvent[];
        page: { nextCursor: string };
        meta: { sequences: number[] };
      };
      cursor = page.nextCursor;
      for (const [i, event] of data.entries()) {
        const visit = event.data.object as Visit;
        const sequence = meta.sequences[i]!;
        if (sequence > (visits.get(visit.id)?.sequence ?? 0))
          visits.set(visit.id, { sequence, visit });
      }
    },
    shown: (): Visit[] =>
      [...visits.values()]
        .map(({ visit }) => visit)
        .sort((a, b) => a.startsAt.localeCompare(b.startsAt) || a.id.localeCompare(b.id)),
  };
}

test("website, phone calendar, terminal and partner agree at the end of each day of a salon's week", async () => {
  const { api, createClient } = openSalon();
  const website = createClient("services.read", "bookings.write");
  const partner = createClient("services.read", "bookings.read", "webhooks.read");
  const mirror = createMirror(partner.get, api.now);
  const visits = createVisitMirror(partner);
  await mirror.catchUp();
  await visits.catchUp();
  const { token } = createCalendar(api, getBusiness(api, SALON), {
    staffId: DANIEL,
    withGuests: false,
  });
  const waitUntil = (time: number): void => api.advance(time - api.now());

  /** Books Daniel's first free time of a day, as a guest on the website. */
  async function book(customerRef: string, date: string): Promise<Visit> {
    const query = `serviceIds=${SERVICE}&staffIds=${DANIEL}&date=${date}`;
    const { days } = await website.read<{
      days: { slots: { startsAt: string; segments: Record<string, unknown>[] }[] }[];
    }>(`/availability?${query}`);
    const { startsAt, segments } = days[0]!.slots[0]!;
    const chosen = segments.map(({ serviceId, variantId, addons, staffId }) => {
      return { serviceId, variantId, addons, staffId };
    });
    const hold = await website.post<Visit>("/holds", { startsAt, segments: chosen });
    return website.post<Visit>("/bookings", { holdId: hold.id, customerRef });
  }

  async function closeDay(day: number): Promise<void> {
    waitUntil(at(day, "23:30"));
    await mirror.catchUp();
    await mirror.refresh();
    for (const route of ROUTES)
      expect(mirror.shown()[route]).toEqual(await partner.read(PATHS[route]));
    await visits.catchUp();
    const listed = await partner.read<Visit[]>("/bookings");
    expect(visits.shown()).toEqual(listed);
    // Cancelled visits leave the feed at the end of their day.
    const isInFeed = ({ status, startsAt }: Visit) =>
      status !== "CANCELLED" ||
      Date.parse(startsAt) >= Math.floor(api.now() / 86_400_000) * 86_400_000;
    const feed = await api.request(`/calendars/${token}.ics`, { key: null });
    // The feed has the visits from today on before those of the past.
    expect(
      parseCalendar(await feed.text())
        .toSorted((a, b) => +a.start - +b.start)
        .map(({ uid, status, start }) => [uid, status, +start]),
    ).toEqual(
      listed
        .filter(isInFeed)
        .map(({ id, status, startsAt }) => [
          `${id}-0@deskbell`,
          ICAL_STATUS[status] ?? status,
          Date.parse(startsAt),
        ]),
    );
  }

  // Monday: the salon is closed, and the website takes bookings.
  waitUntil(at(1, "09:00"));
  const ana = await book("ana", "2026-12-01");
  const ben = await book("ben", "2026-12-02");
  const cleo = await book("cleo", "2026-12-03");
  const dan = await book("dan", "2026-12-04");
  await closeDay(1);

  // Tuesday: Ana comes. Somebody books by telephone.
  waitUntil(at(2, "18:00"));
  changeBooking(api, SALON, ana.id, "complete");
  const phoned = { service: "mens-cut", staff: "daniel", customerRef: "eve" };
  const eve = createBooking(api, SALON, { ...phoned, start: "2026-12-05T09:00" });
  await closeDay(2);

  // Wednesday: Ben comes. The owner moves Cleo to Friday, and raises a price.
  waitUntil(at(3, "18:00"));
  changeBooking(api, SALON, ben.id, "complete");
  rescheduleBooking(api, SALON, cleo.id, { start: "2026-12-04T16:00" });
  editObject(api, SALON, "service", "mens-cut", (doc) => ({ ...doc, priceCents: 5900 }));
  await closeDay(3);

  // Thursday: Dan cancels on the website, in time. Cleo tries later, when it is too late.
  waitUntil(at(4, "08:00"));
  await website.post(`/bookings/${dan.id}/cancel`, { reason: "ill" });
  waitUntil(at(4, "17:00"));
  await expect(website.post(`/bookings/${cleo.id}/cancel`, {})).rejects.toThrow(/by the guest/);
  await closeDay(4);

  // Friday: Cleo does not come.
  waitUntil(at(5, "17:00"));
  changeBooking(api, SALON, cleo.id, "noShow");
  await closeDay(5);

  // Saturday: Eve comes. Fay books a visit of next week.
  waitUntil(at(6, "12:00"));
  changeBooking(api, SALON, eve.id, "complete");
  const fay = await book("fay", "2026-12-08");
  await closeDay(6);

  // Sunday: Fay moves her visit on the website.
  waitUntil(at(7, "12:00"));
  const startsAt = fay.startsAt.replace("12-08", "12-09");
  await website.post(`/bookings/${fay.id}/reschedule`, { startsAt });
  await closeDay(7);

  expect(
    visits
      .shown()
      .map(({ customerRef, status, startsAt }) => `${customerRef} ${status} ${startsAt}`),
  ).toEqual([
    "ana COMPLETED 2026-12-01T10:00:00-05:00",
    "ben COMPLETED 2026-12-02T10:00:00-05:00",
    "dan CANCELLED 2026-12-04T10:00:00-05:00",
    "cleo NO_SHOW 2026-12-04T16:00:00-05:00",
    "eve COMPLETED 2026-12-05T09:00:00-05:00",
    "fay CONFIRMED 2026-12-09T10:00:00-05:00",
  ]);
});
