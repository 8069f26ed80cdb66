import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeCommon,
  writeFields,
  writeNamed,
  writePresented,
  writeWindow,
} from "./values.ts";
import type { PromotionBenefit, PromotionDoc, PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import {
  APPLIES_TO_DEFAULTS,
  BUY_X_GET_Y_DEFAULTS,
  defaultMaxPerOrder,
  defaultSlug,
  PROMOTION_CONDITION_DEFAULTS,
  PROMOTION_DEFAULTS,
  PUBLIC_EVENT_DEFAULTS,
  TICKET_TYPE_DEFAULTS,
} from "../file/offers.ts";
import type { AuthoredPromotion, AuthoredPublicEvent, AuthoredTicketType } from "../file/schema.ts";
import { localDateOf } from "../../local-time.ts";
import { formatPercent } from "../../money.ts";

export function writePromotion(context: WriteContext, doc: PromotionDoc): AuthoredPromotion {
  const { appliesTo, conditions, schedule } = doc;
  return omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      benefit: writeBenefit(context, doc.benefit),
      appliesTo: appliesTo.all ? undefined : omitEmpty(writeFields(appliesTo, APPLIES_TO_DEFAULTS)),
      conditions: omitEmpty({
        minSubtotal: writeOptional(context.money, conditions.minSubtotalCents),
        ...writeFields(conditions, PROMOTION_CONDITION_DEFAULTS),
      }),
      schedule: omitEmpty({
        startsAt: writeOptional(context.instant, schedule.startsAt),
        endsAt: writeOptional(context.instant, schedule.endsAt),
        weekly: schedule.weekly.map(writeWindow),
        excludeDates: schedule.excludeDates,
      }),
      ...writeFields(doc, PROMOTION_DEFAULTS),
    }),
  );
}

const writeOptional = (write: (value: number) => string, value: number | null): string | null =>
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
        maxAmount: writeOptional(money, benefit.maxAmountCents),
      });
    case "AMOUNT_OFF":
    case "FIXED_PRICE":
      return { type, amount: money(benefit.amountCents) };
    case "BUY_X_GET_Y": {
      const { percentBps, ...more } = writeFields(benefit, BUY_X_GET_Y_DEFAULTS);
      return omitEmpty({
        type,
        buyQuantity: benefit.buyQuantity,
        ...more,
        percent: percentBps === undefined ? undefined : formatPercent(percentBps),
      });
    }
    case "FREE_ADDON":
      return { type, addon: benefit.addon };
  }
}

export const writePublicEvent = (context: WriteContext, doc: PublicEventDoc): AuthoredPublicEvent =>
  omitEmpty({
    ...writeNamed(doc),
    slug: omitDefault(doc.slug, defaultSlug(doc.key)),
    ...writeFields(doc, PUBLIC_EVENT_DEFAULTS),
    description: doc.description,
    startsAt: context.instant(doc.startsAt),
    endsAt: context.instant(doc.endsAt),
    doorsAt: doc.doorsAt === null ? null : writeDoors(context, doc.doorsAt, doc.startsAt),
    venue:
      doc.venue &&
      (doc.venue.address === null ? doc.venue.name : { ...doc.venue, address: doc.venue.address }),
    ticketTypes: doc.ticketTypes.map((type) => writeTicketType(context, type)),
    quotas: doc.quotas.map((quota) => writeQuota(quota, doc)),
    ...writePresented(doc),
  });

/** Only the time if it is on the day of the event, and the clock shows it once on that day. */
function writeDoors(
  { timezone, instant }: WriteContext,
  doorsAt: number,
  startsAt: number,
): string {
  const text = instant(doorsAt);
  const [date, time = ""] = text.split("T");
  return date === localDateOf(startsAt, timezone) && time.length === "18:30".length ? time : text;
}

const writeTicketType = (context: WriteContext, doc: TicketTypeDoc): AuthoredTicketType =>
  omitEmpty(
    writeCommon(doc, {
      description: doc.description,
      price:
        doc.kind !== "PAID" && doc.priceCents === 0 ? undefined : context.money(doc.priceCents),
      ...writeFields(doc, TICKET_TYPE_DEFAULTS),
      salesStart: writeOptional(context.instant, doc.salesStartAt),
      salesEnd: writeOptional(context.instant, doc.salesEndAt),
      maxPerOrder: omitDefault(doc.maxPerOrder, defaultMaxPerOrder(doc.minPerOrder)),
    }),
  );

/** A quota that lists no ticket types applies to all of the event, in their order. */
function writeQuota(
  { key, size, ticketTypes }: PublicEventDoc["quotas"][number],
  { ticketTypes: types }: PublicEventDoc,
) {
  const isForAll =
    ticketTypes.length === types.length && types.every((type, i) => type.key === ticketTypes[i]);
  return isForAll ? { key, size } : { key, size, ticketTypes };
}
