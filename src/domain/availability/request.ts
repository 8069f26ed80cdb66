import type { LocalDate } from "../catalog/common.ts";
import type { ErrorCode, ValidationIssue } from "../errors.ts";
import { addDays, isLocalDate, YEARS } from "../local-time.ts";
import { quote } from "../text.ts";
import { dayNumber } from "./wall-clock.ts";

/** A request that names objects by key. Both dates are included, in the business's time zone. */
export type ResolvedRequest = { from: LocalDate; to: LocalDate } & (
  | ResolvedAppointmentRequest
  | ResolvedTableRequest
);

/** One service, or several for one visit in the order they are performed. */
export type ResolvedAppointmentRequest = { services: ServiceRequest[]; guests: number };

export type ServiceRequest = {
  service: string;
  /** null: the default variant if there is one, else the service without a variant. */
  variant: string | null;
  addons: { addon: string; quantity: number }[];
  /** null: any staff member. */
  staff: string | null;
  /** The index of the service in the request's list of segments, if there is such a list. */
  segment?: number;
};

export type ResolvedTableRequest = { partySize: number; area: string | null };

/** A request that names objects by ID, or by key on the command line. */
export type NamedRequest = NamedAppointmentRequest | NamedSegmentsRequest | NamedTableRequest;

export type NamedAppointmentRequest = {
  /** The services in the order they are performed; may be empty if `variantIds` imply them. */
  serviceIds: readonly string[];
  variantIds: readonly string[];
  /** `wash`, `wash*2`, or `cut:wash` if several of the services offer it. */
  addonIds: readonly string[];
  /** `mia` for the whole visit, `cut:mia` for one service, or `any`. */
  staffIds: readonly string[];
  guests: number;
};

/** A request with one entry for each service of a visit, as in the segments of a listed slot. */
export type NamedSegmentsRequest = { segments: readonly NamedSegment[]; guests: number };

export type NamedSegment = {
  serviceId: string;
  /** null: the default variant if there is one. */
  variantId: string | null;
  addons: readonly { addonId: string; quantity: number }[];
  /** null: any staff member. */
  staffId: string | null;
};

export type NamedTableRequest = { partySize: number; areaId: string | null };

/**
 * The time of a booked segment, a reservation or a hold, in epoch minutes. A cancelled visit has no
 * such interval.
 */
export type BusyInterval = {
  staffKey: string | null;
  serviceKey: string | null;
  tableKey: string | null;
  startMin: number;
  endMin: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  seats: number;
  resources: { resource: string; units: number }[];
};

export type RequestIssue = ValidationIssue & {
  code: ErrorCode;
  parameter: keyof NamedAppointmentRequest | keyof NamedTableRequest;
};

export type AddIssue = (
  code: ErrorCode,
  detail: string,
  parameter: RequestIssue["parameter"],
  /** The JSON pointer to the segment with the issue, if the request lists segments. */
  pointer?: string,
) => void;

export const addIssueTo =
  (issues: RequestIssue[]): AddIssue =>
  (code, detail, parameter, pointer) =>
    void issues.push({ code, detail, parameter, ...(pointer !== undefined && { pointer }) });

/** The field of a segment that means the same as a parameter of a query. */
const SEGMENT_FIELDS: { [parameter in RequestIssue["parameter"]]?: keyof NamedSegment } = {
  serviceIds: "serviceId",
  variantIds: "variantId",
  addonIds: "addons",
  staffIds: "staffId",
};

/**
 * Returns an `addIssue` whose issues point to the field of a segment.
 * @param index the index of the segment; undefined for a query, whose issues have no pointer
 */
export function pointingTo(addIssue: AddIssue, index: number | undefined): AddIssue {
  if (index === undefined) return addIssue;
  return (code, detail, parameter) => {
    const field = SEGMENT_FIELDS[parameter];
    addIssue(code, detail, parameter, field && `#/segments/${index}/${field}`);
  };
}

/** One `date`, or all days from `from` to `to`. */
export type DateRangeInput = {
  date?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type DateRange = { from: LocalDate; to: LocalDate };

const DEFAULT_DAYS = 7;
/** The longest range of a request: any two months in a row fit. */
export const MAX_DAYS = 62;

/**
 * Returns the range of days of a request, by default a week from today, and the issues of the
 * range. The range is for use only if there are no issues.
 * @param today in the business's time zone; undefined if the business is unknown
 */
export function parseDateRange(
  input: DateRangeInput,
  today: LocalDate | undefined,
): { range?: DateRange; issues: ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const addIssue = (parameter: keyof DateRangeInput, code: string, detail: string) =>
    void issues.push({ parameter, code, detail: `'${parameter}' ${detail}` });

  for (const name of ["date", "from", "to"] as const) {
    const text = input[name];
    if (text !== undefined && !isLocalDate(text))
      addIssue(
        name,
        "invalid_date",
        `must be a date ${YEARS} that exists, such as 2026-12-31, not ${quote(text)}.`,
      );
  }
  if (input.date !== undefined && (input.from ?? input.to) !== undefined)
    addIssue("date", "invalid_value", "cannot be combined with 'from' or 'to'.");
  const from = input.date ?? input.from ?? today;
  if (issues.length > 0 || from === undefined) return { issues };

  const to = input.date ?? input.to ?? addDays(from, DEFAULT_DAYS - 1);
  if (to < from) addIssue("to", "before_from", `must not be before 'from', which is ${from}.`);
  if (dayNumber(to) - dayNumber(from) >= MAX_DAYS)
    addIssue("to", "range_too_large", `must be at most ${MAX_DAYS - 1} days after 'from'.`);
  return { range: { from, to }, issues };
}
