import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import type { ApiReply } from "../../http/pipeline/route.ts";
import { type HttpCode, PROBLEM_CODES } from "../../http/pipeline/problem-codes.ts";
import { fixForPartners } from "../../http/pipeline/problems.ts";

// A tool refuses a call with a result that says how to mend the call, because language models read
// only results.

/**
 * An error of the API as an agent reads it: its texts name tools and arguments, not routes and
 * parameters.
 */
export type ToolError = {
  code: string;
  detail: string;
  fix: string;
  errors?: object[];
} & Record<string, unknown>;

/** A refused call. Its error becomes a result with `isError`, which the agent reads. */
export class RefusedCall extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.detail);
    this.error = error;
  }
}

type Problem = {
  code: HttpCode;
  detail: string;
  fix?: string;
  errors?: ValidationIssue[];
} & Record<string, unknown>;

/** Says from which arguments of a tool the body of an API request was made. */
export type SentBody = {
  /**
   * The name of the argument that contains the body, such as `visit`; undefined if all arguments
   * are fields of the body.
   */
  field?: string | undefined;
  /** Names of other arguments, which were added to the body as fields. */
  addedFields?: readonly string[];
  /** The body that was sent. Each free time in `alternatives` repeats it with another start. */
  body?: object | undefined;
};

/**
 * Returns the body of a response of the API.
 * @param sent where the body of the request came from, so that issues point to arguments
 * @throws RefusedCall if the API has refused the request
 */
export function assertSucceeded<T>({ status, body }: ApiReply, sent: SentBody = {}): T {
  if (status < 400) return body as T;
  const { type: _type, title: _title, status: _status, requestId, ...problem } = body as Problem;
  // Operators find an error of the server in the log by its request ID, so the tool error keeps
  // this ID.
  throw new RefusedCall(
    toToolError({ ...problem, ...(status >= 500 && { requestId }) } as Problem, sent),
  );
}

/** Returns a thrown error as the agent reads it; undefined if the thrown error is a bug. */
export function toolErrorOf(error: unknown): ToolError | undefined {
  if (error instanceof RefusedCall) return error.error;
  if (!(error instanceof AppError) || !(error.code in PROBLEM_CODES)) return undefined;
  const fix = fixForPartners(error);
  return toToolError({
    ...error.extensions,
    code: error.code as HttpCode,
    detail: error.message,
    ...(fix !== undefined && { fix }),
    ...(error.issues.length > 0 && { errors: error.issues }),
  });
}

const MAX_ISSUES = 10;

const WITH_KEY =
  "ask the user for an API key of the business, which their client sends as a bearer token; without a key the tools can only read";

/**
 * Advice for agents by error code. It replaces the API's own advice, which is about HTTP requests.
 */
const FIXES: Partial<Record<HttpCode, string>> = {
  business_mismatch: "leave out `business`, or use the slug that `detail` names",
  business_not_found: "use a slug of find_business",
  missing_key: WITH_KEY,
  insufficient_scope: WITH_KEY,
  resource_not_found:
    "use an ID of search_catalog, list_events or find_times, or the `id` in the result of book or hold; a key finds only what was made with it",
  rate_limited: "wait as long as `detail` says, then call again",
};

/**
 * Returns the pointer to an argument, given a pointer to a field of the body: `#/startsAt` becomes
 * `#/visit/startsAt` if the argument `visit` was the body.
 */
function toArgument(pointer: string, { field, addedFields = [] }: SentBody): string {
  const [, name = ""] = pointer.split("/");
  return field === undefined || addedFields.includes(name)
    ? pointer
    : pointer.replace(/^#/, `#/${field}`);
}

function toToolError(
  { code, detail, fix, errors = [], alternatives, ...extensions }: Problem,
  sent: SentBody = {},
): ToolError {
  const [, , adviceOfApi] = PROBLEM_CODES[code];
  const issues = errors.slice(0, MAX_ISSUES).map(({ pointer, parameter, ...issue }) => ({
    ...issue,
    detail: inToolWords(issue.detail),
    ...(parameter !== undefined && { argument: inToolWords(parameter).replaceAll("`", "") }),
    ...(pointer !== undefined && { pointer: toArgument(pointer, sent) }),
  }));
  return {
    code,
    detail: inToolWords(detail),
    fix: inToolWords(fix ?? FIXES[code] ?? adviceOfApi),
    ...(issues.length > 0 && { errors: issues }),
    ...extensions,
    ...(Array.isArray(alternatives) && {
      alternatives: alternatives.map((slot: Start) => withArguments(slot, sent)),
    }),
  };
}

type Start = { startsAt: string };

/**
 * Returns a free start with a field `book`: the arguments with which the agent can book it. They
 * repeat the body that was sent, with this start. The field is absent if no argument was the body.
 */
function withArguments(
  slot: Start,
  { field, addedFields = [], body = {} }: SentBody,
): Start & { book?: object } {
  if (field === undefined) return slot;
  const form = Object.entries(body).filter(([name]) => !addedFields.includes(name));
  return { ...slot, book: { [field]: { ...Object.fromEntries(form), startsAt: slot.startsAt } } };
}

/**
 * Returns a text about the HTTP API with the names that agents know: `/availability` becomes
 * find_times.
 */
export const inToolWords = (text: string): string =>
  text
    // The description of a visit's services in the API says which fields to copy from a slot. An
    // agent copies `book` instead.
    .replace(
      "of each segment of a slot of `/availability`, send these four fields only, or the slot's `bookingRequest`",
      "copy `book` of a time from find_times",
    )
    .replace("choose one of 'alternatives'", "send `book` of one of 'alternatives'")
    .replace("; null for any", "; left out: any")
    .replaceAll(/(?:the header )?Idempotency-Key/g, "`idempotencyKey`")
    .replaceAll(/`?\/availability`?/g, "find_times");
