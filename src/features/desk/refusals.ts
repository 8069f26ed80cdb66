import type { Reason } from "../../domain/availability/refusal.ts";
import type { AppError, ErrorCode } from "../../domain/errors.ts";
import type { RefusalCode } from "./rules.ts";

// Errors of use cases are in English, for operators. The people in the shop read their own
// language, so each error that they can meet has a text of its own.

const OF_TIME: Readonly<Record<Reason, RefusalCode>> = {
  TOO_FAR: "wrong_time",
  TOO_SOON: "wrong_time",
  OFF_GRID: "wrong_time",
  CLOSURE: "closed_then",
  OUTSIDE_HOURS: "closed_then",
  NOBODY_ABLE: "nobody_works",
  BREAK: "nobody_works",
  TIME_OFF: "nobody_works",
  SEATS_TAKEN: "taken",
  TAKEN: "taken",
  BUFFER: "taken",
  RESOURCE_TAKEN: "taken",
};

const OF_CODE: Partial<Record<ErrorCode, RefusalCode>> = {
  wrong_status: "changed",
  conflict: "changed",
  resource_not_found: "gone",
  service_not_bookable: "not_offered",
  variant_service_mismatch: "not_offered",
  addon_not_linked: "not_offered",
  staff_cannot_perform: "wrong_person",
  party_too_large: "too_many_guests",
  insufficient_scope: "not_allowed",
  validation_failed: "invalid",
  invalid_date: "invalid",
  invalid_parameter: "invalid",
  usage: "invalid",
};

/** Returns the text for an error; undefined for one that is only in English. */
export function refusalOf({ code, extensions, issues }: AppError): RefusalCode | undefined {
  const { reason } = extensions as { reason?: Reason };
  if (reason !== undefined) return OF_TIME[reason];
  const [issue] = issues;
  return OF_CODE[(issue?.code ?? code) as ErrorCode] ?? OF_CODE[code];
}
