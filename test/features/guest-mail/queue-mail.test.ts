import { expect, test } from "vitest";
import { accessOf, OPERATOR, type VisitAccess } from "../../../src/app/bookings/access.ts";
import { bookServices, reserveTable } from "../../../src/app/bookings/bookings.ts";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { createKey } from "../../../src/app/keys.ts";
import { findTeller } from "../../../src/features/guest-mail/queue-mail.ts";
import { createPageBookingStore } from "../../../src/features/page-bookings/store.ts";
import { checks } from "../../../src/features/guest-mail/conditions.ts";
import { REPORTED_FAILURES } from "../../../src/features/guest-mail/rules.ts";
import { metrics } from "../../../src/features/guest-mail/metrics.ts";
import { retention } from "../../../src/features/guest-mail/retention.ts";
import { toRequest } from "../../../src/features/page-bookings/rules.ts";
import { guestRecords } from "../../../src/features/guest-mail/guest-records.ts";
import { remind } from "../../../src/features/guest-mail/remind.ts";
import { schedule } from "../../../src/features/guest-mail/schedule.ts";
import { listEmptiedTables } from "../../../src/store/feature-tables.ts";
import { edit } from "../../support/edit-database.ts";
import { parseMail, partOf } from "../../support/mail-server.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import {
  businessOf,
  createVisitor,
  firstService,
  listMade,
  openPage,
  timesOf,
} from "../page-bookings/open-page.ts";
import { createGuestMailStore, createReportStore } from "../../../src/features/guest-mail/store.ts";
import { FROM, openMails } from "./open-mails.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("a guest whose visit was made by the operator or a partner's key gets mail only if the key mails guests", async () => {
  const { api, base, list, send, server } = await openMails();
  const business = businessOf(api);
  const url = timesOf(api, base, firstService(api).key);
  const { times } = await createVisitor(api).openTimes(url);
  const serviceId = new URLSearchParams(url.split("?")[1]).get("service") ?? "";
  const choice = { variantId: null, addons: [], staffId: null, guests: 1 };
  const customer = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
  const bookAs = (access: VisitAccess, which: number) =>
    api.tx(() =>
      bookServices(api, business, access, {
        guest: { customerRef: null, customer },
        request: toRequest({ kind: "service", serviceId, ...choice }),
        startsAt: Date.parse(times[which] ?? ""),
      }),
    );
  const accessOfNew = (guestMail: boolean): VisitAccess =>
    accessOf({
      ...api.createKey({ name: `key ${guestMail}`, guestMail }),
      kind: "SECRET",
      scopes: [],
    });
  bookAs(OPERATOR, 0);
  bookAs(accessOfNew(false), 4);
  expect(list()).toEqual([]);
  const { id } = bookAs(accessOfNew(true), 8);
  await send();
  expect(list()).toMatchObject([{ visitId: id, kind: "confirmed", status: "SENT" }]);
  const [, token = ""] = /(deskbell_gv_\w+)/.exec(partOf(server.mails[0]!.raw, "text/plain")) ?? [];
  const page = await createVisitor(api).get(`/b/${business.slug}/v/${token}`);
  expect(page).toContain("You are booked");
});

test("a guest learns of a change by mail if the key and an address allow it, else from the partner, else not at all", () => {
  const rt = createTestRuntime();
  applyCatalogBody(
    rt,
    `hours: [{ days: [mon-sun], start: "09:00", end: "22:00" }]
tables: ${JSON.stringify(Array.from({ length: 8 }, (_, i) => ({ key: `t${i}`, maxSeats: 2 })))}`,
  );
  const business = businessOf(rt);
  const createOwner = (name: string, guestMail = false): string =>
    createKey(rt, { businessId: business.id, name, kind: "SECRET", scopes: [], guestMail }).key.id;
  const reserve = (access: VisitAccess, email: string | null) =>
    rt.tx(() =>
      reserveTable(rt, business, access, {
        guest: { customerRef: null, customer: { name: "Ana", email, phone: "1", notes: null } },
        request: { partySize: 2, areaId: null },
        startsAt: Date.parse("2026-12-01T12:00-05:00"),
      }),
    );
  const keys = [createOwner("page"), createOwner("partner"), createOwner("mailing", true)];
  rt.tx(() => rt.openStore(createPageBookingStore).insertKey(business.id, keys[0]!));
  const visits = [
    reserve(OPERATOR, "ana@example.com"),
    ...keys.flatMap((id) =>
      ["ana@example.com", null].map((email) =>
        reserve(accessOf({ id, kind: "SECRET", scopes: [] }), email),
      ),
    ),
  ];
  const tellers = () => visits.map((visit) => findTeller(rt, business, visit));
  const withoutMail = ["nobody", "nobody", "nobody", "partner", "partner", "partner", "partner"];
  expect(tellers()).toEqual(withoutMail);
  rt.config.guestMail = FROM;
  expect(tellers()).toEqual(withoutMail.with(1, "mail").with(5, "mail"));
  edit(rt, `UPDATE api_key SET revoked_at = 1 WHERE id = '${keys[1]!}'`);
  expect(tellers()).toEqual(withoutMail.with(1, "mail").with(5, "mail").fill("nobody", 3, 5));
});

