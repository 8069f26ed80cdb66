import { hashVisitor } from "../../app/bookings/visitors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { getHeader, type RequestContext } from "./request-context.ts";

export const VISITOR_ID = /^[\x21-\x7e]{1,64}$/;

/** Returns the hash of the visitor whom the client names; null if it names none. */
export function readVisitor(
  rt: Runtime,
  { request }: RequestContext,
  keyId: string,
): Buffer | null {
  const value = getHeader(request, "visitor-id");
  if (value === undefined) return null;
  if (VISITOR_ID.test(value)) return hashVisitor(rt, keyId, value);
  const detail = "Invalid Visitor-Id: expected 1 to 64 printable ASCII characters without spaces.";
  throw new AppError("invalid_parameter", detail, {
    issues: [{ parameter: "Visitor-Id", code: "invalid_value", detail }],
  });
}
