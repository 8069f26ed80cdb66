import { getSystemErrorMap } from "node:util";
import { countOf } from "./text.ts";

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
  | "rotation_not_allowed"
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
  | "too_many_redeliveries"
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
  // The API never responds with the codes below.
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
 * The maximum number of issues that an error lists: finding all issues would take seconds in a file
 * that is wrong on purpose. A search stops once it has found more issues than this, so that the
 * error can say that there are more.
 */
export const MAX_ISSUES = 100;

/** Returns `3 errors`, or `More than 100 errors`. */
export const countErrors = ({ length }: readonly unknown[]): string =>
  length > MAX_ISSUES ? `More than ${MAX_ISSUES} errors` : countOf(length, "error");

type ErrorDetails = {
  /** How to mend the error: a sentence or a command. */
  fix?: string;
  issues?: ValidationIssue[];
  /** Extension members of the RFC 9457 response, such as the new total of a changed price. */
  extensions?: Record<string, unknown>;
};

/** An error the user can act on. Any other thrown error is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly issues: ValidationIssue[];
  readonly extensions: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.fix = details.fix;
    this.issues = details.issues ?? [];
    this.extensions = details.extensions ?? {};
  }
}

/** Returns the row. @throws AppError resource_not_found if it is undefined */
export function assertFound<Row>(row: Row | undefined, message: string, fix: string): Row {
  if (row !== undefined) return row;
  throw new AppError("resource_not_found", message, { fix });
}

/** Texts for error codes in the words of an operator. The system has texts for the other codes. */
const SYSTEM_ERROR_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  EAI_AGAIN: "the name server does not respond",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to it",
  ENOTFOUND: "unknown host name",
  EPIPE: "connection closed",
  EPROTO: "it does not support TLS on this port, or no common version",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not support TLS on this port",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not support TLS on this port",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
  ETIMEDOUT: "no response",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "it does not send its whole chain of certificates",
  UND_ERR_ABORTED: "the request was cancelled",
  UND_ERR_BODY_TIMEOUT: "no response",
  UND_ERR_CONNECT_TIMEOUT: "no response",
  UND_ERR_HEADERS_TIMEOUT: "no response",
  UND_ERR_SOCKET: "connection closed",
};

const CODE = /\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*\b/g;
const ONLY_CODE = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;

/**
 * Returns the message of an error, with words in place of codes such as ECONNREFUSED, which an
 * operator would have to look up.
 */
export function errorInWords(error: unknown): string {
  // The whole chain of causes is searched for a known code, because the message of the error itself
  // may be only "fetch failed".
  for (let reason = error; reason instanceof Error; reason = reason.cause) {
    const words = SYSTEM_ERROR_WORDS[(reason as NodeJS.ErrnoException).code ?? ""];
    if (words !== undefined) return words;
  }
  if (!(error instanceof Error)) return textInWords(String(error));
  return textInWords(error.message || String((error as NodeJS.ErrnoException).code ?? error.name));
}

/** Returns why a `fetch` failed. The message of its error may be "fetch failed" only. */
export function fetchErrorInWords(error: unknown): string {
  const { name, cause } = error as Error;
  return name === "TimeoutError" ? "no response" : errorInWords(cause ?? error);
}

/**
 * Matches an error of OpenSSL, such as `4093…:error:0A00010B:SSL routines:function:wrong version
 * number:../deps/…`.
 */
const OPENSSL = /\berror:[\dA-F]{8}:[^:]*:[^:]*:([^:]+)/;

/** The reasons that OpenSSL gives for a response that is not TLS. */
const NOT_TLS: ReadonlySet<string> = new Set([
  "wrong version number",
  "packet length too long",
  "http request",
]);

/**
 * Returns the words for an OpenSSL error or a code of `SYSTEM_ERROR_WORDS` in the message. Any
 * other message is returned with the system's text in place of each code.
 */
function textInWords(text: string): string {
  const [, reason] = OPENSSL.exec(text) ?? [];
  if (reason !== undefined)
    return NOT_TLS.has(reason) ? "it does not support TLS on this port" : `TLS failed: ${reason}`;
  const knownCode = text.match(CODE)?.find((code) => Object.hasOwn(SYSTEM_ERROR_WORDS, code));
  if (knownCode !== undefined) return SYSTEM_ERROR_WORDS[knownCode] as string;
  const messages = new Map(getSystemErrorMap().values());
  // Node writes `ENOENT: no such file or directory, open 'a'`, or the code alone.
  const words = text
    .replace(/^E[A-Z\d]+: /, "")
    .replace(CODE, (code) => messages.get(code) ?? code);
  return ONLY_CODE.test(words) ? `the connection failed (${words})` : words;
}
