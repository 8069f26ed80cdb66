import {
  addContradiction,
  addDuplicate,
  addMissing,
  readAmount,
  readCommon,
  readFields,
  readOptionalInstant,
  readRequiredAmount,
  readText,
  type ReadContext,
  readWindows,
  unique,
  upper,
  validateOrder,
} from "./values.ts";
import type { PromotionBenefit, PromotionDoc } from "../catalog.ts";
import {
  APPLIES_TO_DEFAULTS,
  BUY_X_GET_Y_DEFAULTS,
  PROMOTION_CONDITION_DEFAULTS,
  PROMOTION_DEFAULTS,
} from "../file/offers.ts";
import type { AuthoredPromotion } from "../file/schema.ts";
import type { Path } from "../catalog-issue.ts";
import { parsePercent } from "../../money.ts";

export function readPromotion(
  context: ReadContext,
  item: AuthoredPromotion,
  path: Path,
): PromotionDoc {
  const { conditions = {}, schedule = {} } = item;
  return {
    ...readCommon(item),
    description: readText(item.description),
    benefit: readBenefit(context, item.benefit, [...path, "benefit"]),
    appliesTo: readAppliesTo(context, item.appliesTo, [...path, "appliesTo"]),
    conditions: {
      minSubtotalCents: readAmount(context, conditions, [...path, "conditions"], "minSubtotal"),
      ...readFields(conditions, PROMOTION_CONDITION_DEFAULTS),
    },
    schedule: readSchedule(context, schedule, [...path, "schedule"]),
    ...readFields(item, PROMOTION_DEFAULTS),
  };
}

type AuthoredBenefit = AuthoredPromotion["benefit"];
type BenefitType = PromotionBenefit["type"];

const BENEFIT_FIELDS: Record<BenefitType, readonly (keyof AuthoredBenefit)[]> = {
  PERCENT_OFF: ["percent", "percentBps", "maxAmount", "maxAmountCents"],
  AMOUNT_OFF: ["amount", "amountCents"],
  FIXED_PRICE: ["amount", "amountCents"],
  BUY_X_GET_Y: ["buyQuantity", "getQuantity", "percent", "percentBps"],
  FREE_ADDON: ["addon"],
};

function readBenefit(context: ReadContext, benefit: AuthoredBenefit, path: Path): PromotionBenefit {
  const type = upper(benefit.type);
  const owner = `a benefit of type ${type.toLowerCase()}`;
  for (const field of Object.keys(benefit) as (keyof AuthoredBenefit)[])
    if (field !== "type" && benefit[field] !== undefined && !BENEFIT_FIELDS[type].includes(field))
      addContradiction(
        context,
        [...path, field],
        `'${field}' is not allowed in ${owner}, which has ${BENEFIT_FIELDS[type].join(", ")}.`,
      );
  const required = <T>(
    field: keyof AuthoredBenefit,
    value: T | null | undefined,
    fallback: T,
  ): T => {
    if (value === undefined || value === null)
      addMissing(context, path, field, `${owner} needs one`);
    return value ?? fallback;
  };
  const percentBps = readPercent(context, benefit, path);
  switch (type) {
    case "PERCENT_OFF":
      return {
        type,
        percentBps: required("percent", percentBps, 0),
        maxAmountCents: readAmount(context, benefit, path, "maxAmount"),
      };
    case "AMOUNT_OFF":
    case "FIXED_PRICE":
      return { type, amountCents: readRequiredAmount(context, benefit, path, "amount", owner) };
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

/** Basis points; null if the file has no percentage. */
function readPercent(context: ReadContext, benefit: AuthoredBenefit, path: Path): number | null {
  if (benefit.percent === undefined) return benefit.percentBps ?? null;
  if (benefit.percentBps !== undefined) addDuplicate(context, path, "percent", "percentBps");
  const percent = parsePercent(benefit.percent);
  const problem =
    "problem" in percent
      ? percent.problem
      : percent.units === 0
        ? "must be more than 0"
        : undefined;
  if (problem !== undefined)
    context.addIssue({
      code: "invalid_value",
      path: [...path, "percent"],
      detail: `'percent' ${problem}.`,
    });
  return "units" in percent ? percent.units : 0;
}

function readAppliesTo(
  context: ReadContext,
  scope: AuthoredPromotion["appliesTo"],
  path: Path,
): PromotionDoc["appliesTo"] {
  const lists = readFields(scope ?? {}, APPLIES_TO_DEFAULTS);
  const isLimited = Object.values(lists).some((keys) => keys.length > 0);
  const all = scope?.all ?? scope === undefined;
  if (all && isLimited)
    addContradiction(
      context,
      [...path, "all"],
      "A promotion applies either to all or to a list of objects. Remove one of them.",
    );
  if (!all && !isLimited)
    addContradiction(
      context,
      path,
      "This promotion applies to nothing. Write 'all: true', or list what it applies to.",
    );
  return { all, ...lists };
}

function readSchedule(
  context: ReadContext,
  schedule: NonNullable<AuthoredPromotion["schedule"]>,
  path: Path,
): PromotionDoc["schedule"] {
  const startsAt = readOptionalInstant(context, schedule.startsAt, [...path, "startsAt"]);
  const endsAt = readOptionalInstant(context, schedule.endsAt, [...path, "endsAt"]);
  if (startsAt !== null && endsAt !== null)
    validateOrder(context, startsAt, endsAt, path, ["startsAt", "endsAt"]);
  return {
    startsAt,
    endsAt,
    weekly: readWindows(context, schedule.weekly, [...path, "weekly"]),
    excludeDates: unique(schedule.excludeDates).sort(),
  };
}
