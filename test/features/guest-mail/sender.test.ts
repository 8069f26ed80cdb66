import { renameSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { checks } from "../../../src/features/guest-mail/conditions.ts";
import { createGuestMailStore } from "../../../src/features/guest-mail/store.ts";
import { findGuestVisit } from "../../../src/features/page-bookings/visits.ts";
import type { MailBehaviour } from "../../support/mail-server.ts";
import { parseMail, partOf } from "../../support/mail-server.ts";
import { businessOf, createVisitor, listMade } from "../page-bookings/open-page.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { openMails, PUBLIC_URL } from "./open-mails.ts";

const { SqliteError } = Database;
const MINUTE_MS = 60_000;
const ACCEPT: MailBehaviour = { do: "accept" };

const subjectOf = (raw: string): string => parseMail(raw).headers.get("subject") ?? "";
const tokensIn = (raw: string): string[] => raw.match(/deskbell_gv_[0-9a-f]{48}/g) ?? [];

test("a guest is mailed about a request, its approval, a new time and the cancellation, each with a link", async () => {
  const { api, server, send, book, list } = await openMails();
  const { slug, doc } = businessOf(api);
  const response = await book({ name: "Ana <b>", notes: "canary-note" });
  expect(response.status).toBe(303);
  await send();
  const [{ id, startsAt }] = listMade(api) as unknown as [{ id: string; startsAt: number }];
  changeBooking(api, slug, id, "approve");
  await send();
  const start = Temporal.Instant.fromEpochMilliseconds(startsAt + 30 * MINUTE_MS)
    .toZonedDateTimeISO(doc.timezone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" });
  rescheduleBooking(api, slug, id, { start, ignoresNotice: true });
  changeBooking(api, slug, id, "cancel");
  await send();
  const { mails } = server;
  expect(mails.map(({ raw }) => subjectOf(raw).split(":")[0])).toEqual([
    "We have your request",
    "You are booked",
    "Your new time",
    "Cancelled",
  ]);
  expect(list().map(({ status }) => status)).toEqual(["SENT", "SENT", "SENT", "SENT"]);
  const tokens = mails.map(({ raw }) => {
    const token = /\/v\/(deskbell_gv_[0-9a-f]{48})/.exec(partOf(raw, "text/plain"))?.[1] ?? "";
    expect(partOf(raw, "text/html")).toContain(`href="${PUBLIC_URL}/b/${slug}/v/${token}"`);
    return token;
  });
  expect(new Set(tokens).size).toBe(4);
  for (const token of tokens)
    expect(await createVisitor(api).get(`/b/${slug}/v/${token}`)).toContain("Cancelled");
  for (const { raw, from, to } of mails) {
    const { headers } = parseMail(raw);
    expect([from, to]).toEqual(["bookings@salon.example", ["ana@example.com"]]);
    expect(headers.get("to")).toBe("ana@example.com");
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    expect(headers.get("x-auto-response-suppress")).toBe("All");
    expect(headers.get("message-id")).toMatch(/^<gml_\w+@salon\.example>$/);
    expect(JSON.stringify([...parseMail(raw).parts.map(({ text }) => text), raw])).not.toMatch(
      /Ana|canary-note/,
    );
  }
});

test("a mail that the server refuses for now is tried again, with the same ID and link", async () => {
  const { api, server, send, book, list } = await openMails();
  server.script({ do: "refuse", at: "RCPT", line: "450 4.2.0 ana@example.com: try later" }, ACCEPT);
  await book();
  await send();
  expect(server.mails).toEqual([]);
  expect(list()).toMatchObject([{ status: "WAITING", reason: "450 4.2.0", attempts: 1 }]);
  await send();
  expect(server.mails).toEqual([]);
  api.advance(11_000);
  server.script({ do: "hang up" }, ACCEPT);
  await send();
  api.advance(11 * MINUTE_MS);
  await send();
  expect(server.mails.map(({ isAccepted }) => isAccepted)).toEqual([false, true]);
  const [first, second] = server.mails.map(({ raw }) => raw) as [string, string];
  expect(parseMail(first).headers.get("message-id")).toBe(
    parseMail(second).headers.get("message-id"),
  );
  expect(tokensIn(partOf(first, "text/plain"))).toEqual(tokensIn(partOf(second, "text/plain")));
  api.advance(60 * MINUTE_MS);
  await send();
  expect(server.mails).toHaveLength(2);
});

test("a mail about a later change waits until the earlier mails about the visit have ended", async () => {
  const { api, server, send, book, list } = await openMails("CONFIRM");
  const refuse: MailBehaviour = { do: "refuse", at: "RCPT", line: "450 4.2.2 mailbox full" };
  server.script(refuse, refuse, ACCEPT, ACCEPT, ACCEPT);
  await book();
  await send();
  const [{ id }] = listMade(api) as unknown as [{ id: string }];
  changeBooking(api, businessOf(api).slug, id, "cancel");
  await book({ email: "bob@example.com" }, "203.0.113.10", 3);
  await send();
  expect(server.mails.map(({ to }) => to[0])).toEqual(["bob@example.com"]);
  // The change has made the first mail due at once.
  expect(list().map(({ attempts }) => attempts)).toEqual([2, 0, 1]);
  api.advance(61_000);
  await send();
  expect(server.mails.slice(1).map(({ raw }) => subjectOf(raw).split(":")[0])).toEqual([
    "You are booked",
    "Cancelled",
  ]);
  expect(list().map(({ status }) => status)).toEqual(["SENT", "SENT", "SENT"]);
});

test("a permanent refusal ends a mail, and the other mails are sent", async () => {
  const { api, server, send, book, list } = await openMails();
  server.script(
    { do: "refuse", at: "RCPT", line: "550 5.1.1 <ana@example.com> no such user" },
    ACCEPT,
  );
  await book();
  await book({ email: "bob@example.com" }, "203.0.113.10", 3);
  await send();
  api.advance(24 * 60 * MINUTE_MS);
  await send();
  expect(server.mails.map(({ to }) => to)).toEqual([["bob@example.com"]]);
  expect(list().map(({ status, reason }) => [status, reason])).toEqual([
    ["FAILED", "550 5.1.1"],
    ["SENT", null],
  ]);
  expect(JSON.stringify(api.logged)).not.toContain("ana@example.com");
  expect(api.logged.map(({ message }) => message)).toContain("A mail to a guest was not sent.");
});

test.each<MailBehaviour>([
  { do: "refuse", at: "MAIL", line: "530 5.7.0 Authentication required" },
  { do: "refuse", at: "MAIL", line: "550 5.7.1 <bookings@salon.example> sender rejected" },
  // Postfix refuses a sender only in its response to the recipient.
  { do: "refuse", at: "RCPT", line: "550 5.1.8 <bookings@salon.example>: Domain not found" },
])("mails wait while the mail server refuses the settings of the operator: %j", async (refusal) => {
  const { api, server, send, book, list } = await openMails();
  api.openStore(createGuestMailStore).createState(0);
  server.script(refusal);
  await book();
  const [, code] = /^(\d+ [\d.]+)/.exec("line" in refusal ? refusal.line : "") ?? [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    await send();
    const reason = `the mail server refuses mail: ${code}`;
    expect(list()).toMatchObject([{ status: "WAITING", reason, attempts: attempt }]);
    api.advance(6 * MINUTE_MS);
  }
  const [condition] = checks.flatMap((check) => check(api, {} as never));
  expect(condition?.code).toBe("guest_mail.failing");
  expect(condition?.text).toMatch(/command failed: 5|recipients were rejected: 5/);
  expect(JSON.stringify(condition)).not.toContain("@salon.example");
  server.script(ACCEPT);
  await send();
  expect(list()).toMatchObject([{ status: "SENT" }]);
});

test("a server that is down, refuses connections and comes back gets each mail once", async () => {
  const { api, server, send, book, list } = await openMails();
  await server.down();
  await book();
  await book({ email: "bob@example.com" }, "203.0.113.10", 3);
  for (let i = 0; i < 4; i++) {
    await send();
    api.advance(MINUTE_MS);
  }
  expect(list().map(({ status }) => status)).toEqual(["WAITING", "WAITING"]);
  await server.up();
  server.script({ do: "refuse", at: "greeting", line: "554 5.3.2 maintenance" });
  api.advance(6 * MINUTE_MS);
  await send();
  server.script(ACCEPT);
  for (let i = 0; i < 3; i++) {
    api.advance(6 * MINUTE_MS);
    await send();
  }
  expect(server.mails.map(({ to }) => to[0]).toSorted()).toEqual([
    "ana@example.com",
    "bob@example.com",
  ]);
  expect(list().map(({ status }) => status)).toEqual(["SENT", "SENT"]);
});

test("a mail that has expired is not sent", async () => {
  const { api, server, send, book, list } = await openMails("CONFIRM");
  await server.down();
  await book();
  await send();
  api.advance(3 * 24 * 60 * MINUTE_MS);
  await server.up();
  await send();
  expect(server.mails).toEqual([]);
  expect(list()).toMatchObject([{ status: "FAILED", reason: "the mail server does not answer" }]);
});

test("erasing a guest stops the mail that is being sent, and deletes it", async () => {
  const { api, server, sender, book, list } = await openMails();
  server.script({ do: "hang", at: "RCPT" }, ACCEPT);
  await book();
  sender.wake();
  await server.hanging();
  const [visit] = listMade(api);
  eraseForGood(api, [visit?.id ?? ""]);
  sender.wake();
  server.resume();
  await sender.idle();
  expect(server.mails).toEqual([]);
  expect(list()).toEqual([]);
  api.advance(60 * MINUTE_MS);
  sender.wake();
  await sender.idle();
  expect(server.mails).toEqual([]);
});

test("a mail whose acceptance cannot be stored is not sent again", async () => {
  const { api, server, sender, send, book, list } = await openMails();
  await book();
  const { tx } = api;
  server.onMail(() => {
    api.tx = () => {
      throw new SqliteError("database is locked", "SQLITE_BUSY");
    };
  });
  sender.wake();
  await sender.idle();
  api.tx = tx;
  expect(list()).toMatchObject([{ status: "WAITING" }]);
  api.advance(60 * MINUTE_MS);
  await send();
  expect(server.mails).toHaveLength(1);
  expect(list()).toMatchObject([{ status: "SENT" }]);
});

test("a mail waits while the master key is missing or wrong, and is sent once the right key is back", async () => {
  const { api, server, book, list, start, mailFlags, send } = await openMails("CONFIRM");
  await book();
  const { dataDir, masterKeyPath: key } = api.config;
  // Another process on the same data has not read the key yet.
  const fresh = createTestRuntime({ ...mailFlags, dataDir }, api.now());
  const sender = start(fresh);
  const sendLater = async (): Promise<void> => {
    fresh.advance(MINUTE_MS);
    sender.wake();
    await sender.idle();
  };
  const waiting = [{ status: "WAITING", reason: "no key decrypts the guest's data", attempts: 0 }];
  renameSync(key, `${key}.away`);
  await sendLater();
  expect(list()).toMatchObject(waiting);
  writeFileSync(key, `${Buffer.alloc(32, 7).toString("base64")}\n`);
  await sendLater();
  expect(list()).toMatchObject(waiting);
  expect(server.asked).toEqual([]);
  renameSync(`${key}.away`, key);
  await sendLater();
  expect(list()).toMatchObject([{ status: "SENT", reason: null }]);
  const [{ raw } = { raw: "" }] = server.mails;
  const [token = ""] = tokensIn(partOf(raw, "text/plain"));
  expect(findGuestVisit(api, businessOf(api), token)).toBeDefined();
  await send();
  expect(server.mails).toHaveLength(1);
});

test("a visit has at most ten links, and a new link ends the oldest one", async () => {
  const { api, server, send, book } = await openMails("CONFIRM");
  const business = businessOf(api);
  const response = await book();
  const first = (response.headers.get("location") ?? "").split("/").at(-1) ?? "";
  const [{ id, startsAt }] = listMade(api) as unknown as [{ id: string; startsAt: number }];
  await send();
  for (let i = 1; i <= 10; i++) {
    api.advance(1000);
    const start = new Date(startsAt + (i % 2) * 15 * MINUTE_MS).toISOString();
    rescheduleBooking(api, business.slug, id, { start, ignoresNotice: true });
    await send();
  }
  const tokens = server.mails.map(({ raw }) => tokensIn(partOf(raw, "text/plain"))[0] ?? "");
  expect(tokens).toHaveLength(11);
  const works = [first, ...tokens].map((token) => findGuestVisit(api, business, token)?.visit.id);
  expect(works).toEqual([undefined, undefined, ...Array<string>(10).fill(id)]);
});
