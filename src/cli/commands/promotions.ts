import type { PromotionBenefit } from "../../domain/catalog/catalog.ts";
import { formatInstant } from "../../domain/local-time.ts";
import type { Currency } from "../../domain/currency.ts";
import { formatMoney } from "../../domain/money.ts";
import { objectCommands } from "../objects/objects.ts";

export const definition = objectCommands({
  kind: "promotion",
  noun: "promotions",
  example: { business: "salon-aurora", key: "midweek-blowout" },
  about: {
    list: "List promotions, including past and hidden ones.",
    show: "Show a promotion with its targets, conditions and schedule.",
  },
  columns: (business) => [
    { title: "BENEFIT", value: ({ benefit }) => benefitText(benefit, business) },
    {
      title: "FROM",
      value: ({ schedule }) => dateText(schedule.startsAt, business.timezone),
      noTruncate: true,
    },
    {
      title: "TO",
      value: ({ schedule }) => dateText(schedule.endsAt, business.timezone),
      noTruncate: true,
    },
  ],
  withTimes: (doc, time) => {
    const { startsAt, endsAt } = doc.schedule;
    const span = { startsAt: startsAt && time(startsAt), endsAt: endsAt && time(endsAt) };
    return { ...doc, schedule: { ...doc.schedule, ...span } };
  },
});

const dateText = (ms: number | null, timezone: string): string | null =>
  ms === null ? null : formatInstant(ms, timezone).slice(0, 16);

const percent = (bps: number): string => `${bps / 100} %`;

function benefitText(benefit: PromotionBenefit, currency: Currency): string {
  switch (benefit.type) {
    case "PERCENT_OFF":
      return `${percent(benefit.percentBps)} off`;
    case "AMOUNT_OFF":
      return `${formatMoney(benefit.amountCents, currency)} off`;
    case "FIXED_PRICE":
      return `for ${formatMoney(benefit.amountCents, currency)}`;
    case "BUY_X_GET_Y":
      return `buy ${benefit.buyQuantity}, get ${benefit.getQuantity} at ${percent(benefit.percentBps)} off`;
    case "FREE_ADDON":
      return `${benefit.addon} free`;
  }
}
