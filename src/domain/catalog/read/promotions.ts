import type { PromotionBenefit, PromotionDoc } from "../catalog.ts";
import type { Path } from "../validation-issue.ts";
import {
  commonFields,
  addContradiction,
  readAmount,
  readOptionalInstant,
  readText,
  type ReadContext,
  readWindows,
  validateOrder,
  readRequiredAmount,
  unique,
  upper,
} from "./values.ts";
import type { AuthoredPromotion } from "../file/schema.ts";
import { parsePercent } from "../../money.ts";

export function readPromotion(
  reader: ReadContext,
  item: AuthoredPromotion,
  at: Path,
): PromotionDoc {
  const conditions = item.conditions ?? {};
  return {
    ...commonFields(item),
    description: readText(item.description),
    benefit: readBenefit(reader, item.benefit, [...at, "benefit"]),
    appliesTo: readScope(reader, item.appliesTo, [...at, "appliesTo"]),
    conditions: {
      minSubtotalCents: readAmount(reader, conditions, [...at, "conditions"], "minSubtotal"),
      minQuantity: conditions.minQuantity ?? null,
      firstVisitOnly: conditions.firstVisitOnly ?? false,
      maxUses: conditions.maxUses ?? null,
      maxUsesPerCustomer: conditions.maxUsesPerCustomer ?? null,
    },
    schedule: readSchedule(reader, item.schedule ?? {}, [...at, "schedule"]),
    code: item.code ?? null,
    stackable: item.stackable ?? false,
    priority: item.priority ?? 0,
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

function readBenefit(reader: ReadContext, benefit: AuthoredBenefit, at: Path): PromotionBenefit {
  const type = upper(benefit.type);
  const whose = `a benefit of type ${type.toLowerCase()}`;
  for (const field of Object.keys(benefit) as (keyof AuthoredBenefit)[])
    if (field !== "type" && benefit[field] !== undefined && !BENEFIT_FIELDS[type].includes(field))
      addContradiction(
        reader,
        [...at, field],
        `'${field}' has no meaning in ${whose}, which takes ${BENEFIT_FIELDS[type].join(", ")}.`,
      );
  const need = <T>(field: keyof AuthoredBenefit, value: T | null | undefined, otherwise: T): T => {
    if (value === undefined || value === null)
      reader.addIssue({
        code: "missing_field",
        at: [...at, field],
        detail: `'${field}' is missing: ${whose} needs one.`,
      });
    return value ?? otherwise;
  };
  const percentBps = readPercent(reader, benefit, at);
  switch (type) {
    case "PERCENT_OFF":
      return {
        type,
        percentBps: need("percent", percentBps, 0),
        maxAmountCents: readAmount(reader, benefit, at, "maxAmount"),
      };
    case "AMOUNT_OFF":
    case "FIXED_PRICE":
      return { type, amountCents: readRequiredAmount(reader, benefit, at, "amount", whose) };
    case "BUY_X_GET_Y":
      return {
        type,
        buyQuantity: need("buyQuantity", benefit.buyQuantity, 1),
        getQuantity: benefit.getQuantity ?? 1,
        percentBps: percentBps ?? 10_000,
      };
    case "FREE_ADDON":
      return { type, addon: need("addon", benefit.addon, "") };
  }
}

function readPercent(reader: ReadContext, benefit: AuthoredBenefit, at: Path): number | null {
  if (benefit.percent === undefined) return benefit.percentBps ?? null;
  if (benefit.percentBps !== undefined)
    addContradiction(
      reader,
      [...at, "percentBps"],
      "'percent' and 'percentBps' say the same thing. Keep one of them.",
    );
  const percent = parsePercent(benefit.percent);
  const problem =
    "problem" in percent
      ? percent.problem
      : percent.units === 0
        ? "must be more than 0"
        : undefined;
  if (problem !== undefined)
    reader.addIssue({
      code: "invalid_value",
      at: [...at, "percent"],
      detail: `'percent' ${problem}.`,
    });
  return "units" in percent ? percent.units : 0;
}

function readScope(
  reader: ReadContext,
  scope: AuthoredPromotion["appliesTo"],
  at: Path,
): PromotionDoc["appliesTo"] {
  const lists = {
    services: unique(scope?.services),
    serviceCategories: unique(scope?.serviceCategories),
    menuItems: unique(scope?.menuItems),
    menuCategories: unique(scope?.menuCategories),
    events: unique(scope?.events),
    ticketTypes: unique(scope?.ticketTypes),
  };
  const named = Object.values(lists).some((keys) => keys.length > 0);
  const all = scope?.all ?? scope === undefined;
  if (all && named)
    addContradiction(
      reader,
      [...at, "all"],
      "A promotion applies to all or to what it lists. Remove one of them.",
    );
  if (!all && !named)
    addContradiction(
      reader,
      at,
      "This promotion applies to nothing. Write 'all: true', or list what it applies to.",
    );
  return { all, ...lists };
}

function readSchedule(
  reader: ReadContext,
  schedule: NonNullable<AuthoredPromotion["schedule"]>,
  at: Path,
): PromotionDoc["schedule"] {
  const startsAt = readOptionalInstant(reader, schedule.startsAt, [...at, "startsAt"]);
  const endsAt = readOptionalInstant(reader, schedule.endsAt, [...at, "endsAt"]);
  if (startsAt !== null && endsAt !== null)
    validateOrder(reader, startsAt, endsAt, at, ["startsAt", "endsAt"]);
  return {
    startsAt,
    endsAt,
    weekly: readWindows(reader, schedule.weekly, [...at, "weekly"]),
    excludeDates: unique(schedule.excludeDates).sort(),
  };
}
