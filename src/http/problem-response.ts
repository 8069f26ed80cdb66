import type { Runtime } from "../runtime.ts";
import { type Answer, answerBytes, type Call, loggedPath } from "./call.ts";
import { RateLimited } from "./gate/gate.ts";
import { problemBody, toProblem } from "./problems.ts";

/** Answers an error. A bug is logged whole and tells nothing but the request's id. */
export function answerProblem(rt: Runtime, call: Call, error: unknown): Answer {
  const { problem, isBug } = toProblem(error);
  if (isBug)
    rt.log("error", "a request failed", {
      requestId: call.requestId,
      method: call.asked.method,
      path: loggedPath(call.asked),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const limited = error instanceof RateLimited ? error : undefined;
  const extra = limited && { violatedPolicies: limited.violatedPolicies };
  const headers = ["cache-control", "no-store", ...problem.headers];
  if (limited) headers.push("retry-after", String(limited.retryAfterSeconds));
  const body = Buffer.from(problemBody(problem, call.requestId, extra));
  return answerBytes(call, problem.status, "application/problem+json", body, headers);
}
