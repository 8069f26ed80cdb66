import type { PromotionBenefit, PromotionDoc } from "../../../domain/catalog/catalog.ts";
import { AppError } from "../../../domain/errors.ts";
import { quote } from "../../../domain/text.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { ChangeResult } from "../../../app/catalog/changes/plan-change.ts";
import { formatLocalMinute } from "../../../domain/local-time.ts";
import { type Currency, formatMoney, parsePercent } from "../../../domain/money.ts";
import { command } from "../../command.ts";
import { usageError } from "../../failure.ts";
import { text } from "../../flags.ts";
import { parseBound } from "../../typed-times.ts";
import {
  description,
  namingFlags,
  parsePrice,
  parseTexts,
  withGiven,
} from "../../objects/edits.ts";
import { toKey } from "../../objects/by-name.ts";
import { objectCommands } from "../../objects/objects.ts";
import { notePast } from "../../objects/without-effect.ts";
import { reportChange } from "../../output/change-report.ts";

const listAndShow = objectCommands({
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
  ms === null ? null : formatLocalMinute(ms, timezone);

const percentText = (bps: number): string => `${bps / 100} %`;

function benefitText(benefit: PromotionBenefit, currency: Currency): string {
  switch (benefit.type) {
    case "PERCENT_OFF":
      return `${percentText(benefit.percentBps)} off`;
    case "AMOUNT_OFF":
      return `${formatMoney(benefit.amountCents, currency)} off`;
    case "FIXED_PRICE":
      return `for ${formatMoney(benefit.amountCents, currency)}`;
    case "BUY_X_GET_Y":
      return `buy ${benefit.buyQuantity}, get ${benefit.getQuantity} at ${percentText(benefit.percentBps)} off`;
    case "FREE_ADDON":
      return `${benefit.addon} free`;
  }
}

const update = command({
  name: "update",
  about: "Update a promotion.",
  supportsDryRun: true,
  arguments: ["<promotion>"],
  flags: {
    name: text("name", "new name"),
    description,
    from: text("time", "new start: a local date or time, or none"),
    to: text("time", "new end, in the same format; a date includes that whole day"),
    percent: text("percent", "new percentage of the discount, such as 12.5"),
    amount: text("amount", "new amount of the discount, or the new fixed price"),
    code: text("text", "new code that guests enter; '' removes it"),
  },
  examples: [
    "promotions update midweek-blowout --percent 25 --to 2026-12-31",
    "promotions update midweek-blowout --from none --to none --description ''",
  ],
  async run(cli, given, promotion) {
    const { from, to, percent, amount, ...texts } = parseTexts(given);
    const { rt, business } = await cli.openBusiness();
    const { doc: businessDoc, slug } = business;
    const clock = { timezone: businessDoc.timezone, now: rt.now() };
    const schedule = {
      startsAt: parseBound("--from", from, clock),
      endsAt: parseBound("--to", to, clock),
    };
    const discount = {
      percentBps: percent === undefined ? undefined : parsePercentFlag(percent),
      amountCents: amount === undefined ? undefined : parsePrice(amount, businessDoc, "--amount"),
    };
    const { editObject } = await import("../../../app/catalog/changes/edit-object.ts");
    const result = namingFlags({ startsAt: "--from", endsAt: "--to", code: "--code" }, () =>
      editObject(rt, slug, "promotion", toKey(rt, business, "promotion", promotion), (doc) => {
        assertHasFields(doc, discount);
        return {
          ...withGiven(doc, texts),
          schedule: withGiven(doc.schedule, schedule),
          benefit: withGiven(doc.benefit, discount),
        };
      }),
    );
    reportChange(cli, result);
    const end = { time: `--to ${to}`, end: schedule.endsAt };
    notePast(cli, business, rt.now(), end, "the promotion applies to no future visit");
  },
});

function parsePercentFlag(percent: string): number {
  const plain = percent
    .trim()
    .replace(/ ?%$/, "")
    .replace(/^(\d+),(\d+)$/, "$1.$2");
  const parsed = parsePercent(plain);
  if ("units" in parsed) return parsed.units;
  throw usageError(`--percent ${parsed.problem}.`);
}

/** @throws AppError state_refuses for a discount that promotions of this type do not have */
function assertHasFields({ key, benefit }: PromotionDoc, discount: object): void {
  for (const [field, value] of Object.entries(discount))
    if (value !== undefined && !(field in benefit))
      throw new AppError(
        "state_refuses",
        `${quote(key)} has no ${field === "percentBps" ? "percentage" : "amount"} to change: its benefit is ${benefit.type}.`,
        { fix: "change its benefit in the catalog file, then run deskbell catalog apply FILE" },
      );
}

type UseCase = (rt: Runtime, slug: string, keyOrId: string) => ChangeResult;
type UseCases = Record<"pausePromotion" | "resumePromotion" | "endPromotion", UseCase>;

/** Returns a command without flags that changes one promotion. */
const action = (name: string, about: string, pick: (useCases: UseCases) => UseCase) =>
  command({
    name,
    about,
    supportsDryRun: true,
    arguments: ["<promotion>"],
    examples: [
      `promotions ${name} midweek-blowout`,
      `promotions ${name} midweek-blowout --business salon-aurora --dry-run`,
    ],
    async run(cli, _flags, promotion) {
      const { rt, business } = await cli.openBusiness();
      const useCase = pick(await import("../../../app/catalog/promotions.ts"));
      reportChange(cli, useCase(rt, business.slug, toKey(rt, business, "promotion", promotion)));
    },
  });

export const definition = [
  ...listAndShow,
  update,
  action(
    "pause",
    "Hide a promotion from partners until it is resumed.",
    ({ pausePromotion }) => pausePromotion,
  ),
  action("resume", "Show a paused promotion again.", ({ resumePromotion }) => resumePromotion),
  action("end", "End a promotion now.", ({ endPromotion }) => endPromotion),
];
