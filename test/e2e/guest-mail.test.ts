import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { parseCalendar } from "../support/ical.ts";
import {
  type MailServer,
  parseMail,
  partOf,
  startScriptedMailServer,
} from "../support/mail-server.ts";
import { findFreePort } from "../support/proxies.ts";
import { patient } from "../support/patience.ts";

const WAIT = { timeout: 120_000, interval: 50 };

const waitForMails = async (server: MailServer, count: number): Promise<string> => {
  await expect.poll(() => server.mails.filter((mail) => mail.isAccepted).length, WAIT).toBe(count);
  return server.mails.findLast((mail) => mail.isAccepted)?.raw ?? "";
};

const linkIn = (raw: string): string =>
  /http:\S+\/v\/deskbell_gv_[0-9a-f]{48}/.exec(partOf(raw, "text/plain"))?.[0] ?? "";

const subjectOf = (raw: string): string => parseMail(raw).headers.get("subject") ?? "";

/** A visitor with a browser without scripts, who speaks German. */
function createVisitor(url: string) {
  const send = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(path, url), {
      redirect: "manual",
      headers: { "accept-language": "de", ...(form && { origin: url }) },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    return {
      status: response.status,
      to: response.headers.get("location") ?? "",
      html: await response.text(),
    };
  };
  const book = async (email: string, date: string): Promise<string> => {
    const { html: start } = await send("/b/salon-aurora/book");
    const [, service = ""] = /href="([^"]*\?service=[^"]+)"(?:(?!href=).)*?Kids/s.exec(start) ?? [];
    const { html } = await send(`${service.replaceAll("&amp;", "&")}&staff=any&date=${date}`);
    const [, action = ""] = /action="([^"]*\/hold[^"]*)"/.exec(html) ?? [];
    const [, at = ""] = /name="at" value="([^"]+)"/.exec(html) ?? [];
    const held = await send(action.replaceAll("&amp;", "&"), { at });
    const guest = { at, name: "Ana", email, phone: "", notes: "canary-note" };
    const booked = await send(held.to, guest);
    expect({ service, action, held: held.to, status: booked.status }).toMatchObject({
      status: 303,
    });
    return at;
  };
  return { send, book };
}

const dayIn = (days: number): string =>
  Temporal.Now.plainDateISO("America/New_York").add({ days }).toString();

/**
 * Returns the first Wednesday that is at least `from` days away. The salon is open on Wednesdays.
 */
const openDay = (from: number): string => {
  const day = Temporal.PlainDate.from(dayIn(from));
  return day.add({ days: (10 - day.dayOfWeek) % 7 }).toString();
};

