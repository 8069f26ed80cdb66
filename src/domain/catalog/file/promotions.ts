import { z } from "zod";
import type { PromotionBenefit, PromotionDoc } from "../catalog.ts";
import { formatPercent, parsePercent } from "../../money.ts";
import {
  described,
  keys,
  windows,
  cents,
  choice,
  date,
  defaultsFor,
  fields,
  flag,
  instantOrDate,
  key,
  list,
  money,
  optional,
  percent,
} from "./fields.ts";
import { readDescribed, type Reader, readFields, unique, upper } from "./reader.ts";
import { integer, line } from "../../basic-schemas.ts";
import {
  omitEmpty,
  type WriteContext,
  writeDescribed,
  writeFields,
  writeWindow,
} from "./writer.ts";

const TICKET_TYPE = "an event's key, / and a ticket type's key";
const ticketTypeRef = z.string(TICKET_TYPE).regex(/^[^\p{Cc}]+\/[^\p{Cc}]+$/u, TICKET_TYPE);

const benefit = fields({
  type: choice("PERCENT_OFF", "AMOUNT_OFF", "FIXED_PRICE", "BUY_X_GET_Y", "FREE_ADDON"),
  ...optional({
    percent,
    percentBps: integer(1, 10_000),
    amount: money,
    amountCents: cents,
    maxAmount: money,
    maxAmountCents: cents,
    buyQuantity: integer(1, 1000),
    getQuantity: integer(1, 1000),
    addon: key,
  }),
});
type AuthoredBenefit = z.infer<typeof benefit>;

export const promotion = fields({
  ...described,
  benefit,
  ...optional({
    appliesTo: fields(
      optional({
        all: flag,
        services: keys,
        serviceCategories: keys,
        menuItems: keys,
        menuCategories: keys,
        events: keys,
        ticketTypes: list(ticketTypeRef, 1000),
      }),
    ),
    conditions: fields(
      optional({
        minSubtotal: money,
        minSubtotalCents: cents,
        minQuantity: integer(1, 1000),
        firstVisitOnly: flag,
        maxUses: integer(1, 10_000_000),
        maxUsesPerCustomer: integer(1, 10_000),
      }),
    ),
    schedule: fields(
      optional({
        startsAt: instantOrDate,
        endsAt: instantOrDate,
        weekly: windows,
        excludeDates: list(date, 1000),
      }),
    ),
    code: line(50),
    stackable: flag,
    priority: integer(-1000, 1000),
  }),
});
export type AuthoredPromotion = z.infer<typeof promotion>;

export const PROMOTION_DEFAULTS = defaultsFor<PromotionDoc>()({
  code: null,
  stackable: false,
  priority: 0,
});

export const PROMOTION_CONDITION_DEFAULTS = defaultsFor<PromotionDoc["conditions"]>()({
  minQuantity: null,
  firstVisitOnly: false,
  maxUses: null,
  maxUsesPerCustomer: null,
});

export const APPLIES_TO_DEFAULTS = defaultsFor<PromotionDoc["appliesTo"]>()({
  services: [],
  serviceCategories: [],
  menuItems: [],
  menuCategories: [],
  events: [],
  ticketTypes: [],
});

/** If the file says nothing else, the guest gets one item free. */
const BUY_X_GET_Y_DEFAULTS = { getQuantity: 1, percentBps: 10_000 };

export function readPromotion(reader: Reader, item: AuthoredPromotion): PromotionDoc {
  const { conditions = {}, schedule = {} } = item;
  return {
    ...readDescribed(item),
    benefit: readBenefit(reader.at("benefit"), item.benefit),
    appliesTo: readAppliesTo(reader.at("appliesTo"), item.appliesTo),
    conditions: {
      minSubtotalCents: reader.at("conditions").amount(conditions, "minSubtotal"),
      ...readFields(conditions, PROMOTION_CONDITION_DEFAULTS),
    },
    schedule: readSchedule(reader.at("schedule"), schedule),
    ...readFields(item, PROMOTION_DEFAULTS),
  };
}

export function writePromotion(context: WriteContext, doc: PromotionDoc): AuthoredPromotion {
  const { appliesTo, conditions, schedule } = doc;
  return writeDescribed(doc, {
    benefit: writeBenefit(context, doc.benefit),
    appliesTo: appliesTo.all ? undefined : omitEmpty(writeFields(appliesTo, APPLIES_TO_DEFAULTS)),
    conditions: omitEmpty({
      minSubtotal: context.optionalMoney(conditions.minSubtotalCents),
      ...writeFields(conditions, PROMOTION_CONDITION_DEFAULTS),
    }),
    schedule: omitEmpty({
      startsAt: context.optionalInstant(schedule.startsAt),
      endsAt: context.optionalInstant(schedule.endsAt),
      weekly: schedule.weekly.map(writeWindow),
      excludeDates: schedule.excludeDates,
    }),
    ...writeFields(doc, PROMOTION_DEFAULTS),
  });
}

