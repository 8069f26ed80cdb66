import type { Runtime } from "../../app/runtime.ts";
import { AppError, type ErrorCode, type ValidationIssue } from "../../domain/errors.ts";
import { storageError } from "../../store/database/storage-error.ts";
import { RateLimitError } from "../auth/rate-limits.ts";
import { NO_STORE } from "./business-response.ts";
import { type HttpCode, meaningOf, PROBLEM_CODES, statusOf } from "./problem-codes.ts";
import {
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respondBytes,
} from "./request-context.ts";

export type Problem = {
  status: number;
  code: string;
  detail: string;
  fix?: string | undefined;
  issues: ValidationIssue[];
  headers: RawHeaders;
};

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  busy: 1,
  too_many_holds: 60,
  too_many_bookings: 3600,
  too_many_redeliveries: 60,
  shutting_down: 5,
  storage_full: 60,
  storage_failed: 60,
  signing_unavailable: 60,
};

/** Maximum number of issues in a response, so that a small request causes no large response. */
const MAX_ISSUES = 50;

export const createProblem = (
  code: HttpCode,
  detail: string,
  issues: ValidationIssue[] = [],
): Problem => ({ status: statusOf(code), code, detail, issues, headers: [] });

/**
 * Returns the problem of an error; undefined for a bug, whose details must not reach the client. A
 * code that only the command line uses is a bug here.
 */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (!(error.code in PROBLEM_CODES)) return undefined;
  const problem = createProblem(error.code as HttpCode, error.message, error.issues);
  const { headers, status } = problem;
  if (status === 401)
    headers.push(
      "www-authenticate",
      `Bearer realm="deskbell"${error.code === "missing_key" ? "" : ', error="invalid_token"'}`,
    );
  const retryAfter = RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  // A 5xx response has no fix, because the operator alone can mend what it reports.
  if (status < 500) problem.fix = fixForPartners(error);
  return problem;
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

const isStorageAppError = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === "storage_full" || error.code === "storage_failed");

/** Returns a storage error as clients may see it: its own message names a file of the server. */
function withoutPath({ code }: AppError): AppError {
  const shownCode = code === "busy" || code === "storage_full" ? code : "storage_failed";
  return new AppError(shownCode, meaningOf(shownCode));
}

/**
 * Returns the fix of an error, unless it names a command or a flag: such a fix is for the operator.
 */
export const fixForPartners = ({ fix }: AppError): string | undefined =>
  fix === undefined || /\bdeskbell\b|--\w/.test(fix) ? undefined : fix;

/**
 * Returns the body of a problem response.
 * @param publicUrl may be empty; `type` is then relative to the server
 */
export function problemBody(
  { code, status, detail, fix, issues }: Problem,
  requestId: string,
  publicUrl: string,
  extra: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    type: `${publicUrl}/docs#problem-${code}`,
    title: titleOf(code),
    status,
    code,
    detail,
    fix,
    requestId,
    ...(issues.length > 0 && { errors: issues.slice(0, MAX_ISSUES) }),
    ...extra,
  });
}

/** Returns a code as text: `invalid_json` -> `Invalid JSON`. */
const titleOf = (code: string): string =>
  code
    .replaceAll("_", " ")
    .replace(/\b(?:json|uri|url)\b|^\w/g, (letters) => letters.toUpperCase());

/**
 * Returns the problem of any error, and logs a bug or a storage failure in full. The problem of
 * these has no details.
 */
export function reportProblem(rt: Runtime, context: RequestContext, error: unknown): Problem {
  const storageFailure = isStorageAppError(error)
    ? error
    : storageError(error, rt.config.databasePath);
  const knownProblem = problemOf(storageFailure ? withoutPath(storageFailure) : error);
  // A full disk, and storage errors that deskbell itself raises, are not logged at each request:
  // health conditions report them once.
  const mustLog =
    !knownProblem || (knownProblem.code === "storage_failed" && storageFailure !== error);
  if (mustLog)
    rt.log("error", "Request failed.", {
      requestId: context.requestId,
      method: context.request.method,
      path: context.request.path,
      error: storageFailure?.message ?? stackOf(error),
      ...(storageFailure?.fix !== undefined && { fix: storageFailure.fix }),
    });
  return (
    knownProblem ??
    createProblem("internal", "Internal error. The request ID identifies it in the server's log.")
  );
}

/** Returns the response to an error. It has no details of a bug or a storage failure. */
export function respondWithProblem(
  rt: Runtime,
  context: RequestContext,
  error: unknown,
): HttpResponse {
  const problem = reportProblem(rt, context, error);
  const rateLimitError = error instanceof RateLimitError ? error : undefined;
  const extra = {
    ...(error instanceof AppError && error.extensions),
    ...(rateLimitError && { violatedPolicies: rateLimitError.violatedPolicies }),
  };
  const headers = [...NO_STORE, "content-language", "en", ...problem.headers];
  if (rateLimitError) headers.push("retry-after", String(rateLimitError.retryAfterSeconds));
  const { publicUrl } = rt.config.http;
  const body = Buffer.from(problemBody(problem, context.requestId, publicUrl, extra));
  return respondBytes(context, problem.status, "application/problem+json", body, headers);
}
