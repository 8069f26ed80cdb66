import { z } from "zod";
import type { NamedRequest } from "../../../domain/availability/request.ts";
import {
  MAX_DAYS,
  parseDateRange,
  type DateRange,
} from "../../../domain/availability/date-range.ts";
import { canonicalTimezone } from "../../../domain/business-time.ts";
import type { LocalDate } from "../../../domain/catalog/catalog.ts";
import type { ValidationIssue } from "../../../domain/errors.ts";
import {
  validateParameters,
  flag,
  list,
  type ParametersOf,
  parametersError,
  text,
  integer,
} from "../../pipeline/parameters.ts";

const names = (most: number) =>
  list
    .refine(({ length }) => length <= most, { error: `must name ${most} at most.` })
    .meta({
      inputSchema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: most },
    });

/** Whether there is such a day is told with the span (span.ts). */
const localDate = text.meta({ inputSchema: { type: "string", format: "date" } });

const MOST_SERVICES = 8;
const MOST_ADDONS = 50;
const USUAL_LIMIT = 10;

export const AVAILABILITY_PARAMETERS = {
  serviceIds: names(MOST_SERVICES)
    .describe("Services of one visit, in this order")
    .meta({ example: ["svc_sjjcgkddr4k16dc09tbc"] }),
  serviceId: text.describe("Alias of `serviceIds` for one service"),
  variantIds: names(MOST_SERVICES).describe(
    "Variants, with or instead of their services; by default, the service's default variant",
  ),
  addonIds: names(MOST_ADDONS).describe(
    "Add-ons: `adn_…`, or `adn_…*2` for a quantity of 2; `svc_…:adn_…` if several of the services have the add-on",
  ),
  staffIds: names(MOST_SERVICES).describe(
    "One staff member for the whole visit, or `svc_…:stf_…` for each service; `any` means no preference",
  ),
  staffId: text.describe("Alias of `staffIds` for one staff member"),
  date: localDate.describe("Search this day only, in the business's time zone"),
  from: localDate.describe(
    "First day of the search, in the business's time zone; today by default",
  ),
  to: localDate.describe(`Last day of the search; at most ${MAX_DAYS} days in total, 7 by default`),
  partySize: integer(1, 10_000).describe("Party size; searches for a table"),
  areaId: text.describe("Area of the table; only with `partySize`"),
  guests: integer(1, 10_000).describe("Number of guests; 1 by default"),
  granularity: z
    .enum(["slots", "days", "next"], { error: "must be slots, days or next." })
    .describe(
      "`slots` (the default): every slot; `days`: the number of slots per day; `next`: the next slots",
    ),
  limit: integer(1, 100).describe(
    `Maximum number of slots with granularity=next; ${USUAL_LIMIT} by default`,
  ),
  timezone: z
    .string()
    .refine((name) => canonicalTimezone(name) !== undefined, {
      error: "must be an IANA timezone such as Asia/Tokyo.",
    })
    .transform((name) => canonicalTimezone(name) ?? name)
    .describe("IANA time zone for times in the response; the business's by default"),
  explain: flag.describe(
    "Include starts that cannot be booked, with the reason; requires a key of the business",
  ),
};

type Values = ParametersOf<typeof AVAILABILITY_PARAMETERS>;

export type AvailabilityRequest = {
  request: NamedRequest;
  dates: DateRange;
  granularity: "slots" | "days" | "next";
  limit: number;
  timezone: string | null;
  explain: boolean;
};

/**
 * @param today undefined where there is no such business; what is wrong with the request itself is told first
 * @throws AppError with every mistake in it
 */
export function parseAvailabilityRequest(
  search: string,
  today: LocalDate | undefined,
): AvailabilityRequest | undefined {
  const { values, issues: mistakes } = validateParameters(AVAILABILITY_PARAMETERS, search);
  const asked = new Set(new URLSearchParams(search).keys());
  mistakes.push(...contradictions(asked, values));
  const { range: span, issues: wrongDates } = parseDateRange(values, today);
  mistakes.push(
    ...wrongDates.filter(
      ({ parameter }) => !mistakes.some((known) => known.parameter === parameter),
    ),
  );
  if (mistakes.length > 0) throw parametersError(mistakes);
  if (span === undefined) return undefined;
  const { granularity = "slots", limit = USUAL_LIMIT, timezone = null, explain = false } = values;
  return { request: wishOf(values), dates: span, granularity, limit, timezone, explain };
}

const wishOf = (values: Values): NamedRequest =>
  values.partySize === undefined
    ? {
        serviceIds: values.serviceIds ?? (values.serviceId === undefined ? [] : [values.serviceId]),
        variantIds: values.variantIds ?? [],
        addonIds: values.addonIds ?? [],
        staffIds: values.staffIds ?? (values.staffId === undefined ? [] : [values.staffId]),
        guests: values.guests ?? 1,
      }
    : { partySize: values.partySize, areaId: values.areaId ?? null };

const OF_A_VISIT = [
  "serviceIds",
  "serviceId",
  "variantIds",
  "addonIds",
  "staffIds",
  "staffId",
  "guests",
] as const;

/** What does not go together, each under the parameter that could be left out. */
function contradictions(
  asked: ReadonlySet<string>,
  { granularity = "slots", explain }: Values,
): ValidationIssue[] {
  const mistakes: ValidationIssue[] = [];
  const refuse = (parameter: keyof Values, why: string, code = "invalid_value") =>
    void mistakes.push({ parameter, code, detail: `'${parameter}' ${why}` });

  if (asked.has("partySize")) {
    for (const name of OF_A_VISIT)
      if (asked.has(name)) refuse(name, "does not go with 'partySize': that asks for a table.");
  } else {
    if (!asked.has("serviceIds") && !asked.has("serviceId") && !asked.has("variantIds"))
      refuse("serviceIds", "is needed, or 'partySize' to ask for a table.", "missing_parameter");
    if (asked.has("areaId")) refuse("areaId", "goes with 'partySize'.");
  }
  if (asked.has("serviceId") && asked.has("serviceIds"))
    refuse("serviceId", "is another name of 'serviceIds'.");
  if (asked.has("staffId") && asked.has("staffIds"))
    refuse("staffId", "is another name of 'staffIds'.");
  if (granularity === "next") {
    for (const name of ["date", "to"] as const)
      if (asked.has(name))
        refuse(name, "does not go with granularity=next, which looks as far ahead as it must.");
  } else if (asked.has("limit")) refuse("limit", "goes with granularity=next.");
  if (explain === true && granularity !== "slots")
    refuse("explain", "goes with granularity=slots.");
  return mistakes;
}
