import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  respondBytes,
  type RequestContext,
  redactPath,
} from "./request-context.ts";
import { RateLimitError } from "../auth/access-control.ts";
import { problemBody, toProblem } from "./problems.ts";

/** Turns an error into a response. A bug is logged in full; the client gets only the request ID. */
export function respondWithProblem(
  rt: Runtime,
  context: RequestContext,
  error: unknown,
): HttpResponse {
  const { problem, isBug } = toProblem(error);
  if (isBug)
    rt.log("error", "Request failed.", {
      requestId: context.requestId,
      method: context.request.method,
      path: redactPath(context.request),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const limited = error instanceof RateLimitError ? error : undefined;
  const extra = limited && { violatedPolicies: limited.violatedPolicies };
  const headers = ["cache-control", "no-store", ...problem.headers];
  if (limited) headers.push("retry-after", String(limited.retryAfterSeconds));
  const body = Buffer.from(problemBody(problem, context.requestId, extra));
  return respondBytes(context, problem.status, "application/problem+json", body, headers);
}