test("a guest is mailed about a table that a key reserves, if the key mails guests", () => {
  const rt = createTestRuntime();
  rt.config.guestMail = FROM;
  applyCatalogBody(
    rt,
    `hours: [{ days: [mon-sun], start: "09:00", end: "22:00" }]
tables: [{ key: two, maxSeats: 2 }]`,
  );
  const business = businessOf(rt);
  const reserveAs = (guestMail: boolean, time: string): string => {
    const owner = { businessId: business.id, name: `key ${guestMail}` };
    const { key } = createKey(rt, { ...owner, kind: "SECRET", scopes: [], guestMail });
    const customer = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
    return rt.tx(() =>
      reserveTable(rt, business, accessOf({ id: key.id, kind: "SECRET", scopes: [] }), {
        guest: { customerRef: null, customer },
        request: { partySize: 2, areaId: null },
        startsAt: Date.parse(`2026-12-01T${time}-05:00`),
      }),
    ).id;
  };
  reserveAs(false, "12:00");
  const id = reserveAs(true, "18:00");
  const mails = rt.openStore(createReportStore).list({ businessId: null, unsent: false, limit: 9 });
  expect(mails).toMatchObject([{ visitId: id, kind: "confirmed", status: "WAITING" }]);
});

test("a mailbox gets at most twenty mails a day, and the rest is reported", async () => {
  const { api, server, send, book, list } = await openMails("CONFIRM");
  const { slug } = businessOf(api);
  remind(api);
  await book({ email: "ana+shop@gmail.com" });
  const [{ id, startsAt }] = listMade(api) as unknown as [{ id: string; startsAt: number }];
  for (let i = 1; i < 25; i++) {
    const start = new Date(startsAt + (i % 2) * 15 * 60_000).toISOString();
    rescheduleBooking(api, slug, id, { start, ignoresNotice: true });
  }
  await send();
  expect(server.mails).toHaveLength(20);
  expect(list().slice(20)).toMatchObject(
    Array.from({ length: 5 }, () => ({ status: "DISCARDED", reason: "too many mails" })),
  );
  const [report] = checks.flatMap((check) => check(api, {} as never));
  expect(report).toMatchObject({
    code: "guest_mail.unsent",
    business: slug,
    text: `5 mails to guests of ${slug} were not sent in the last day: 5 × too many mails`,
  });
  expect(metrics.flatMap((format) => format(api)).join("")).toContain(
    'deskbell_guest_mails_total{outcome="discarded"} 5',
  );
  const countRows = (): unknown =>
    api.openStore((db) => db.prepare("SELECT count(*) FROM guest_mail_count").pluck().get());
  const prune = (): void => {
    for (const one of retention) api.tx(() => one(api, 0, 100, { now: api.now(), keptSince: 0 }));
  };
  prune();
  expect(countRows()).toBeGreaterThan(0);
  api.advance(DAY_MS);
  prune();
  expect(countRows()).toBe(0);
  changeBooking(api, slug, id, "cancel");
  await send();
  expect(server.mails).toHaveLength(21);
});

