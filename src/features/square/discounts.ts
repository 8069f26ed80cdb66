import type { z } from "zod";
import type { AuthoredPromotion } from "../../domain/catalog/file/promotions.ts";
import { formatPercent, parsePercent } from "../../domain/money.ts";
import { labelOf, type MappingContext, OBJECT_FIELDS, priceOf, validOrSkipped } from "./mapping.ts";
import { dataOf, type SquareObject } from "./objects.ts";

/** Returns inactive promotions, because staff apply discounts by hand in Square. */
export function mapDiscounts(
  discounts: SquareObject[],
  schema: z.ZodType<AuthoredPromotion>,
  context: MappingContext,
): AuthoredPromotion[] {
  return discounts.flatMap((object) => {
    const { name, discountType, percentage, amountMoney, maximumAmountMoney, ...unread } = dataOf(
      "DISCOUNT",
      object,
    );
    const { skipped } = context;
    const what = `discount ${labelOf(name, object.id)}`;
    skipped.addUnread("discount", object.fields, OBJECT_FIELDS);
    skipped.addUnread("discount", unread, []);
    const percent = parsePercent(percentage ?? "");
    const [amount, maxAmount] = [amountMoney, maximumAmountMoney].map((money) =>
      priceOf(money, context),
    );
    const benefit =
      discountType === "FIXED_PERCENTAGE" && "units" in percent && percent.units > 0
        ? {
            type: "percent_off" as const,
            percent: formatPercent(percent.units),
            ...(maxAmount !== undefined && { maxAmount }),
          }
        : discountType === "FIXED_AMOUNT" && amount !== undefined
          ? { type: "amount_off" as const, amount }
          : undefined;
    if (benefit === undefined) {
      skipped.add(
        what,
        "it has no fixed percentage with at most two decimals, and no fixed amount",
      );
      return [];
    }
    const doc: AuthoredPromotion = { key: object.id, name, status: "inactive", benefit };
    const valid = validOrSkipped(schema, doc, what, skipped);
    if (valid.length > 0)
      skipped.add(
        `publication of ${what}`,
        "in Square, staff apply it by hand: set its status to active if every guest gets it",
      );
    return valid;
  });
}
