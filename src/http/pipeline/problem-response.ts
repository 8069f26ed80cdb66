import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  respondBytes,
  type RequestContext,
  redactPath,
} from "./request-context.ts";
import { RateLimitError } from "../auth/access-control.ts";
import { problemBody, toProblem } from "./problems.ts";

/** Answers an error. A bug is logged whole and tells nothing but the request's id. */
export function respondWithProblem(
  rt: Runtime,
  call: RequestContext,
  error: unknown,
): HttpResponse {
  const { problem, isBug } = toProblem(error);
  if (isBug)
    rt.log("error", "a request failed", {
      requestId: call.requestId,
      method: call.request.method,
      path: redactPath(call.request),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const limited = error instanceof RateLimitError ? error : undefined;
  const extra = limited && { violatedPolicies: limited.violatedPolicies };
  const headers = ["cache-control", "no-store", ...problem.headers];
  if (limited) headers.push("retry-after", String(limited.retryAfterSeconds));
  const body = Buffer.from(problemBody(problem, call.requestId, extra));
  return respondBytes(call, problem.status, "application/problem+json", body, headers);
}