test("a guest is reminded once, a day before a confirmed visit", async () => {
  const { api, server, send, book } = await openMails("CONFIRM");
  remind(api);
  expect((await book({}, "203.0.113.1", 0, "&date=2026-11-25")).status).toBe(303);
  await send();
  const [visit] = listMade(api);
  api.advance(visit!.startsAt - api.now() - DAY_MS - HOUR_MS);
  remind(api);
  await send();
  expect(server.mails).toHaveLength(1);
  for (let i = 0; i < 3; i++) {
    api.advance(HOUR_MS);
    remind(api);
    await send();
  }
  const subjects = server.mails.map(({ raw }) => parseMail(raw).headers.get("subject"));
  expect(subjects).toEqual([
    expect.stringMatching(/^You are booked/),
    expect.stringMatching(/^See you soon/),
  ]);
});

test("a server that switches mail off queues no mails and discards the waiting mails once", async () => {
  const { api, server, book, list, send } = await openMails("CONFIRM");
  remind(api);
  await book();
  api.config.guestMail = null;
  await book({ email: "bob@example.com" }, "203.0.113.2", 3);
  expect(list()).toMatchObject([{ status: "WAITING" }]);
  const [start] = schedule;
  const { everySecond = [] } = start!(api, { checks: [] });
  const passSecond = async (): Promise<void> => {
    for (const work of everySecond) await work();
  };
  await passSecond();
  expect(list()).toMatchObject([{ status: "DISCARDED", reason: "mail is off" }]);
  const before = api.revision();
  await passSecond();
  expect(api.revision()).toBe(before);
  expect(api.openStore(createReportStore).findState()).toMatchObject({ discarded: 1 });
  expect(start!(api, { checks: [] })).toEqual({});
  await send();
  expect(server.mails).toEqual([]);
});

test("a mail server that failed is reported until mail is switched off", async () => {
  const { api, server, book, send } = await openMails("CONFIRM");
  remind(api);
  await server.down();
  await book();
  const codes = () => checks.flatMap((check) => check(api, {} as never)).map(({ code }) => code);
  for (let i = 0; i < REPORTED_FAILURES; i++) {
    expect(codes()).toEqual([]);
    await send();
    api.advance(HOUR_MS);
  }
  expect(codes()).toEqual(["guest_mail.failing"]);
  api.config.guestMail = null;
  const [start] = schedule;
  for (const work of start!(api, { checks: [] }).everySecond ?? []) await work();
  // The discarded mails are still reported for a day.
  expect(codes()).toEqual(["guest_mail.unsent"]);
  expect(start!(api, { checks: [] })).toEqual({});
});

test("a server without guest mail stores no state of the mail server and has no mail work in the delivery thread", async () => {
  const { api } = openPage();
  const [start] = schedule;
  expect(start!(api, { checks: [] })).toEqual({});
  expect(api.openStore(createReportStore).findState()).toBeUndefined();
});

test("an export of guest data has the mails without links, and a restore empties the tables of mails", async () => {
  const { api, book, send } = await openMails("CONFIRM");
  await book();
  await send();
  const [visit] = listMade(api);
  const records = guestRecords.map((read) => read(api, visit!.id));
  expect(records).toMatchObject([
    { mails: [{ kind: "confirmed", status: "SENT", attempts: 1, reason: null }] },
  ]);
  expect(JSON.stringify(records)).not.toContain("deskbell_gv_");
  expect(listEmptiedTables()).toEqual(
    expect.arrayContaining(["guest_mail", "guest_mail_count", "guest_mail_state"]),
  );
});

test("a condition says how many mails to a business's guests were not sent in the last day, and why", async () => {
  const { api, book, list } = await openMails("CONFIRM");
  const { slug } = businessOf(api);
  await book();
  await book({ email: "bob@example.com" }, "203.0.113.2", 3);
  const texts = () =>
    checks
      .flatMap((check) => check(api, {} as never))
      .map(({ text, business }) => [business, text]);
  const store = api.openStore(createGuestMailStore);
  const [first, second] = list();
  api.tx(() => store.end(first!.id, "FAILED", "550 no such mailbox", api.now()));
  expect(texts()).toEqual([
    [slug, `1 mail to guests of ${slug} was not sent in the last day: 1 × 550 no such mailbox`],
  ]);
  api.tx(() => store.end(second!.id, "DISCARDED", "too many mails", api.now()));
  expect(texts()).toEqual([
    [
      slug,
      `2 mails to guests of ${slug} were not sent in the last day: 1 × 550 no such mailbox, 1 × too many mails`,
    ],
  ]);
  api.advance(DAY_MS);
  expect(texts()).toEqual([]);
});