const BENEFIT_FIELDS: Record<PromotionBenefit["type"], readonly (keyof AuthoredBenefit)[]> = {
  PERCENT_OFF: ["percent", "percentBps", "maxAmount", "maxAmountCents"],
  AMOUNT_OFF: ["amount", "amountCents"],
  FIXED_PRICE: ["amount", "amountCents"],
  BUY_X_GET_Y: ["buyQuantity", "getQuantity", "percent", "percentBps"],
  FREE_ADDON: ["addon"],
};

/** Guesses the type of a benefit from its fields, to replace an invalid type. */
export function guessBenefitType(fields: object): PromotionBenefit["type"] {
  const types = Object.keys(BENEFIT_FIELDS) as PromotionBenefit["type"][];
  const fits = (type: PromotionBenefit["type"]) =>
    Object.keys(fields).every(
      (name) => name === "type" || BENEFIT_FIELDS[type].some((field) => field === name),
    );
  return types.find(fits) ?? "PERCENT_OFF";
}

function readBenefit(reader: Reader, benefit: AuthoredBenefit): PromotionBenefit {
  const type = upper(benefit.type);
  const owner = `a benefit of type ${type.toLowerCase()}`;
  for (const field of Object.keys(benefit) as (keyof AuthoredBenefit)[])
    if (field !== "type" && benefit[field] !== undefined && !BENEFIT_FIELDS[type].includes(field))
      reader.addContradiction(
        field,
        `'${field}' is not allowed in ${owner}, which has ${BENEFIT_FIELDS[type].join(", ")}.`,
      );
  /** Returns the value of a field; if it is missing, an issue is added and `fallback` returned. */
  const required = <T>(
    field: keyof AuthoredBenefit,
    value: T | null | undefined,
    fallback: T,
  ): T => {
    if (value === undefined || value === null) reader.addMissing(field, `${owner} needs one`);
    return value ?? fallback;
  };
  // The issues of all amounts are reported, even of those that the type does not use: the type may
  // be a guess (see `guessBenefitType`).
  const percentBps = readPercent(reader, benefit);
  const amountCents = reader.amount(benefit, "amount");
  const maxAmountCents = reader.amount(benefit, "maxAmount");
  switch (type) {
    case "PERCENT_OFF":
      return {
        type,
        percentBps: required("percent", percentBps, 0),
        maxAmountCents,
      };
    case "AMOUNT_OFF":
    case "FIXED_PRICE":
      return { type, amountCents: required("amount", amountCents, 0) };
    case "BUY_X_GET_Y":
      return {
        type,
        buyQuantity: required("buyQuantity", benefit.buyQuantity, 1),
        getQuantity: benefit.getQuantity ?? BUY_X_GET_Y_DEFAULTS.getQuantity,
        percentBps: percentBps ?? BUY_X_GET_Y_DEFAULTS.percentBps,
      };
    case "FREE_ADDON":
      return { type, addon: required("addon", benefit.addon, "") };
  }
}

function writeBenefit(
  { money, optionalMoney }: WriteContext,
  benefit: PromotionBenefit,
): AuthoredBenefit {
  const { type } = benefit;
  switch (type) {
    case "PERCENT_OFF":
      return omitEmpty({
        type,
        percent: formatPercent(benefit.percentBps),
        maxAmount: optionalMoney(benefit.maxAmountCents),
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

/** Returns basis points; null if the file has no percentage, 0 for an invalid one. */
function readPercent(reader: Reader, benefit: AuthoredBenefit): number | null {
  if (benefit.percent === undefined) return benefit.percentBps ?? null;
  if (benefit.percentBps !== undefined) reader.addDuplicate("percent", "percentBps");
  const parsed = parsePercent(benefit.percent);
  const units = "units" in parsed ? parsed.units : 0;
  if (units === 0) {
    const problem = "problem" in parsed ? parsed.problem : "must be more than 0";
    reader.addIssue("invalid_value", `'percent' ${problem}.`, "percent");
  }
  return units;
}

function readAppliesTo(
  reader: Reader,
  scope: AuthoredPromotion["appliesTo"],
): PromotionDoc["appliesTo"] {
  const lists = readFields(scope ?? {}, APPLIES_TO_DEFAULTS);
  const isLimited = Object.values(lists).some((keys) => keys.length > 0);
  const all = scope === undefined || (scope.all ?? false);
  if (all && isLimited)
    reader.addContradiction(
      "all",
      "A promotion applies either to all or to a list of objects. Remove one of them.",
    );
  if (!all && !isLimited)
    reader.addIssue(
      "contradiction",
      "This promotion applies to nothing. Write 'all: true', or list what it applies to.",
    );
  return { all, ...lists };
}

function readSchedule(
  reader: Reader,
  schedule: NonNullable<AuthoredPromotion["schedule"]>,
): PromotionDoc["schedule"] {
  const { startsAt: start, endsAt: end } = schedule;
  const startsAt = start === undefined ? null : reader.start(start, "startsAt");
  const endsAt = end === undefined ? null : reader.end(end, "endsAt");
  reader.validateOrder(startsAt, endsAt, ["startsAt", "endsAt"]);
  return {
    startsAt,
    endsAt,
    weekly: reader.windows(schedule.weekly, "weekly"),
    excludeDates: unique(schedule.excludeDates).sort(),
  };
}