test(
  "guests get their mails although the daemon is killed, the mail server fails, and a backup is restored",
  { timeout: patient(400_000) },
  async () => {
    const server = await startScriptedMailServer();
    const { dataDir, deskbell } = await createSeededSalon();
    const smtpUrl = join(createTempFolder(), "smtp-url");
    writeFileSync(smtpUrl, server.url);
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const start = async () => {
      const daemon = spawnDaemon(
        dataDir,
        "--guest-mail=bookings@salon.example",
        `--smtp-url-file=${smtpUrl}`,
        `--port=${port}`,
        `--public-url=${url}`,
      );
      await waitForUrl(daemon, WAIT.timeout);
      return daemon;
    };
    let daemon = await start();
    const legal = ["--privacy-url=https://s.example/p", "--imprint-url=https://s.example/i"];
    await deskbell("businesses", "publish", "salon-aurora", "--booking", "REQUEST", ...legal);
    const visitor = createVisitor(url);

    // A request is received, confirmed by a command, moved, and cancelled by the guest's link.
    const at = await visitor.book("ana@example.com", openDay(7));
    const received = await waitForMails(server, 1);
    expect(subjectOf(received)).toMatch(/^Wir haben Ihre Anfrage: Salon Aurora, /);
    const list = async () =>
      JSON.parse(await deskbell("bookings", "list", "--from", "none", "--json")).data as {
        id: string;
        status: string;
      }[];
    const id = (await list()).find(({ status }) => status === "PENDING")?.id ?? "";
    await deskbell("bookings", "approve", id);
    const confirmed = await waitForMails(server, 2);
    expect(subjectOf(confirmed)).toMatch(/^Ihr Termin steht/);
    const local = Temporal.Instant.from(at).toZonedDateTimeISO("America/New_York");
    const moved = local.add({ days: 7 }).toPlainDateTime().toString({ smallestUnit: "minute" });
    await deskbell("bookings", "reschedule", id, "--start", moved);
    const afterMove = await waitForMails(server, 3);
    const time = new Intl.DateTimeFormat("de", {
      timeStyle: "short",
      timeZone: "America/New_York",
    });
    const movedAt = local.add({ days: 7 }).epochMilliseconds;
    for (const type of ["text/plain", "text/html"])
      expect(partOf(afterMove, type)).toContain(time.format(movedAt));
    expect(parseCalendar(partOf(afterMove, "text/calendar"))).toMatchObject([
      { uid: `${id}@deskbell`, start: new Date(movedAt) },
    ]);
    const link = linkIn(afterMove);
    expect((await visitor.send(link)).html).toContain("Kids");
    expect((await visitor.send(`${link}/cancel`, {})).status).toBe(303);
    expect(subjectOf(await waitForMails(server, 4))).toMatch(/^Abgesagt/);
    expect(server.mails.map(({ raw }) => raw).join("")).not.toMatch(/canary-note|Ana\b/);

    // The daemon is killed after the server has accepted a mail, and before it has stored that.
    const { child } = daemon;
    server.onMail((mail) => {
      mail.isAccepted = true;
      child.kill("SIGKILL");
    });
    await visitor.book("bob@example.com", openDay(7));
    await waitForMails(server, 5);
    await daemon.waitForExit();
    server.onMail(() => {});
    daemon = await start();
    const again = await waitForMails(server, 6);
    const [first = "", second = ""] = server.mails.slice(4).map(({ raw }) => raw);
    expect(second).toBe(again);
    expect(parseMail(first).headers.get("message-id")).toBe(
      parseMail(second).headers.get("message-id"),
    );
    expect(linkIn(first)).toBe(linkIn(second));

    // A guest who is erased while the server does not answer gets nothing more.
    server.script({ do: "hang", at: "RCPT" }, { do: "accept" });
    await visitor.book("carl@example.com", openDay(14));
    await server.hanging();
    await deskbell("guests", "erase", "--email", "carl@example.com", "--yes");
    await visitor.book("dora@example.com", openDay(14));
    await waitForMails(server, 7);
    server.resume();
    expect(server.mails.map(({ to }) => to[0])).not.toContain("carl@example.com");

    // Mails that wait in a backup are not sent after a restore.
    await server.down();
    await visitor.book("eva@example.com", openDay(21));
    expect(await deskbell("guest-mail", "list")).toContain("WAITING");
    expect(await deskbell("status")).toMatch(/guest mail\s.*\d+ sent, 1 waiting/);
    const path = JSON.parse(await deskbell("backup", "--json")).data.path as string;
    daemon.child.kill("SIGTERM");
    await daemon.waitForExit();
    await deskbell("restore", path, "--yes");
    await server.up();
    daemon = await start();
    await visitor.book("fay@example.com", openDay(21));
    await waitForMails(server, 8);
    expect(server.mails.at(-1)?.to).toEqual(["fay@example.com"]);
    expect(server.mails.map(({ to }) => to[0])).not.toContain("eva@example.com");
    expect(daemon.output()).not.toMatch(/@example\.com/);
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  },
);

test("the daemon refuses mail to guests without a mail server or a public URL", async () => {
  const { dataDir } = await createSeededSalon();
  const withoutServer = spawnDaemon(dataDir, "--guest-mail=bookings@salon.example");
  expect(await withoutServer.waitForExit()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--guest-mail needs a mail server."),
  });
  const smtpUrl = join(createTempFolder(), "smtp-url");
  writeFileSync(smtpUrl, "smtp://127.0.0.1:25");
  const flags = ["--guest-mail=bookings@salon.example", `--smtp-url-file=${smtpUrl}`];
  const withoutUrl = spawnDaemon(dataDir, ...flags);
  expect(await withoutUrl.waitForExit()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--guest-mail needs --public-url"),
  });
});
