import type { Runtime } from "../runtime.ts";
import { type Call, type HeaderPairs, respond } from "./call.ts";
import { RateLimited } from "./gate.ts";
import { problemBody, toProblem } from "./problems.ts";

/** Answers an error. A bug is logged whole and tells nothing but the request's id. */
export function respondProblem(rt: Runtime, call: Call, error: unknown): Response {
  const { problem, isBug } = toProblem(error);
  if (isBug)
    rt.log("error", "a request failed", {
      requestId: call.requestId,
      method: call.event.req.method,
      path: call.event.url.pathname,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const limited = error instanceof RateLimited ? error : undefined;
  const body = Buffer.from(
    problemBody(problem, call.requestId, limited && { violatedPolicies: limited.violatedPolicies }),
  );
  const headers: HeaderPairs = [
    ["content-type", "application/problem+json"],
    ["content-length", String(body.length)],
    ["cache-control", "no-store"],
    ...problem.headers,
  ];
  if (limited) headers.push(["retry-after", String(limited.retryAfterSeconds)]);
  return respond(call, problem.status, headers, body);
}
