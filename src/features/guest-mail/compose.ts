import { tryDecryptCustomer } from "../../app/bookings/guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import { isMailAddress } from "../../domain/mail/mail-address.ts";
import { safe } from "../../domain/text.ts";
import { choosePageLanguage, fillText, type PageLanguage } from "../../pages/languages.ts";
import type { Mail } from "../../platform/smtp.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import {
  CALENDAR_END,
  type CalendarMethod,
  writeEntry,
  writeMailedStart,
} from "../calendars/ical.ts";
import { addressLines } from "../public-pages/content/address.ts";
import { createPageBookingStore } from "../page-bookings/store.ts";
import { type BookingTexts, textsOf } from "../page-bookings/texts.ts";
import { describeElsewhere } from "../page-bookings/show/visit-view.ts";
import { writeDateTime, writeShortDateTime, writeTime, writeZone } from "../page-bookings/when.ts";
import { type Format, formatOf } from "../public-pages/format.ts";
import { textsOf as pageTextsOf } from "../public-pages/texts.ts";
import { chooseVariant } from "../public-pages/variants.ts";
import { type MailContent, toHtml, toPlainText } from "./layout.ts";
import { describeVisit, type VisitDescription } from "./describe.ts";
import type { MailFacts, MailKind } from "./rules.ts";
import type { MailRow } from "./store.ts";
import { type MailTexts, mailTextsOf } from "./texts.ts";

// A mail contains no text that the visitor wrote, neither the name nor a note. Otherwise, a visitor
// who books with a stranger's address could send this stranger any text in the name of the
// business.

type Context = {
  business: BusinessRow;
  format: Format;
  texts: BookingTexts;
  mailTexts: MailTexts;
  kind: MailKind;
  facts: MailFacts;
  about: VisitDescription;
  /** Whether the guest's page of a visit can still move and cancel it when the mail is sent. */
  canChange: boolean;
};

/**
 * Returns a mail as it is sent; undefined if the visit was deleted or the guest has no address any
 * more.
 * @param link the URL of the guest's page of the visit
 */
