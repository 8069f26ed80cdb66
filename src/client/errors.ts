import type { components } from "./generated/api.ts";

/** The body of a failed response (RFC 9457). */
export type Problem = components["schemas"]["Problem"];

/**
 * What went wrong: a code of the API, or a code of the client. `connection_failed` means that no
 * complete response came. `unexpected_response` means that the response is not from deskbell, but
 * for example from a proxy.
 */
export type ErrorCode = Problem["code"] | "connection_failed" | "unexpected_response";

type ErrorFields = {
  code: ErrorCode;
  detail: string;
  status?: number;
  fix?: string | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  problem?: Problem;
  cause?: unknown;
};

/** An error of the API or of the connection to it. */
export class DeskbellError extends Error {
  override readonly name = "DeskbellError";
  /** Stable, machine-readable code; use this in program logic. */
  readonly code: ErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** What is wrong, for people. */
  readonly detail: string;
  /** How to fix the request, for people; undefined if the response does not say. */
  readonly fix: string | undefined;
  /** The ID by which the business finds the request in its log. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry can succeed, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** The whole body of the response. Some codes add fields, such as `alternatives`. */
  readonly problem: Problem | undefined;

  constructor(fields: ErrorFields) {
    const { code, detail, fix, cause } = fields;
    super(
      `${code}: ${detail}${fix === undefined ? "" : ` Fix: ${fix}`}`,
      cause === undefined ? {} : { cause },
    );
    this.code = code;
    this.status = fields.status ?? 0;
    this.detail = detail;
    this.fix = fix;
    this.requestId = fields.requestId;
    this.retryAfter = fields.retryAfter;
    this.problem = fields.problem;
  }
}
