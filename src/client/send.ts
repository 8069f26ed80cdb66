import { DeskbellError, type Problem } from "./errors.ts";

/** A request with its complete body, which can be sent again. */
export type PreparedRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether sending it twice has the effect of sending it once. */
  isRepeatable: boolean;
  signal: AbortSignal | undefined;
};

export type SendOptions = {
  fetch: typeof fetch;
  /** How often a request is sent again. */
  retries: number;
  /**
   * The longest wait before a request is sent again; a longer `Retry-After` is an error at once.
   */
  maxWaitSeconds: number;
  /** The time for a complete response. */
  timeoutSeconds: number;
};

/** A complete response; `body` is undefined if there is none. */
export type Received = { status: number; headers: Headers; body: unknown };

const FIRST_PAUSE_SECONDS = 0.5;
const MAX_PAUSE_SECONDS = 8;

/** The statuses of a server or proxy that is overloaded or restarting. */
const TEMPORARY = [502, 503, 504];

/**
 * Sends a request, and sends it again after a temporary failure if a repetition is safe.
 * @throws DeskbellError
 * @throws the reason of the signal if it is aborted
 */
export async function send(request: PreparedRequest, options: SendOptions): Promise<Received> {
  for (let retry = 0; ; retry++) {
    const result = await sendOnce(request, options);
    if (!(result instanceof DeskbellError)) return result;
    // A 429 refuses a request before it has an effect.
    const isSafe = request.isRepeatable || result.status === 429;
    const pause = Math.max(result.retryAfter ?? 0, pauseBefore(retry));
    if (
      !isSafe ||
      !isTemporary(result) ||
      retry >= options.retries ||
      pause > options.maxWaitSeconds
    )
      throw result;
    await wait(pause * 1000, request.signal);
  }
}

/**
 * Returns whether the same request can succeed within a minute. Any other code of a 429 reports a
 * limit on holds, bookings or redeliveries, which is rarely free again within a minute.
 */
const isTemporary = ({ code, status }: DeskbellError): boolean =>
  status === 429
    ? code === "rate_limited" || code === "unexpected_response"
    : code === "connection_failed" || TEMPORARY.includes(status);

/**
 * Returns the seconds before a retry. Half of them are random, so that clients that failed together
 * do not return together.
 */
const pauseBefore = (retry: number): number =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** retry, MAX_PAUSE_SECONDS) * (0.5 + Math.random() / 2);

async function sendOnce(
  { method, url, headers, body, signal }: PreparedRequest,
  { fetch, timeoutSeconds }: SendOptions,
): Promise<Received | DeskbellError> {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // A redirect could send the key to another address.
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const reason = timeout.aborted ? `no response within ${timeoutSeconds} s` : reasonOf(cause);
    return new DeskbellError({
      code: "connection_failed",
      detail: `${describeRequest(method, url)}: ${reason}.`,
      fix: "check baseUrl, and that the server is reachable from here.",
      cause,
    });
  }
  const parsed = parse(text);
  const { status } = response;
  const isComplete = parsed !== undefined || status === 204 || status === 304;
  if ((response.ok || status === 304) && isComplete)
    return { status, headers: response.headers, body: parsed };
  return toError(describeRequest(method, url), response, parsed);
}

const describeRequest = (method: string, url: string): string =>
  `${method} ${url.split("?", 1)[0]}`;

/** Returns the reason of a failed `fetch`, which Node has in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message || message || String(error);
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the seconds of `Retry-After`, in which some proxies write a date. */
function parseRetryAfter(value: string | null): number | undefined {
  const seconds = Number(value ?? Number.NaN);
  if (seconds >= 0) return seconds;
  // `Date.parse` also takes other texts, such as "-1", for dates.
  const date = value?.endsWith(" GMT") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function toError(request: string, { status, headers }: Response, body: object | undefined) {
  const retryAfter = parseRetryAfter(headers.get("retry-after"));
  const requestId = headers.get("request-id") ?? undefined;
  if (body !== undefined && "code" in body && "detail" in body) {
    const problem = body as Problem;
    const { code, detail, fix } = problem;
    return new DeskbellError({ code, detail, status, fix, requestId, retryAfter, problem });
  }
  return new DeskbellError({
    code: "unexpected_response",
    detail: `${request}: the response with status ${status} is not one of deskbell.`,
    fix: "check baseUrl, and the proxy before the server.",
    status,
    requestId,
    retryAfter,
  });
}

/** Waits, or throws the reason of the signal if it is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
