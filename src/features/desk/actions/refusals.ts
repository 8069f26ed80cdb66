import type { Reason } from "../../../domain/availability/refusal.ts";
import type { AppError, ErrorCode } from "../../../domain/errors.ts";
import type { RefusalCode } from "../rules.ts";

// Errors of use cases are in English, for operators. The people in the shop read their own
// language, so each error that they can meet has a text of its own.

const BY_REASON: Readonly<Record<Reason, RefusalCode>> = {
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

const BY_ERROR_CODE: Partial<Record<ErrorCode, RefusalCode>> = {
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

/** Returns the code of the text for an error; undefined for an error that is only in English. */
export function refusalOf({ code, extensions, issues }: AppError): RefusalCode | undefined {
  const { reason } = extensions as { reason?: Reason };
  if (reason !== undefined) return BY_REASON[reason];
  // The code of the first issue is more specific than that of the error, but may have no text.
  const [issue] = issues;
  return BY_ERROR_CODE[(issue?.code ?? code) as ErrorCode] ?? BY_ERROR_CODE[code];
}
