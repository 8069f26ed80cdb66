/** http/pipeline/problem-codes.ts maps a code to an HTTP status, cli/failure.ts to an exit code. */
export type ErrorCode =
  | "invalid_parameter"
  | "unknown_parameter"
  | "missing_parameter"
  | "invalid_cursor"
  | "invalid_date"
  | "range_too_large"
  | "query_too_large"
  | "invalid_json"
  | "missing_idempotency_key"
  | "missing_key"
  | "invalid_key"
  | "revoked_key"
  | "expired_key"
  | "insufficient_scope"
  | "business_mismatch"
  | "address_not_allowed"
  | "route_not_found"
  | "business_not_found"
  | "resource_not_found"
  | "method_not_allowed"
  | "conflict"
  | "slot_taken"
  | "price_changed"
  | "hold_expired"
  | "hold_used"
  | "wrong_status"
  | "cancellation_closed"
  | "too_many_holds"
  | "too_many_bookings"
  | "duplicate_endpoint"
  | "cursor_expired"
  | "version_mismatch"
  | "body_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "validation_failed"
  | "service_not_bookable"
  | "variant_service_mismatch"
  | "addon_not_linked"
  | "staff_cannot_perform"
  | "party_too_large"
  | "idempotency_key_reused"
  | "unsafe_url"
  | "rate_limited"
  | "busy"
  | "shutting_down"
  | "storage_full"
  | "storage_failed"
  | "signing_unavailable"
  // Used by the CLI only.
  | "usage"
  | "invalid_input"
  | "not_permitted"
  | "state_refuses";

export type ValidationIssue = {
  code: string;
  detail: string;
  /** A query parameter or header. */
  parameter?: string;
  /** RFC 6901 pointer into the body: `#/events/3`. */
  pointer?: string;
  /** Position in a file: `catalog.yaml:12:5`. */
  place?: string;
};

/**
 * Issues that an error lists. Looking for more would take seconds in a file that is wrong on purpose.
 * A search ends after one more than this, which tells that there are others.
 */
export const MAX_ISSUES = 100;

/** `3 errors`, or `More than 100 errors`. */
export const countErrors = ({ length }: readonly unknown[]): string =>
  length > MAX_ISSUES
    ? `More than ${MAX_ISSUES} errors`
    : `${length} error${length === 1 ? "" : "s"}`;

type ErrorDetails = {
  /** A sentence or a command. */
  fix?: string;
  issues?: ValidationIssue[];
  /** More members of the problem response, such as the new total of a changed price. */
  members?: Record<string, unknown>;
};

/** An error the user can act on. Any other thrown error is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly issues: ValidationIssue[];
  readonly members: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.fix = details.fix;
    this.issues = details.issues ?? [];
    this.members = details.members ?? {};
  }
}

/** @throws AppError resource_not_found if there is nothing */
export function assertFound<Row>(row: Row | undefined, message: string, fix: string): Row {
  if (row !== undefined) return row;
  throw new AppError("resource_not_found", message, { fix });
}