export function composeMail(
  rt: Runtime,
  mail: MailRow,
  business: BusinessRow,
  { from, link }: { from: string; link: string },
): Mail | undefined {
  const to = findAddress(rt, mail.visitId);
  const { doc } = business;
  const language = languageOf(rt, mail, business);
  const { locale } = chooseVariant(language, undefined, doc.locales);
  const about = describeVisit(rt, business, mail.visitId, locale, mail.facts.event);
  if (to === undefined || about === undefined) return undefined;
  const { kind } = mail;
  const facts = { ...mail.facts, ...about.times };
  const context: Context = {
    business,
    format: formatOf(doc, language),
    texts: textsOf(language),
    mailTexts: mailTextsOf(language),
    kind,
    facts,
    about,
    canChange: about.event === null && kind !== "confirm" && canStillChange(facts, rt.now()),
  };
  const content = toContent(context, language, link);
  const calendar = writeCalendar(context, mail, { from, link });
  return {
    from: { name: safe(doc.name, 100), address: from },
    // nodemailer would take the addresses from the headers if no envelope were given.
    envelope: { from, to: [to] },
    to: { name: "", address: to },
    ...(doc.email !== null && isMailAddress(doc.email) && { replyTo: doc.email }),
    subject: safe(subjectOf(context), 200),
    date: new Date(mail.createdAt),
    messageId: `<${mail.id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    text: toPlainText(content),
    html: toHtml(content),
    ...(calendar !== null && {
      icalEvent: {
        filename: about.event === null ? "visit.ics" : "event.ics",
        method: calendar.method,
        content: calendar.text,
      },
    }),
    // A catalog's text must not make the server read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function findAddress(rt: Runtime, visitId: string): string | undefined {
  const guest = rt.store.guests.findByVisit(visitId);
  const address = guest && tryDecryptCustomer(rt, guest)?.email;
  return address && isMailAddress(address) ? address : undefined;
}

function languageOf(rt: Runtime, { visitId }: MailRow, { doc }: BusinessRow): PageLanguage {
  const chosen = rt.openStore(createPageBookingStore).findByVisit(visitId)?.language;
  return choosePageLanguage(chosen, doc.locales);
}

const ORDER_SUBJECTS: Partial<Record<MailKind, keyof MailTexts>> = {
  received: "orderReceived",
  confirmed: "orderConfirmed",
  expired: "orderExpired",
  cancelled: "orderCancelled",
  reminder: "orderReminder",
  moved: "orderMoved",
};

/** Returns the key of a mail's subject. An event that is called off when the mail is sent has its own. */
function subjectKeyOf({ kind, facts, about }: Context): keyof MailTexts {
  if (about.event !== null && takesPlace(facts) && about.calledOff !== null) return about.calledOff;
  // The event that the mail called off takes place again.
  if (kind === "calledOff") return "orderMoved";
  return (about.event === null ? undefined : ORDER_SUBJECTS[kind]) ?? kind;
}

function subjectOf(context: Context): string {
  const { business, format, mailTexts, facts, about } = context;
  const { name, timezone } = business.doc;
  const text = mailTexts[subjectKeyOf(context)];
  const time = writeShortDateTime({ format }, timezone, facts.startsAt);
  return fillText(text, { business: name, time, event: about.event ?? "" });
}

/** Returns the heading. Most kinds have the heading of the guest's page of the visit. */
function headingOf(context: Context): string {
  const { texts, mailTexts, kind, facts, about } = context;
  if (kind === "confirm") return confirmLinkOf(context);
  if (about.event !== null && isAboutEvent(context))
    return about.calledOff === null ? mailTexts.eventMoved : texts[about.calledOff];
  if (kind === "moved") return texts.moved;
  if (about.event !== null)
    return (
      {
        PENDING: texts.orderPending,
        CONFIRMED: texts.orderConfirmed,
        EXPIRED: texts.orderExpired,
      }[facts.status] ?? texts.cancelled
    );
  if (facts.status === "PENDING") return texts.pending;
  return facts.status === "CONFIRMED" ? texts.confirmed : texts.cancelled;
}

/** Returns whether a mail is about a change of an order's event, which its heading then says. */
const isAboutEvent = ({ facts }: Pick<Context, "facts">): boolean => facts.known !== undefined;

const confirmLinkOf = ({ texts, mailTexts, about }: Context): string =>
  about.isRequest ? texts.confirmRequestTitle : mailTexts.confirmLink;

function paragraphsOf({ business, format, ...context }: Context): string[] {
  const { texts, mailTexts, kind, facts, about } = context;
  const { name, timezone } = business.doc;
  const { decideBy } = facts;
  const time = decideBy === null ? "" : writeShortDateTime({ format }, timezone, decideBy);
  const fill = (text: string): string => fillText(text, { business: name, time });
  // A mail of this kind is about a hold, whose `decideBy` is never null.
  if (kind === "confirm")
    return [
      fillText(mailTexts.confirmText, { time: writeDateTime({ format }, timezone, decideBy ?? 0) }),
      about.keptUntil === null
        ? texts.notKept
        : fillText(texts.heldUntil, { time: writeTime({ format }, timezone, about.keptUntil) }),
      mailTexts.confirmNotYou,
    ];
  if (about.event !== null) {
    const { calledOff } = about;
    const notice = calledOff === null || isAboutEvent({ facts }) ? [] : [texts[calledOff]];
    if (facts.status === "PENDING")
      return calledOff === null ? [fill(texts.orderPendingText)] : notice;
    if (facts.status !== "CONFIRMED") return [];
    if (calledOff === "eventCancelled") return notice;
    return [...notice, about.hasCodes ? texts.showCodes : texts.orderConfirmedText];
  }
  if (kind === "declined") return [fill(texts.declinedText)];
  if (kind === "expired") return [fill(mailTexts.expiredText)];
  if (kind === "cancelled") return [mailTexts.cancelledText];
  return [fill(facts.status === "PENDING" ? texts.pendingText : texts.confirmedText)];
}

/** Returns whether a visit or order is pending or confirmed. */
const takesPlace = ({ status }: MailFacts): boolean =>
  status === "PENDING" || status === "CONFIRMED";

// Returns whether the guest can still move or cancel the visit. A reminder is often sent after the
// time until which this is allowed.
const canStillChange = (facts: MailFacts, now: number): boolean =>
  takesPlace(facts) && now <= facts.cancelUntil && now < facts.startsAt;

function toContent(context: Context, language: PageLanguage, link: string): MailContent {
  const { business, format, texts, mailTexts, kind, facts, about, canChange } = context;
  const { name, phone, timezone } = business.doc;
  const place = about.place ?? describeElsewhere(pageTextsOf(language), about.location) ?? name;
  return {
    language,
    heading: headingOf(context),
    paragraphs: paragraphsOf(context),
    facts: [
      // The time of a postponed event may be that of its old date.
      ...(about.hasTime && about.calledOff !== "eventPostponed"
        ? [{ about: texts.when, lines: [writeDateTime({ format }, timezone, facts.startsAt)] }]
        : []),
      ...about.rows(texts, format),
      {
        about: texts.where,
        lines: [place, ...(about.address ?? addressLines(business.doc))].concat(phone ?? []),
      },
    ],
    link: { text: linkTextOf(context), url: link },
    footer: [
      ...(canChange
        ? [
            fillText(texts.changeUntil, {
              time: writeShortDateTime({ format }, timezone, facts.cancelUntil),
            }),
          ]
        : []),
      ...(hasCalendar(context) && isOn(context) ? [mailTexts.calendar] : []),
      writeZone(texts, business.doc),
      // `why` says that a visit was booked, which is not true before the guest confirms.
      ...(kind === "confirm"
        ? []
        : [
            fillText(about.event === null ? mailTexts.why : mailTexts.orderWhy, { business: name }),
          ]),
    ],
  };
}

function linkTextOf(context: Context): string {
  const { mailTexts, kind, about, canChange } = context;
  if (kind === "confirm") return confirmLinkOf(context);
  if (about.event !== null) return mailTexts.orderLink;
  return canChange ? mailTexts.visitLink : mailTexts.seeLink;
}

/**
 * Returns whether a mail has a calendar entry. Pending orders and holds have none, because many
 * expire. The mail that confirms an order has none if the event is called off, because the guest's
 * calendar has no entry yet that would have to be removed.
 */
const hasCalendar = ({ kind, facts, about }: Context): boolean =>
  kind !== "confirm" &&
  about.hasTime &&
  (about.event === null || facts.status !== "PENDING") &&
  (about.calledOff === null || kind !== "confirmed");

/** Returns whether something takes place at the time of the calendar entry. */
const isOn = ({ facts, about }: Context): boolean => takesPlace(facts) && about.calledOff === null;

const locationOf = ({ business, about }: Context): string =>
  (about.address === null
    ? addressLines(business.doc)
    : [about.place, ...about.address].filter((line) => line !== null)
  ).join(", ");

/**
 * Returns the calendar entry of a visit or order. The entry of a visit has the same ID and sequence
 * as the calendar file on the guest's page, so a calendar that gets both shows the visit once. The
 * page of an order offers an entry of the event instead. The sequence of an order's entry rises with
 * changes of the event, too, because calendars ignore a new time with the sequence of the old one.
 */
function writeCalendar(
  context: Context,
  { visitId, createdAt }: MailRow,
  { from, link }: { from: string; link: string },
): { method: CalendarMethod; text: string } | null {
  if (!hasCalendar(context)) return null;
  const { business, facts, about } = context;
  const { status, version, startsAt, endsAt } = facts;
  const method = isOn(context) ? "PUBLISH" : "CANCEL";
  const entry = writeEntry({
    uid: `${visitId}@deskbell`,
    sequence: about.event === null ? version : version + business.catalogVersion,
    status: status === "PENDING" ? "TENTATIVE" : isOn(context) ? "CONFIRMED" : "CANCELLED",
    startsAt,
    endsAt,
    createdAt,
    updatedAt: createdAt,
    summary: about.event ?? business.doc.name,
    location: locationOf(context) || null,
    description: [...about.titles, business.doc.phone, ...(isOn(context) ? [link] : [])]
      .filter((line) => line !== null)
      .join("\n"),
    organizer: from,
  });
  return { method, text: `${writeMailedStart(method)}${entry}${CALENDAR_END}` };
}
