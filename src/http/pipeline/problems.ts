import { AppError, type ErrorCode, type ValidationIssue } from "../../domain/errors.ts";
import type { RawHeaders } from "./request-context.ts";

/** The part of an error that clients see. */
export type Problem = {
  status: number;
  code: string;
  detail: string;
  /** How the client can fix the request, if it can. */
  fix?: string | undefined;
  issues: ValidationIssue[];
  headers: RawHeaders;
};

/** The HTTP status of each code. A code that only the CLI uses is a bug in an HTTP response. */
export const HTTP_STATUS = {
  invalid_parameter: 400,
  unknown_parameter: 400,
  missing_parameter: 400,
  invalid_cursor: 400,
  invalid_date: 400,
  range_too_large: 400,
  invalid_json: 400,
  missing_key: 401,
  invalid_key: 401,
  revoked_key: 401,
  expired_key: 401,
  insufficient_scope: 403,
  business_mismatch: 403,
  address_not_allowed: 403,
  route_not_found: 404,
  business_not_found: 404,
  resource_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  cursor_expired: 410,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  validation_failed: 422,
  service_not_bookable: 422,
  variant_service_mismatch: 422,
  addon_not_linked: 422,
  staff_cannot_perform: 422,
  party_too_large: 422,
  query_too_large: 422,
  idempotency_key_reused: 422,
  unsafe_url: 422,
  rate_limited: 429,
  busy: 503,
  shutting_down: 503,
  storage_full: 503,
  signing_unavailable: 503,
  internal: 500,
  // Used by transport/hardening.ts, before a request reaches a route.
  malformed_request: 400,
  request_timeout: 408,
  headers_too_large: 431,
  not_implemented: 501,
  version_not_supported: 505,
} as const;

export type HttpCode = keyof typeof HTTP_STATUS;
export const HTTP_CODES = Object.keys(HTTP_STATUS) as HttpCode[];

/** Seconds after which clients should retry. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  busy: 1,
  shutting_down: 5,
  storage_full: 60,
  signing_unavailable: 60,
};

/** Keeps a small request from causing a large response. */
const MAX_ISSUES = 50;

const INTERNAL: Problem = {
  status: HTTP_STATUS.internal,
  code: "internal",
  detail: "Internal error. The request ID identifies it in the server's log.",
  issues: [],
  headers: [],
};

/** @returns undefined for a bug, whose details must not reach the client */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (!(error.code in HTTP_STATUS)) return undefined;
  const status = HTTP_STATUS[error.code as HttpCode];
  const headers: RawHeaders = [];
  if (status === 401)
    headers.push(
      "www-authenticate",
      `Bearer realm="deskbell"${error.code === "missing_key" ? "" : ', error="invalid_token"'}`,
    );
  const retryAfter = RETRY_AFTER[error.code];
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  return {
    status,
    code: error.code,
    detail: error.message,
    fix: status < 500 ? fixForPartners(error) : undefined,
    issues: error.issues,
    headers,
  };
}

/** Omits fixes that name a command or a flag, since those are for the operator. */
const fixForPartners = ({ fix }: AppError): string | undefined =>
  fix === undefined || /\bdeskbell\b|--\w/.test(fix) ? undefined : fix;

export const toProblem = (error: unknown): { problem: Problem; isBug: boolean } => {
  const problem = problemOf(error);
  return { problem: problem ?? INTERNAL, isBug: problem === undefined };
};

/** The RFC 9457 body; `extra` has additional members. */
export function problemBody(
  problem: Problem,
  requestId: string,
  extra: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    type: `https://deskbell.dev/problems/${problem.code}`,
    title: titleOf(problem.code),
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    fix: problem.fix,
    requestId,
    ...(problem.issues.length > 0 && { errors: problem.issues.slice(0, MAX_ISSUES) }),
    ...extra,
  });
}

/** `invalid_json` -> `Invalid JSON` */
const titleOf = (code: string): string =>
  code
    .replaceAll("_", " ")
    .replace(/\b(?:json|uri|url)\b|^\w/g, (letters) => letters.toUpperCase());
