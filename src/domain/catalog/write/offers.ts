import type { PromotionBenefit, PromotionDoc, PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import {
  omitEmpty,
  omitDefault,
  writeCommon,
  writeKeyed,
  type WriteContext,
  writePresented,
  writeWindow,
} from "./values.ts";
import { localDateOf } from "../../local-time.ts";
import { slugFromKey } from "../read/public-events.ts";
import type { AuthoredPromotion, AuthoredPublicEvent, AuthoredTicketType } from "../file/schema.ts";
import { formatPercent } from "../../money.ts";

export function writePromotion(writer: WriteContext, doc: PromotionDoc): AuthoredPromotion {
  const { all, ...scope } = doc.appliesTo;
  const { minSubtotalCents, firstVisitOnly, ...conditions } = doc.conditions;
  const { startsAt, endsAt, weekly, excludeDates } = doc.schedule;
  return omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      benefit: writeBenefit(writer, doc.benefit),
      appliesTo: all ? undefined : omitEmpty(scope),
      conditions: omitEmpty({
        minSubtotal: writeIf(writer.money, minSubtotalCents),
        firstVisitOnly: omitDefault(false, firstVisitOnly),
        ...conditions,
      }),
      schedule: omitEmpty({
        startsAt: writeIf(writer.instant, startsAt),
        endsAt: writeIf(writer.instant, endsAt),
        weekly: weekly.map(writeWindow),
        excludeDates,
      }),
      code: doc.code,
      stackable: omitDefault(false, doc.stackable),
      priority: omitDefault(0, doc.priority),
    }),
  );
}

const writeIf = (write: (value: number) => string, value: number | null): string | null =>
  value === null ? null : write(value);

function writeBenefit(
  { money }: WriteContext,
  benefit: PromotionBenefit,
): AuthoredPromotion["benefit"] {
  const { type } = benefit;
  switch (type) {
    case "PERCENT_OFF":
      return omitEmpty({
        type,
        percent: formatPercent(benefit.percentBps),
        maxAmount: writeIf(money, benefit.maxAmountCents),
      });
    case "AMOUNT_OFF":
    case "FIXED_PRICE":
      return { type, amount: money(benefit.amountCents) };
    case "BUY_X_GET_Y":
      return omitEmpty({
        type,
        buyQuantity: benefit.buyQuantity,
        getQuantity: omitDefault(1, benefit.getQuantity),
        percent: benefit.percentBps === 10_000 ? undefined : formatPercent(benefit.percentBps),
      });
    case "FREE_ADDON":
      return { type, addon: benefit.addon };
  }
}

export const writePublicEvent = (writer: WriteContext, doc: PublicEventDoc): AuthoredPublicEvent =>
  omitEmpty({
    ...writeKeyed(doc),
    slug: omitDefault(slugFromKey(doc.key), doc.slug),
    status: omitDefault<PublicEventDoc["status"]>("PUBLISHED", doc.status),
    description: doc.description,
    startsAt: writer.instant(doc.startsAt),
    endsAt: writer.instant(doc.endsAt),
    doorsAt: doc.doorsAt === null ? null : writeDoors(writer, doc.doorsAt, doc.startsAt),
    venue:
      doc.venue &&
      (doc.venue.address === null ? doc.venue.name : { ...doc.venue, address: doc.venue.address }),
    attendanceMode: omitDefault<PublicEventDoc["attendanceMode"]>("IN_PERSON", doc.attendanceMode),
    ticketTypes: doc.ticketTypes.map((type) => writeTicketType(writer, type)),
    quotas: doc.quotas.map((quota) => writeQuota(quota, doc)),
    ...writePresented(doc),
  });

/** The time alone on the day of the event, unless the clock shows it twice. */
function writeDoors(
  { timezone, instant }: WriteContext,
  doorsAt: number,
  startsAt: number,
): string {
  const text = instant(doorsAt);
  const [date, time = ""] = text.split("T");
  return date === localDateOf(startsAt, timezone) && time.length === "18:30".length ? time : text;
}

const writeTicketType = (writer: WriteContext, doc: TicketTypeDoc): AuthoredTicketType =>
  omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      kind: omitDefault<TicketTypeDoc["kind"]>("PAID", doc.kind),
      price: doc.kind !== "PAID" && doc.priceCents === 0 ? undefined : writer.money(doc.priceCents),
      salesStart: writeIf(writer.instant, doc.salesStartAt),
      salesEnd: writeIf(writer.instant, doc.salesEndAt),
      minPerOrder: omitDefault(1, doc.minPerOrder),
      maxPerOrder: omitDefault(Math.max(10, doc.minPerOrder), doc.maxPerOrder),
      showRemaining: omitDefault(true, doc.showRemaining),
    }),
  );

function writeQuota(
  { key, size, ticketTypes }: PublicEventDoc["quotas"][number],
  { ticketTypes: types }: PublicEventDoc,
) {
  const isOfAll =
    ticketTypes.length === types.length && types.every((type, i) => type.key === ticketTypes[i]);
  return isOfAll ? { key, size } : { key, size, ticketTypes };
}
