import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Runtime } from "../../../src/app/runtime.ts";
import type { ConfigFlags } from "../../../src/config.ts";
import type { BusinessDoc } from "../../../src/domain/catalog/catalog.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { MailSender } from "../../../src/features/guest-mail/sender.ts";
import { createReportStore } from "../../../src/features/guest-mail/store.ts";
import { createOrderStore } from "../../../src/features/tickets/store.ts";
import { createMailer } from "../../../src/platform/smtp.ts";
import type { Preset } from "../../../src/platform/assets.ts";
import { createTempFolder } from "../../support/cli.ts";
import { startScriptedMailServer } from "../../support/mail-server.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  firstService,
  openPage,
  timesOf,
} from "../page-bookings/open-page.ts";

export const FROM = "bookings@salon.example";
export const PUBLIC_URL = "http://localhost";

/** Opens the page of a business that mails its guests, with a mail server on loopback. */
export async function openMails(
  booking: BusinessDoc["publicPage"]["booking"] = "REQUEST",
  preset: Preset = "salon",
  flags: ConfigFlags = {},
) {
  const server = await startScriptedMailServer();
  const smtpUrlFile = join(createTempFolder(), "smtp-url");
  writeFileSync(smtpUrlFile, server.url);
  const trustedProxies = ["127.0.0.0/8", "::1/128"];
  const mailFlags = { guestMail: FROM, smtpUrlFile, publicUrl: PUBLIC_URL };
  const { api, base } = openPage(preset, booking, { ...mailFlags, trustedProxies, ...flags });
  const start = (rt: Runtime = api): MailSender => {
    const mailer = createMailer(server.url, false);
    onTestFinished(mailer.close);
    return new MailSender(rt, mailer);
  };
  const sender = start();
  /** Sends every mail that is due. */
  const send = async (by = sender): Promise<void> => {
    const report = api.openStore(createReportStore);
    for (let last = -1; report.countWaiting() !== last;) {
      last = report.countWaiting();
      by.wake();
      await by.idle();
    }
  };
  const list = () =>
    api
      .openStore(createReportStore)
      .list({ businessId: null, unsent: false, limit: 1000 })
      .toReversed();
  /** Books one of the free times of a service as a visitor, and returns the response. */
  const book = async (
    form: Record<string, string> = {},
    address = "203.0.113.9",
    which = 0,
    query = "",
  ) => {
    const visitor = createVisitor(api, address);
    const { key } = firstService(api);
    const { action, times } = await visitor.openTimes(timesOf(api, base, key) + query);
    return visitor.book(await visitor.hold(action, times.at(which) ?? ""), form);
  };
  return { api, base, server, sender, start, mailFlags, send, list, book };
}

/** Orders tickets of the first event on sale, as a guest does on the page. */
export async function orderTickets(
  { api, base }: Awaited<ReturnType<typeof openMails>>,
  quantity = 2,
) {
  const visitor = createVisitor(api);
  const { id, slug } = businessOf(api);
  const event = api.store.catalog
    .listByKind(id, "public_event")
    .find(({ ticketTypes, status }) => status === "PUBLISHED" && ticketTypes.length > 0)!;
  const url = `${base}?event=${objectId("public_event", slug, event)}`;
  const [field = ""] = findAll(await visitor.get(url), /<select name="(ticket\.[^"]+)"/g);
  const details = (await visitor.send(`${url}&${field}=${quantity}`)).headers.get("location") ?? "";
  expect((await visitor.book(details)).status).toBe(303);
  const [order] = api.openStore(createOrderStore).list({ businessId: id }, 10);
  return { visitor, event, field, order: order! };
}
