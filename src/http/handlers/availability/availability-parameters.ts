import { z } from "zod";
import {
  type NamedRequest,
  MAX_DAYS,
  parseDateRange,
  type DateRange,
} from "../../../domain/availability/request.ts";
import { canonicalTimezone } from "../../../domain/local-time.ts";
import type { LocalDate } from "../../../domain/catalog/common.ts";
import { lazy } from "../../../domain/lazy.ts";
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

const idList = (max: number) =>
  list()
    .refine(({ length }) => length <= max, { error: `must name ${max} at most.` })
    .meta({
      inputSchema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: max },
    });

/** A date as text. `parseDateRange` checks that the date exists. */
const localDate = () => text().meta({ inputSchema: { type: "string", format: "date" } });

const MAX_SERVICES = 8;
const MAX_ADDONS = 50;
const DEFAULT_LIMIT = 10;

export const availabilityParameters = lazy(() => ({
  serviceIds: idList(MAX_SERVICES)
    .describe("Services of one visit, in this order")
    .meta({ example: ["svc_sjjcgkddr4k16dc09tbc"] }),
  serviceId: text().describe("Alias of `serviceIds` for one service"),
  variantIds: idList(MAX_SERVICES).describe(
    "Variants, with or instead of their services; by default, the service's default variant",
  ),
  addonIds: idList(MAX_ADDONS).describe(
    "Add-ons: `adn_…`, or `adn_…*2` for a quantity of 2; `svc_…:adn_…` if several of the services have the add-on",
  ),
  staffIds: idList(MAX_SERVICES).describe(
    "One staff member for the whole visit, or `svc_…:stf_…` for each service; `any` means no preference",
  ),
  staffId: text().describe("Alias of `staffIds` for one staff member"),
  date: localDate().describe(
    "Search this day only, in the business's time zone; not with granularity=next",
  ),
  from: localDate().describe(
    "First day of the search, in the business's time zone; today by default",
  ),
  to: localDate().describe(
    `Last day of the search; at most ${MAX_DAYS} days in total, 7 by default; not with granularity=next`,
  ),
  partySize: integer(1, 10_000).describe("Party size; searches for a table"),
  areaId: text().describe("Area of the table; only with `partySize`"),
  guests: integer(1, 10_000).describe("Number of guests; 1 by default"),
  granularity: z
    .enum(["slots", "days", "next"], { error: "must be slots, days or next." })
    .describe(
      "`slots` (the default): every slot; `days`: the number of slots per day; `next`: the next slots",
    ),
  limit: integer(1, 100).describe(
    `Maximum number of slots with granularity=next; ${DEFAULT_LIMIT} by default`,
  ),
  timezone: z
    .string()
    .refine((name) => canonicalTimezone(name) !== undefined, {
      error: "must be an IANA timezone such as Asia/Tokyo.",
    })
    .transform((name) => canonicalTimezone(name) ?? name)
    .describe("IANA time zone for times in the response; the business's by default"),
  includeBookingRequest: flag().describe(
    "Include in each slot the body of the request that holds or books it",
  ),
  explain: flag().describe(
    "Include starts that cannot be booked, with the reason; requires a key of the business",
  ),
}));

type Values = ParametersOf<ReturnType<typeof availabilityParameters>>;

export type AvailabilityRequest = {
  request: NamedRequest;
  dates: DateRange;
  granularity: "slots" | "days" | "next";
  limit: number;
  timezone: string | null;
  explain: boolean;
  /** Absent unless requested. */
  includeBookingRequest?: true;
};

/**
 * Returns the parsed request; undefined for a valid request to an unknown business. An invalid
 * request gets the same issues whether or not its business exists.
 * @param today undefined if the business does not exist
 * @throws AppError with all issues
 */
export function parseAvailabilityRequest(
  search: string,
  today: LocalDate | undefined,
): AvailabilityRequest | undefined {
  const { values, issues } = validateParameters(availabilityParameters(), search);
  const given = new Set(new URLSearchParams(search).keys());
  issues.push(...validateCombination(given, values));
  const { range: dates, issues: dateIssues } = parseDateRange(values, today);
  // An issue of a date is left out if the same parameter already has an issue, for example because
  // another parameter excludes it.
  issues.push(
    ...dateIssues.filter(({ parameter }) => !issues.some((issue) => issue.parameter === parameter)),
  );
  if (issues.length > 0) throw parametersError(issues);
  if (dates === undefined) return undefined;
  const { granularity = "slots", limit = DEFAULT_LIMIT, timezone = null, explain = false } = values;
  const request = toNamedRequest(values);
  return {
    request,
    dates,
    granularity,
    limit,
    timezone,
    explain,
    ...(values.includeBookingRequest && { includeBookingRequest: true }),
  };
}

const toNamedRequest = (values: Values): NamedRequest =>
  values.partySize === undefined
    ? {
        serviceIds: values.serviceIds ?? (values.serviceId === undefined ? [] : [values.serviceId]),
        variantIds: values.variantIds ?? [],
        addonIds: values.addonIds ?? [],
        staffIds: values.staffIds ?? (values.staffId === undefined ? [] : [values.staffId]),
        guests: values.guests ?? 1,
      }
    : { partySize: values.partySize, areaId: values.areaId ?? null };

const VISIT_PARAMETERS = [
  "serviceIds",
  "serviceId",
  "variantIds",
  "addonIds",
  "staffIds",
  "staffId",
  "guests",
] as const;

/**
 * Returns the issues of parameters that exclude or require another parameter. Each issue names the
 * parameter to leave out or to add.
 * @param given the names of the parameters in the query
 */
function validateCombination(
  given: ReadonlySet<string>,
  { granularity = "slots", explain, includeBookingRequest }: Values,
): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const addIssue = (parameter: keyof Values, problem: string, code = "invalid_value") =>
    void issues.push({ parameter, code, detail: `'${parameter}' ${problem}` });

  if (given.has("partySize")) {
    for (const name of VISIT_PARAMETERS)
      if (given.has(name))
        addIssue(name, "cannot be combined with 'partySize', which asks for a table.");
  } else {
    if (!given.has("serviceIds") && !given.has("serviceId") && !given.has("variantIds"))
      addIssue("serviceIds", "is needed, or 'partySize' to ask for a table.", "missing_parameter");
    if (given.has("areaId")) addIssue("areaId", "requires 'partySize'.");
  }
  if (given.has("serviceId") && given.has("serviceIds"))
    addIssue("serviceId", "cannot be combined with 'serviceIds', of which it is another name.");
  if (given.has("staffId") && given.has("staffIds"))
    addIssue("staffId", "cannot be combined with 'staffIds', of which it is another name.");
  if (granularity === "next") {
    for (const name of ["date", "to"] as const)
      if (given.has(name))
        addIssue(
          name,
          "cannot be combined with granularity=next, which looks as far ahead as it must.",
        );
  } else if (given.has("limit")) addIssue("limit", "requires granularity=next.");
  if (includeBookingRequest === true && granularity === "days")
    addIssue("includeBookingRequest", "requires granularity=slots or next.");
  if (explain === true && granularity !== "slots")
    addIssue("explain", "requires granularity=slots.");
  return issues;
}
