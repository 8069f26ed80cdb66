/** @jsxImportSource preact */
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Shop } from "../content/content.ts";
import { dateIn } from "../format.ts";
import { LongText, Outside } from "./frame.tsx";

/** Returns the name of an add-on that a promotion gives; undefined if it is not public. */
export type NameOfAddon = (id: string) => string | undefined;

/** Maximum number of excluded days that are shown: a catalog file can exclude a thousand. */
const MAX_EXCLUDED_DATES = 10;

type Props = { shop: Shop; promotion: PublicPromotion; nameOfAddon: NameOfAddon };

/** What a promotion gives, and when. */
export const Promotion = ({ shop, promotion, nameOfAddon }: Props) => {
  const { texts, format, profile, now } = shop;
  const { conditions, schedule } = promotion;
  const { date: today } = dateIn(profile.timezone, now);
  const excluded = schedule.excludeDates
    .filter((date) => date >= today)
    .slice(0, MAX_EXCLUDED_DATES);
  const facts = [
    ...(conditions.minSubtotalCents === null
      ? []
      : [fillText(texts.fromAmount, { price: format.money(conditions.minSubtotalCents) })]),
    ...(conditions.minQuantity === null
      ? []
      : [fillText(texts.fromQuantity, { count: conditions.minQuantity })]),
    ...(conditions.firstVisitOnly ? [texts.firstVisit] : []),
    ...(promotion.requiresCode ? [texts.withCode] : []),
    ...schedule.weekly.map(format.window),
    ...(schedule.endsAt === null
      ? []
      : // A promotion that ends at midnight does not apply on the day that begins then.
        [fillText(texts.until, { date: format.shortDate(Date.parse(schedule.endsAt) - 1) })]),
    ...(excluded.length === 0
      ? []
      : [fillText(texts.exceptOn, { dates: excluded.map(format.plainDate).join("; ") })]),
  ];
  const benefit = benefitOf(shop, promotion.benefit, nameOfAddon);
  return (
    <li id={promotion.id} class="card">
      <div class="head">
        <strong>
          <Outside shop={shop} text={promotion.name} />
        </strong>
        {benefit !== null && (
          <span class="tag good">
            <Outside shop={shop} text={benefit} />
          </span>
        )}
      </div>
      <LongText shop={shop} text={promotion.description} />
      {facts.length > 0 && (
        <p class="facts">
          {facts.map((fact) => (
            <span>{fact}</span>
          ))}
        </p>
      )}
    </li>
  );
};

function benefitOf(
  { texts, format }: Shop,
  benefit: PublicPromotion["benefit"],
  nameOfAddon: NameOfAddon,
): string | null {
  switch (benefit.type) {
    case "PERCENT_OFF": {
      const text = fillText(texts.percentOff, { percent: format.percent(benefit.percentBps) });
      if (benefit.maxAmountCents === null) return text;
      return `${text}, ${fillText(texts.atMost, { price: format.money(benefit.maxAmountCents) })}`;
    }
    case "AMOUNT_OFF":
      return fillText(texts.amountOff, { price: format.money(benefit.amountCents) });
    case "FIXED_PRICE":
      return fillText(texts.fixedPrice, { price: format.money(benefit.amountCents) });
    case "BUY_X_GET_Y": {
      const { buyQuantity: buy, getQuantity: get, percentBps } = benefit;
      return percentBps === 10_000
        ? fillText(texts.buyGetFree, { buy, get })
        : fillText(texts.buyGetOff, { buy, get, percent: format.percent(percentBps) });
    }
    case "FREE_ADDON": {
      const name = benefit.addonId === null ? undefined : nameOfAddon(benefit.addonId);
      return name === undefined ? null : fillText(texts.freeAddon, { name });
    }
  }
}
